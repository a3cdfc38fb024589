// Checks and dtype rules that several op files share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tessera/core/internal/fail.h"
#include "tessera/ir/array.h"

namespace tessera::detail {

/// "float32 [2, 3]", for messages.
std::string describe(const array& a);

/// errors  invalid_argument when the op got another number of inputs
void check_count(const char* op, std::span<const array> in, std::size_t least, std::size_t most);
/// errors  unsupported_dtype unless floating
void check_floating(const char* op, const array& a);
/// errors  shape_mismatch unless rank >= least
void check_rank(const char* op, const array& a, std::size_t least);

/// 0 to rank - 1.
std::vector<int> all_axes(const array& a);

/// float32 for integers and bool, the dtype itself otherwise: what float-valued ops compute in.
Dtype at_least_float(Dtype dtype);

/// A rank-0 array on `backend` (nullptr: the current one), made without a cast to run.
array scalar(double value, Dtype dtype, const BackendPtr& backend = nullptr);

}  // namespace tessera::detail
