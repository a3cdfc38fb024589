// Questions about values: not a number, infinite, equal but for rounding. All answers are bool.
#pragma once

#include "tessera/ir/array.h"

namespace tessera {

/// Elementwise. Integers and bool are finite; a complex number is NaN or infinite when a part is.
array isnan(const array& a);
array isinf(const array& a);
array isfinite(const array& a);
/// A complex number must have an imaginary part of 0 besides.
array isposinf(const array& a);
array isneginf(const array& a);

/// (a != 0) != (b != 0).   errors  shape_mismatch
array logical_xor(const array& a, const array& b);

/// |a - b| <= atol + rtol * |b|, elementwise and broadcast; infinities only equal themselves, NaN
/// equals NaN when equal_nan says so.   errors  shape_mismatch
array isclose(const array& a, const array& b, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);
/// One answer for all elements.
array allclose(const array& a, const array& b, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);
/// Whether shapes and all elements are equal; dtypes are promoted together first.
array array_equal(const array& a, const array& b, bool equal_nan = false);

}  // namespace tessera
