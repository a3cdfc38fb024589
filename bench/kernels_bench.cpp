// The cpu backend's kernels against the machine's own ceilings, measured in the same run.
//
//   kernels_bench --benchmark_filter='gemv.*q4_1'
//
// Shapes are SmolLM2-135M's and Gemma 3 270M's. GEMV weights rotate through more memory than the
// caches hold, as they do in decoding. best_us, GB/s and GFLOP/s are of the fastest run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tessera/backends/cpu/isa/attention.h"
#include "tessera/backends/cpu/isa/isa.h"
#include "tessera/backends/cpu/isa/matmul.h"
#include "tessera/backends/cpu/isa/vector_math.h"

namespace {

using namespace tessera;
using namespace tessera::cpu::isa;

ThreadPool& pool_of(std::int64_t threads) {
  static ThreadPool one(1), all(0);
  return threads == 1 ? one : all;
}

std::vector<float> random_floats(std::int64_t count) {
  std::mt19937 rng(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& v : values) v = normal(rng);
  return values;
}

/// Runs one() over and over; the figures count the fastest run, which neighbours disturbed least.
template <class Fn>
void time_best(benchmark::State& state, double bytes, double operations, const char* unit, Fn one) {
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  for (auto _ : state) {
    const auto start = Clock::now();
    one();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    benchmark::ClobberMemory();
  }
  state.counters["best_us"] = best * 1e6;
  if (bytes > 0) state.counters["GB/s"] = bytes / best / 1e9;
  if (operations > 0) state.counters[unit] = operations / best / 1e9;
}

/// The processor's multiply-add ceiling: products whose panels never leave L1, one per thread.
void fma_ceiling(benchmark::State& state) {
  const Kernels& table = kernels();
  const std::int64_t k = 128, tile = table.gemm_rows * table.gemm_columns;
  ThreadPool& pool = pool_of(state.range(0));
  const std::int64_t threads = pool.size();
  const std::vector<float> a(table.gemm_rows * k, 1.0f), b(table.gemm_columns * k, 1.0f);
  std::vector<float> c(threads * (tile + 16));  // 16 apart: no cache line has two writers
  time_best(state, 0, 2e2 * static_cast<double>(threads * tile * k), "GFLOP/s", [&] {
    pool.parallel_for(threads, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t t = begin; t < end; ++t) {
        for (int i = 0; i < 100; ++i) {
          table.gemm_block({table.gemm_rows, table.gemm_columns, k, a.data(), b.data(),
                            c.data() + t * (tile + 16), table.gemm_columns, true});
        }
      }
    });
    benchmark::DoNotOptimize(c.data());
  });
}

void memory_read(benchmark::State& state) {
  const std::vector<std::uint64_t> data((64 << 20) / 8, 1);
  ThreadPool& pool = pool_of(state.range(0));
  time_best(state, 64 << 20, 0, "", [&] {
    pool.parallel_for(64, 1, [&](std::int64_t begin, std::int64_t end) {
      const auto* first = data.data() + begin * (1 << 17);
      benchmark::DoNotOptimize(
          std::accumulate(first, data.data() + end * (1 << 17), std::uint64_t{0}));
    });
  });
}

struct WeightType {
  std::string name;
  bool quantized;
  FloatType floats;
  QuantType quants;

  std::int64_t row_bytes(std::int64_t k) const {
    if (quantized) return tessera::row_bytes(quants, k);
    return k * (floats == FloatType::f32 ? 4 : 2);
  }
};

void linear_of(ThreadPool& pool, const LinearArgs& args, const WeightType& type, const std::byte* w,
               QuantCompute compute) {
  if (type.quantized)
    linear_quantized(pool, args, type.quants, w, compute);
  else
    linear(pool, args, type.floats, w);
}

/// m rows of x through n x k weights.
void linear_bench(benchmark::State& state, const WeightType& type, QuantCompute compute,
                  std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t threads) {
  const std::int64_t bytes = n * type.row_bytes(k);
  const std::int64_t copies = m > 8 ? 1 : std::max<std::int64_t>(1, (128 << 20) / bytes);
  // Small codes are valid floats and scales in every type.
  const std::vector<std::byte> weights(static_cast<std::size_t>(copies * bytes), std::byte{0x11});
  const auto x = random_floats(m * k);
  std::vector<float> y(m * n);
  std::int64_t copy = 0;
  time_best(state, static_cast<double>(bytes), 2.0 * static_cast<double>(m * n * k), "GFLOP/s",
            [&] {
              linear_of(pool_of(threads), {.m = m, .n = n, .k = k, .x = x.data(), .y = y.data()},
                        type, weights.data() + copy * bytes, compute);
              copy = (copy + 1) % copies;
            });
}

void matmul_bench(benchmark::State& state) {
  const std::int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  const bool b_transposed = state.range(3) != 0;
  const auto a = random_floats(m * k), b = random_floats(k * n);
  std::vector<float> c(m * n);
  time_best(state, 0, 2.0 * static_cast<double>(m * n * k), "GFLOP/s", [&] {
    matmul(pool_of(state.range(4)), m, n, k, {a.data(), FloatType::f32, k, 1},
           {b.data(), FloatType::f32, b_transposed ? 1 : n, b_transposed ? k : 1},
           {c.data(), FloatType::f32, n});
    benchmark::DoNotOptimize(c.data());
  });
}

void math_bench(benchmark::State& state, void (*function)(const float*, float*, std::int64_t)) {
  const auto x = random_floats(4096);
  std::vector<float> y(x.size());
  time_best(state, 0, 4096, "Gelement/s", [&] {
    function(x.data(), y.data(), 4096);
    benchmark::DoNotOptimize(y.data());
  });
}

/// Three query heads over one key head of 64, as in SmolLM2, at a context of `s`.
void attention_bench(benchmark::State& state, FloatType type) {
  const std::int64_t g = 3, d = 64, s = state.range(0);
  const auto q = random_floats(g * d);
  const std::vector<float> cache(2 * s * d, 0.25f);
  std::vector<float> scores(g * s), out(g * d), max(g), sum(g);
  time_best(state, 0, 4.0 * static_cast<double>(g * d * s), "GFLOP/s", [&] {
    attention_scores({q.data(), g, d}, {cache.data(), type, s, d}, d, 0.125f, scores.data(), s);
    for (std::int64_t i = 0; i < g; ++i) {
      max[i] = -1e30f;
      softmax_step(scores.data() + i * s, s, &max[i], &sum[i]);
    }
    attention_values({scores.data(), g, s}, {cache.data() + s * d, type, s, d}, d, out.data(), d,
                     false);
    benchmark::DoNotOptimize(out.data());
  });
}

void register_linear(const WeightType& type) {
  struct Shape {
    std::int64_t n, k;
  };
  for (const Shape& s : {Shape{576, 576}, Shape{1536, 576}, Shape{576, 1536}, Shape{49152, 576},
                         Shape{640, 2048}, Shape{2048, 1024}}) {
    if (type.quantized && s.k % block_size(type.quants) != 0) continue;
    for (QuantCompute compute : {QuantCompute::precise, QuantCompute::fast}) {
      if (compute == QuantCompute::fast && !type.quantized) continue;
      for (std::int64_t m : {1, 4, 8, 32, 128, 512}) {
        if (s.n > 10000 && m != 1) continue;
        for (std::int64_t threads : {1, 2}) {
          const std::string name = std::string(m == 1 ? "gemv/" : "linear/") + type.name +
                                   (compute == QuantCompute::fast ? "/fast" : "/precise") + "/m" +
                                   std::to_string(m) + "/" + std::to_string(s.n) + "x" +
                                   std::to_string(s.k) + "/t" + std::to_string(threads);
          benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            linear_bench(state, type, compute, m, s.n, s.k, threads);
          });
        }
      }
    }
  }
}

void register_all() {
  benchmark::RegisterBenchmark("ceiling/fma", fma_ceiling)->Arg(1)->Arg(2);
  benchmark::RegisterBenchmark("ceiling/memory_read", memory_read)->Arg(1)->Arg(2);
  register_linear({"f32", false, FloatType::f32, {}});
  register_linear({"f16", false, FloatType::f16, {}});
  register_linear({"bf16", false, FloatType::bf16, {}});
  for (QuantType type :
       {QuantType::q4_0, QuantType::q4_1, QuantType::q5_0, QuantType::q5_1, QuantType::q8_0,
        QuantType::q2_k, QuantType::q3_k, QuantType::q4_k, QuantType::q5_k, QuantType::q6_k}) {
    register_linear({std::string(to_string(type)), true, FloatType::f32, type});
  }
  auto* matmul = benchmark::RegisterBenchmark("matmul", matmul_bench);
  matmul->ArgNames({"m", "n", "k", "transposed", "threads"});
  for (std::int64_t threads : {1, 2}) {
    for (std::int64_t transposed : {0, 1}) {
      for (std::int64_t size : {64, 256, 1024}) {
        matmul->Args({size, size, size, transposed, threads});
      }
      for (std::int64_t m : {1, 4, 16, 128}) matmul->Args({m, 1536, 576, transposed, threads});
    }
  }
  using Function = void (*)(const float*, float*, std::int64_t);
  const std::pair<const char*, Function> functions[] = {
      {"exp", vec_exp},         {"tanh", vec_tanh}, {"erf", vec_erf},
      {"sigmoid", vec_sigmoid}, {"gelu", vec_gelu}, {"gelu_tanh", vec_gelu_tanh}};
  for (const auto& [name, function] : functions) {
    benchmark::RegisterBenchmark(
        (std::string("math/") + name).c_str(),
        [function = function](benchmark::State& state) { math_bench(state, function); });
  }
  for (FloatType type : {FloatType::f32, FloatType::f16}) {
    benchmark::RegisterBenchmark(type == FloatType::f32 ? "attention/f32" : "attention/f16",
                                 [type](benchmark::State& state) { attention_bench(state, type); })
        ->Arg(128)
        ->Arg(1024);
  }
}

}  // namespace

int main(int argc, char** argv) {
  register_all();
  benchmark::AddCustomContext("kernels", std::string(to_string(best_isa())));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
