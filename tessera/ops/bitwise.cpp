#include "tessera/ops/bitwise.h"

#include "tessera/ir/node.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"

namespace tessera {

namespace {

bool has_bits(Dtype dtype) {
  return is_integer(dtype) || dtype == bool_;
}

void check_bits(const char* op, const array& a) {
  if (!has_bits(a.dtype())) {
    fail(ErrorCode::unsupported_dtype, op, "needs integers or bool, got {}", detail::describe(a));
  }
}

template <class Op>
array promoted(const array& a, const array& b, Dtype bools) {
  check_bits(Op::kName, a);
  check_bits(Op::kName, b);
  // uint64 beside a signed dtype promotes to float32, which has no bits to work on.
  Dtype dtype = promote_types(a.dtype(), b.dtype());
  if (!has_bits(dtype)) {
    fail(ErrorCode::unsupported_dtype, Op::kName, "{} and {} have no integer dtype in common",
         detail::describe(a), detail::describe(b));
  }
  if (dtype == bool_) dtype = bools;
  return apply(Op{}, {astype(a, dtype), astype(b, dtype)});
}

}  // namespace

namespace detail {

TensorSpec bitwise_spec(const char* op, std::span<const array> in) {
  TensorSpec spec = binary_spec(op, in);
  check_bits(op, in[0]);
  return spec;
}

TensorSpec shift_spec(const char* op, std::span<const array> in) {
  TensorSpec spec = binary_spec(op, in);
  if (!is_integer(spec.dtype)) {
    fail(ErrorCode::unsupported_dtype, op, "needs integers, got {}", describe(in[0]));
  }
  return spec;
}

}  // namespace detail

TensorSpec BitwiseInvert::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  check_bits(kName, in[0]);
  return {in[0].shape(), in[0].dtype()};
}

array bitwise_and(const array& a, const array& b) {
  return promoted<BitwiseAnd>(a, b, bool_);
}
array bitwise_or(const array& a, const array& b) {
  return promoted<BitwiseOr>(a, b, bool_);
}
array bitwise_xor(const array& a, const array& b) {
  return promoted<BitwiseXor>(a, b, bool_);
}
array left_shift(const array& a, const array& b) {
  return promoted<LeftShift>(a, b, uint8);
}
array right_shift(const array& a, const array& b) {
  return promoted<RightShift>(a, b, uint8);
}
array bitwise_invert(const array& a) {
  return apply(BitwiseInvert{}, {a});
}
array operator~(const array& a) {
  return bitwise_invert(a);
}

}  // namespace tessera
