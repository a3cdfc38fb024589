// read_safetensors_header(): the JSON header of a safetensors file, by its schema only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// One tensor as written: complete, but not checked against the data.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin;  ///< the two data_offsets
  std::uint64_t end;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;
  std::map<std::string, std::string, std::less<>> metadata;
};

/// Reads the header's text in one pass, without a document tree.
/// errors  bad_format naming `file` for broken JSON, another schema, a repeated key or a lacking
/// one
SafetensorsHeader read_safetensors_header(std::string_view json, const std::string& file);

}  // namespace tessera
