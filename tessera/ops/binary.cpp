#include "tessera/ops/binary.h"

#include "tessera/ir/node.h"
#include "tessera/ops/bitwise.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace detail {

TensorSpec binary_spec(const char* op, std::span<const array> in) {
  check_count(op, in, 2, 2);
  if (in[0].dtype() != in[1].dtype()) {
    fail(ErrorCode::unsupported_dtype, op, "dtypes differ: {} and {}", describe(in[0]),
         describe(in[1]));
  }
  return {broadcast_shapes(in[0].shape(), in[1].shape(), op), in[0].dtype()};
}

TensorSpec comparison_spec(const char* op, std::span<const array> in) {
  return {binary_spec(op, in).shape, bool_};
}

array scalar_operand(double value, bool floating, const array& like) {
  const bool inexact = issubdtype(like.dtype(), Dtype::Category::inexact);
  const Dtype dtype = floating && !inexact ? float32 : like.dtype() == bool_ ? int32 : like.dtype();
  return scalar(value, dtype, like.backend());
}

}  // namespace detail

namespace {
template <class Op>
array promoted(const array& a, const array& b) {
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  return apply(Op{}, {astype(a, dtype), astype(b, dtype)});
}
}  // namespace

// NaN is neither below nor above anything, so both of these give false for it.
std::vector<array> Equal::lower(std::span<const array> in) const {
  return {bitwise_and(in[0] <= in[1], in[1] <= in[0])};
}
std::vector<array> Less::lower(std::span<const array> in) const {
  return {bitwise_and(in[0] <= in[1], bitwise_invert(in[1] <= in[0]))};
}
std::vector<array> NotEqual::lower(std::span<const array> in) const {
  return {logical_not(in[0] == in[1])};
}
std::vector<array> Greater::lower(std::span<const array> in) const {
  return {in[1] < in[0]};
}
std::vector<array> GreaterEqual::lower(std::span<const array> in) const {
  return {in[1] <= in[0]};
}

std::vector<array> LogicalAnd::lower(std::span<const array> in) const {
  return {bitwise_and(astype(in[0], bool_), astype(in[1], bool_))};
}
std::vector<array> LogicalOr::lower(std::span<const array> in) const {
  return {bitwise_or(astype(in[0], bool_), astype(in[1], bool_))};
}

array add(const array& a, const array& b) {
  return promoted<Add>(a, b);
}
array subtract(const array& a, const array& b) {
  return promoted<Subtract>(a, b);
}
array multiply(const array& a, const array& b) {
  return promoted<Multiply>(a, b);
}
array divide(const array& a, const array& b) {
  const Dtype dtype = detail::at_least_float(promote_types(a.dtype(), b.dtype()));
  return apply(Divide{}, {astype(a, dtype), astype(b, dtype)});
}
array maximum(const array& a, const array& b) {
  return promoted<Maximum>(a, b);
}
array minimum(const array& a, const array& b) {
  return promoted<Minimum>(a, b);
}
array power(const array& a, const array& b) {
  return promoted<Power>(a, b);
}
array equal(const array& a, const array& b) {
  return promoted<Equal>(a, b);
}
array not_equal(const array& a, const array& b) {
  return promoted<NotEqual>(a, b);
}
array less(const array& a, const array& b) {
  return promoted<Less>(a, b);
}
array less_equal(const array& a, const array& b) {
  return promoted<LessEqual>(a, b);
}
array greater(const array& a, const array& b) {
  return promoted<Greater>(a, b);
}
array greater_equal(const array& a, const array& b) {
  return promoted<GreaterEqual>(a, b);
}
array logical_and(const array& a, const array& b) {
  return promoted<LogicalAnd>(a, b);
}
array logical_or(const array& a, const array& b) {
  return promoted<LogicalOr>(a, b);
}

}  // namespace tessera
