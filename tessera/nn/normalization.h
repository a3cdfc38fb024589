// Normalisation layers. eps is added to the variance; errors: invalid_argument unless it is
// positive, and for sizes that do not fit together.
#pragma once

#include <optional>

#include "tessera/nn/module.h"

namespace tessera::nn {

/// Root mean square over the last axis; parameter weight [dims], ones.   source  arXiv:1910.07467
class RMSNorm : public Module {
 public:
  explicit RMSNorm(int dims, float eps = 1e-5f);
  RMSNorm(array weight, float eps);

  array operator()(const array& x) const;
  void visit(Members& members) override { members("weight", weight_); }

 private:
  array weight_;
  float eps_;
};

/// Over the last axis; weight [dims], ones, and bias [dims], zeros, if affine.
/// source  arXiv:1607.06450
class LayerNorm : public Module {
 public:
  explicit LayerNorm(int dims, float eps = 1e-5f, bool affine = true, bool bias = true);

  array operator()(const array& x) const;
  void visit(Members& members) override;

 private:
  std::optional<array> weight_, bias_;
  float eps_;
};

/// Over a sample's spatial axes and one group of its channels (group_norm, ops/norm.h).
/// x [N, spatial..., dims]; weight [dims], ones, and bias [dims], zeros, if affine.
class GroupNorm : public Module {
 public:
  GroupNorm(int num_groups, int dims, float eps = 1e-5f, bool affine = true,
            bool pytorch_compatible = false);

  array operator()(const array& x) const;
  void visit(Members& members) override;

 private:
  int num_groups_;
  std::optional<array> weight_, bias_;
  float eps_;
  bool pytorch_compatible_;
};

/// Over a sample's spatial axes, each channel by itself.   x [N, spatial..., dims]
/// source  arXiv:1607.08022
class InstanceNorm : public Module {
 public:
  explicit InstanceNorm(int dims, float eps = 1e-5f, bool affine = false);

  array operator()(const array& x) const;
  void visit(Members& members) override;

 private:
  std::optional<array> weight_, bias_;
  float eps_;
};

struct BatchNormOptions {
  float eps = 1e-5f;
  /// How far the running statistics move towards those of each batch.
  double momentum = 0.1;
  bool affine = true;
  bool track_running_stats = true;
};

/// Each channel over all else.   x [N, C], [N, L, C] or [N, H, W, C]   source  arXiv:1502.03167
/// In training the batch's own statistics count, and move the buffers running_mean and running_var
/// [C] (the variance of n - 1); afterwards these are used.
class BatchNorm : public Module {
 public:
  explicit BatchNorm(int num_features, const BatchNormOptions& options = {});

  /// errors  shape_mismatch; invalid_argument in training for a single value per channel
  array operator()(const array& x);
  void visit(Members& members) override;

 private:
  BatchNormOptions options_;
  std::optional<array> weight_, bias_, running_mean_, running_var_;
};

}  // namespace tessera::nn
