// The 256-weight formats of dequantize_row(), one block at a time.
#pragma once

#include <cstdint>

namespace tessera {

inline constexpr int kSuperBlock = 256;

void dequantize_q2_k(const std::uint8_t* block, float* out);
void dequantize_q3_k(const std::uint8_t* block, float* out);
void dequantize_q4_k(const std::uint8_t* block, float* out);
void dequantize_q5_k(const std::uint8_t* block, float* out);
void dequantize_q6_k(const std::uint8_t* block, float* out);

}  // namespace tessera
