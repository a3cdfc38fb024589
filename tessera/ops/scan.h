// Running totals along an axis.
#pragma once

#include <optional>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

/// What all scans have: an axis, and which elements belong to each total.
struct ScanAxis {
  int axis = 0;
  bool reverse = false;
  bool inclusive = true;
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr auto kAttributes =
      std::tuple(attribute<&ScanAxis::axis>("in [0, rank)"),
                 attribute<&ScanAxis::reverse>("totals what follows instead of what precedes"),
                 attribute<&ScanAxis::inclusive>("the element itself is part of its total"));
};

struct CumSum : ScanAxis {
  static constexpr const char* kName = "cumsum";
  static constexpr const char* kDoc =
      "Running sum along an axis; integers wrap; the sum of nothing is 0. cumsum() casts bool to "
      "int32.";
  static constexpr const char* kDtypes = "any but bool -> the same; half types in float32 inside";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct CumProd : ScanAxis {
  static constexpr const char* kName = "cumprod";
  static constexpr const char* kDoc =
      "Running product along an axis; integers wrap, bool is logical and; the product of nothing "
      "is 1.";
  static constexpr const char* kDtypes = "any -> the same; half types in float32 inside";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct CumMax : ScanAxis {
  static constexpr const char* kName = "cummax";
  static constexpr const char* kDoc =
      "Largest so far along an axis; NaN from the first NaN on. The maximum of nothing is -inf, or "
      "the least integer.";
  static constexpr const char* kDtypes = "real -> the same";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct CumMin : ScanAxis {
  static constexpr const char* kName = "cummin";
  static constexpr const char* kDoc =
      "Smallest so far along an axis; NaN from the first NaN on. The minimum of nothing is inf, or "
      "the greatest integer.";
  static constexpr const char* kDtypes = "real -> the same";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct LogCumSumExp : ScanAxis {
  static constexpr const char* kName = "logcumsumexp";
  static constexpr const char* kDoc =
      "log of the running sum of exp along an axis, without overflow. -inf where nothing or only "
      "-inf is summed.";
  static constexpr const char* kDtypes = "floating -> the same; half types in float32 inside";
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
