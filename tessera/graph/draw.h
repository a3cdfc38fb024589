// Graphs as text and pictures: what an array has still to compute.
//
//   array y = gelu(matmul(x, w));
//   std::ofstream file("graph.svg");
//   export_to_svg(file, {y});
//
// Arrays that have a value are drawn as inputs. For what compile() made of a function, give the
// arrays that the compiled function returns. Nothing is evaluated.
#pragma once

#include <iosfwd>
#include <vector>

#include "tessera/ir/array.h"

namespace tessera {

/// One line per op in the order they would run: "%3 = multiply(%0, %1)  float32 [4, 8]".
void print_graph(std::ostream& out, const std::vector<array>& outputs);
/// In Graphviz's language.
void export_to_dot(std::ostream& out, const std::vector<array>& outputs);
/// A picture, from inputs at the top to outputs at the bottom.
void export_to_svg(std::ostream& out, const std::vector<array>& outputs);

}  // namespace tessera
