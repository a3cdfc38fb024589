// compile: a function traced once and then replayed in a simpler form.
//
//   auto step = compile([](const Arrays& in) { return Arrays{gelu(matmul(in[0], in[1]))}; });
//   Arrays y = step({x, w});      // traces; later calls with the same shapes and dtypes replay
//
// What the function computes from its arguments alone may change from call to call; all else
// (arrays it captures, random keys it draws, what it prints) happens once, when it is traced. Its
// results are those of the function, bit for bit. Compiled functions nest with each other and with
// every transform of graph/transforms.h, and may be called by several threads.
#pragma once

#include "tessera/graph/transforms.h"

namespace tessera {

/// shapeless  calls whose arguments differ in shape only, not in rank, replay the same trace: right
///            for functions that do not use a shape as a number
/// errors     those of the function; invalid_argument when it evaluates what depends on its
///            arguments
ArraysFn compile(ArraysFn fun, bool shapeless = false);
UnaryFn compile(const UnaryFn& fun, bool shapeless = false);
BinaryFn compile(const BinaryFn& fun, bool shapeless = false);

/// How much compiled functions do. A trace is made in the mode of its time.
enum class CompileMode {
  disabled,     ///< they call the function
  no_simplify,  ///< trace, fuse and replay
  no_fuse,      ///< trace, simplify and replay
  enabled,
};

/// For all threads. At start enabled, or disabled when TESSERA_DISABLE_COMPILE is set.
void set_compile_mode(CompileMode mode);
void enable_compile();
void disable_compile();

}  // namespace tessera
