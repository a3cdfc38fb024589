#include "tessera/ops/rope.h"

#include "tessera/ir/node.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/check_number.h"
#include "tessera/ops/internal/checks.h"

namespace tessera {

TensorSpec Rope::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 3);
  detail::check_floating(kName, in[0]);
  detail::check_rank(kName, in[0], 3);
  if (dims <= 0 || dims % 2 != 0 || dims > in[0].shape(-1)) {
    fail(ErrorCode::invalid_argument, kName, "dims {} must be even and in [2, {}]", dims,
         in[0].shape(-1));
  }
  detail::check_number(kName, "scale", scale);
  detail::check_number(kName, "base", base);
  const Shape& offset = in[1].shape();
  if (!is_integer(in[1].dtype()) || offset.size() > 1 ||
      (offset.size() == 1 && offset[0] != 1 && offset[0] != in[0].shape(0))) {
    fail(ErrorCode::shape_mismatch, kName, "offset must be an integer scalar or [{}], got {}",
         in[0].shape(0), detail::describe(in[1]));
  }
  if (in.size() == 3 && in[2].shape() != Shape{dims / 2}) {
    fail(ErrorCode::shape_mismatch, kName, "freqs must be [{}], got {}", dims / 2,
         detail::describe(in[2]));
  }
  return {in[0].shape(), in[0].dtype()};
}

namespace fast {

array rope(const array& x, int dims, bool traditional, std::optional<float> base, float scale,
           const array& offset, const std::optional<array>& freqs) {
  if (base.has_value() == freqs.has_value()) {
    fail(ErrorCode::invalid_argument, "rope", "give either base or freqs");
  }
  const Rope op{dims, traditional, base.value_or(0.0f), scale};
  if (freqs) return apply(op, {x, astype(offset, int32), astype(*freqs, float32)});
  return apply(op, {x, astype(offset, int32)});
}

array rope(const array& x, int dims, bool traditional, std::optional<float> base, float scale,
           int offset, const std::optional<array>& freqs) {
  return rope(x, dims, traditional, base, scale, detail::scalar(offset, int32, x.backend()), freqs);
}

}  // namespace fast
}  // namespace tessera
