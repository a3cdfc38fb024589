// Initialisers: functions from an array, of which only the shape counts, to fresh values. They draw
// from the calling thread's key sequence (random::seed), the same numbers as MLX.
//
//   model.apply(nn::init::uniform(-0.1, 0.1));
//   array w = nn::init::he_normal()(zeros({64, 32}), nn::init::Fan::out);
#pragma once

#include "tessera/ir/array.h"

namespace tessera::nn::init {

/// dtype: of the result.
struct Constant {
  double value;
  Dtype dtype;
  array operator()(const array& a) const;
};
struct Normal {
  double mean, std;
  Dtype dtype;
  array operator()(const array& a) const;
};
struct Uniform {
  double low, high;
  Dtype dtype;
  array operator()(const array& a) const;
};
struct Identity {
  Dtype dtype;
  array operator()(const array& a) const;
};
struct Glorot {
  bool uniform;
  Dtype dtype;
  array operator()(const array& a, double gain = 1.0) const;
};
/// Which side of a layer keeps its variance: what goes in, or the gradients that come back.
enum class Fan { in, out };
struct He {
  bool uniform;
  Dtype dtype;
  array operator()(const array& a, Fan mode = Fan::in, double gain = 1.0) const;
};
struct Sparse {
  double sparsity, mean, std;
  Dtype dtype;
  array operator()(const array& a) const;
};
struct Orthogonal {
  double gain;
  Dtype dtype;
  array operator()(const array& a) const;
};

inline Constant constant(double value, Dtype dtype = float32) {
  return {value, dtype};
}
inline Normal normal(double mean = 0.0, double std = 1.0, Dtype dtype = float32) {
  return {mean, std, dtype};
}
inline Uniform uniform(double low = 0.0, double high = 1.0, Dtype dtype = float32) {
  return {low, high, dtype};
}
/// errors  shape_mismatch when it is called with anything but a square matrix
inline Identity identity(Dtype dtype = float32) {
  return {dtype};
}

// Of a weight [out, kernel..., in], with the kernel's elements counting on both sides.
// errors  shape_mismatch for fewer than two axes

/// Deviation gain * sqrt(2 / (in + out)).   source  X. Glorot and Y. Bengio, AISTATS 2010
inline Glorot glorot_normal(Dtype dtype = float32) {
  return {false, dtype};
}
inline Glorot glorot_uniform(Dtype dtype = float32) {
  return {true, dtype};
}
/// Deviation gain / sqrt(in), or of out.   source  arXiv:1502.01852
inline He he_normal(Dtype dtype = float32) {
  return {false, dtype};
}
inline He he_uniform(Dtype dtype = float32) {
  return {true, dtype};
}
/// Normal, but for a share `sparsity` of each row, rounded up, that is 0.
/// errors  shape_mismatch unless called with a matrix; invalid_argument unless sparsity is in [0,
/// 1] source  J. Martens, Deep learning via Hessian-free optimization, 2010
inline Sparse sparse(double sparsity, double mean = 0.0, double std = 1.0, Dtype dtype = float32) {
  return {sparsity, mean, std, dtype};
}

/// Orthonormal rows, or columns of a tall matrix, times gain; drawn uniformly.
/// errors  shape_mismatch unless called with a matrix   source  arXiv:1312.6120
inline Orthogonal orthogonal(double gain = 1.0, Dtype dtype = float32) {
  return {gain, dtype};
}

}  // namespace tessera::nn::init
