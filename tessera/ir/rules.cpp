#include "tessera/ir/rules.h"

namespace tessera {

Vjp::Vjp(std::span<const array> inputs, std::span<const array> outputs,
         std::span<const array> cotangents, std::vector<bool> wanted)
    : inputs_(inputs),
      outputs_(outputs),
      cotangents_(cotangents),
      wanted_(std::move(wanted)),
      gradients_(inputs.size()) {}

}  // namespace tessera
