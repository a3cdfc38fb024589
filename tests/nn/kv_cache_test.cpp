// The cache of keys and values: what it keeps, what a query sees, growing and going back.
#include "tessera/nn/kv_cache.h"

#include <gtest/gtest.h>

#include <random>

#include "tessera/backend/registry.h"
#include "tessera/core/error.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"
#include "tests/support/goldens.h"

namespace tessera::nn {
namespace {

using testing::max_difference;

array column(const std::vector<float>& v) {
  return array(std::span<const float>(v), {1, 1, static_cast<ShapeElem>(v.size()), 1});
}
std::vector<float> values(const array& a) {
  const auto v = a.to_host().values<float>();
  return {v.begin(), v.end()};
}
// Adds the keys, and their negatives as values; returns what the queries see.
std::vector<float> feed(KvCache& cache, const std::vector<float>& keys) {
  const auto [k, v] = cache.update(column(keys), -column(keys));
  EXPECT_EQ(values(-v), values(k));
  return values(k);
}
std::vector<float> kept(const KvCache& cache) {
  return values(cache.contents()->first);
}

array normal(const Shape& shape, int seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> draw;
  std::vector<float> v(num_elements(shape));
  for (float& x : v) x = draw(random);
  return array(std::span<const float>(v), shape);
}

TEST(KvCache, AWindowKeepsItsLastPositions) {
  KvCache cache(8);
  EXPECT_FALSE(cache.contents());
  feed(cache, {10.0f, 10.1f, 10.2f, 10.3f, 10.4f, 10.5f});
  feed(cache, {10.6f});
  feed(cache, {10.7f});
  EXPECT_EQ(kept(cache),
            (std::vector<float>{10.0f, 10.1f, 10.2f, 10.3f, 10.4f, 10.5f, 10.6f, 10.7f}));
  const std::vector<float> after_8{10.1f, 10.2f, 10.3f, 10.4f, 10.5f, 10.6f, 10.7f, 10.8f};
  EXPECT_EQ(feed(cache, {10.8f}), after_8);  // the query sees itself and the 7 before
  EXPECT_EQ(kept(cache), after_8);
  const std::vector<float> after_9{10.2f, 10.3f, 10.4f, 10.5f, 10.6f, 10.7f, 10.8f, 10.9f};
  EXPECT_EQ(feed(cache, {10.9f}), after_9);
  EXPECT_EQ(kept(cache), after_9);
  EXPECT_EQ(cache.length(), 10);
}

TEST(KvCache, WithoutAWindowKeepsEverything) {
  KvCache cache;
  EXPECT_EQ(feed(cache, {1, 2, 3}), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(feed(cache, {4}), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(kept(cache), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(cache.length(), 4);
}

struct Chunking {
  int window;
  std::int64_t chunk;
};

class KvCacheChunks : public ::testing::TestWithParam<Chunking> {};

TEST_P(KvCacheChunks, GiveWhatFullAttentionWithAMaskGives) {
  const auto [window, chunk] = GetParam();
  const std::int64_t longest = 3 * (window > 0 ? window : 8);
  const array q = normal({2, 4, longest, 6}, 1);
  const array k = normal({2, 2, longest, 6}, 2);
  const array v = normal({2, 2, longest, 6}, 3);
  const array position = arange(0, static_cast<int>(longest));
  const array row = expand_dims(position, 1);
  array seen = position <= row;
  if (window > 0) seen = logical_and(seen, position > row - window);
  const array full = sdpa(q, k, v, Sdpa{.scale = 0.4f}, seen);
  const auto part = [](const array& a, std::int64_t begin, std::int64_t end) {
    return slice(a, {0, 0, begin, 0}, {a.shape(0), a.shape(1), end, a.shape(3)});
  };
  KvCache cache(window);
  std::vector<array> outputs;
  for (std::int64_t at = 0; at < longest; at += chunk) {
    const std::int64_t end = std::min(longest, at + chunk);
    const auto [keys, all] = cache.update(part(k, at, end), part(v, at, end));
    const Sdpa options{.scale = 0.4f, .causal = true, .window = window};
    outputs.push_back(sdpa(part(q, at, end), keys, all, options));
    // At every length, not only at the last.
    EXPECT_LT(max_difference(outputs.back(), part(full, at, end).to_host()), 1e-5f)
        << "positions " << at << " to " << end;
  }
  EXPECT_EQ(cache.length(), longest);
}

std::vector<Chunking> chunkings() {
  std::vector<Chunking> out;
  for (int window : {0, 1, 2, 8}) {
    const std::int64_t w = window > 0 ? window : 8;
    for (std::int64_t chunk : {std::int64_t{1}, w - 1, w, w + 1, 2 * w + 1}) {
      if (chunk > 0) out.push_back({window, chunk});
    }
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(, KvCacheChunks, ::testing::ValuesIn(chunkings()), [](const auto& info) {
  return "window" + std::to_string(info.param.window) + "chunk" + std::to_string(info.param.chunk) +
         "n" + std::to_string(info.index);
});

TEST(KvCache, GoesOnRightAfterItsBufferHasGrown) {
  for (const int window : {0, 40}) {
    KvCache cache(window);
    std::vector<float> all;
    for (int i = 0; i < 900; ++i) {
      all.push_back(static_cast<float>(i));
      const std::vector<float> seen = feed(cache, {all.back()});
      const std::size_t count = window > 0 ? std::min<std::size_t>(window, all.size()) : all.size();
      ASSERT_EQ(seen, std::vector<float>(all.end() - count, all.end()))
          << i << " window " << window;
    }
  }
}

TEST(KvCache, MostUpdatesAreInPlaceAndAWindowsBufferStopsGrowing) {
  const BackendPtr backend = make_backend("cpu", {.threads = 1});
  const BackendScope scope(backend);
  KvCache cache(16);
  const array row = ones({1, 2, 1, 8});
  std::size_t largest = 0;
  const float* place = nullptr;
  int moves = 0;
  for (int i = 0; i < 2000; ++i) {
    {
      const auto [k, v] = cache.update(row, row);
      eval(k, v);
    }
    std::vector<array> buffers;
    cache.append_arrays(buffers);
    const float* now = buffers[0].data<float>();
    moves += now != place;
    place = now;
    largest = std::max(largest, cache.nbytes());
  }
  EXPECT_LE(moves, 12);
  EXPECT_EQ(cache.nbytes(), largest);
  EXPECT_LE(largest, 2u * 2 * 8 * 4 * 600);
}

TEST(KvCache, TrimForgetsTheNewest) {
  KvCache cache;
  feed(cache, {1, 2, 3, 4, 5});
  EXPECT_TRUE(cache.can_trim(5));
  EXPECT_TRUE(cache.can_trim(0));
  EXPECT_FALSE(cache.can_trim(6));
  EXPECT_FALSE(cache.can_trim(-1));
  cache.trim(2);
  EXPECT_EQ(cache.length(), 2);
  EXPECT_EQ(feed(cache, {9}), (std::vector<float>{1, 2, 9}));
  cache.trim(0);
  EXPECT_EQ(kept(cache), std::vector<float>{});
  EXPECT_EQ(feed(cache, {7}), (std::vector<float>{7}));
  EXPECT_THROW(cache.trim(2), Error);
  EXPECT_EQ(cache.length(), 1);
}

TEST(KvCache, AWindowTrimsOnlyToWhatItStillHolds) {
  KvCache cache(4);
  std::vector<float> all;
  for (int i = 0; i < 700; ++i) {
    all.push_back(static_cast<float>(i));
    feed(cache, {all.back()});
    // Whatever it says it can go back to must continue as if the rest had never been.
    for (std::int64_t back = 0; back < 6 && back <= cache.length(); ++back) {
      const std::int64_t length = cache.length() - back;
      if (!cache.can_trim(length)) continue;
      KvCache copy = cache;
      copy.trim(length);
      std::vector<float> expected(all.begin(), all.begin() + length);
      expected.push_back(-1);
      if (expected.size() > 4) expected.erase(expected.begin(), expected.end() - 4);
      ASSERT_EQ(feed(copy, {-1}), expected) << i << " back " << back;
    }
  }
  EXPECT_FALSE(cache.can_trim(1));
  EXPECT_THROW(cache.trim(1), Error);
}

TEST(KvCache, ACopyGoesItsOwnWay) {
  KvCache first;
  feed(first, {1, 2});
  KvCache second = first;
  feed(first, {3});
  EXPECT_EQ(feed(second, {4}), (std::vector<float>{1, 2, 4}));
  EXPECT_EQ(feed(first, {5}), (std::vector<float>{1, 2, 3, 5}));
}

TEST(KvCache, RefusesWhatDoesNotFit) {
  KvCache cache;
  EXPECT_THROW(cache.update(zeros({1, 2, 8}), zeros({1, 2, 8})), Error);
  EXPECT_THROW(cache.update(zeros({1, 2, 3, 8}), zeros({1, 2, 4, 8})), Error);
  EXPECT_THROW(cache.update(zeros({1, 2, 3, 8}), zeros({1, 1, 3, 8})), Error);
  cache.update(zeros({1, 2, 3, 8}), zeros({1, 2, 3, 4}));
  EXPECT_EQ(cache.length(), 3);
  EXPECT_THROW(cache.update(zeros({2, 2, 1, 8}), zeros({2, 2, 1, 4})), Error);
  EXPECT_THROW(cache.update(zeros({1, 2, 1, 16}), zeros({1, 2, 1, 4})), Error);
  EXPECT_THROW(cache.update(zeros({1, 2, 1, 8}, float16), zeros({1, 2, 1, 4})), Error);
  EXPECT_EQ(cache.length(), 3);
  EXPECT_THROW(KvCache(-1), Error);
}

TEST(KvCaches, GoBackTogetherOrNotAtAll) {
  KvCaches caches{{KvCache(0), KvCache(4)}};
  EXPECT_EQ(KvCaches{}.length(), 0);
  for (int i = 0; i < 600; ++i) {
    for (KvCache& layer : caches.layers) feed(layer, {float(i)});
  }
  EXPECT_TRUE(caches.layers[0].can_trim(10));
  EXPECT_FALSE(caches.can_trim(10));
  EXPECT_THROW(caches.trim(10), Error);
  EXPECT_EQ(caches.layers[0].length(), 600);
  EXPECT_TRUE(caches.can_trim(599));
  caches.trim(599);
  EXPECT_EQ(caches.length(), 599);
  EXPECT_EQ(caches.arrays().size(), 4u);
  EXPECT_GT(caches.nbytes(), 0u);
}

}  // namespace
}  // namespace tessera::nn
