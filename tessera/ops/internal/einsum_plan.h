// Subscripts of einsum as lists of labels, and the order in which operands meet.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tessera/ir/array.h"

namespace tessera::detail {

/// A letter's code, or for an axis under "..." kEllipsis + its place counted from the last.
using EinsumLabel = int;
using EinsumLabels = std::vector<EinsumLabel>;
inline constexpr EinsumLabel kEllipsis = 256;

struct EinsumTerms {
  std::vector<EinsumLabels> inputs;  ///< one label per axis of each operand
  EinsumLabels output;
  std::map<EinsumLabel, ShapeElem> sizes;  ///< where an axis is not of size 1, its size
  std::vector<std::string> texts;          ///< the inputs' subscripts as they were written
  std::string output_text;
};

/// errors  invalid_argument, shape_mismatch
EinsumTerms parse_einsum(const std::string& subscripts, const std::vector<array>& operands);

struct EinsumPath {
  std::vector<std::vector<int>> steps;
  std::size_t naive_scaling = 0;    ///< labels of one loop over everything
  std::size_t largest_scaling = 0;  ///< of the largest loop among the steps
  double naive_flops = 0;
  double flops = 0;
};

/// What remains needed after a contraction: labels of the output and of the other operands.
std::set<EinsumLabel> needed_labels(const EinsumLabels& output,
                                    const std::vector<EinsumLabels>& others);

EinsumPath plan_einsum(const EinsumTerms& terms);

}  // namespace tessera::detail
