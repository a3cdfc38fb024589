// Every op's static description, for listings and for checking backends.
#pragma once

#include <span>

#include "tessera/ir/op.h"

namespace tessera {

/// In the order of ops.def; the position is the OpId's value.
std::span<const OpInfo* const> op_table();

}  // namespace tessera
