// The tensor type numbers of GGUF files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "tessera/core/dtype.h"
#include "tessera/core/quant_type.h"

namespace tessera {

/// How elements are stored: a plain dtype or a packed format.
using StoredType = std::variant<Dtype, QuantType>;

struct GgmlType {
  std::string_view name;           ///< as GGUF tools print it; empty for an unassigned number
  std::optional<StoredType> type;  ///< nullopt when the library cannot read it
};

GgmlType ggml_type(std::uint32_t id);

}  // namespace tessera
