// Running totals along an axis.
#pragma once

#include <optional>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

/// What all scans have: a non-negative axis, and which elements belong to each total.
struct ScanAxis {
  int axis = 0;
  bool reverse = false;   ///< totals what follows instead of what precedes
  bool inclusive = true;  ///< the element itself is part of its total
};

struct CumSum : ScanAxis {
  static constexpr const char* kName = "cumsum";
  static constexpr const char* kDoc =
      "Running sum along an axis in the input's dtype: integers wrap, float16 and bfloat16 add in "
      "float32. Not for bool, which cumsum() casts to int32.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct CumProd : ScanAxis {
  static constexpr const char* kName = "cumprod";
  static constexpr const char* kDoc =
      "Running product along an axis in the input's dtype: integers wrap, bool is logical and, "
      "float16 and bfloat16 multiply in float32. The product of nothing is 1.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct CumMax : ScanAxis {
  static constexpr const char* kName = "cummax";
  static constexpr const char* kDoc =
      "Largest so far along an axis; NaN from the first NaN on. The maximum of nothing is -inf, or "
      "the least integer. Not for complex.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct CumMin : ScanAxis {
  static constexpr const char* kName = "cummin";
  static constexpr const char* kDoc =
      "Smallest so far along an axis; NaN from the first NaN on. The minimum of nothing is inf, or "
      "the greatest integer. Not for complex.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct LogCumSumExp : ScanAxis {
  static constexpr const char* kName = "logcumsumexp";
  static constexpr const char* kDoc =
      "log of the running sum of exp along an axis, without overflow: in at least float32 inside. "
      "-inf where nothing or only -inf is summed. Floating only.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// Over the flattened array, or along an axis. dtype: what the input is cast to first. The result
/// has that dtype, except that a sum of bool is int32; take a wider one if the totals may leave the
/// range of the input's.   errors  invalid_argument, unsupported_dtype
array cumsum(const array& a, bool reverse = false, bool inclusive = true,
             std::optional<Dtype> dtype = std::nullopt);
array cumsum(const array& a, int axis, bool reverse = false, bool inclusive = true,
             std::optional<Dtype> dtype = std::nullopt);
array cumprod(const array& a, bool reverse = false, bool inclusive = true,
              std::optional<Dtype> dtype = std::nullopt);
array cumprod(const array& a, int axis, bool reverse = false, bool inclusive = true,
              std::optional<Dtype> dtype = std::nullopt);
/// The dtype stays.
array cummax(const array& a, bool reverse = false, bool inclusive = true);
array cummax(const array& a, int axis, bool reverse = false, bool inclusive = true);
array cummin(const array& a, bool reverse = false, bool inclusive = true);
array cummin(const array& a, int axis, bool reverse = false, bool inclusive = true);
/// Integers and bool go to float32 first.
array logcumsumexp(const array& a, bool reverse = false, bool inclusive = true);
array logcumsumexp(const array& a, int axis, bool reverse = false, bool inclusive = true);

}  // namespace tessera
