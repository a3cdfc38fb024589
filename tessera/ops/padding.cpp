#include "tessera/ops/padding.h"

#include <limits>

#include "tessera/ops/internal/checks.h"

namespace tessera {

namespace {

int checked_width(ShapeElem width) {
  if (width < 0 || width > std::numeric_limits<int>::max()) {
    fail(ErrorCode::invalid_argument, "pad", "width {} is negative or past 2^31 - 1", width);
  }
  return static_cast<int>(width);
}

array value_or_zero(const std::optional<array>& value, const array& a) {
  return value ? *value : detail::scalar(0, a.dtype(), a.backend());
}

}  // namespace

array pad(const array& a, const std::vector<int>& axes, const Shape& low_pad_size,
          const Shape& high_pad_size, const std::optional<array>& pad_value,
          const std::string& mode) {
  if (low_pad_size.size() != axes.size() || high_pad_size.size() != axes.size()) {
    fail(ErrorCode::invalid_argument, "pad", "{} low and {} high widths for {} axes",
         low_pad_size.size(), high_pad_size.size(), axes.size());
  }
  std::vector<std::pair<int, int>> width(a.ndim());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    width[normalize_axis(axes[i], a.ndim(), "pad")] = {checked_width(low_pad_size[i]),
                                                       checked_width(high_pad_size[i])};
  }
  return pad(a, width, value_or_zero(pad_value, a), mode);
}
array pad(const array& a, const std::pair<int, int>& pad_width,
          const std::optional<array>& pad_value, const std::string& mode) {
  return pad(a, std::vector<std::pair<int, int>>(a.ndim(), pad_width), value_or_zero(pad_value, a),
             mode);
}
array pad(const array& a, int pad_width, const std::optional<array>& pad_value,
          const std::string& mode) {
  return pad(a, std::pair<int, int>(pad_width, pad_width), pad_value, mode);
}
array pad(const array& a, std::initializer_list<std::pair<int, int>> pad_width,
          const array& pad_value, const std::string& mode) {
  return pad(a, std::vector<std::pair<int, int>>(pad_width), pad_value, mode);
}
array pad(const array& a, std::initializer_list<std::pair<int, int>> pad_width) {
  return pad(a, std::vector<std::pair<int, int>>(pad_width));
}

}  // namespace tessera
