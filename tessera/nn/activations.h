// Activations, as functions and as modules. All keep the shape; elementwise unless they have an
// axis.
//
//   nn::Sequential net{nn::Linear(2, 8), nn::relu, nn::Linear(8, 1)};
#pragma once

#include <string>

#include "tessera/nn/module.h"
#include "tessera/ops/activation.h"
#include "tessera/ops/unary.h"

namespace tessera::nn {

using tessera::gelu;         // x Phi(x)
using tessera::gelu_approx;  // by tanh
using tessera::sigmoid;
using tessera::silu;
using tessera::tanh;

array relu(const array& x);
/// relu(x)^2.   source  arXiv:2109.08668
array relu2(const array& x);
array relu6(const array& x);
array leaky_relu(const array& x, double negative_slope = 0.01);
array elu(const array& x, double alpha = 1.0);
/// source  arXiv:1704.07483
array celu(const array& x, double alpha = 1.0);
/// source  arXiv:1706.02515
array selu(const array& x);
/// max(0, x) + alpha min(0, x); alpha broadcasts, [C] for one per channel.
/// source  arXiv:1502.01852
array prelu(const array& x, const array& alpha);
/// x sigmoid(1.702 x)
array gelu_fast_approx(const array& x);
/// The first half along the axis times the sigmoid of the second; the axis halves.
/// source  arXiv:1612.08083
array glu(const array& x, int axis = -1);
/// source  arXiv:1908.08681
array mish(const array& x);
/// source  arXiv:1905.02244
array hardswish(const array& x);
array hard_tanh(const array& x, double min_val = -1.0, double max_val = 1.0);
array hard_shrink(const array& x, double lambd = 0.5);
array softshrink(const array& x, double lambd = 0.5);
array softsign(const array& x);
/// log(1 + exp(x)), without overflow.
array softplus(const array& x);
/// log(sigmoid(x))
array log_sigmoid(const array& x);
/// Over one axis, unlike tessera::softmax, which without an axis takes all.
array softmax(const array& x, int axis = -1);
array softmin(const array& x, int axis = -1);
array log_softmax(const array& x, int axis = -1);
/// int32: 1 where x >= threshold, else 0.
array step(const array& x, double threshold = 0.0);

// The modules. Those with parameters say so.

#define TESSERA_ACTIVATION(Name, function)                             \
  class Name : public Stateless {                                      \
   public:                                                             \
    array operator()(const array& x) const { return nn::function(x); } \
  };
TESSERA_ACTIVATION(Sigmoid, sigmoid)
TESSERA_ACTIVATION(Mish, mish)
TESSERA_ACTIVATION(ReLU, relu)
TESSERA_ACTIVATION(ReLU2, relu2)
TESSERA_ACTIVATION(ReLU6, relu6)
TESSERA_ACTIVATION(Softmax, softmax)
TESSERA_ACTIVATION(Softmin, softmin)
TESSERA_ACTIVATION(LogSoftmax, log_softmax)
TESSERA_ACTIVATION(Softplus, softplus)
TESSERA_ACTIVATION(Softsign, softsign)
TESSERA_ACTIVATION(SiLU, silu)
TESSERA_ACTIVATION(LogSigmoid, log_sigmoid)
TESSERA_ACTIVATION(Tanh, tanh)
TESSERA_ACTIVATION(Hardswish, hardswish)
TESSERA_ACTIVATION(HardTanh, hard_tanh)
TESSERA_ACTIVATION(SELU, selu)
#undef TESSERA_ACTIVATION

#define TESSERA_ACTIVATION(Name, function, Type, parameter, initial)                 \
  class Name : public Stateless {                                                    \
   public:                                                                           \
    explicit Name(Type parameter = initial) : parameter##_(parameter) {}             \
    array operator()(const array& x) const { return nn::function(x, parameter##_); } \
                                                                                     \
   private:                                                                          \
    Type parameter##_;                                                               \
  };
TESSERA_ACTIVATION(GLU, glu, int, axis, -1)
TESSERA_ACTIVATION(LeakyReLU, leaky_relu, double, negative_slope, 0.01)
TESSERA_ACTIVATION(ELU, elu, double, alpha, 1.0)
TESSERA_ACTIVATION(CELU, celu, double, alpha, 1.0)
TESSERA_ACTIVATION(Softshrink, softshrink, double, lambd, 0.5)
TESSERA_ACTIVATION(HardShrink, hard_shrink, double, lambd, 0.5)
TESSERA_ACTIVATION(Step, step, double, threshold, 0.0)
#undef TESSERA_ACTIVATION

/// approx: "none", "precise" or "tanh" (by tanh), "fast" (by sigmoid).
class GELU : public Stateless {
 public:
  /// errors  invalid_argument for another word
  explicit GELU(const std::string& approx = "none");
  array operator()(const array& x) const { return function_(x); }

 private:
  array (*function_)(const array&);
};

/// Its slope is a parameter "weight" [num_parameters].
class PReLU : public Module {
 public:
  explicit PReLU(int num_parameters = 1, float init = 0.25f);
  array operator()(const array& x) const { return prelu(x, weight_); }
  void visit(Members& members) override { members("weight", weight_); }

 private:
  array weight_;
};

}  // namespace tessera::nn
