#include "tessera/text/internal/logits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

namespace tessera {
namespace {

constexpr std::size_t kLanes = 16;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Greatest of a block. The comparison form is that of the vector maximum instruction.
float block_max(const float* values, std::size_t size) {
  float lanes[kLanes];
  std::fill_n(lanes, kLanes, -kInfinity);
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::size_t j = 0; j < kLanes; ++j) {
      lanes[j] = values[i + j] > lanes[j] ? values[i + j] : lanes[j];
    }
  }
  float greatest = *std::max_element(lanes, lanes + kLanes);
  for (; i < size; ++i) greatest = std::max(greatest, values[i]);
  return greatest;
}

/// exp for x <= 0: 2^n * e^r with |r| <= ln 2 / 2 and a polynomial for e^r (Cephes' expf).
inline float fast_exp(float x) {
  constexpr float kLowest = -87.0f;
  const float clamped = x > kLowest ? x : kLowest;
  const float scaled = clamped * 1.44269504088896341f;
  // Adding and taking away 1.5 * 2^23 rounds to the nearest integer.
  constexpr float kRound = 12582912.0f;
  const float n = (scaled + kRound) - kRound;
  const float r = (clamped - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const auto exponent = static_cast<std::int32_t>(n) + 127;
  const float power = std::bit_cast<float>(exponent << 23);
  return x > kLowest ? p * power : 0.0f;
}

}  // namespace

LogitsScan scan_logits(std::span<const float> logits) {
  std::int32_t bad = 0;
  for (const float x : logits) bad |= !(x <= std::numeric_limits<float>::max());
  return {block_max(logits.data(), logits.size()), bad == 0};
}

double exp_weights(std::span<const float> logits, float greatest, float scale,
                   std::span<float> out) {
  constexpr std::size_t kBlock = 4096;
  double sum = 0;
  for (std::size_t begin = 0; begin < logits.size(); begin += kBlock) {
    const std::size_t size = std::min(kBlock, logits.size() - begin);
    const float* in = logits.data() + begin;
    float* weights = out.data() + begin;
    for (std::size_t i = 0; i < size; ++i) weights[i] = fast_exp((in[i] - greatest) * scale);
    double lanes[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= size; i += kLanes) {
      for (std::size_t j = 0; j < kLanes; ++j) lanes[j] += weights[i + j];
    }
    for (; i < size; ++i) lanes[0] += weights[i];
    for (const double lane : lanes) sum += lane;
  }
  return sum;
}

float kth_greatest(std::span<const float> logits, std::size_t k, std::vector<float>& scratch) {
  // At least k values reach the k-th greatest of the blocks' maxima, so only those that do can be
  // among the k greatest; for a small k they are few.
  constexpr std::size_t kBlock = 128;
  const std::size_t blocks = (logits.size() + kBlock - 1) / kBlock;
  scratch.clear();
  if (k * 4 <= blocks) {
    for (std::size_t begin = 0; begin < logits.size(); begin += kBlock) {
      scratch.push_back(block_max(logits.data() + begin, std::min(kBlock, logits.size() - begin)));
    }
    std::nth_element(scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(k - 1),
                     scratch.end(), std::greater<>());
    const float bound = scratch[k - 1];
    scratch.clear();
    for (std::size_t begin = 0; begin < logits.size(); begin += kBlock) {
      const std::size_t end = std::min(begin + kBlock, logits.size());
      if (block_max(logits.data() + begin, end - begin) < bound) continue;
      for (std::size_t i = begin; i < end; ++i) {
        if (logits[i] >= bound) scratch.push_back(logits[i]);
      }
    }
  } else {
    scratch.assign(logits.begin(), logits.end());
  }
  std::nth_element(scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(k - 1),
                   scratch.end(), std::greater<>());
  return scratch[k - 1];
}

WeightCut cut_by_sum(std::span<const float> weights, double goal, std::vector<float>& scratch) {
  // Quickselect by weight: `above` is the sum of all that is known to belong to the set.
  scratch.assign(weights.begin(), weights.end());
  auto begin = scratch.begin();
  auto end = scratch.end();
  double above = 0;
  while (true) {
    const std::size_t size = static_cast<std::size_t>(end - begin);
    const float a = *begin;
    const float b = begin[static_cast<std::ptrdiff_t>(size / 2)];
    const float c = *(end - 1);
    const float pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    const auto greater_end = std::partition(begin, end, [pivot](float w) { return w > pivot; });
    const auto equal_end =
        std::partition(greater_end, end, [pivot](float w) { return w == pivot; });
    double greater_sum = 0;
    for (auto it = begin; it != greater_end; ++it) greater_sum += *it;
    const double equal_count = static_cast<double>(equal_end - greater_end);
    if (greater_end != begin && above + greater_sum >= goal) {
      end = greater_end;
    } else if (above + greater_sum + equal_count * pivot >= goal || equal_end == end) {
      const double missing = pivot > 0 ? std::ceil((goal - above - greater_sum) / pivot) : 0.0;
      const double count = std::clamp(missing, above + greater_sum > 0 ? 0.0 : 1.0, equal_count);
      return {pivot, static_cast<std::size_t>(count)};
    } else {
      above += greater_sum + equal_count * pivot;
      begin = equal_end;
    }
  }
}

}  // namespace tessera
