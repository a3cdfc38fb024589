#include "tessera/nn/recurrent.h"

#include <cmath>

#include "tessera/core/internal/fail.h"
#include "tessera/nn/activations.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/random.h"
#include "tessera/ops/shape.h"

namespace tessera::nn {

namespace {

array initial(const char* where, int hidden_size, const Shape& shape) {
  if (hidden_size < 1) {
    fail(ErrorCode::invalid_argument, where, "{} hidden features", hidden_size);
  }
  const double bound = 1 / std::sqrt(static_cast<double>(hidden_size));
  return random::uniform(-bound, bound, shape);
}

// What the inputs of all steps contribute, [..., L, G], and the steps themselves.
class Steps {
 public:
  Steps(const char* where, const array& x, const array& weight, const std::optional<array>& bias)
      : projected_(linear(checked(where, x, weight), weight, bias)) {}

  int count() const { return static_cast<int>(projected_.shape(-2)); }
  array operator[](int t) const {
    const std::size_t axis = projected_.ndim() - 2;
    Shape start(projected_.ndim(), 0), stop = projected_.shape();
    start[axis] = t;
    stop[axis] = t + 1;
    return squeeze(slice(projected_, start, stop), static_cast<int>(axis));
  }

 private:
  static const array& checked(const char* where, const array& x, const array& weight) {
    const bool sequence = x.ndim() >= 2 && x.shape(-2) > 0;
    if (sequence && x.shape(-1) == weight.shape(1)) return x;
    fail(ErrorCode::shape_mismatch, where, "needs [..., L, {}] with at least one step, got {}",
         weight.shape(1), to_string(x.shape()));
  }

  array projected_;
};

array times_transposed(const array& h, const array& weight) {
  return matmul(h, transpose(weight));
}

}  // namespace

RNN::RNN(int input_size, int hidden_size, bool bias, Nonlinearity nonlinearity)
    : Wxh_(initial("nn::RNN", hidden_size, {hidden_size, input_size})),
      Whh_(initial("nn::RNN", hidden_size, {hidden_size, hidden_size})),
      nonlinearity_(nonlinearity ? std::move(nonlinearity)
                                 : [](const array& x) { return tanh(x); }) {
  if (bias) bias_ = initial("nn::RNN", hidden_size, {hidden_size});
}

array RNN::operator()(const array& x, std::optional<array> hidden) const {
  const Steps steps("nn::RNN", x, Wxh_, bias_);
  std::vector<array> all;
  for (int t = 0; t < steps.count(); ++t) {
    const array in = steps[t];
    hidden = nonlinearity_(hidden ? in + times_transposed(*hidden, Whh_) : in);
    all.push_back(*hidden);
  }
  return stack(all, -2);
}

void RNN::visit(Members& members) {
  members("Wxh", Wxh_);
  members("Whh", Whh_);
  members("bias", bias_);
}

GRU::GRU(int input_size, int hidden_size, bool bias)
    : Wx_(initial("nn::GRU", hidden_size, {3 * hidden_size, input_size})),
      Wh_(initial("nn::GRU", hidden_size, {3 * hidden_size, hidden_size})) {
  if (!bias) return;
  b_ = initial("nn::GRU", hidden_size, {3 * hidden_size});
  bhn_ = initial("nn::GRU", hidden_size, {hidden_size});
}

array GRU::operator()(const array& x, std::optional<array> hidden) const {
  const Steps steps("nn::GRU", x, Wx_, b_);
  std::vector<array> all;
  for (int t = 0; t < steps.count(); ++t) {
    std::vector<array> gates = split(steps[t], 3, -1);  // reset, update, new
    std::optional<array> from_hidden = bhn_;            // into the new state, through the reset
    if (hidden) {
      const std::vector<array> h = split(times_transposed(*hidden, Wh_), 3, -1);
      gates[0] = gates[0] + h[0];
      gates[1] = gates[1] + h[1];
      from_hidden = bhn_ ? h[2] + *bhn_ : h[2];
    }
    const array update = sigmoid(gates[1]);
    if (from_hidden) gates[2] = gates[2] + sigmoid(gates[0]) * *from_hidden;
    const array fresh = (1 - update) * tanh(gates[2]);
    hidden = hidden ? fresh + update * *hidden : fresh;
    all.push_back(*hidden);
  }
  return stack(all, -2);
}

void GRU::visit(Members& members) {
  members("Wx", Wx_);
  members("Wh", Wh_);
  members("b", b_);
  members("bhn", bhn_);
}

LSTM::LSTM(int input_size, int hidden_size, bool bias)
    : Wx_(initial("nn::LSTM", hidden_size, {4 * hidden_size, input_size})),
      Wh_(initial("nn::LSTM", hidden_size, {4 * hidden_size, hidden_size})) {
  if (bias) bias_ = initial("nn::LSTM", hidden_size, {4 * hidden_size});
}

std::pair<array, array> LSTM::operator()(const array& x, std::optional<array> hidden,
                                         std::optional<array> cell) const {
  const Steps steps("nn::LSTM", x, Wx_, bias_);
  std::vector<array> all_hidden, all_cell;
  for (int t = 0; t < steps.count(); ++t) {
    const array in = steps[t];
    const std::vector<array> gates =  // input, forget, cell, output
        split(hidden ? in + times_transposed(*hidden, Wh_) : in, 4, -1);
    const array fresh = sigmoid(gates[0]) * tanh(gates[2]);
    cell = cell ? sigmoid(gates[1]) * *cell + fresh : fresh;
    hidden = sigmoid(gates[3]) * tanh(*cell);
    all_cell.push_back(*cell);
    all_hidden.push_back(*hidden);
  }
  return {stack(all_hidden, -2), stack(all_cell, -2)};
}

void LSTM::visit(Members& members) {
  members("Wx", Wx_);
  members("Wh", Wh_);
  members("bias", bias_);
}

}  // namespace tessera::nn
