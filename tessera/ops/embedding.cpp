#include "tessera/ops/embedding.h"

#include "tessera/ir/node.h"
#include "tessera/ops/internal/checks.h"

namespace tessera {

TensorSpec Embedding::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 2);
  if (!is_integer(in[0].dtype())) {
    fail(ErrorCode::unsupported_dtype, kName, "ids must be integers, got {}",
         detail::describe(in[0]));
  }
  if (in[1].ndim() != 2) {
    fail(ErrorCode::shape_mismatch, kName, "the table must be [V, D], got {}",
         detail::describe(in[1]));
  }
  Shape out = in[0].shape();
  out.push_back(in[1].shape(1));
  return {out, in[1].dtype()};
}

array embedding(const array& ids, const array& table) {
  return apply(Embedding{}, {ids, table});
}

}  // namespace tessera
