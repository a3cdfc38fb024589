#include "tessera/conformance/internal/lowerings.h"

#include <vector>

#include "tessera/ir/node.h"

namespace tessera::conformance {

void Lowerings::walk(std::span<const array> outputs, std::span<const array> inputs,
                     std::optional<OpId> lowered) {
  std::set<const void*> seen;
  for (const array& input : inputs) seen.insert(input.id());
  std::vector<array> todo(outputs.begin(), outputs.end());
  while (!todo.empty()) {
    const array a = std::move(todo.back());
    todo.pop_back();
    const Node* node = a.state().node.get();
    if (node == nullptr || !seen.insert(a.id()).second) continue;
    todo.insert(todo.end(), node->inputs.begin(), node->inputs.end());
    if (lowered) calls_[*lowered].insert(node->info.id);
    calls_.try_emplace(node->info.id);
    if (node->info.lower == nullptr) continue;
    walk(node->info.lower(node->op_data(), node->inputs), node->inputs, node->info.id);
  }
}

}  // namespace tessera::conformance
