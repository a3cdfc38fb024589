#include <algorithm>
#include <iterator>

#include "tessera/io/internal/safetensors_dtype.h"

namespace tessera {
namespace {

// A dtype's own name comes before the kinds that share its array type.
constexpr SafetensorsDtype kDtypes[] = {
    {"BOOL", 8, bool_},        {"U8", 8, uint8},       {"I8", 8, int8},
    {"U16", 16, uint16},       {"I16", 16, int16},     {"F16", 16, float16},
    {"BF16", 16, bfloat16},    {"U32", 32, uint32},    {"I32", 32, int32},
    {"F32", 32, float32},      {"U64", 64, uint64},    {"I64", 64, int64},
    {"F64", 64, float64},      {"C64", 64, complex64}, {"F8_E4M3", 8, uint8},
    {"F8_E5M2", 8, uint8},     {"F8_E8M0", 8, uint8},  {"F8_E4M3FNUZ", 8, uint8},
    {"F8_E5M2FNUZ", 8, uint8}, {"F6_E2M3", 6, uint8},  {"F6_E3M2", 6, uint8},
    {"F4", 4, uint8},
};

}  // namespace

const SafetensorsDtype* find_safetensors_dtype(std::string_view name) {
  const auto* at = std::ranges::find(kDtypes, name, &SafetensorsDtype::name);
  return at == std::end(kDtypes) ? nullptr : at;
}

std::string_view safetensors_name(Dtype dtype) {
  return std::ranges::find(kDtypes, dtype, &SafetensorsDtype::dtype)->name;
}

}  // namespace tessera
