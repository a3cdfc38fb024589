// What the tests of layers and optimisers compare with: tensors of a file under tests/goldens/nn.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tessera/io/safetensors.h"
#include "tessera/nn/parameters.h"
#include "tessera/ops/creation.h"
#include "tests/support/goldens.h"

namespace tessera::testing {

class GoldenFile {
 public:
  explicit GoldenFile(const std::string& name)
      : file_(load_safetensors(goldens() / "nn" / (name + ".safetensors"))) {}

  array get(const std::string& name) const { return array(file_.tensor(name)); }
  bool has(const std::string& name) const { return file_.find(name) != nullptr; }

  /// What stands before the first slash, each once.
  std::set<std::string> cases() const {
    std::set<std::string> out;
    for (const auto& [name, tensor] : file_.tensors) out.insert(name.substr(0, name.find('/')));
    return out;
  }
  /// "linear/param.weight" as "weight", for prefix "linear/param.".
  nn::Parameters below(const std::string& prefix) const {
    nn::Parameters out;
    for (const auto& [name, tensor] : file_.tensors) {
      if (name.starts_with(prefix)) out.emplace(name.substr(prefix.size()), array(tensor.data));
    }
    return out;
  }

 private:
  SafetensorsFile file_;
};

/// Equal shapes and dtypes, and values within `relative` of the golden's largest.
inline void expect_close(const array& got, const array& want, float relative,
                         const std::string& what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  ASSERT_EQ(got.dtype(), want.dtype()) << what;
  const HostTensor a = astype(got, float32).to_host();
  const HostTensor b = astype(want, float32).to_host();
  float largest = 0;
  for (const float v : b.values<float>()) {
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  }
  EXPECT_LE(max_difference(a.values<float>(), b.values<float>()), relative * largest) << what;
}

inline void expect_close(const nn::Parameters& got, const nn::Parameters& want, float relative,
                         const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (const auto& [name, values] : want) {
    ASSERT_TRUE(got.contains(name)) << what << ": no " << name;
    expect_close(got.find(name)->second, values, relative, what + " " + name);
  }
}

}  // namespace tessera::testing
