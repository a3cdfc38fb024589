#include "tessera/nn/normalization.h"

#include <numeric>

#include "tessera/core/internal/fail.h"
#include "tessera/nn/internal/numeric.h"
#include "tessera/ops/norm.h"
#include "tessera/ops/shape.h"

namespace tessera::nn {

namespace {

void check(const char* where, int dims, double eps) {
  if (dims < 1) fail(ErrorCode::invalid_argument, where, "{} features", dims);
  if (!(eps > 0)) fail(ErrorCode::invalid_argument, where, "eps {} is not positive", eps);
}

std::optional<array> filled(bool wanted, int dims, float value) {
  if (!wanted) return std::nullopt;
  return full({dims}, array(value));
}

array affine(const array& x, const std::optional<array>& weight, const std::optional<array>& bias) {
  return weight ? *weight * x + *bias : x;
}

}  // namespace

RMSNorm::RMSNorm(int dims, float eps) : weight_(ones({dims})), eps_(eps) {
  check("nn::RMSNorm", dims, eps);
}

RMSNorm::RMSNorm(array weight, float eps) : weight_(std::move(weight)), eps_(eps) {}

array RMSNorm::operator()(const array& x) const {
  return fast::rms_norm(x, weight_, eps_);
}

LayerNorm::LayerNorm(int dims, float eps, bool affine, bool bias)
    : weight_(filled(affine, dims, 1)), bias_(filled(affine && bias, dims, 0)), eps_(eps) {
  check("nn::LayerNorm", dims, eps);
}

array LayerNorm::operator()(const array& x) const {
  return fast::layer_norm(x, weight_, bias_, eps_);
}

void LayerNorm::visit(Members& members) {
  members("weight", weight_);
  members("bias", bias_);
}

GroupNorm::GroupNorm(int num_groups, int dims, float eps, bool affine, bool pytorch_compatible)
    : num_groups_(num_groups),
      weight_(filled(affine, dims, 1)),
      bias_(filled(affine, dims, 0)),
      eps_(eps),
      pytorch_compatible_(pytorch_compatible) {
  check("nn::GroupNorm", dims, eps);
  if (num_groups < 1 || dims % num_groups != 0) {
    fail(ErrorCode::invalid_argument, "nn::GroupNorm", "{} features do not form {} groups", dims,
         num_groups);
  }
}

array GroupNorm::operator()(const array& x) const {
  return group_norm(x, num_groups_, weight_, bias_, eps_, pytorch_compatible_);
}

void GroupNorm::visit(Members& members) {
  members("weight", weight_);
  members("bias", bias_);
}

InstanceNorm::InstanceNorm(int dims, float eps, bool affine)
    : weight_(filled(affine, dims, 1)), bias_(filled(affine, dims, 0)), eps_(eps) {
  check("nn::InstanceNorm", dims, eps);
}

array InstanceNorm::operator()(const array& x) const {
  if (x.ndim() < 3) {
    fail(ErrorCode::shape_mismatch, "nn::InstanceNorm", "needs [N, spatial..., C], got {}",
         to_string(x.shape()));
  }
  const int channels = static_cast<int>(x.ndim()) - 1;
  std::vector<int> to_front{0, channels};  // channels before the spatial axes
  std::vector<int> to_back{0};
  for (int axis = 1; axis < channels; ++axis) {
    to_front.push_back(axis);
    to_back.push_back(axis + 1);
  }
  to_back.push_back(1);
  const array planes = transpose(x, to_front);
  const array rows = reshape(planes, {x.shape(0), x.shape(-1), -1});
  const array normal = fast::layer_norm(rows, std::nullopt, std::nullopt, eps_);
  return affine(transpose(reshape(normal, planes.shape()), to_back), weight_, bias_);
}

void InstanceNorm::visit(Members& members) {
  members("weight", weight_);
  members("bias", bias_);
}

BatchNorm::BatchNorm(int num_features, const BatchNormOptions& options)
    : options_(options),
      weight_(filled(options.affine, num_features, 1)),
      bias_(filled(options.affine, num_features, 0)),
      running_mean_(filled(options.track_running_stats, num_features, 0)),
      running_var_(filled(options.track_running_stats, num_features, 1)) {
  check("nn::BatchNorm", num_features, options.eps);
}

array BatchNorm::operator()(const array& x) {
  if (x.ndim() < 2 || x.ndim() > 4) {
    fail(ErrorCode::shape_mismatch, "nn::BatchNorm", "needs 2 to 4 axes, got {}",
         to_string(x.shape()));
  }
  const std::int64_t values = x.shape(-1) == 0 ? 0 : x.size() / x.shape(-1);
  if (training() && values == 1) {
    fail(ErrorCode::invalid_argument, "nn::BatchNorm",
         "a single value per channel has no variance to train with, got {}", to_string(x.shape()));
  }
  const auto normalized = [&](const array& mean, const array& variance) {
    return affine((x - mean) * rsqrt(variance + options_.eps), weight_, bias_);
  };
  const bool tracks = options_.track_running_stats;
  if (!training() && tracks) return normalized(*running_mean_, *running_var_);

  std::vector<int> axes(x.ndim() - 1);
  std::iota(axes.begin(), axes.end(), 0);
  const array batch_mean = mean(x, axes);
  if (training() && tracks) {
    const double mu = options_.momentum;
    running_mean_ = (1 - mu) * *running_mean_ + mu * batch_mean;
    running_var_ = (1 - mu) * *running_var_ + mu * variance(x, axes, 1);
  }
  return normalized(batch_mean, variance(x, axes));
}

void BatchNorm::visit(Members& members) {
  members("weight", weight_);
  members("bias", bias_);
  members.buffer("running_mean", running_mean_);
  members.buffer("running_var", running_var_);
}

}  // namespace tessera::nn
