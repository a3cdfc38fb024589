// Parts of complex numbers. Elementwise arithmetic, moves and casts take complex64 like any dtype.
#pragma once

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct Imag {
  static constexpr const char* kName = "imag";
  static constexpr const char* kDoc = "The imaginary part; a cast to float32 gives the real one.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "complex64 -> float32";
  TensorSpec infer(std::span<const array> in) const;
  static constexpr bool kElementwise = true;
  void vjp(Vjp& v) const;
};

/// float32 of complex64; other dtypes are real already: themselves, zeros, themselves.
array real(const array& a);
array imag(const array& a);
array conjugate(const array& a);

namespace detail {
/// real + i * imaginary, two float32 arrays as complex64
array join_complex(const array& real, const array& imaginary);
}  // namespace detail

}  // namespace tessera
