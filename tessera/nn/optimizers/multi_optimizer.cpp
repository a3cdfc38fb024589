#include "tessera/nn/optimizers/multi_optimizer.h"

#include "tessera/core/internal/fail.h"

namespace tessera::optimizers {

MultiOptimizer::MultiOptimizer(std::vector<std::shared_ptr<Optimizer>> optimizers,
                               std::vector<Filter> filters)
    : Optimizer(0.0), optimizers_(std::move(optimizers)), filters_(std::move(filters)) {
  if (optimizers_.empty() || filters_.size() != optimizers_.size() - 1) {
    fail(ErrorCode::invalid_argument, "MultiOptimizer", "{} optimisers need {} filters, got {}",
         optimizers_.size(), optimizers_.empty() ? 0 : optimizers_.size() - 1, filters_.size());
  }
}

std::vector<Parameters> MultiOptimizer::split(const Parameters& gradients) const {
  std::vector<Parameters> parts(optimizers_.size());
  for (const auto& [name, gradient] : gradients) {
    std::size_t i = 0;
    while (i < filters_.size() && !filters_[i](name, gradient)) ++i;
    parts[i].emplace(name, gradient);
  }
  return parts;
}

Parameters MultiOptimizer::apply_gradients(const Parameters& gradients,
                                           const Parameters& parameters) {
  const std::vector<Parameters> parts = split(gradients);
  Parameters out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out.merge(optimizers_[i]->apply_gradients(parts[i], parameters));
  }
  return out;
}

void MultiOptimizer::init(const Parameters& parameters) {
  const std::vector<Parameters> parts = split(parameters);
  for (std::size_t i = 0; i < parts.size(); ++i) optimizers_[i]->init(parts[i]);
}

Parameters MultiOptimizer::state() const {
  Parameters out;
  for (std::size_t i = 0; i < optimizers_.size(); ++i) {
    for (const auto& [name, value] : optimizers_[i]->state()) {
      out.emplace(fmt::format("states.{}.{}", i, name), value);
    }
  }
  return out;
}

void MultiOptimizer::set_state(const Parameters& state) {
  std::vector<Parameters> parts(optimizers_.size());
  for (const auto& [name, value] : state) {
    std::size_t owner = 0;
    const auto prefix = [&] { return fmt::format("states.{}.", owner); };
    while (owner < parts.size() && !name.starts_with(prefix())) ++owner;
    if (owner == parts.size()) {
      fail(ErrorCode::invalid_argument, "MultiOptimizer",
           "the state's \"{}\" belongs to none of {} optimisers", name, parts.size());
    }
    parts[owner].emplace(name.substr(prefix().size()), value);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) optimizers_[i]->set_state(parts[i]);
}

void MultiOptimizer::set_learning_rate(LearningRate rate) {
  for (const auto& optimizer : optimizers_) optimizer->set_learning_rate(rate);
}

}  // namespace tessera::optimizers
