// The likeliest next tokens of a text, with their probabilities: the model's own forward pass, then
// array operations.
//   top_tokens MODEL [TEXT]
#include <algorithm>
#include <iostream>
#include <numeric>

#include "tessera/tessera.h"

using namespace tessera;

int main(int argc, char** argv) try {
  const LoadedModel m = load(argc > 1 ? argv[1] : "SmolLM2-135M-Instruct.Q4_1.gguf");
  const auto ids = m.tokenizer->encode(argc > 2 ? argv[2] : "The capital of France is");
  const auto length = static_cast<ShapeElem>(ids.size());

  auto cache = m.model->make_cache();
  const array tokens(std::span<const std::int32_t>(ids), Shape{1, length});    // [B, T]
  const array hidden = m.model->forward(tokens, cache);                        // [B, T, C]
  const array last = take(hidden, array(static_cast<int>(length - 1)), 1);     // [B, C]
  const array probabilities = squeeze(softmax(m.model->logits(last), -1), 0);  // [V]

  const float* p = probabilities.data<float>();
  std::vector<std::int32_t> order(static_cast<std::size_t>(probabilities.size()));
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + 5, order.end(),
                    [&](std::int32_t a, std::int32_t b) { return p[a] > p[b]; });
  for (int i = 0; i < 5; ++i) {
    std::cout << p[order[i]] << "  \"" << m.tokenizer->token_bytes(order[i]) << "\"\n";
  }
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
