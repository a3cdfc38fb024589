// A graph as boxes and arrows, for pictures and text.
#pragma once

#include <string>
#include <vector>

#include "tessera/ir/array.h"

namespace tessera::graph {

struct Box {
  enum class Kind { input, op, fused };
  Kind kind = Kind::input;
  std::string title;                 ///< the op's name, "input"
  std::string detail;                ///< its attributes that are not the defaults, or what it fuses
  std::vector<std::string> results;  ///< "float32 [4, 8]", one for each output
  struct Arrow {
    int box, result;
  };
  std::vector<Arrow> inputs;
};

struct GraphView {
  std::vector<Box> boxes;  ///< every box after those it takes inputs from
  std::vector<Box::Arrow> outputs;
};

GraphView view_of(const std::vector<array>& outputs);

}  // namespace tessera::graph
