// Adafactor.
#pragma once

#include <optional>

#include "tessera/nn/optimizers/optimizer.h"

namespace tessera::optimizers {

struct AdafactorOptions {
  /// Used when relative_step is off.
  std::optional<LearningRate> learning_rate = {};
  std::pair<double, double> eps = {1e-30, 1e-3};  ///< of squared gradients, of parameters' scale
  double clip_threshold = 1.0;                    ///< of the root mean square of an update
  double decay_rate = -0.8;                       ///< b2 = 1 - step^decay_rate
  std::optional<double> beta_1 = {};              ///< a first moment is kept if there is one
  double weight_decay = 0.0;
  bool scale_parameter = true;  ///< rates in proportion to the parameter's root mean square
  bool relative_step = true;    ///< min(1e-2, 1 / sqrt(step)) instead of a learning rate
  bool warmup_init = false;     ///< at most 1e-6 * step
};

/// Adam with the second moment of a matrix kept as one row and one column.   source
/// arXiv:1804.04235
class Adafactor : public Optimizer {
 public:
  /// errors  invalid_argument when relative_step is off and there is no learning rate
  explicit Adafactor(const AdafactorOptions& options = {});

 protected:
  void init_single(const array& parameter, Slots& slots) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& slots) const override;

 private:
  array learning_rate_for(const array& parameter_rms) const;
  array normalized(const array& gradient, Slots& slots, const array& beta_2) const;

  AdafactorOptions options_;
};

}  // namespace tessera::optimizers
