// Which ops a lowering calls, found by lowering and looking.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"

namespace tessera::conformance {

class Lowerings {
 public:
  /// Takes in every op of the graphs behind the arrays, and lowers the optional ones, and what they
  /// are lowered to. Evaluates nothing.
  void add(std::span<const array> outputs) { walk(outputs, {}, std::nullopt); }

  /// Every op met, with the ops that its lowering calls.
  const std::map<OpId, std::set<OpId>>& calls() const { return calls_; }

 private:
  void walk(std::span<const array> outputs, std::span<const array> inputs,
            std::optional<OpId> lowered);

  std::map<OpId, std::set<OpId>> calls_;
};

}  // namespace tessera::conformance
