// Muon.
#pragma once

#include "tessera/nn/optimizers/optimizer.h"

namespace tessera::optimizers {

struct MuonOptions {
  double momentum = 0.95;
  double weight_decay = 0.01;  ///< times the parameter, added to the gradient
  bool nesterov = true;
  int ns_steps = 5;  ///< Newton-Schulz iterations
};

/// Momentum whose matrices are made orthogonal. For the hidden layers' matrices; embeddings, the
/// output layer and vectors do better with another optimiser (MultiOptimizer). Arrays of more axes
/// count as matrices [first, rest].   source  kellerjordan.github.io/posts/muon, 2024
class Muon : public Optimizer {
 public:
  explicit Muon(LearningRate learning_rate, const MuonOptions& options = {});

 protected:
  void init_single(const array& parameter, Slots& slots) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& slots) const override;

 private:
  MuonOptions options_;
};

}  // namespace tessera::optimizers
