// Gradient descent on arrays alone: finds the line that noisy points lie around.
#include <iostream>

#include "tessera/graph/transforms.h"
#include "tessera/ops/ops.h"

using tessera::array;

int main() {
  tessera::random::seed(0);
  const array truth({2.0f, -3.4f, 0.7f});
  const array points = tessera::random::normal({200, 3});
  const array noise = 0.01f * tessera::random::normal({200});
  const array values = tessera::matmul(points, truth) + noise;

  const auto loss = [&](const array& weights) {
    return tessera::mean(tessera::square(tessera::matmul(points, weights) - values));
  };
  const auto slope = tessera::grad(tessera::UnaryFn(loss));

  array weights = tessera::zeros({3});
  for (int step = 0; step < 100; ++step) {
    weights = weights - 0.1f * slope(weights);
    weights.eval();
  }
  const float error = tessera::max(tessera::abs(weights - truth)).item<float>();
  std::cout << weights << "\nfarthest from the truth by " << error << '\n'
            << (error < 0.01f ? "the line is found" : "the line is missed") << '\n';
}
