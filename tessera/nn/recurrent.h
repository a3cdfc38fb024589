// Recurrent layers over sequences x [L, K] or [N, L, K]. Parameters are uniform in
// +-1 / sqrt(hidden_size). A first hidden state, if given, is [H] or [N, H].
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "tessera/nn/module.h"

namespace tessera::nn {

/// h_t = f(Wxh x_t + Whh h_(t-1) + b), from h_0 or none.   source  J. L. Elman, Finding structure
/// in time, 1990
class RNN : public Module {
 public:
  using Nonlinearity = std::function<array(const array&)>;

  /// nonlinearity: none is tanh.   errors  invalid_argument
  RNN(int input_size, int hidden_size, bool bias = true, Nonlinearity nonlinearity = {});
  /// All hidden states, [..., L, H].   errors  shape_mismatch, also for a sequence of no steps
  array operator()(const array& x, std::optional<array> hidden = std::nullopt) const;
  void visit(Members& members) override;

 private:
  array Wxh_, Whh_;  // [H, K], [H, H]
  std::optional<array> bias_;
  Nonlinearity nonlinearity_;
};

/// Gated recurrent unit.   source  arXiv:1406.1078, with the reset gate as in cuDNN
class GRU : public Module {
 public:
  GRU(int input_size, int hidden_size, bool bias = true);
  array operator()(const array& x, std::optional<array> hidden = std::nullopt) const;
  void visit(Members& members) override;

 private:
  array Wx_, Wh_;                 // [3 H, K], [3 H, H]: reset, update, new
  std::optional<array> b_, bhn_;  // [3 H], [H]
};

/// Long short-term memory.   source  S. Hochreiter and J. Schmidhuber, 1997
class LSTM : public Module {
 public:
  LSTM(int input_size, int hidden_size, bool bias = true);
  /// All hidden and all cell states, [..., L, H] each.
  std::pair<array, array> operator()(const array& x, std::optional<array> hidden = std::nullopt,
                                     std::optional<array> cell = std::nullopt) const;
  void visit(Members& members) override;

 private:
  array Wx_, Wh_;  // [4 H, K], [4 H, H]: input, forget, cell, output
  std::optional<array> bias_;
};

}  // namespace tessera::nn
