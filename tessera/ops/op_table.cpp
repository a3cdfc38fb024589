#include "tessera/ops/op_table.h"

#include <array>

#include "tessera/ir/node.h"
#include "tessera/ops/ops.h"

namespace tessera {

// A row that says optional without a lowering, or required with one, does not compile.
#define required false
#define optional true
#define TESSERA_OP(Name, kind)                                                 \
  static_assert(LowerableOp<Name> == kind, "ops.def: " #Name " must be " #kind \
                                           "? see its "                        \
                                           "lower()");
#include "tessera/ops/ops.def"
#undef TESSERA_OP
#undef required
#undef optional

std::span<const OpInfo* const> op_table() {
  static const std::array<const OpInfo*, kOpCount> table = {
#define TESSERA_OP(Name, kind) &op_info<Name>(),
#include "tessera/ops/ops.def"
#undef TESSERA_OP
  };
  return table;
}

}  // namespace tessera
