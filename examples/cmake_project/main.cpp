// The smallest program on the library: it computes with lazy arrays, and is told what does not fit.
#include <iostream>

#include "tessera/core/error.h"
#include "tessera/ops/ops.h"

int main() {
  using namespace tessera;
  const array x({1.0f, 2.0f}, Shape{1, 2});
  const array w({0.0f, 1.0f, 2.0f, 0.0f, 0.5f, 1.0f}, Shape{2, 3});
  std::cout << argmax(matmul(x, w), -1) << '\n';
  try {
    matmul(w, w);
  } catch (const Error& error) {
    std::cout << to_string(error.code()) << " in " << error.what() << '\n';
  }
}
