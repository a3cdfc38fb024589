// Several ops as one: what compile() makes of a run of elementwise ops and reductions whose values
// nobody else needs, so that a backend can compute them piece by piece without writing them out.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

/// An op and its attributes, owned.
struct OwnedOp {
  const OpInfo* info = nullptr;
  std::shared_ptr<const void> attributes;
  OpRef ref() const { return {*info, attributes.get()}; }
};

/// Ops of one output each. Values are numbered: the inputs first, then what each step gives. Every
/// step is elementwise, or reduces trailing axes only and keeps them with size 1; its result has
/// `rank` axes, and the first `rows` of them are the same for all steps: so that rows can be
/// computed independently of each other.
struct FusedProgram {
  struct Step {
    OwnedOp op;
    std::vector<int> inputs;
    Dtype dtype = float32;
  };
  int inputs = 0;
  std::vector<Step> steps;
  std::vector<int> outputs;
  int rank = 0;
  int rows = 0;
  /// What the outputs were when the inputs were these: saves working it out again.
  std::vector<TensorSpec> known_inputs, known_outputs;
};

struct Fused {
  std::shared_ptr<const FusedProgram> program;
  static constexpr const char* kName = "fused";
  static constexpr const char* kDoc =
      "What its ops give one after the other, bit for bit: elementwise ops, and reductions over "
      "trailing axes.";
  static constexpr const char* kShapes = "any arrays -> the values that the program gives out";
  static constexpr const char* kDtypes = "those of its ops";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Fused::program>("ops, their inputs, and which values are outputs"));
  std::vector<TensorSpec> infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
};

}  // namespace tessera
