// Activations that models fuse: GELU, SiLU and their gated forms.
#pragma once

#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/unary.h"

namespace tessera {

struct Gelu : detail::FloatUnary<Gelu> {
  bool tanh_approximation = false;
  explicit Gelu(bool approximate = false) : tanh_approximation(approximate) {}
  static constexpr const char* kName = "gelu";
  static constexpr const char* kDoc =
      "x/2 (1 + erf(x / sqrt 2)), or x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Gelu::tanh_approximation>("the second formula"));
  std::vector<array> compose(std::span<const array> in) const;
};

struct Silu : detail::FloatUnary<Silu> {
  static constexpr const char* kName = "silu";
  static constexpr const char* kDoc = "x sigmoid(x).";
  std::vector<array> lower(std::span<const array> in) const;
};

struct Swiglu : detail::Arithmetic<Swiglu> {
  static constexpr const char* kName = "swiglu";
  static constexpr const char* kDoc = "silu(gate) * up, rounded once.";
  static constexpr const char* kDtypes =
      "gate, up of one floating dtype -> the same; half types in float32 inside";
  std::vector<array> lower(std::span<const array> in) const;
};

struct Geglu : detail::Arithmetic<Geglu> {
  bool tanh_approximation = false;
  explicit Geglu(bool approximate = false) : tanh_approximation(approximate) {}
  static constexpr const char* kName = "geglu";
  static constexpr const char* kDoc = "gelu(gate) * up, rounded once.";
  static constexpr const char* kDtypes =
      "gate, up of one floating dtype -> the same; half types in float32 inside";
  static constexpr auto kAttributes = std::tuple(attribute<&Geglu::tanh_approximation>("of gelu"));
  std::vector<array> lower(std::span<const array> in) const;
};

/// source  arXiv:1606.08415
array gelu(const array& x);
array gelu_approx(const array& x);
/// source  arXiv:1702.03118
array silu(const array& x);
/// gate and up of one shape and dtype.   source  arXiv:2002.05202
array swiglu(const array& gate, const array& up);
array geglu(const array& gate, const array& up, bool tanh_approximation = false);

}  // namespace tessera
