// What the library costs over plain MLX: the same work written against MLX's C++ and against
// tessera's arrays on the mlx backend, in turn, in one process, on the same libmlx.
//
//   TESSERA_MLX_PATH=.../mlx/lib mlx_layer [ROUNDS]
#include <mlx/fast.h>
#include <mlx/mlx.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "tessera/backend/registry.h"
#include "tessera/core/error.h"
#include "tessera/ops/ops.h"

namespace {

namespace mx = mlx::core;

// SmolLM2-135M's shapes, 16 layers of them, one token after 128.
constexpr int kLayers = 16, kHidden = 576, kHeads = 9, kKvHeads = 3, kHead = 64, kInner = 1536;
constexpr int kPast = 128, kSmallOps = 1000;
constexpr float kScale = 0.125f, kEps = 1e-5f;

/// The two libraries' words for the same calls.
struct Mlx {
  using array = mx::array;
  static array weight(int rows, int columns) {
    return mx::full({rows, columns}, 0.01f / static_cast<float>(columns));
  }
  static array past() { return mx::full({1, kKvHeads, kPast, kHead}, 0.1f); }
  static array ones(int n) { return mx::ones({n}); }
  static array number(float v) { return mx::array(v); }
  static array linear(const array& x, const array& w) { return mx::matmul(x, mx::transpose(w)); }
  static array norm(const array& x, const array& w) { return mx::fast::rms_norm(x, w, kEps); }
  static array rope(const array& x) {
    return mx::fast::rope(x, kHead, false, 10000.0f, 1.0f, kPast);
  }
  static array attend(const array& q, const array& k, const array& v) {
    return mx::fast::scaled_dot_product_attention(q, k, v, kScale);
  }
  static array gated(const array& gate, const array& up) {
    return mx::multiply(mx::multiply(gate, mx::sigmoid(gate)), up);
  }
  static array heads(const array& x, int n) {
    return mx::transpose(mx::reshape(x, {1, 1, n, kHead}), {0, 2, 1, 3});
  }
  static array flat(const array& x) {
    return mx::reshape(mx::transpose(x, {0, 2, 1, 3}), {1, kHidden});
  }
  static array join(const array& a, const array& b) { return mx::concatenate({a, b}, 2); }
  static float first(array x) {
    x.eval();
    return x.data<float>()[0];
  }
};

struct Tessera {
  using array = tessera::array;
  static array weight(int rows, int columns) {
    return tessera::full({rows, columns}, array(0.01f / static_cast<float>(columns))) + 0.0f;
  }
  static array past() { return tessera::full({1, kKvHeads, kPast, kHead}, array(0.1f)); }
  static array ones(int n) { return tessera::ones({n}); }
  static array number(float v) { return array(v); }
  static array linear(const array& x, const array& w) { return tessera::linear(x, w); }
  static array norm(const array& x, const array& w) { return tessera::fast::rms_norm(x, w, kEps); }
  static array rope(const array& x) {
    return tessera::fast::rope(x, kHead, false, 10000.0f, 1.0f, kPast);
  }
  static array attend(const array& q, const array& k, const array& v) {
    return tessera::fast::scaled_dot_product_attention(q, k, v, kScale);
  }
  static array gated(const array& gate, const array& up) { return tessera::swiglu(gate, up); }
  static array heads(const array& x, int n) {
    return tessera::transpose(tessera::reshape(x, {1, 1, n, kHead}), {0, 2, 1, 3});
  }
  static array flat(const array& x) {
    return tessera::reshape(tessera::transpose(x, {0, 2, 1, 3}), {1, kHidden});
  }
  static array join(const array& a, const array& b) { return tessera::concatenate({a, b}, 2); }
  static float first(const array& x) { return x.data<float>()[0]; }
};

template <class L>
struct Layer {
  typename L::array attention_norm = L::ones(kHidden), ffn_norm = L::ones(kHidden);
  typename L::array q = L::weight(kHidden, kHidden), k = L::weight(kKvHeads * kHead, kHidden),
                    v = L::weight(kKvHeads * kHead, kHidden), o = L::weight(kHidden, kHidden);
  typename L::array gate = L::weight(kInner, kHidden), up = L::weight(kInner, kHidden),
                    down = L::weight(kHidden, kInner);
  typename L::array keys = L::past(), values = L::past();

  typename L::array operator()(const typename L::array& x) const {
    const auto h = L::norm(x, attention_norm);
    const auto queries = L::rope(L::heads(L::linear(h, q), kHeads));
    const auto all_keys = L::join(keys, L::rope(L::heads(L::linear(h, k), kKvHeads)));
    const auto all_values = L::join(values, L::heads(L::linear(h, v), kKvHeads));
    const auto y = x + L::linear(L::flat(L::attend(queries, all_keys, all_values)), o);
    const auto g = L::norm(y, ffn_norm);
    return y + L::linear(L::gated(L::linear(g, gate), L::linear(g, up)), down);
  }
};

template <class L>
float decode(const std::vector<Layer<L>>& layers, const typename L::array& input) {
  auto x = input;
  for (const Layer<L>& layer : layers) x = layer(x);
  return L::first(x);
}

template <class L>
float small_ops(const typename L::array& input, const typename L::array& factor) {
  auto x = input;
  for (int i = 0; i < kSmallOps / 2; ++i) x = x * factor + factor;
  return L::first(x);
}

double milliseconds(const std::function<float()>& work, float* result) {
  const auto start = std::chrono::steady_clock::now();
  *result = work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void compare(const char* name, int rounds, const std::function<float()>& plain,
             const std::function<float()>& ours) {
  std::vector<double> a, b;
  float want = 0, got = 0;
  for (int round = 0; round <= rounds; ++round) {
    const double first = milliseconds(plain, &want);
    const double second = milliseconds(ours, &got);
    if (round == 0) continue;  // warms up
    a.push_back(first);
    b.push_back(second);
  }
  std::printf("%-24s plain MLX %8.3f ms   ours %8.3f ms   ratio %.3f   (%g, %g)\n", name, median(a),
              median(b), median(b) / median(a), static_cast<double>(want),
              static_cast<double>(got));
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 50;
  try {
    mx::set_default_device(mx::Device::cpu);
    const tessera::BackendScope scope(tessera::make_backend("mlx", {.device = "cpu"}));
    const std::vector<Layer<Mlx>> plain(kLayers);
    const std::vector<Layer<Tessera>> ours(kLayers);
    const auto plain_input = mx::full({1, kHidden}, 0.5f);
    const tessera::array our_input = tessera::full({1, kHidden}, tessera::array(0.5f)) + 0.0f;
    compare(
        "decode, 16 layers", rounds, [&] { return decode<Mlx>(plain, plain_input); },
        [&] { return decode<Tessera>(ours, our_input); });
    const auto plain_small = mx::arange(0, 64, 1, mx::float32);
    const tessera::array our_small = tessera::arange(0, 64, 1, tessera::float32);
    const auto plain_factor = Mlx::number(0.5f);
    const tessera::array our_factor = Tessera::number(0.5f);
    compare(
        "1000 small ops", rounds, [&] { return small_ops<Mlx>(plain_small, plain_factor); },
        [&] { return small_ops<Tessera>(our_small, our_factor); });
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
