// Losses. Each gives one value per element or row, or their mean or sum.
//
//   array loss = nn::losses::cross_entropy(logits, labels, {.reduction = nn::Reduction::mean});
//
// errors  shape_mismatch when predictions and targets differ in shape
#pragma once

#include <optional>

#include "tessera/ir/array.h"

namespace tessera::nn {

enum class Reduction { none, mean, sum };

namespace losses {

struct CrossEntropyOptions {
  std::optional<array> weights = {};  ///< of each loss before it is reduced; its shape
  int axis = -1;                      ///< of the classes
  double label_smoothing = 0.0;       ///< in [0, 1): the share given to all classes alike
  Reduction reduction = Reduction::none;
};

/// logits   [..., C, ...] unnormalised log probabilities
/// targets  class numbers, logits' shape without the axis; or probabilities of logits' shape
/// returns  -log softmax(logits)[target], without the axis before it is reduced
/// errors   shape_mismatch; invalid_argument for label_smoothing outside [0, 1)
array cross_entropy(const array& logits, const array& targets,
                    const CrossEntropyOptions& options = {});

struct BinaryCrossEntropyOptions {
  std::optional<array> weights = {};  ///< of inputs' shape
  bool with_logits = true;            ///< inputs go through a sigmoid first
  Reduction reduction = Reduction::mean;
};

/// -(t log p + (1 - t) log(1 - p)), the logarithms of given probabilities no lower than -100.
array binary_cross_entropy(const array& inputs, const array& targets,
                           const BinaryCrossEntropyOptions& options = {});

/// |p - t|
array l1_loss(const array& predictions, const array& targets,
              Reduction reduction = Reduction::mean);
/// (p - t)^2
array mse_loss(const array& predictions, const array& targets,
               Reduction reduction = Reduction::mean);
/// -inputs[target] along the axis.   inputs: log probabilities
array nll_loss(const array& inputs, const array& targets, int axis = -1,
               Reduction reduction = Reduction::none);

struct GaussianNllOptions {
  bool full = false;  ///< with the constant log(2 pi) / 2
  double eps = 1e-6;  ///< least variance
  Reduction reduction = Reduction::mean;
};

/// (log v + (t - x)^2 / v) / 2.   source  D. A. Nix and A. S. Weigend, 1994
array gaussian_nll_loss(const array& inputs, const array& targets, const array& vars,
                        const GaussianNllOptions& options = {});

/// sum of exp(t) (t - x) over the axis, both log probabilities.
array kl_div_loss(const array& inputs, const array& targets, int axis = -1,
                  Reduction reduction = Reduction::none);
/// d^2 / (2 beta) for d = |p - t| < beta, else d - beta / 2.   source  arXiv:1504.08083
array smooth_l1_loss(const array& predictions, const array& targets, double beta = 1.0,
                     Reduction reduction = Reduction::mean);

struct TripletOptions {
  int axis = -1;
  int p = 2;  ///< of the norm
  double margin = 1.0;
  double eps = 1e-6;  ///< under the root
  Reduction reduction = Reduction::none;
};

/// max(|a - p| - |a - n| + margin, 0)   source  arXiv:1503.03832
array triplet_loss(const array& anchors, const array& positives, const array& negatives,
                   const TripletOptions& options = {});

/// max(1 - x t, 0), t being 1 or -1.
array hinge_loss(const array& inputs, const array& targets, Reduction reduction = Reduction::none);
/// d^2 / 2 for d = |x - t| <= delta, else delta (d - delta / 2).   source  P. J. Huber, 1964
array huber_loss(const array& inputs, const array& targets, double delta = 1.0,
                 Reduction reduction = Reduction::none);
/// log cosh(x - t), without overflow.
array log_cosh_loss(const array& inputs, const array& targets,
                    Reduction reduction = Reduction::none);
/// x1 . x2 / max(|x1| |x2|, eps) over the axis: the similarity itself, as in MLX.
array cosine_similarity_loss(const array& x1, const array& x2, int axis = 1, double eps = 1e-8,
                             Reduction reduction = Reduction::none);
/// max(0, -t (x1 - x2) + margin), t being 1 where x1 ranks higher, else -1.
array margin_ranking_loss(const array& inputs1, const array& inputs2, const array& targets,
                          double margin = 0.0, Reduction reduction = Reduction::none);

}  // namespace losses
}  // namespace tessera::nn
