#include "tessera/nn/losses.h"

#include <cmath>
#include <numbers>

#include "tessera/core/internal/fail.h"
#include "tessera/nn/internal/numeric.h"
#include "tessera/ops/passthrough.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/softmax.h"

namespace tessera::nn::losses {

namespace {

array reduced(const array& loss, Reduction reduction) {
  switch (reduction) {
    case Reduction::mean: return mean(loss);
    case Reduction::sum: return sum(loss);
    case Reduction::none: break;
  }
  return loss;
}

void check_same(const char* where, const array& a, const array& b) {
  if (a.shape() == b.shape()) return;
  fail(ErrorCode::shape_mismatch, where, "{} and {} should be of one shape", to_string(a.shape()),
       to_string(b.shape()));
}

array weighted(const char* where, const array& loss, const std::optional<array>& weights) {
  if (!weights) return loss;
  if (weights->shape() != loss.shape()) {
    fail(ErrorCode::shape_mismatch, where, "weights are {}, the losses {}",
         to_string(weights->shape()), to_string(loss.shape()));
  }
  return loss * *weights;
}

// x at the target's place along the axis.
array at_target(const array& x, const array& targets, int axis) {
  return squeeze(take_along_axis(x, expand_dims(targets, axis), axis), axis);
}

Shape without_axis(const Shape& shape, int axis) {
  Shape out;
  for (int i = 0; i < static_cast<int>(shape.size()); ++i) {
    if (i != axis) out.push_back(shape[i]);
  }
  return out;
}

}  // namespace

array cross_entropy(const array& logits, const array& targets, const CrossEntropyOptions& options) {
  constexpr const char* kWhere = "cross_entropy";
  const double smoothing = options.label_smoothing;
  if (!(smoothing >= 0 && smoothing < 1)) {
    fail(ErrorCode::invalid_argument, kWhere, "label_smoothing {} is not in [0, 1)", smoothing);
  }
  const int axis = normalize_axis(options.axis, logits.ndim(), kWhere);
  const bool probabilities = targets.ndim() == logits.ndim();
  if (targets.shape() != (probabilities ? logits.shape() : without_axis(logits.shape(), axis))) {
    fail(ErrorCode::shape_mismatch, kWhere,
         "targets {} do not fit logits {} with classes on axis {}", to_string(targets.shape()),
         to_string(logits.shape()), axis);
  }
  const array shifted = logits - stop_gradient(max(logits, axis, true));
  array score = probabilities ? sum(shifted * targets, axis) : at_target(shifted, targets, axis);
  if (smoothing > 0) score = (1 - smoothing) * score + smoothing * mean(shifted, axis);
  const array loss = logsumexp(shifted, axis) - score;
  return reduced(weighted(kWhere, loss, options.weights), options.reduction);
}

array binary_cross_entropy(const array& inputs, const array& targets,
                           const BinaryCrossEntropyOptions& options) {
  constexpr const char* kWhere = "binary_cross_entropy";
  check_same(kWhere, inputs, targets);
  const auto loss = [&] {
    if (options.with_logits) return log_add_exp(weak(0.0, inputs), inputs) - inputs * targets;
    const auto clipped_log = [](const array& p) { return maximum(log(p), weak(-100.0, p)); };
    return -(targets * clipped_log(inputs) + (1 - targets) * clipped_log(1 - inputs));
  };
  return reduced(weighted(kWhere, loss(), options.weights), options.reduction);
}

array l1_loss(const array& predictions, const array& targets, Reduction reduction) {
  check_same("l1_loss", predictions, targets);
  return reduced(abs(predictions - targets), reduction);
}

array mse_loss(const array& predictions, const array& targets, Reduction reduction) {
  check_same("mse_loss", predictions, targets);
  return reduced(square(predictions - targets), reduction);
}

array nll_loss(const array& inputs, const array& targets, int axis, Reduction reduction) {
  return reduced(-at_target(inputs, targets, axis), reduction);
}

array gaussian_nll_loss(const array& inputs, const array& targets, const array& vars,
                        const GaussianNllOptions& options) {
  check_same("gaussian_nll_loss", inputs, targets);
  check_same("gaussian_nll_loss", inputs, vars);
  const array v = maximum(vars, weak(options.eps, vars));
  array loss = 0.5 * (log(v) + square(targets - inputs) / v);
  if (options.full) loss = loss + 0.5 * std::log(2 * std::numbers::pi);
  return reduced(loss, options.reduction);
}

array kl_div_loss(const array& inputs, const array& targets, int axis, Reduction reduction) {
  return reduced(sum(exp(targets) * (targets - inputs), axis), reduction);
}

array smooth_l1_loss(const array& predictions, const array& targets, double beta,
                     Reduction reduction) {
  check_same("smooth_l1_loss", predictions, targets);
  const array apart = abs(predictions - targets);
  return reduced(where(apart < beta, 0.5 * square(apart) / beta, apart - 0.5 * beta), reduction);
}

array triplet_loss(const array& anchors, const array& positives, const array& negatives,
                   const TripletOptions& options) {
  const auto distance = [&](const array& other) {
    const array powers = raised_to(abs(anchors - other), options.p);
    return raised_to(sum(powers, options.axis) + options.eps, 1.0 / options.p);
  };
  const array margin = distance(positives) - distance(negatives) + options.margin;
  return reduced(maximum(margin, weak(0.0, margin)), options.reduction);
}

array hinge_loss(const array& inputs, const array& targets, Reduction reduction) {
  const array short_of = 1 - inputs * targets;
  return reduced(maximum(short_of, weak(0, short_of)), reduction);
}

array huber_loss(const array& inputs, const array& targets, double delta, Reduction reduction) {
  const array apart = abs(inputs - targets);
  const array quadratic = minimum(apart, weak(delta, apart));
  return reduced(0.5 * square(quadratic) + delta * (apart - quadratic), reduction);
}

array log_cosh_loss(const array& inputs, const array& targets, Reduction reduction) {
  const array errors = inputs - targets;
  return reduced(log_add_exp(errors, -errors) - std::numbers::ln2, reduction);
}

array cosine_similarity_loss(const array& x1, const array& x2, int axis, double eps,
                             Reduction reduction) {
  const auto norm = [&](const array& x) { return sqrt(sum(square(x), axis)); };
  const array lengths = norm(x1) * norm(x2);
  return reduced(sum(x1 * x2, axis) / maximum(lengths, weak(eps, lengths)), reduction);
}

array margin_ranking_loss(const array& inputs1, const array& inputs2, const array& targets,
                          double margin, Reduction reduction) {
  check_same("margin_ranking_loss", inputs1, inputs2);
  check_same("margin_ranking_loss", inputs1, targets);
  const array short_of = -targets * (inputs1 - inputs2) + margin;
  return reduced(maximum(short_of, weak(0.0, short_of)), reduction);
}

}  // namespace tessera::nn::losses
