#include "tessera/core/quant_groups.h"

#include <string>

#include "tessera/core/internal/fail.h"

namespace tessera {
namespace {

struct Mode {
  std::string_view name;
  int group_size;  // by default, and the only one of the fp modes
  int bits;
};

// In the order of QuantMode.
constexpr Mode kModes[] = {
    {"affine", 64, 4}, {"symmetric", 64, 4}, {"mxfp4", 32, 4}, {"mxfp8", 32, 8}, {"nvfp4", 16, 4},
};

}  // namespace

std::string_view to_string(QuantMode mode) {
  return kModes[static_cast<std::size_t>(mode)].name;
}

QuantGroups quant_groups(const char* op, std::string_view mode, std::optional<int> group_size,
                         std::optional<int> bits) {
  for (std::size_t i = 0; i < std::size(kModes); ++i) {
    if (kModes[i].name != mode) continue;
    const QuantGroups groups{static_cast<QuantMode>(i), bits.value_or(kModes[i].bits),
                             group_size.value_or(kModes[i].group_size)};
    check_groups(op, groups);
    return groups;
  }
  fail(ErrorCode::invalid_argument, op,
       "\"{}\" is no quantization mode; there are affine, symmetric, mxfp4, mxfp8 and nvfp4", mode);
}

void check_groups(const char* op, const QuantGroups& groups) {
  const int bits = groups.bits;
  const int size = groups.group_size;
  if (!groups.has_integer_codes()) {
    const Mode& mode = kModes[static_cast<std::size_t>(groups.mode)];
    if (bits != mode.bits || size != mode.group_size) {
      fail(ErrorCode::invalid_argument, op, "{} has {} bits in groups of {}, not {} bits and {}",
           mode.name, mode.bits, mode.group_size, bits, size);
    }
    return;
  }
  if (bits < 1 || bits > 8 || bits == 7) {
    fail(ErrorCode::invalid_argument, op, "codes have 1, 2, 3, 4, 5, 6 or 8 bits, not {}", bits);
  }
  if (size != 16 && size != 32 && size != 64 && size != 128) {
    fail(ErrorCode::invalid_argument, op, "groups have 16, 32, 64 or 128 weights, not {}", size);
  }
}

}  // namespace tessera
