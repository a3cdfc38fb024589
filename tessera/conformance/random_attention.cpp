// Attention with every option, and rotary positions, by their definitions.
#include <cmath>
#include <limits>
#include <optional>

#include "tessera/conformance/internal/draw.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Attention {
  Sdpa options;
  Values q, k, v;
  std::optional<Values> mask, sinks;
  bool mask_is_bool = false;

  double score(const Shape& i, ShapeElem key) const {
    const ShapeElem group = q.shape[1] / k.shape[1];
    const ShapeElem position = k.shape[2] - q.shape[2] + i[2];
    if (options.causal && key > position) return -kInfinity;
    if (options.window > 0 && key <= position - options.window) return -kInfinity;
    double dot = 0;
    for (ShapeElem d = 0; d < q.shape[3]; ++d) {
      dot += q.at({i[0], i[1], i[2], d}) * k.at({i[0], i[1] / group, key, d});
    }
    double score = options.scale * dot;
    if (options.softcap > 0) score = options.softcap * std::tanh(score / options.softcap);
    if (!mask) return score;
    const double m = mask->at({i[0], i[1], i[2], key});
    return mask_is_bool ? (m != 0 ? score : -kInfinity) : score + m;
  }

  /// The row of weights of a query: with the sink they sum to less than 1, unseen they are 0.
  std::vector<double> weights(const Shape& i) const {
    std::vector<double> out;
    double top = sinks ? sinks->at({i[1]}) : -kInfinity;
    for (ShapeElem key = 0; key < k.shape[2]; ++key) {
      out.push_back(score(i, key));
      top = std::max(top, out.back());
    }
    if (top == -kInfinity) return std::vector<double>(out.size(), 0.0);
    double total = sinks ? std::exp(sinks->at({i[1]}) - top) : 0;
    for (double& w : out) total += w = std::exp(w - top);
    for (double& w : out) w /= total;
    return out;
  }

  Values value() const {
    Values out({q.shape[0], q.shape[1], q.shape[2], v.shape[3]});
    const ShapeElem group = q.shape[1] / k.shape[1];
    for_each_index(q.shape, [&](const Shape& i) {
      if (i[3] != 0) return;  // once for each query
      const std::vector<double> w = weights(i);
      for (ShapeElem d = 0; d < v.shape[3]; ++d) {
        for (std::size_t key = 0; key < w.size(); ++key) {
          out.at({i[0], i[1], i[2], d}) +=
              w[key] * v.at({i[0], i[1] / group, static_cast<ShapeElem>(key), d});
        }
      }
    });
    return out;
  }
};

void attention_case(Draw& draw) {
  const Dtype dtype = draw.floating();
  const ShapeElem batch = draw.between(1, 2), kv_heads = draw.between(1, 2);
  const ShapeElem heads = kv_heads * draw.between(1, 3), width = draw.between(1, 33);
  const ShapeElem queries = draw.chance(0.3) ? 1 : draw.between(0, 19);
  const ShapeElem keys = draw.chance(0.1) ? 0 : draw.between(1, 40);
  Attention a;
  a.options.scale = static_cast<float>(draw.real(0.05, 0.6));
  a.options.causal = draw.chance(0.5);
  if (a.options.causal && draw.chance(0.4)) a.options.window = int(draw.between(1, 9));
  if (draw.chance(0.3)) a.options.softcap = static_cast<float>(draw.real(1, 9));
  draw.note("sdpa scale {} causal {} window {} softcap {} of q, k, v", a.options.scale,
            a.options.causal, a.options.window, a.options.softcap);
  const Drawn q = draw.values({batch, heads, queries, width}, dtype);
  const Drawn k = draw.values({batch, kv_heads, keys, width}, dtype);
  const Drawn v = draw.values({batch, kv_heads, keys, draw.between(1, 20)}, dtype);
  a.q = q.values, a.k = k.values, a.v = v.values;
  std::optional<array> mask, sinks;
  if (draw.chance(0.6)) {
    a.mask_is_bool = draw.chance(0.5);
    draw.note("mask");
    const Shape scores{batch, heads, queries, keys};
    const Drawn m = draw.values(draw.broadcastable(scores), a.mask_is_bool ? bool_ : dtype,
                                a.mask_is_bool ? 0 : -3, a.mask_is_bool ? 1 : 3);
    mask = m.a;
    a.mask = m.values;
  }
  if (draw.chance(0.4)) {
    draw.note("sinks");
    const Drawn s = draw.values({heads}, dtype);
    sinks = s.a;
    a.sinks = s.values;
  }
  expect_near(sdpa(q.a, k.a, v.a, a.options, mask, sinks), a.value(), dtype, {4, 4e-6});
}

void rope_case(Draw& draw) {
  const Dtype dtype = draw.floating();
  const ShapeElem batch = draw.between(1, 3), steps = draw.between(0, 9);
  Shape shape{batch};
  if (draw.chance(0.7)) shape.push_back(draw.between(1, 3));
  shape.push_back(steps);
  const int half = static_cast<int>(draw.between(1, 9));
  shape.push_back(2 * half + draw.between(0, 5));
  const bool traditional = draw.chance(0.5), given = draw.chance(0.4);
  const float scale = draw.chance(0.5) ? 1.0f : 0.5f;
  draw.note("rope dims {} traditional {} scale {} of", 2 * half, traditional, scale);
  const Drawn x = draw.values(shape, dtype);
  draw.note("offset");
  const Drawn offset = draw.values(draw.chance(0.5) ? Shape{} : Shape{batch}, int32, 0, 50);
  Values freqs({half});
  for (int p = 0; p < half; ++p) {
    const double base = given ? draw.real(1, 100) : std::pow(1000.0, double(p) / half);
    freqs.v[static_cast<std::size_t>(p)] = static_cast<float>(base);
  }
  Values want = x.values;
  const std::size_t last = shape.size() - 1;
  for_each_index(shape, [&](const Shape& i) {
    if (i[last] >= half) return;  // once for each pair
    const ShapeElem p = i[last];
    Shape first = i, second = i;
    first[last] = traditional ? 2 * p : p;
    second[last] = traditional ? 2 * p + 1 : p + half;
    const double position = offset.values.at({i[0]}) + double(i[last - 1]);
    const double angle = position * scale / freqs.at({p});
    const double u = x.values.at(first), w = x.values.at(second);
    want.at(first) = u * std::cos(angle) - w * std::sin(angle);
    want.at(second) = u * std::sin(angle) + w * std::cos(angle);
  });
  const array got =
      given ? fast::rope(x.a, 2 * half, traditional, std::nullopt, scale, offset.a,
                         to_array(freqs, float32))
            : fast::rope(x.a, 2 * half, traditional, 1000.0f, scale, offset.a, std::nullopt);
  expect_near(got, want, dtype, {1, 2e-5});
}

}  // namespace

std::vector<RandomCase> random_attention() {
  return {{"attention", attention_case}, {"rope", rope_case}};
}

}  // namespace tessera::conformance
