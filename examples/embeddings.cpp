// Texts as vectors: the mean of the last layer's hidden states, and how alike two texts are.
//   embeddings [MODEL]
#include <cmath>
#include <iostream>

#include "tessera/models/load.h"
#include "tessera/ops/ops.h"

namespace {

/// The text's embedding [C], of length 1.
std::vector<float> embed(const tessera::LoadedModel& m, const std::string& text) {
  const std::vector<std::int32_t> ids = m.tokenizer->encode(text);
  const tessera::Shape shape = {1, static_cast<tessera::ShapeElem>(ids.size())};
  const tessera::array tokens(tessera::HostTensor::from(std::span(ids), shape), m.backend);
  tessera::nn::KvCaches cache = m.model->make_cache();
  const tessera::array hidden = m.model->forward(tokens, cache);  // [1, T, C]
  const tessera::array mean = tessera::mean(hidden, 1);           // [1, C]

  const float* values = mean.data<float>();
  std::vector<float> vector(values, values + mean.size());
  float length = 0;
  for (const float x : vector) length += x * x;
  for (float& x : vector) x /= std::sqrt(length);
  return vector;
}

float cosine(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "SmolLM2-135M-Instruct.Q4_1.gguf";
  try {
    const tessera::LoadedModel m = tessera::load(name);
    const auto cat = embed(m, "The cat sleeps on the sofa.");
    const auto kitten = embed(m, "A kitten naps on the couch.");
    const auto stock = embed(m, "Interest rates rose by half a percent.");
    std::cout << "cat and kitten: " << cosine(cat, kitten) << '\n';
    std::cout << "cat and rates:  " << cosine(cat, stock) << '\n';
    std::cout << (cosine(cat, kitten) > cosine(cat, stock) ? "the cats are closer\n"
                                                           : "the cats are not closer\n");
  } catch (const tessera::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
