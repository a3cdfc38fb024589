#include "tessera/text/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tessera/core/internal/fail.h"
#include "tessera/text/internal/counter_rng.h"
#include "tessera/text/internal/logits.h"

namespace tessera {
namespace {

template <class T>
void require(bool holds, const char* parameter, const char* rule, T value) {
  if (!holds) fail(ErrorCode::invalid_argument, parameter, "must be {}, is {}", rule, value);
}

std::int32_t first_equal(std::span<const float> logits, float value) {
  return static_cast<std::int32_t>(std::find(logits.begin(), logits.end(), value) - logits.begin());
}

void check_scan(const LogitsScan& scan, std::uint64_t step) {
  if (!scan.finite) {
    fail(ErrorCode::invalid_argument, "logits",
         "non-finite logits at step {}; the model's output is not usable", step);
  }
  if (std::isinf(scan.greatest)) {
    fail(ErrorCode::invalid_argument, "logits",
         "no token allowed at step {}: all logits are -infinity; does a grammar or a bias ban "
         "every token?",
         step);
  }
}

}  // namespace

SamplingOptions SamplingOptions::greedy() {
  SamplingOptions options;
  options.temperature = 0;
  return options;
}

void SamplingOptions::validate() const {
  require(std::isfinite(temperature) && temperature >= 0, "temperature", "0 or greater",
          temperature);
  require(top_k >= 0, "top_k", "0 or greater", top_k);
  require(top_p >= 0 && top_p <= 1, "top_p", "in [0, 1]", top_p);
  require(min_p >= 0 && min_p <= 1, "min_p", "in [0, 1]", min_p);
  require(std::isfinite(repetition_penalty) && repetition_penalty > 0, "repetition_penalty",
          "greater than 0", repetition_penalty);
  require(std::isfinite(presence_penalty), "presence_penalty", "finite", presence_penalty);
  require(std::isfinite(frequency_penalty), "frequency_penalty", "finite", frequency_penalty);
  require(penalty_last_n >= -1, "penalty_last_n", "-1 (all) or greater", penalty_last_n);
  for (const auto& [id, bias] : logit_bias) {
    require(id >= 0, "logit_bias", "for ids of 0 or greater", id);
    require(!std::isnan(bias) && bias < HUGE_VALF, "logit_bias", "finite or -infinity", bias);
  }
}

Sampler::Sampler(SamplingOptions options, std::vector<LogitsProcessor> processors)
    : options_(std::move(options)), processors_(std::move(processors)) {
  options_.validate();
}

void Sampler::add_bias(std::span<float> logits) const {
  for (const auto& [id, bias] : options_.logit_bias) {
    if (static_cast<std::size_t>(id) >= logits.size()) {
      fail(ErrorCode::invalid_argument, "logit_bias", "token {} is beyond the vocabulary of {}", id,
           logits.size());
    }
    logits[static_cast<std::size_t>(id)] += bias;
  }
}

bool Sampler::penalizes() const {
  return options_.repetition_penalty != 1 || options_.presence_penalty != 0 ||
         options_.frequency_penalty != 0;
}

void Sampler::penalize(std::span<float> logits, std::span<const std::int32_t> history) {
  if (options_.penalty_last_n >= 0) {
    const auto kept =
        std::min<std::size_t>(history.size(), static_cast<std::size_t>(options_.penalty_last_n));
    history = history.last(kept);
  }
  if (counts_.size() < logits.size()) counts_.resize(logits.size());
  const auto in_vocabulary = [&](std::int32_t id) {
    return id >= 0 && static_cast<std::size_t>(id) < logits.size();
  };
  for (const std::int32_t id : history) {
    if (in_vocabulary(id)) ++counts_[static_cast<std::size_t>(id)];
  }
  // Each token once, however often it occurs: taking its count away marks it as done.
  for (const std::int32_t id : history) {
    if (!in_vocabulary(id)) continue;
    const std::int32_t count = std::exchange(counts_[static_cast<std::size_t>(id)], 0);
    if (count == 0) continue;
    float& logit = logits[static_cast<std::size_t>(id)];
    logit = logit > 0 ? logit / options_.repetition_penalty : logit * options_.repetition_penalty;
    logit -= options_.presence_penalty + options_.frequency_penalty * static_cast<float>(count);
  }
}

std::int32_t Sampler::sample(std::span<float> logits, std::span<const std::int32_t> history) {
  if (logits.empty()) fail(ErrorCode::invalid_argument, "logits", "there are none");
  // Before the bias too, which would hide an infinity of the model's by banning the token.
  LogitsScan scan = scan_logits(logits);
  check_scan(scan, step_);
  if (!options_.logit_bias.empty() || penalizes() || !processors_.empty()) {
    add_bias(logits);
    if (penalizes()) penalize(logits, history);
    for (const LogitsProcessor& process : processors_) process(logits, history);
    scan = scan_logits(logits);
    check_scan(scan, step_);
  }
  const std::int32_t id =
      options_.temperature == 0 ? first_equal(logits, scan.greatest) : draw(logits, scan.greatest);
  ++step_;
  return id;
}

std::int32_t Sampler::draw(std::span<const float> logits, float greatest) {
  const float scale = 1.0f / options_.temperature;
  // A temperature so small that its inverse overflows leaves the greatest logit alone.
  if (std::isinf(scale)) return first_equal(logits, greatest);

  ids_.clear();
  std::span<const float> kept = logits;
  const auto top_k = static_cast<std::size_t>(options_.top_k);
  const bool limits_count = top_k > 0 && top_k < logits.size();
  if (limits_count) {
    const float kth = kth_greatest(logits, top_k, scratch_);
    scratch_.clear();
    for (std::size_t i = 0; i < logits.size(); ++i) {
      if (logits[i] < kth) continue;
      ids_.push_back(static_cast<std::int32_t>(i));
      scratch_.push_back(logits[i]);
    }
    kept = scratch_;
  }
  weights_.resize(kept.size());
  double sum = exp_weights(kept, greatest, scale, weights_);

  // Keeps the weights that pass, with their ids, in order.
  const auto filter = [&](auto&& passes) {
    std::size_t out = 0;
    const bool all_ids = ids_.empty();
    if (all_ids) ids_.resize(weights_.size());
    sum = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (!passes(weights_[i])) continue;
      ids_[out] = all_ids ? static_cast<std::int32_t>(i) : ids_[i];
      weights_[out] = weights_[i];
      sum += weights_[out++];
    }
    ids_.resize(out);
    weights_.resize(out);
  };
  if (options_.top_p < 1) {
    const double goal = options_.top_p * sum;
    // All tokens below this together are less than what top_p leaves out.
    const double dispensable = (1.0 - options_.top_p) * sum / static_cast<double>(logits.size());
    const auto floor = static_cast<float>(0.5 * std::min(dispensable, 1.0));
    filter([floor](float weight) { return weight >= floor; });
    WeightCut cut = cut_by_sum(weights_, goal, scratch_);
    filter([&cut](float weight) {
      if (weight != cut.weight) return weight > cut.weight;
      return cut.count > 0 && cut.count-- > 0;
    });
  }
  if (options_.min_p > 0) {
    filter([this](float weight) { return weight >= options_.min_p; });
  }

  const double point = random_unit(options_.seed, step_) * sum;
  double before = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (weights_[i] == 0) continue;
    last = i;
    before += weights_[i];
    if (before > point) break;
  }
  // Rounding can leave the point at the very end: then it is the last token with any weight.
  return ids_.empty() ? static_cast<std::int32_t>(last) : ids_[last];
}

SampledToken Sampler::sample_with_logprobs(std::span<float> logits,
                                           std::span<const std::int32_t> history, int top) {
  const std::vector<float> raw(logits.begin(), logits.end());
  const std::uint64_t step = step_;
  const std::int32_t id = sample(logits, history);
  return logprobs_of(raw, id, top, step);
}

SampledToken logprobs_of(std::span<const float> logits, std::int32_t id, int top,
                         std::uint64_t step) {
  if (top < 0) {
    fail(ErrorCode::invalid_argument, "top_logprobs", "must be 0 or greater, is {}", top);
  }
  if (logits.empty()) fail(ErrorCode::invalid_argument, "logits", "there are none");
  if (id < 0 || static_cast<std::size_t>(id) >= logits.size()) {
    fail(ErrorCode::invalid_argument, "logprobs_of", "token {} is outside the vocabulary of {}", id,
         logits.size());
  }
  const LogitsScan scan = scan_logits(logits);
  check_scan(scan, step);
  std::vector<float> scratch(logits.size());
  const double sum = exp_weights(logits, scan.greatest, 1.0f, scratch);
  const double log_sum = static_cast<double>(scan.greatest) + std::log(sum);
  const auto logprob = [&](float logit) { return static_cast<float>(logit - log_sum); };

  SampledToken result{};
  const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(top), logits.size());
  if (count > 0) {
    const float kth = kth_greatest(logits, count, scratch);
    for (std::size_t i = 0; i < logits.size(); ++i) {
      if (logits[i] >= kth) {
        result.top.push_back({static_cast<std::int32_t>(i), logprob(logits[i])});
      }
    }
    std::stable_sort(
        result.top.begin(), result.top.end(),
        [](const TokenLogprob& a, const TokenLogprob& b) { return a.logprob > b.logprob; });
    result.top.resize(count);
  }
  result.id = id;
  result.logprob = logprob(logits[static_cast<std::size_t>(id)]);
  return result;
}

}  // namespace tessera
