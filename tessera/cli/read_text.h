// Whole texts, from files and from standard input.
#pragma once

#include <filesystem>
#include <string>

namespace tessera::cli {

/// All of a file.   errors  not_found, or io when it opens and cannot be read (a folder)
std::string read_text_file(const std::filesystem::path& path);

/// All of standard input.   errors  io
std::string read_standard_input();

}  // namespace tessera::cli
