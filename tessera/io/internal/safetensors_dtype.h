// The dtype names of safetensors files.
#pragma once

#include <optional>
#include <string_view>

#include "tessera/core/dtype.h"

namespace tessera {

struct SafetensorsDtype {
  std::string_view name;
  int bits;     ///< of one element
  Dtype dtype;  ///< of the array it becomes; uint8 for a kind that has no array type
};

/// nullptr for a name the format does not have.
const SafetensorsDtype* find_safetensors_dtype(std::string_view name);

/// The name to write a dtype under.
std::string_view safetensors_name(Dtype dtype);

}  // namespace tessera
