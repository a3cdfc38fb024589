// Faults in ops that work element by element.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tessera/ops/ops.h"
#include "tests/conformance/mutant.h"

namespace tessera::testing {

namespace {

/// The op's result, changed.
template <class Op>
Mutant wrong_result(std::string name, std::function<float(float)> change) {
  return wrong<Op>(std::move(name), [change](Call& c) {
    c.run();
    c.change_floats(c.output(), change);
  });
}

/// The op of changed inputs.
template <class Op>
Mutant wrong_input(std::string name, std::function<float(float)> change) {
  return wrong<Op>(std::move(name), [change](Call& c) {
    c.change_inputs(change);
    c.run();
  });
}

template <class Op>
Mutant swaps(std::string name) {
  return wrong<Op>(std::move(name), [](Call& c) {
    std::swap(c.inputs()[0], c.inputs()[1]);
    c.run();
  });
}

template <class Op, class Other>
Mutant runs(std::string name) {
  return wrong<Op>(std::move(name), [](Call& c) { c.run_as(Other{}); });
}

float as_half(float x) {
  return static_cast<float>(float16_t(x));
}
float as_bfloat(float x) {
  return static_cast<float>(bfloat16_t(x));
}
float bare_zero(float x) {
  return x == 0 ? 0.0f : x;
}
float without_nan(float x) {
  return std::isnan(x) ? 0.0f : x;
}
float flushed(float x) {
  return std::abs(x) < 1.17549435e-38f ? 0.0f * x : x;
}
float clamped(float x) {
  return std::isnan(x) ? x : std::clamp(x, -65504.0f, 65504.0f);
}

}  // namespace

std::vector<Mutant> elementwise_mutants() {
  return {
      wrong<Add>("add leaves its last element",
                 [](Call& c) {
                   c.run();
                   const std::int64_t n = num_elements(c.spec().shape);
                   c.clear_output(std::max<std::int64_t>(n - 1, 0), n);
                 }),
      wrong_input<Add>("add takes its operands in float16", as_half),
      swaps<Subtract>("subtract swaps its operands"),
      wrong_result<Multiply>("multiply gives 0 for NaN", without_nan),
      wrong_result<Multiply>("multiply loses the sign of zero", bare_zero),
      wrong_result<Divide>("divide saturates at float16's largest number", clamped),
      wrong_result<Divide>("divide rounds to bfloat16", as_bfloat),
      wrong_result<Maximum>("maximum drops NaN", without_nan),
      runs<Maximum, Minimum>("maximum is minimum"),
      wrong_result<Minimum>("minimum drops NaN", without_nan),
      wrong_input<Power>("power takes the base's magnitude", [](float x) { return std::abs(x); }),
      wrong_input<Equal>("equal holds for two NaN", without_nan),
      runs<Less, LessEqual>("less is less_equal"),
      runs<LessEqual, Less>("less_equal is less"),
      runs<Greater, GreaterEqual>("greater is greater_equal"),
      runs<GreaterEqual, Greater>("greater_equal is greater"),
      runs<NotEqual, Equal>("not_equal is equal"),
      runs<LogicalAnd, LogicalOr>("logical_and is logical_or"),
      runs<LogicalOr, LogicalAnd>("logical_or is logical_and"),
      wrong_input<LogicalNot>("logical_not takes NaN for false", without_nan),
      wrong_result<Exp>("exp saturates instead of infinity",
                        [](float x) { return std::isinf(x) ? 3e38f : x; }),
      wrong_result<Exp>("exp is good to 3 digits", as_bfloat),
      wrong_input<Log>("log takes the magnitude", [](float x) { return std::abs(x); }),
      wrong_input<Sin>("sin does not reduce large angles",
                       [](float x) { return std::abs(x) > 10 ? 10.0f : x; }),
      wrong_result<Cos>("cos is good to 11 bits", as_half),
      wrong_result<Sqrt>("sqrt is an estimate of 12 bits", as_half),
      wrong_input<Sqrt>("sqrt of a negative number is 0",
                        [](float x) { return std::max(x, 0.0f); }),
      wrong_input<Tanh>("tanh saturates at 3", [](float x) { return x > 3 ? 20.0f : x; }),
      wrong_result<Erf>("erf errs by 1e-5", [](float x) { return x * 1.00001f; }),
      wrong_result<Negative>("negative keeps the sign of zero", bare_zero),
      wrong_result<Abs>("abs keeps negative infinity",
                        [](float x) { return std::isinf(x) ? -x : x; }),
      wrong_input<Square>("square overflows early", [](float x) { return std::min(x, 100.0f); }),
      wrong_result<Reciprocal>("reciprocal of 0 is 0",
                               [](float x) { return std::isinf(x) ? 0.0f : x; }),
      wrong_result<Rsqrt>("rsqrt is an estimate of 12 bits", as_half),
      wrong_input<Sigmoid>("sigmoid saturates at -20", [](float x) { return std::max(x, -20.0f); }),
      wrong<Expm1>("expm1 is exp and then less 1",
                   [](Call& c) {
                     c.run_as(Exp{});
                     c.change_floats(c.output(), [](float x) { return x - 1; });
                   }),
      wrong<Log1p>("log1p rounds 1 + x first",
                   [](Call& c) {
                     c.change_inputs([](float x) { return 1 + x; });
                     c.run_as(Log{});
                   }),
      runs<Log2, Log>("log2 is the natural logarithm"),
      wrong_result<Log10>("log10 is good to 11 bits", as_half),
      wrong_result<ErfInv>("erfinv is good to 3 digits", as_bfloat),
      swaps<ArcTan2>("arctan2 swaps its operands"),
      wrong_input<ArcTan2>("arctan2 does not know the sign of zero", bare_zero),
      wrong_result<Remainder>("remainder has no sign", [](float x) { return std::abs(x); }),
      wrong_input<Round>("round takes halves away from zero",
                         [](float x) { return std::trunc(x + std::copysign(0.5f, x)); }),
      wrong_input<Floor>("floor drops the fraction", [](float x) { return std::trunc(x); }),
      wrong_input<Ceil>("ceil rounds to nearest", [](float x) { return std::nearbyint(x); }),
      wrong<Cast>("cast to an integer rounds to nearest",
                  [](Call& c) {
                    if (!is_floating(c.spec().dtype) && c.spec().dtype != bool_) {
                      c.change_inputs([](float x) { return std::nearbyint(x); });
                    }
                    c.run();
                  }),
      wrong<Cast>("cast to bfloat16 cuts instead of rounding",
                  [](Call& c) {
                    if (c.spec().dtype == bfloat16) {
                      c.change_inputs([](float x) {
                        std::uint32_t bits;
                        std::memcpy(&bits, &x, 4);
                        bits &= 0xffff0000;
                        std::memcpy(&x, &bits, 4);
                        return x;
                      });
                    }
                    c.run();
                  }),
      wrong<Cast>("cast to bool drops fractions first",
                  [](Call& c) {
                    if (c.spec().dtype == bool_) {
                      c.change_inputs([](float x) { return std::trunc(x); });
                    }
                    c.run();
                  }),
      wrong_input<Cast>("cast flushes denormals", flushed),
      wrong<Select>("where swaps its branches",
                    [](Call& c) {
                      std::swap(c.inputs()[1], c.inputs()[2]);
                      c.run();
                    }),
      wrong<Add>("add leaves its last tile of a large array",
                 [](Call& c) {
                   c.run();
                   const std::int64_t n = num_elements(c.spec().shape);
                   c.clear_output(n > 64 ? n - n % 64 : n, n);
                 }),
  };
}

}  // namespace tessera::testing
