// A network of two layers learns to read handwritten digits.   mlp_digits digits.safetensors
#include <cstdio>
#include <iostream>

#include "tessera/io/safetensors.h"
#include "tessera/nn/nn.h"
#include "tessera/nn/optimizers/optimizers.h"
#include "tessera/ops/ops.h"

namespace nn = tessera::nn;
namespace optim = tessera::optimizers;
using tessera::array;

int main(int argc, char** argv) try {
  if (argc < 2) throw std::runtime_error("usage: mlp_digits digits.safetensors");
  tessera::random::seed(0);
  const tessera::SafetensorsFile file = tessera::load_safetensors(argv[1]);
  const array images = tessera::astype(array(file.tensor("images")), tessera::float32) / 16.0f;
  const array labels = tessera::astype(array(file.tensor("labels")), tessera::int32);

  const auto count = static_cast<int>(images.shape(0));
  const int training = count * 4 / 5, batch = 32, epochs = 30;
  const array order = tessera::random::permutation(count);
  const auto part = [](const array& indices, int begin, int end) {
    return tessera::slice(indices, {begin}, {end});
  };

  nn::Sequential model{nn::Linear(64, 128), nn::relu, nn::Linear(128, 10)};
  optim::AdamW optimizer(optim::cosine_decay(3e-3, epochs * (training / batch)));
  auto step = nn::value_and_grad(model, [&](const array& x, const array& y) {
    return nn::losses::cross_entropy(model(x), y, {.reduction = nn::Reduction::mean});
  });

  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const array shuffled = tessera::random::permutation(part(order, 0, training));
    array total(0.0f);
    for (int at = 0; at + batch <= training; at += batch) {
      const array rows = part(shuffled, at, at + batch);
      const auto [loss, gradients] =
          step(tessera::take(images, rows, 0), tessera::take(labels, rows, 0));
      optimizer.update(model, gradients);
      total = total + loss;
      tessera::eval(model.parameters(), optimizer.state(), total);
    }
    if (epoch % 10 == 0) {
      std::printf("epoch %d  loss %.4f\n", epoch, total.item<float>() / (training / batch));
    }
  }

  const array rows = part(order, training, count);
  const array said = tessera::argmax(model(tessera::take(images, rows, 0)), 1);
  const array right = said == tessera::take(labels, rows, 0);
  std::printf("%.1f %% of %d unseen digits read right\n", 100 * tessera::mean(right).item<float>(),
              count - training);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
