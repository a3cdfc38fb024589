// Gradients of a loss by a module's trainable parameters.
//
//   auto step = nn::value_and_grad(model, [&](const array& x, const array& y) {
//     return nn::losses::mse_loss(model(x), y);
//   });
//   auto [loss, grads] = step(x, y);        // grads: Parameters, as trainable_parameters()
//   optimizer.update(model, grads);
#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/graph/transforms.h"
#include "tessera/nn/module.h"

namespace tessera::nn {

/// What `loss` returns and the gradient of the first of it, a scalar, by each trainable parameter.
/// The model's parameters stand for unknowns while `loss` runs and are its own again afterwards.
/// errors  invalid_argument when nothing is trainable or the loss is not one number; those of
///         `loss`
std::pair<Arrays, Parameters> value_and_grad_of(Module& model, const std::function<Arrays()>& loss);

/// A function of the same arguments as `fn` that gives what fn returns and the gradients of it, or
/// of the first array if it returns several. `model` must live as long as the function.
template <class F>
auto value_and_grad(Module& model, F fn) {
  return [&model, fn = std::move(fn)](auto&&... args) mutable {
    using Result = std::invoke_result_t<F&, decltype(args)...>;
    if constexpr (std::is_same_v<Result, Arrays>) {
      return value_and_grad_of(model, [&] { return fn(args...); });
    } else {
      auto [values, gradients] = value_and_grad_of(model, [&] { return Arrays{fn(args...)}; });
      return std::pair<array, Parameters>(values[0], std::move(gradients));
    }
  };
}

/// `fn`, which uses the module, with its intermediate values computed anew for the gradient instead
/// of being kept, also for the module's parameters. `module` must live as long as the function.
/// source  arXiv:1604.06174
ArraysFn checkpoint(Module& module, ArraysFn fn);

}  // namespace tessera::nn
