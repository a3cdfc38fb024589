// Ids of all ops, from ops.def.
#pragma once

#include <cstddef>

#include "tessera/ir/op.h"

namespace tessera {

enum class OpId : std::uint16_t {
#define TESSERA_OP(Name, kind) Name,
#include "tessera/ops/ops.def"
#undef TESSERA_OP
};

inline constexpr std::size_t kOpCount = 0
#define TESSERA_OP(Name, kind) +1
#include "tessera/ops/ops.def"
#undef TESSERA_OP
    ;

#define TESSERA_OP(Name, kind) \
  struct Name;                 \
  template <>                  \
  inline constexpr OpId op_id<Name> = OpId::Name;
#include "tessera/ops/ops.def"
#undef TESSERA_OP

}  // namespace tessera
