#include "tessera/ops/unary.h"

#include <cmath>
#include <numbers>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/bitwise.h"
#include "tessera/ops/complex.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/exponential.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/float_function.h"

namespace tessera {

namespace detail {

TensorSpec unary_spec(const char* op, std::span<const array> in) {
  check_count(op, in, 1, 1);
  return {in[0].shape(), in[0].dtype()};
}

TensorSpec float_unary_spec(const char* op, std::span<const array> in) {
  check_count(op, in, 1, 1);
  check_floating(op, in[0]);
  return {in[0].shape(), in[0].dtype()};
}

}  // namespace detail

namespace {
template <class Op>
array apply_float(const array& a) {
  return apply(Op{}, {astype(a, detail::at_least_float(a.dtype()))});
}
}  // namespace

TensorSpec LogicalNot::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  return {in[0].shape(), bool_};
}

std::vector<array> LogicalNot::lower(std::span<const array> in) const {
  return {bitwise_invert(astype(in[0], bool_))};
}

// The power function gives 0 for -0 and infinity for -infinity.
std::vector<array> Sqrt::lower(std::span<const array> in) const {
  return {detail::float_function(in[0], [](const array& x) {
    const array root = power(x, detail::constant(0.5, x));
    return where(x < 0.0, detail::constant(NAN, x), where(x == 0.0, x, root));
  })};
}
// -t / (t + 2) for t = exp(-2 |x|) - 1, which neither overflows nor cancels.
std::vector<array> Tanh::lower(std::span<const array> in) const {
  return {detail::float_function(in[0], [](const array& x) {
    const array t = expm1(abs(x) * -2.0);
    const array size = t / (-2.0 - t);
    return where(x < 0.0, size * -1.0, where(x == 0.0, x, size));
  })};
}
// Below 1 the Taylor series, in which the first term left out is below 2e-9; from there on formula
// 7.1.26 of Abramowitz and Stegun, Handbook of Mathematical Functions (1964), within 1.5e-7.
std::vector<array> Erf::lower(std::span<const array> in) const {
  return {detail::float_function(in[0], [](const array& x) {
    constexpr double kTwoOverRootPi = 2 * std::numbers::inv_sqrtpi;
    constexpr double kFormula[] = {1.061405429, -1.453152027, 1.421413741, -0.284496736,
                                   0.254829592};
    const array squared = x * x, size = abs(x);
    array series = detail::constant(0, x);
    double factorial = 3628800;  // 10!
    for (int n = 10; n >= 0; --n) {
      series =
          series * squared + (n % 2 == 0 ? 1 : -1) * kTwoOverRootPi / (factorial * (2 * n + 1));
      if (n > 0) factorial /= n;
    }
    const array t = 1.0 / (size * 0.3275911 + 1.0);
    array formula = detail::constant(0, x);
    for (const double c : kFormula) formula = (formula + c) * t;
    const array tail = 1.0 - formula * exp(squared * -1.0);
    return where(size < 1.0, x * series, where(x < 0.0, tail * -1.0, tail));
  })};
}
std::vector<array> ErfInv::lower(std::span<const array> in) const {
  const array x = astype(in[0], promote_types(in[0].dtype(), float32));
  const array w = log((1.0f - x) * (1.0f + x)) * -1;
  const auto polynomial = [](const double(&c)[9], const array& at) {
    array p = at * c[0] + c[1];
    for (int i = 2; i < 9; ++i) p = p * at + c[i];
    return p;
  };
  const array p = where(w < 5.0f, polynomial(kCentre, w - 2.5f), polynomial(kTail, sqrt(w) - 3.0f));
  return {astype(x * where(abs(x) == 1.0f, detail::scalar(INFINITY, x.dtype(), x.backend()), p),
                 in[0].dtype())};
}
// log(u) * x / (u - 1) with u the rounded 1 + x: the errors of log(u) and u - 1 cancel. (W. Kahan,
// as in HP-15C Advanced Functions Handbook, 1982.)
std::vector<array> Log1p::lower(std::span<const array> in) const {
  const array x = astype(in[0], promote_types(in[0].dtype(), float32));
  const array u = 1.0f + x;
  const array step = u - 1.0f;
  const array kept = logical_or(step == 0.0f, u == INFINITY);  // x itself, also at +inf
  return {astype(where(kept, x, log(u) * (x / step)), in[0].dtype())};
}
std::vector<array> Negative::lower(std::span<const array> in) const {
  return {in[0] * -1};
}
TensorSpec Abs::infer(std::span<const array> in) const {
  const TensorSpec spec = detail::unary_spec(kName, in);
  return {spec.shape, spec.dtype == complex64 ? float32 : spec.dtype};
}
std::vector<array> Abs::lower(std::span<const array> in) const {
  if (in[0].dtype() == complex64) {
    // Scaled by the longer part, whose square may leave float32's range.
    const array a = abs(real(in[0])), b = abs(imag(in[0]));
    const array longer = maximum(a, b);
    const array ratio = where(longer == 0.0f, 0.0f * longer, minimum(a, b) / longer);
    const array infinite = longer == INFINITY;
    return {where(infinite, longer, longer * sqrt(1.0f + square(ratio)))};
  }
  if (in[0].dtype() == bool_ || issubdtype(in[0].dtype(), Dtype::Category::unsignedinteger)) {
    return {in[0]};
  }
  // 0 - x rather than -x: the absolute value of -0 is 0.
  return {where(in[0] <= 0, 0 - in[0], in[0])};
}
std::vector<array> Square::lower(std::span<const array> in) const {
  return {in[0] * in[0]};
}
std::vector<array> Reciprocal::lower(std::span<const array> in) const {
  return {1.0f / in[0]};
}
std::vector<array> Rsqrt::lower(std::span<const array> in) const {
  return {1.0f / sqrt(in[0])};
}
std::vector<array> Sigmoid::lower(std::span<const array> in) const {
  // Half types run in float32: 1 + exp(-x) loses what the result still has bits for.
  const array x = astype(in[0], promote_types(in[0].dtype(), float32));
  return {astype(1.0f / (1.0f + exp(x * -1)), in[0].dtype())};
}

namespace {
template <class Op>
array rounded(const Op& op, const array& a) {
  if (a.dtype() == complex64) {
    fail(ErrorCode::unsupported_dtype, Op::kName, "complex numbers have no order");
  }
  return apply(op, {a});
}
}  // namespace

array exp(const array& a) {
  return apply_float<Exp>(a);
}
array log(const array& a) {
  return apply_float<Log>(a);
}
array sin(const array& a) {
  return apply_float<Sin>(a);
}
array cos(const array& a) {
  return apply_float<Cos>(a);
}
array sqrt(const array& a) {
  return apply_float<Sqrt>(a);
}
array rsqrt(const array& a) {
  return apply_float<Rsqrt>(a);
}
array reciprocal(const array& a) {
  return apply_float<Reciprocal>(a);
}
array tanh(const array& a) {
  return apply_float<Tanh>(a);
}
array sigmoid(const array& a) {
  return apply_float<Sigmoid>(a);
}
array erf(const array& a) {
  return apply_float<Erf>(a);
}
array erfinv(const array& a) {
  return apply_float<ErfInv>(a);
}
array log1p(const array& a) {
  return apply_float<Log1p>(a);
}
array abs(const array& a) {
  return apply(Abs{}, {a});
}
array square(const array& a) {
  return apply(Square{}, {a});
}
array negative(const array& a) {
  if (a.dtype() == bool_) {
    fail(ErrorCode::unsupported_dtype, "negative", "bool has no negative; use logical_not");
  }
  return apply(Negative{}, {a});
}
array operator-(const array& a) {
  return negative(a);
}
array floor(const array& a) {
  return rounded(Floor{}, a);
}
array ceil(const array& a) {
  return rounded(Ceil{}, a);
}
array logical_not(const array& a) {
  return apply(LogicalNot{}, {a});
}

}  // namespace tessera
