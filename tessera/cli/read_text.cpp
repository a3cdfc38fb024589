#include "tessera/cli/read_text.h"

#include <cerrno>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

#include "tessera/core/internal/fail.h"

namespace tessera::cli {
namespace {

std::string read_all(std::istream& in, const std::string& name) {
  try {
    std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in.bad()) return text;
  } catch (const std::ios_base::failure& e) {  // what libstdc++ says of a folder
    fail(ErrorCode::io, name, "cannot be read: {}", e.code().message());
  }
  fail(ErrorCode::io, name, "cannot be read");
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    fail(ErrorCode::not_found, path.string(), "cannot be opened: {}",
         std::generic_category().message(errno));
  }
  return read_all(file, path.string());
}

std::string read_standard_input() {
  return read_all(std::cin, "standard input");
}

}  // namespace tessera::cli
