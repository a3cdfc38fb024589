// Adam and its kin: AdamW and Adamax.
#pragma once

#include "tessera/nn/optimizers/optimizer.h"

namespace tessera::optimizers {

struct AdamOptions {
  std::pair<double, double> betas = {0.9, 0.999};
  double eps = 1e-8;
  /// Divides the averages by what they lack in the first steps; MLX leaves that out by default.
  bool bias_correction = false;
};

/// m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g^2; w = w - rate m / (sqrt(v) + eps)
/// source  arXiv:1412.6980
class Adam : public Optimizer {
 public:
  /// errors  invalid_argument unless betas are in [0, 1) and eps >= 0
  explicit Adam(LearningRate learning_rate, const AdamOptions& options = {});

 protected:
  void init_single(const array& parameter, Slots& slots) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& slots) const override;
  const AdamOptions& options() const { return options_; }

 private:
  AdamOptions options_;
};

struct AdamWOptions {
  std::pair<double, double> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 0.01;
  bool bias_correction = false;
};

/// Adam, after w = w (1 - rate * weight_decay).   source  arXiv:1711.05101
class AdamW : public Adam {
 public:
  explicit AdamW(LearningRate learning_rate, const AdamWOptions& options = {});

 protected:
  array apply_single(const array& gradient, const array& parameter, Slots& slots) const override;

 private:
  double weight_decay_;
};

struct AdamaxOptions {
  std::pair<double, double> betas = {0.9, 0.999};
  double eps = 1e-8;
};

/// Adam with v = max(b2 v, |g|) instead of the root of a mean.   source  arXiv:1412.6980
class Adamax : public Adam {
 public:
  explicit Adamax(LearningRate learning_rate, const AdamaxOptions& options = {});

 protected:
  array apply_single(const array& gradient, const array& parameter, Slots& slots) const override;
};

}  // namespace tessera::optimizers
