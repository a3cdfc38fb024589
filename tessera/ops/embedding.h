// Rows of a table at integer ids.
#pragma once

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct Embedding {
  static constexpr const char* kName = "embedding";
  static constexpr const char* kDoc =
      "Rows of the table. Negative ids count from the end; one out of range is an error when it "
      "runs.";
  static constexpr const char* kShapes = "ids [...], table [V, D] -> [..., D]";
  static constexpr const char* kDtypes = "ids integer, table any -> dtype of the table";
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// ids any integer dtype and shape; table [V, D].   errors  shape_mismatch, unsupported_dtype
array embedding(const array& ids, const array& table);

}  // namespace tessera
