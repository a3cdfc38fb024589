#include "tessera/conformance/internal/tolerance.h"

namespace tessera::conformance {

// What rounding may do to each op. Ops that are not here are correctly rounded or move bits.
Tolerance tolerance_of(const std::string& op, Dtype dtype) {
  struct Row {
    const char* op;
    Tolerance f32;
    Tolerance half;  // computed in float32 and rounded once on both sides, so mostly one ulp
    const char* why;
  };
  static const Row rows[] = {
      {"exp", {32}, {1}, "MLX's exp errs by x/3 ulp"},
      {"log", {2}, {1}, "libm and MLX's polynomial each err by an ulp"},
      {"sin", {2, 1e-7}, {1, 1e-7}, "near a zero MLX's range reduction errs in absolute terms"},
      {"cos", {2, 1e-7}, {1, 1e-7}, "as sin"},
      {"tanh", {4}, {1}, "an exp and a quotient"},
      {"erf", {4, 4e-7}, {1, 4e-7}, "MLX's polynomial errs by 1.5e-7 and rounds, also near 0"},
      {"sigmoid", {32}, {1}, "as exp"},
      {"rsqrt", {2}, {1}, "a root and a quotient, each rounded"},
      {"gelu", {4, 2e-7}, {1, 2e-7}, "1 + erf cancels for large negative x"},
      {"gelu_approx", {4, 2e-7}, {1, 2e-7}, "1 + tanh cancels for large negative x"},
      {"silu", {32}, {1}, "as exp"},
      {"swiglu", {32}, {1}, "as exp"},
      {"geglu", {4, 1e-6}, {1, 1e-6}, "as gelu, times a number of a few units"},
      {"sum", {0, 2e-6}, {1, 2e-6}, "order of summation; addends may cancel"},
      {"mean", {0, 2e-6}, {1, 2e-6}, "as sum"},
      {"prod", {16}, {1}, "order of multiplication: half an ulp for each of 255 factors"},
      {"cumsum", {0, 1e-6}, {1, 1e-6}, "order of summation"},
      {"cumprod", {32}, {1}, "order of multiplication"},
      {"logcumsumexp", {4, 2e-6}, {1, 2e-6}, "MLX rounds every running result to float32"},
      {"scatter_add", {0, 1e-6}, {1, 1e-6}, "order of summation when lowered"},
      {"scatter_add_axis", {0, 1e-6}, {1, 1e-6}, "as scatter_add"},
      {"scatter_prod", {16}, {1}, "order of multiplication when lowered"},
      {"mean_pool", {2, 1e-6}, {1, 1e-6}, "order of summation"},
      {"avg_pool1d", {2, 1e-6}, {1, 1e-6}, "order of summation"},
      {"avg_pool2d", {2, 1e-6}, {1, 1e-6}, "order of summation"},
      {"avg_pool3d", {2, 1e-6}, {1, 1e-6}, "order of summation"},
      {"upsample_linear", {0, 2e-6}, {0}, "axis by axis where MLX multiplies weights first"},
      {"upsample_cubic", {0, 2e-6}, {0}, "as upsample_linear, with weights of both signs"},
      {"quantized_matmul", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"gather_qmm", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"packed.linear", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"gather_mm", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"softmax", {16}, {1}, "as exp, of differences down to -30"},
      {"logsumexp", {4}, {1}, "an exp, a sum and a log"},
      {"power", {32}, {1}, "as exp, of a logarithm"},
      {"linear", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"matmul", {0, 2e-6}, {1, 2e-6}, "order of summation; elements may cancel"},
      {"addmm", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"fast.rms_norm", {8}, {1}, "a sum, a root and two products"},
      {"fast.layer_norm", {0, 2e-6}, {1, 2e-6}, "x - mean cancels"},
      {"fast.rope", {0, 1e-5}, {1, 1e-5}, "angles of up to 1000 radians hold 6e-5 of a turn"},
      {"fast.scaled_dot_product_attention", {0, 4e-6}, {1, 4e-6}, "as softmax and matmul"},
      {"conv_general", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"conv1d", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"conv2d", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"conv3d", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"conv_transpose1d", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"conv_transpose2d", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"conv_transpose3d", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"group_norm", {0, 2e-6}, {1, 2e-6}, "as layer_norm"},
      {"abs", {2}, {0}, "the length of a complex number: a root and, when lowered, a quotient"},
      {"erfinv", {8}, {1}, "both polynomials err by some ulp"},
      {"log1p", {4}, {1}, "a log and, when lowered, a product and two quotients"},
      {"random.normal", {8, 3e-7}, {2}, "as erfinv; halves are rounded before they are scaled"},
      {"random.laplace", {4}, {2}, "as log1p; halves are rounded before they are scaled"},
      {"random.gumbel", {4, 1e-6}, {2, 1e-2}, "the outer log cancels where the inner is near 1"},
      {"random.truncated_normal", {8, 1e-6}, {4, 1e-2}, "MLX's erf errs by 1.5e-7 at both bounds"},
      {"fft.fft", {0, 2e-6}, {0, 2e-6}, "order of summation; elements may cancel"},
      {"fft.fft2", {0, 2e-6}, {0, 2e-6}, "as fft.fft"},
      {"fft.fftn", {0, 2e-6}, {0, 2e-6}, "as fft.fft"},
      {"fft.ifft", {0, 2e-6}, {0, 2e-6}, "as fft.fft"},
      {"fft.ifft2", {0, 2e-6}, {0, 2e-6}, "as fft.fft"},
      {"fft.ifftn", {0, 2e-6}, {0, 2e-6}, "as fft.fft"},
      {"fft.rfft", {0, 2e-6}, {0, 2e-6}, "as fft.fft"},
      {"fft.rfft2", {0, 2e-6}, {0, 2e-6}, "as fft.fft"},
      {"fft.rfftn", {0, 2e-6}, {0, 2e-6}, "as fft.fft"},
      {"fft.irfft", {0, 2e-6}, {0, 2e-6}, "as fft.fft"},
      {"fft.irfft2", {0, 2e-6}, {0, 2e-6}, "as fft.fft"},
      {"fft.irfftn", {0, 2e-6}, {0, 2e-6}, "as fft.fft"},
      {"fft.fftfreq", {1}, {1}, "a product by 1 / (n d), rounded"},
      {"fft.rfftfreq", {1}, {1}, "as fftfreq"},
      {"arange", {0, 4e-7}, {0}, "MLX adds float32 steps where this multiplies in float64"},
  };
  for (const Row& row : rows) {
    if (op == row.op) return dtype.size() == 2 ? row.half : row.f32;
  }
  return {};
}

}  // namespace tessera::conformance
