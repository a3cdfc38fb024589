#include "tessera/nn/gradients.h"

#include <numeric>

#include "tessera/core/internal/fail.h"

namespace tessera::nn {

namespace {

// fn() while the module has other parameters.
template <class Fn>
auto with_parameters(Module& module, const Parameters& parameters, const Fn& fn) {
  const Parameters own = module.trainable_parameters();
  module.update(parameters, false);
  try {
    auto result = fn();
    module.update(own, false);
    return result;
  } catch (...) {
    module.update(own, false);
    throw;
  }
}

// The first arrays of a list, under the names of `like`.
Parameters named(const Parameters& like, const Arrays& values) {
  Parameters out;
  auto value = values.begin();
  for (const auto& [name, old] : like) out.emplace_hint(out.end(), name, *value++);
  return out;
}

Arrays values_of(const Parameters& parameters) {
  Arrays out;
  for (const auto& [name, value] : parameters) out.push_back(value);
  return out;
}

}  // namespace

std::pair<Arrays, Parameters> value_and_grad_of(Module& model,
                                                const std::function<Arrays()>& loss) {
  const Parameters trained = model.trainable_parameters();
  if (trained.empty()) {
    fail(ErrorCode::invalid_argument, "nn::value_and_grad", "the module has nothing to train");
  }
  std::vector<int> all(trained.size());
  std::iota(all.begin(), all.end(), 0);
  const ArraysFn of_parameters = [&](const Arrays& values) {
    return with_parameters(model, named(trained, values), loss);
  };
  auto [values, gradients] = tessera::value_and_grad(of_parameters, all)(values_of(trained));
  return {std::move(values), named(trained, gradients)};
}

ArraysFn checkpoint(Module& module, ArraysFn fn) {
  return [&module, fn = std::move(fn)](const Arrays& inputs) {
    const Parameters trained = module.trainable_parameters();
    const ArraysFn of_all = [&module, fn, trained](const Arrays& all) {
      const auto first_input = all.begin() + static_cast<std::ptrdiff_t>(trained.size());
      return with_parameters(module, named(trained, all),
                             [&] { return fn(Arrays(first_input, all.end())); });
    };
    Arrays all = values_of(trained);
    all.insert(all.end(), inputs.begin(), inputs.end());
    return tessera::checkpoint(of_all)(all);
  };
}

}  // namespace tessera::nn
