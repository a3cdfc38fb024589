// What the optimisers share: the start of their state, and the ops they are written with.
#pragma once

#include <initializer_list>
#include <map>
#include <string>

#include "tessera/nn/internal/numeric.h"

namespace tessera::optimizers {

inline void start_at_zero(std::map<std::string, array, std::less<>>& slots,
                          std::initializer_list<const char*> names, const array& parameter) {
  for (const char* name : names) {
    slots.insert_or_assign(name, zeros(parameter.shape(), parameter.dtype()));
  }
}

/// decay * average + (1 - decay) * fresh
inline array moved(const array& average, double decay, const array& fresh) {
  return decay * average + (1 - decay) * fresh;
}

}  // namespace tessera::optimizers
