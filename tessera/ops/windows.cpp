#include "tessera/ops/windows.h"

#include <numbers>

#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {

// formula(n / (M - 1)) for n in [0, M).
template <class Formula>
array window(int M, Formula formula) {
  if (M < 1) return zeros({0});
  if (M == 1) return ones({1});
  return formula(arange(0.0, double(M), float32) / float(M - 1));
}

array turn(const array& phase, int times) {
  return cos(phase * (2.0 * std::numbers::pi * times));
}

}  // namespace

array hanning(int M) {
  return window(M, [](const array& t) { return square(sin(t * std::numbers::pi)); });
}
array hamming(int M) {
  return window(M, [](const array& t) { return 0.54 - 0.46 * turn(t, 1); });
}
array blackman(int M) {
  return window(M, [](const array& t) { return 0.42 - 0.5 * turn(t, 1) + 0.08 * turn(t, 2); });
}
array bartlett(int M) {
  return window(M, [](const array& t) { return 1.0 - abs(2.0 * t - 1.0); });
}

}  // namespace tessera
