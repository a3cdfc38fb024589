// The part of a graph that depends on given arrays, in the order it would run; and the three walks
// over it that transforms are made of.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/node.h"

namespace tessera::graph {

/// What counts as depending on an array.
enum class Dependence {
  differentiable,  ///< through floating and complex values, and not through stop_gradient
  any,
};

/// Nodes between `sources` and `outputs`, every node after those it takes inputs from.
class Tape {
 public:
  /// boundary: arrays the walk does not look behind, although they are not sources.
  Tape(const std::vector<array>& outputs, const std::vector<array>& sources,
       const std::vector<array>& boundary, Dependence dependence);

  /// One output of each node.
  const std::vector<array>& nodes() const { return nodes_; }
  /// Whether the array's value depends on a source.
  bool depends(const array& a) const;

 private:
  bool source(const array& a) const { return sources_.contains(a.id()); }
  void visit(const array& output);
  bool enter(const array& a);

  Dependence dependence_;
  std::unordered_set<const void*> sources_, boundary_;
  std::unordered_map<const Node*, bool> known_;  // whether its outputs depend on a source
  std::vector<array> nodes_;
};

/// Values that belong to arrays of a graph.
using ArrayMap = std::unordered_map<const void*, array>;

/// Cotangents of the sources, given those of the outputs; zeros where nothing flows.
/// errors  invalid_argument for an op without a gradient rule
std::vector<array> pull_back(const std::vector<array>& outputs,
                             const std::vector<array>& cotangents,
                             const std::vector<array>& sources,
                             const std::vector<array>& boundary = {});

/// Tangents of the outputs, given those of the sources.   errors  as pull_back
std::vector<array> push_forward(const std::vector<array>& outputs,
                                const std::vector<array>& sources,
                                const std::vector<array>& tangents);

/// The outputs for a batch of sources: batches[i] is sources[i] with the batch as axis 0.
/// returns  the outputs, with the batch as axis 0 if they depend on a source (`batched`)
struct Batched {
  std::vector<array> outputs;
  std::vector<bool> batched;
};
Batched over_batch(const std::vector<array>& outputs, const std::vector<array>& sources,
                   const std::vector<array>& batches, ShapeElem size,
                   const std::vector<array>& boundary = {});

/// a summed over the axes by which `shape` was broadcast to a's.
array sum_to(const array& a, const Shape& shape);

/// The value in a's shape and dtype, on its backend.
array filled_like(const array& a, double value);

}  // namespace tessera::graph
