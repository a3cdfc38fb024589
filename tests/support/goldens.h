// Where tests find their data, and comparing arrays.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tessera/core/host_tensor.h"
#include "tessera/ir/array.h"

namespace tessera::testing {

inline std::filesystem::path goldens() {
  return TESSERA_GOLDENS;
}

inline nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot open " + path.string());
  return nlohmann::json::parse(in);
}

/// A file of the shared test data (TESSERA_TEST_DATA, else beside the checkout), if it is there.
inline std::optional<std::filesystem::path> shared_data(const std::string& name) {
  const char* given = std::getenv("TESSERA_TEST_DATA");
  const std::filesystem::path path =
      std::filesystem::path(given ? given : TESSERA_SHARED_DATA) / name;
  if (std::filesystem::exists(path)) return path;
  return std::nullopt;
}

/// A model in the cache folder, if it is there.
inline std::optional<std::filesystem::path> cached_model(const std::string& name) {
  const char* cache = std::getenv("TESSERA_CACHE");
  const char* home = std::getenv("HOME");
  const std::filesystem::path root =
      cache ? std::filesystem::path(cache)
            : std::filesystem::path(home ? home : ".") / ".cache/tessera";
  const std::filesystem::path path = root / "models" / name;
  if (std::filesystem::exists(path)) return path;
  return std::nullopt;
}

/// Largest |a - b|; infinity when the sizes differ or one has a NaN where the other has none.
inline float max_difference(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return INFINITY;
  float worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) != std::isnan(b[i])) return INFINITY;
    if (!std::isnan(a[i]) && a[i] != b[i]) worst = std::max(worst, std::abs(a[i] - b[i]));
  }
  return worst;
}
inline float max_difference(const array& a, const HostTensor& b) {
  return max_difference(a.to_host().values<float>(), b.values<float>());
}

}  // namespace tessera::testing
