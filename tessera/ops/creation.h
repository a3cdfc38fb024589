// Making arrays and changing their dtype.
#pragma once

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct Arange {
  double start = 0;
  double step = 1;
  std::int64_t count = 0;
  Dtype dtype = int32;
  static constexpr const char* kName = "arange";
  static constexpr const char* kDoc = "start + i * step for i in [0, count), computed in float64.";
  static constexpr const char* kShapes = "no input -> [count]";
  static constexpr const char* kDtypes = "-> dtype";
  static constexpr auto kAttributes = std::tuple(
      attribute<&Arange::start>("the first value"),
      attribute<&Arange::step>("the difference of neighbours"),
      attribute<&Arange::count>("elements"), attribute<&Arange::dtype>("of the result, any"));
  TensorSpec infer(std::span<const array> in) const;
};

struct Cast {
  Dtype dtype = float32;
  static constexpr const char* kName = "astype";
  static constexpr const char* kDoc =
      "Elements converted to dtype. Float to half rounds to nearest even; float to integer drops "
      "the "
      "fraction and keeps the low bits, NaN and what 64 bits cannot hold give 0 (MLX leaves those "
      "to "
      "the processor); anything to bool is x != 0.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "any -> dtype";
  static constexpr auto kAttributes = std::tuple(attribute<&Cast::dtype>("of the result, any"));
  TensorSpec infer(std::span<const array> in) const;
  static constexpr bool kElementwise = true;
  void vjp(Vjp& v) const;
};

/// [start, stop) in steps of `step`. The int form is int32.
/// errors  invalid_argument for step 0, NaN or a count past 2^31
array arange(double start, double stop, double step, Dtype dtype);
array arange(double start, double stop, Dtype dtype);
array arange(int start, int stop, int step = 1);
array arange(int stop);

/// `value` repeated (a broadcast view: no memory until it is written to).
array full(const Shape& shape, const array& value, Dtype dtype);
array full(const Shape& shape, const array& value);
array zeros(const Shape& shape, Dtype dtype = float32);
array ones(const Shape& shape, Dtype dtype = float32);

/// The same array when the dtype is already right.
array astype(const array& a, Dtype dtype);

}  // namespace tessera
