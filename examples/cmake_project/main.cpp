// The smallest program on the library: it broadcasts two shapes, and is told why when they do not
// fit.
#include <iostream>

#include "tessera/core/error.h"
#include "tessera/core/shape.h"

int main() {
  using namespace tessera;
  std::cout << to_string(broadcast_shapes({2, 1}, {3}, "main")) << '\n';
  try {
    broadcast_shapes({2, 4}, {3}, "main");
  } catch (const Error& error) {
    std::cout << to_string(error.code()) << " in " << error.what() << '\n';
  }
}
