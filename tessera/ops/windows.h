// Window functions for spectra: float32 vectors of M values, symmetric about the middle.
#pragma once

#include "tessera/ir/array.h"

namespace tessera {

/// Empty for M < 1, a single 1 for M = 1.
/// sin^2(pi n / (M - 1))
array hanning(int M);
/// 0.54 - 0.46 cos(2 pi n / (M - 1))
array hamming(int M);
/// 0.42 - 0.5 cos(2 pi n / (M - 1)) + 0.08 cos(4 pi n / (M - 1))
array blackman(int M);
/// A triangle: 1 - |2 n / (M - 1) - 1|
array bartlett(int M);

}  // namespace tessera
