// Comparing a result with a golden value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/core/host_tensor.h"

namespace tessera::conformance {

/// How far a rounded result may be from its golden value: `ulps` units in the last place of the
/// golden element in its own dtype, plus `of_largest` times the largest finite golden element.
struct Tolerance {
  double ulps = 0;
  double of_largest = 0;
};

/// Where `got` differs from `want`, in words; none when shape, dtype and every element agree. NaN
/// agrees with NaN and infinity with the same infinity only. exact: bits must be equal (but for
/// NaN).
std::optional<std::string> difference(const HostTensor& got, const HostTensor& want,
                                      Tolerance tolerance, bool exact);

/// One unit in the last place of a floating dtype at the value.
double ulp(double value, Dtype dtype);

/// The elements, widened; of complex64, real and imaginary parts in turn.
std::vector<double> as_doubles(const HostTensor& t);

}  // namespace tessera::conformance
