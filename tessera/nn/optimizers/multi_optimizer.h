// MultiOptimizer: different optimisers for different parameters.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tessera/nn/optimizers/optimizer.h"

namespace tessera::optimizers {

/// Each parameter goes to the first optimiser whose filter takes it, else to the last.
///   MultiOptimizer optimizer({std::make_shared<Muon>(0.02), std::make_shared<AdamW>(1e-3)},
///                            {[](const std::string&, const array& g) { return g.ndim() == 2; }});
class MultiOptimizer : public Optimizer {
 public:
  using Filter = std::function<bool(const std::string& name, const array& gradient)>;

  /// errors  invalid_argument unless there is one filter fewer than optimisers
  MultiOptimizer(std::vector<std::shared_ptr<Optimizer>> optimizers, std::vector<Filter> filters);

  Parameters apply_gradients(const Parameters& gradients, const Parameters& parameters) override;
  void init(const Parameters& parameters) override;
  /// "states.0.step" and so on.
  Parameters state() const override;
  void set_state(const Parameters& state) override;
  /// The first optimiser's.
  array learning_rate() const override { return optimizers_[0]->learning_rate(); }
  /// Of all.
  void set_learning_rate(LearningRate rate) override;

 protected:
  void init_single(const array&, Slots&) const override {}
  array apply_single(const array&, const array& parameter, Slots&) const override {
    return parameter;
  }

 private:
  std::vector<Parameters> split(const Parameters& gradients) const;

  std::vector<std::shared_ptr<Optimizer>> optimizers_;
  std::vector<Filter> filters_;
};

}  // namespace tessera::optimizers
