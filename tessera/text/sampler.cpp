#include "tessera/text/sampler.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "tessera/core/internal/fail.h"

namespace tessera {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Fails unless the value lies in [least, most]; NaN lies nowhere.
void check_range(const char* name, float value, float least, float most) {
  if (!(value >= least && value <= most)) {
    fail(ErrorCode::invalid_argument, name, "{} is outside [{}, {}]", value, least, most);
  }
}

// SplitMix64 of a counter: stateless, so a draw depends on the seed and its number alone.
// source  Steele, Lea, Flood: Fast splittable pseudorandom number generators (OOPSLA 2014)
std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Throws for what no choice can be made from; returns the index of the largest, the first of equals.
std::size_t checked_argmax(std::span<const float> logits) {
  if (logits.empty()) fail(ErrorCode::invalid_argument, "sample", "no logits");
  std::size_t best = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i]) || logits[i] == kInfinity) {
      fail(ErrorCode::internal, "sample", "non-finite logits: {} for token {}", logits[i], i);
    }
    if (logits[i] > logits[best]) best = i;
  }
  if (logits[best] == -kInfinity) {
    fail(ErrorCode::invalid_argument, "sample", "no token allowed: every logit is -infinity");
  }
  return best;
}

}  // namespace

void SamplingOptions::validate() const {
  check_range("temperature", temperature, 0.0f, 1e4f);
  check_range("top_p", top_p, 0.0f, 1.0f);
  check_range("min_p", min_p, 0.0f, 1.0f);
  check_range("repetition_penalty", repetition_penalty, 1e-4f, 1e4f);
  check_range("presence_penalty", presence_penalty, -1e4f, 1e4f);
  check_range("frequency_penalty", frequency_penalty, -1e4f, 1e4f);
  if (top_k < 0) fail(ErrorCode::invalid_argument, "top_k", "{} < 0; 0 keeps all tokens", top_k);
  if (penalty_last_n < 0) {
    fail(ErrorCode::invalid_argument, "penalty_last_n", "{} < 0; 0 takes the whole history",
         penalty_last_n);
  }
  for (const auto& [id, bias] : logit_bias) {
    if (std::isnan(bias) || bias == kInfinity) {
      fail(ErrorCode::invalid_argument, "logit_bias", "{} for token {}", bias, id);
    }
  }
}

void apply_penalties(std::span<float> logits, std::span<const std::int32_t> history,
                     const SamplingOptions& o) {
  const auto in_vocabulary = [&](std::int32_t id) {
    return id >= 0 && static_cast<std::size_t>(id) < logits.size();
  };
  for (const auto& [id, bias] : o.logit_bias) {
    if (!in_vocabulary(id)) {
      fail(ErrorCode::invalid_argument, "logit_bias", "token {} is outside the vocabulary of {}", id,
           logits.size());
    }
    logits[id] += bias;
  }
  if (o.repetition_penalty == 1 && o.presence_penalty == 0 && o.frequency_penalty == 0) return;
  if (o.penalty_last_n > 0 && history.size() > static_cast<std::size_t>(o.penalty_last_n)) {
    history = history.last(o.penalty_last_n);
  }
  std::unordered_map<std::int32_t, int> counts;
  for (std::int32_t id : history) {
    if (in_vocabulary(id)) ++counts[id];
  }
  for (const auto& [id, count] : counts) {
    float& logit = logits[id];
    logit = logit > 0 ? logit / o.repetition_penalty : logit * o.repetition_penalty;
    logit -= o.presence_penalty + static_cast<float>(count) * o.frequency_penalty;
  }
}

Sampler::Sampler(SamplingOptions options) : options_(std::move(options)) { options_.validate(); }

double Sampler::next_uniform() {
  const std::uint64_t bits = mix(mix(options_.seed) + counter_++);
  return static_cast<double>(bits >> 11) * 0x1p-53;  // [0, 1)
}

std::int32_t Sampler::sample(std::span<float> logits, std::span<const std::int32_t> history) {
  apply_penalties(logits, history, options_);
  const std::size_t best = checked_argmax(logits);
  if (options_.temperature == 0 || options_.top_k == 1 || options_.top_p == 0) {
    return static_cast<std::int32_t>(best);
  }
  // What min-p or a vanishing probability rules out need not be sorted: a token e^-40 below the best
  // is never drawn, and with 10^6 of them the others lose less than 10^-11.
  const float temperature = options_.temperature;
  const float top = logits[best];
  const float reach = options_.min_p > 0 ? -std::log(options_.min_p) : 40.0f;
  const float least = top - std::min(reach, 40.0f) * temperature;
  candidates_.clear();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] >= least) candidates_.push_back({static_cast<std::int32_t>(i), logits[i]});
  }
  const auto likelier = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  };
  const auto k = static_cast<std::size_t>(options_.top_k);
  if (k > 0 && k < candidates_.size()) {
    std::nth_element(candidates_.begin(), candidates_.begin() + k, candidates_.end(), likelier);
    candidates_.resize(k);
  }
  if (options_.top_p < 1) std::sort(candidates_.begin(), candidates_.end(), likelier);

  weights_.clear();
  double total = 0;
  for (const Candidate& c : candidates_) {
    weights_.push_back(std::exp(static_cast<double>(c.logit - top) / temperature));
    total += weights_.back();
  }
  if (options_.top_p < 1) {
    const double enough = total * options_.top_p;
    double sum = 0;
    std::size_t keep = 0;
    while (keep < weights_.size() && sum < enough) sum += weights_[keep++];
    keep = std::max<std::size_t>(1, keep);
    candidates_.resize(keep);
    weights_.resize(keep);
    total = sum;
  }
  const double draw = next_uniform() * total;
  double sum = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    sum += weights_[i];
    if (draw < sum) return candidates_[i].id;
  }
  return candidates_.back().id;
}

namespace {
// log(sum(exp(logits))) in double.
double log_total(std::span<const float> logits) {
  const float top = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float l : logits) sum += std::exp(static_cast<double>(l - top));
  return top + std::log(sum);
}
}  // namespace

float logprob_of(std::span<const float> logits, std::int32_t id) {
  if (id < 0 || static_cast<std::size_t>(id) >= logits.size()) {
    fail(ErrorCode::invalid_argument, "logprob_of", "token {} is outside the vocabulary of {}", id,
         logits.size());
  }
  return static_cast<float>(logits[id] - log_total(logits));
}

std::vector<TokenLogprob> top_logprobs(std::span<const float> logits, int n) {
  const auto count = std::min<std::size_t>(std::max(0, n), logits.size());
  if (count == 0) return {};
  std::vector<std::int32_t> ids(logits.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i);
  std::partial_sort(ids.begin(), ids.begin() + count, ids.end(), [&](std::int32_t a, std::int32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  const double total = log_total(logits);
  std::vector<TokenLogprob> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back({ids[i], static_cast<float>(logits[ids[i]] - total)});
  }
  return out;
}

}  // namespace tessera
