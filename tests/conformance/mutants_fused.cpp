// Faults in the fused ops of transformers.
#include <cmath>
#include <cstring>

#include "tessera/ops/ops.h"
#include "tests/conformance/mutant.h"

namespace tessera::testing {

namespace {

constexpr const char* kRope = "fast.rope";
constexpr const char* kAttention = "fast.scaled_dot_product_attention";
constexpr const char* kRmsNorm = "fast.rms_norm";
constexpr const char* kLayerNorm = "fast.layer_norm";

/// Heads of k and v dealt out in turn instead of in runs.
void interleave_heads(Call& c) {
  const HostTensor q = c.read(c.inputs()[0]);
  const ShapeElem heads = q.shape()[1], groups = c.inputs()[1]->shape()[1];
  if (groups == 0 || heads == groups) return c.run();
  HostTensor mixed(q.shape(), q.dtype());
  const std::size_t head_bytes = q.nbytes() / std::max<std::size_t>(1, q.shape()[0] * heads);
  for (ShapeElem b = 0; b < q.shape()[0]; ++b) {
    for (ShapeElem h = 0; h < heads; ++h) {
      const ShapeElem to = h % groups * (heads / groups) + h / groups;
      std::memcpy(mixed.mutable_data() + (b * heads + to) * head_bytes,
                  q.data() + (b * heads + h) * head_bytes, head_bytes);
    }
  }
  c.inputs()[0] = c.make(std::move(mixed));
  c.run();
}

bool has_mask(Call& c) {
  return c.inputs().size() > (c.op<Sdpa>().has_sinks ? 4u : 3u);
}

Mutant change_sinks(std::string name, float (*change)(float)) {
  return wrong<Sdpa>(
      std::move(name),
      [change](Call& c) {
        if (c.op<Sdpa>().has_sinks) c.change_floats(c.inputs().back(), change);
        c.run();
      },
      kAttention);
}

void scale_sinks(Call& c) {
  if (c.op<Sdpa>().has_sinks) {
    const float scale = c.op<Sdpa>().scale;
    c.change_floats(c.inputs().back(), [scale](float x) { return x * scale; });
  }
  c.run();
}

void invert_bool_mask(Call& c) {
  if (has_mask(c) && c.inputs()[3]->dtype() == bool_) {
    const HostTensor mask = c.read(c.inputs()[3]);
    HostTensor other(mask.shape(), bool_);
    for (std::int64_t i = 0; i < mask.size(); ++i) {
      other.mutable_data()[i] = mask.data()[i] == std::byte{0} ? std::byte{1} : std::byte{0};
    }
    c.inputs()[3] = c.make(std::move(other));
  }
  c.run();
}

}  // namespace

std::vector<Mutant> fused_mutants() {
  return {
      wrong_attribute<LayerNorm>(
          "layer_norm leaves eps out", [](LayerNorm& op) { op.eps = 0; }, kLayerNorm),
      wrong<LayerNorm>(
          "layer_norm forgets the weight",
          [](Call& c) {
            if (c.op<LayerNorm>().has_weight) {
              c.change_floats(c.inputs()[1], [](float) { return 1.0f; });
            }
            c.run();
          },
          kLayerNorm),
      wrong_attribute<RmsNorm>(
          "rms_norm leaves eps out", [](RmsNorm& op) { op.eps = 0; }, kRmsNorm),
      wrong<RmsNorm>(
          "rms_norm adds 1 to the weight",
          [](Call& c) {
            if (c.inputs().size() > 1) {
              c.change_floats(c.inputs()[1], [](float x) { return x + 1; });
            }
            c.run();
          },
          kRmsNorm),
      wrong_attribute<Rope>(
          "rope pairs neighbours instead of halves",
          [](Rope& op) { op.traditional = !op.traditional; }, kRope),
      wrong_attribute<Rope>(
          "rope ignores scale", [](Rope& op) { op.scale = 1; }, kRope),
      wrong<Rope>(
          "rope starts every chunk at position 0",
          [](Call& c) {
            const TensorSpec offset = c.inputs()[1]->spec();
            c.inputs()[1] = c.make(HostTensor(offset.shape, offset.dtype));
            c.run();
          },
          kRope),
      wrong<Rope>(
          "rope rotates the other way",
          [](Call& c) {
            Rope op = c.op<Rope>();
            op.scale = -op.scale;
            c.run_as(op);
          },
          kRope),
      wrong_attribute<Rope>(
          "rope's base is off by a percent", [](Rope& op) { op.base *= 1.01f; }, kRope),
      wrong_attribute<Sdpa>(
          "sdpa ignores scale", [](Sdpa& op) { op.scale = 1; }, kAttention),
      wrong_attribute<Sdpa>(
          "sdpa ignores causal", [](Sdpa& op) { op.causal = false; }, kAttention),
      wrong<Sdpa>(
          "sdpa's causal mask is one key off",
          [](Call& c) {
            Sdpa op = c.op<Sdpa>();
            if (op.causal && op.window == 0) op.window = 2;
            c.run_as(op);
          },
          kAttention),
      wrong<Sdpa>("sdpa takes a bool mask the wrong way round", invert_bool_mask, kAttention),
      wrong<Sdpa>(
          "sdpa ignores an additive mask",
          [](Call& c) {
            if (has_mask(c)) c.change_floats(c.inputs()[3], [](float) { return 0.0f; });
            c.run();
          },
          kAttention),
      change_sinks("sdpa ignores the sinks", [](float) { return -INFINITY; }),
      change_sinks("sdpa takes a sink of 0 for every head", [](float) { return 0.0f; }),
      wrong<Sdpa>("sdpa scales the sinks as it scales the scores", scale_sinks, kAttention),
      wrong<Sdpa>("sdpa deals grouped heads out in turn", interleave_heads, kAttention),
      wrong<Sdpa>(
          "sdpa gives NaN for a row with nothing to see",
          [](Call& c) {
            c.run();
            if (has_mask(c)) {
              c.change_floats(c.output(), [](float x) { return x == 0 ? NAN : x; });
            }
          },
          kAttention),
      wrong<Sdpa>(
          "sdpa rounds scores to bfloat16",
          [](Call& c) {
            c.change_floats(c.inputs()[1],
                            [](float x) { return static_cast<float>(bfloat16_t(x)); });
            c.run();
          },
          kAttention),
      wrong_attribute<Gelu>("gelu takes the other formula",
                            [](Gelu& op) { op.tanh_approximation = !op.tanh_approximation; }),
      wrong<Gelu>("gelu gives 0 for NaN",
                  [](Call& c) {
                    c.run();
                    c.change_floats(c.output(), [](float x) { return std::isnan(x) ? 0.0f : x; });
                  }),
      wrong<Silu>("silu saturates at -10",
                  [](Call& c) {
                    c.change_inputs([](float x) { return x < -10 ? -10.0f : x; });
                    c.run();
                  }),
  };
}

}  // namespace tessera::testing
