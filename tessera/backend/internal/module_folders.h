// The folders beside the program in which its modules lie.
#pragma once

#include <filesystem>
#include <vector>

namespace tessera {

/// In the order of the search; a folder need not exist.
std::vector<std::filesystem::path> module_folders();

}  // namespace tessera
