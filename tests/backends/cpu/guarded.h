// Test data: buffers that end at an unreadable page, random packed weights, every instruction set.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "tessera/backends/cpu/isa/isa.h"
#include "tessera/core/half.h"
#include "tessera/core/quant_type.h"

namespace tessera::cpu::isa {

/// `count` elements whose end is the end of the last readable page: reading past it faults.
template <class T>
class Guarded {
 public:
  explicit Guarded(std::int64_t count) : count_(count) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = sizeof(T) * static_cast<std::size_t>(count);
    const std::size_t usable = (bytes + page - 1) / page * page;
    size_ = usable + page;
    base_ = static_cast<std::byte*>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + usable, page, PROT_NONE) != 0) std::terminate();
    data_ = reinterpret_cast<T*>(base_ + usable - bytes);
  }
  explicit Guarded(const std::vector<T>& values)
      : Guarded(static_cast<std::int64_t>(values.size())) {
    if (!values.empty()) std::memcpy(data_, values.data(), sizeof(T) * values.size());
  }
  ~Guarded() { munmap(base_, size_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }
  std::int64_t size() const { return count_; }

 private:
  std::int64_t count_;
  std::size_t size_;
  std::byte* base_;
  T* data_;
};

inline std::vector<float> random_floats(std::int64_t count, std::mt19937& rng) {
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& v : values) v = normal(rng);
  return values;
}

/// Rounded to the storage type, and read back.
inline std::vector<std::uint16_t> stored_halves(FloatType type, std::vector<float>& values) {
  std::vector<std::uint16_t> bits(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (type == FloatType::f16) {
      bits[i] = float16_t::from_float(values[i]);
      values[i] = float16_t::to_float(bits[i]);
    } else {
      bits[i] = bfloat16_t::from_float(values[i]);
      values[i] = bfloat16_t::to_float(bits[i]);
    }
  }
  return bits;
}

inline std::vector<int> half_offsets(QuantType type) {
  switch (type) {
    case QuantType::q4_0:
    case QuantType::q5_0:
    case QuantType::q8_0: return {0};
    case QuantType::q4_1:
    case QuantType::q5_1:
    case QuantType::q4_k:
    case QuantType::q5_k: return {0, 2};
    case QuantType::q2_k: return {80, 82};
    case QuantType::q3_k: return {108};
    case QuantType::q6_k: return {208};
  }
  return {};
}

/// n rows of k weights: arbitrary codes, scales of either sign.
inline std::vector<std::byte> random_blocks(QuantType type, std::int64_t n, std::int64_t k,
                                            std::mt19937& rng) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(n * row_bytes(type, k)));
  for (std::byte& b : bytes) b = static_cast<std::byte>(rng());
  std::normal_distribution<float> normal(0, 0.02f);
  for (std::size_t block = 0; block < bytes.size();
       block += static_cast<std::size_t>(block_bytes(type))) {
    for (int offset : half_offsets(type)) {
      const std::uint16_t half = float16_t::from_float(normal(rng));
      std::memcpy(bytes.data() + block + offset, &half, 2);
    }
  }
  return bytes;
}

inline constexpr QuantType kQuants[] = {
    QuantType::q4_0, QuantType::q4_1, QuantType::q5_0, QuantType::q5_1, QuantType::q8_0,
    QuantType::q2_k, QuantType::q3_k, QuantType::q4_k, QuantType::q5_k, QuantType::q6_k};

inline void PrintTo(Isa isa, std::ostream* out) {
  *out << to_string(isa);
}

/// Runs a test body's kernels under one instruction set.
class OnIsa : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override { use_isa(GetParam()); }
  void TearDown() override { use_isa(best_isa()); }
};

inline std::string isa_name(const testing::TestParamInfo<Isa>& info) {
  return std::string(to_string(info.param));
}

}  // namespace tessera::cpu::isa
