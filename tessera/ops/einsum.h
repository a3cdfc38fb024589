// Einstein's summation.
//
//   einsum("bqd,bkd->bqk", {q, k});   // a batch of q k^T
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tessera/ir/array.h"

namespace tessera {

/// subscripts: a letter per axis and a comma between operands; a letter that appears twice in one
/// operand takes its diagonal; letters that the output, after "->", does not name are summed over.
/// Without "->" the output has every letter that appears once, in alphabetical order. "..." stands
/// for any number of axes that broadcast. Axes of size 1 broadcast too. Half types are rounded
/// after every product. More than two operands are multiplied in the order of einsum_path. errors
/// invalid_argument for subscripts that mean nothing or do not fit the ranks;
///         shape_mismatch for a letter of two sizes
array einsum(const std::string& subscripts, const std::vector<array>& operands);

/// The order of contraction: at each step which operands are contracted (each step's result is put
/// at the end of the list), and a summary of its cost. The pair that shrinks most goes first, as in
/// opt_einsum's greedy order.   errors  as above
std::pair<std::vector<std::vector<int>>, std::string> einsum_path(
    const std::string& subscripts, const std::vector<array>& operands);

}  // namespace tessera
