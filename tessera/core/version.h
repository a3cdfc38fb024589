// The library's version. CMakeLists.txt reads the project's from this line.
#pragma once

namespace tessera {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace tessera
