// Running graphs. array::eval, item, data and eval(...) (ir/array.h) are defined here.
#pragma once

#include <vector>

#include "tessera/ir/array.h"

namespace tessera {

/// Starts computing and returns; reading an output waits. On the cpu backend it is eval.
void async_eval(const std::vector<array>& outputs);

/// A copy on another backend (the same array when it is there already).
array to_backend(const array& a, const BackendPtr& backend);

/// Runs optional ops through their lowerings although the backend has kernels, in this thread,
/// while it lives: how the conformance suite tests both.
class LoweredScope {
 public:
  LoweredScope();
  ~LoweredScope();
  LoweredScope(const LoweredScope&) = delete;
  LoweredScope& operator=(const LoweredScope&) = delete;

 private:
  bool previous_;
};

}  // namespace tessera
