#include "tessera/ops/sdpa.h"

#include "tessera/ir/node.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/check_number.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/shape.h"

namespace tessera {

TensorSpec Sdpa::infer(std::span<const array> in) const {
  const std::size_t fixed = has_sinks ? 4 : 3;
  detail::check_count(kName, in, fixed, fixed + 1);
  const array& q = in[0];
  const array& k = in[1];
  const array& v = in[2];
  detail::check_floating(kName, q);
  if (q.ndim() != 4 || k.ndim() != 4 || v.ndim() != 4) {
    fail(ErrorCode::shape_mismatch, kName, "q, k, v must be [B, H, T, D], got {}, {}, {}",
         detail::describe(q), detail::describe(k), detail::describe(v));
  }
  const bool fits = q.shape(0) == k.shape(0) && k.shape(0) == v.shape(0) &&
                    k.shape(1) == v.shape(1) && k.shape(2) == v.shape(2) &&
                    q.shape(3) == k.shape(3) && k.shape(1) > 0 && q.shape(1) % k.shape(1) == 0;
  if (!fits) {
    fail(ErrorCode::shape_mismatch, kName,
         "q {}, k {}, v {} do not fit: batches, key and value lengths, q and k head sizes must be "
         "equal, and query heads a multiple of key heads",
         to_string(q.shape()), to_string(k.shape()), to_string(v.shape()));
  }
  if (q.dtype() != k.dtype() || q.dtype() != v.dtype()) {
    fail(ErrorCode::unsupported_dtype, kName, "q, k, v dtypes differ: {}, {}, {}",
         to_string(q.dtype()), to_string(k.dtype()), to_string(v.dtype()));
  }
  if (in.size() > fixed) {
    const Shape scores{q.shape(0), q.shape(1), q.shape(2), k.shape(2)};
    if (in[3].shape() != scores || (in[3].dtype() != bool_ && in[3].dtype() != float32)) {
      fail(ErrorCode::shape_mismatch, kName, "the mask must be bool or float32 {}, got {}",
           to_string(scores), detail::describe(in[3]));
    }
  }
  if (has_sinks && (in.back().shape() != Shape{q.shape(1)} || in.back().dtype() != float32)) {
    fail(ErrorCode::shape_mismatch, kName,
         "the sinks must be float32 [{}], one for each query head, got {}", q.shape(1),
         detail::describe(in.back()));
  }
  detail::check_number(kName, "scale", scale);
  detail::check_number(kName, "softcap", softcap);
  if (window < 0 || (window > 0 && !causal)) {
    fail(ErrorCode::invalid_argument, kName, "window {} needs causal attention and a size >= 0",
         window);
  }
  return {{q.shape(0), q.shape(1), q.shape(2), v.shape(3)}, q.dtype()};
}

array sdpa(const array& q, const array& k, const array& v, Sdpa options,
           const std::optional<array>& mask, const std::optional<array>& sinks) {
  const Dtype dtype = promote_types(promote_types(q.dtype(), k.dtype()), v.dtype());
  std::vector<array> in{astype(q, dtype), astype(k, dtype), astype(v, dtype)};
  if (mask) {
    const array m = mask->dtype() == bool_ ? *mask : astype(*mask, float32);
    if (q.ndim() == 4 && k.ndim() == 4) {
      in.push_back(broadcast_to(m, {q.shape(0), q.shape(1), q.shape(2), k.shape(2)}));
    } else {
      in.push_back(m);
    }
  }
  options.has_sinks = sinks.has_value();
  if (sinks) {
    if (issubdtype(sinks->dtype(), Dtype::Category::complexfloating)) {
      fail(ErrorCode::unsupported_dtype, Sdpa::kName, "sinks must be real, got {}",
           detail::describe(*sinks));
    }
    in.push_back(astype(*sinks, float32));
  }
  return apply(options, std::move(in));
}

namespace fast {

array scaled_dot_product_attention(const array& queries, const array& keys, const array& values,
                                   float scale, const std::string& mask_mode,
                                   const std::optional<array>& mask,
                                   const std::optional<array>& sinks) {
  if (mask_mode != "" && mask_mode != "causal" && mask_mode != "array") {
    fail(ErrorCode::invalid_argument, Sdpa::kName,
         "mask_mode \"{}\" is not \"\", \"causal\" or \"array\"", mask_mode);
  }
  if ((mask_mode == "causal" && mask) || (mask_mode == "array" && !mask)) {
    fail(ErrorCode::invalid_argument, Sdpa::kName, "mask_mode \"{}\" and the mask contradict",
         mask_mode);
  }
  return sdpa(queries, keys, values, Sdpa{scale, mask_mode == "causal"}, mask, sinks);
}

}  // namespace fast
}  // namespace tessera
