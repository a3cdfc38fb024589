// Embeddings from hidden states: the mean over a text's tokens, scaled to length 1, so that a dot
// product is a cosine. Prints which of the texts is nearest to the first.
//   embed MODEL [TEXT...]
#include <iostream>

#include "tessera/tessera.h"

using namespace tessera;

/// [C], of length 1.
array embed(const LoadedModel& m, const std::string& text) {
  const auto ids = m.tokenizer->encode(text);
  const array tokens(std::span<const std::int32_t>(ids),
                     Shape{1, static_cast<ShapeElem>(ids.size())});
  auto cache = m.model->make_cache();
  const array mean_state = mean(squeeze(m.model->forward(tokens, cache), 0), 0);  // over the tokens
  return mean_state * rsqrt(sum(square(mean_state)));
}

int main(int argc, char** argv) try {
  std::vector<std::string> texts(argv + std::min(argc, 2), argv + argc);
  if (texts.empty()) {
    texts = {"The cat sleeps on the sofa.", "Interest rates rose again in March.",
             "A kitten naps on the couch.", "Boil the pasta for nine minutes."};
  }
  const LoadedModel m = load(argc > 1 ? argv[1] : "SmolLM2-135M-Instruct.Q4_1.gguf");

  std::vector<array> rows;
  for (const std::string& text : texts) rows.push_back(embed(m, text));
  const array embeddings = stack(rows);                             // [N, C]
  const array cosines = matmul(embeddings, transpose(embeddings));  // [N, N]
  const float* to_first = cosines.data<float>();

  std::size_t nearest = 1;
  for (std::size_t i = 1; i < texts.size(); ++i) {
    std::cout << to_first[i] << "  " << texts[i] << '\n';
    if (to_first[i] > to_first[nearest]) nearest = i;
  }
  if (texts.size() > 1) {
    std::cout << "nearest to \"" << texts[0] << "\": \"" << texts[nearest] << "\"\n";
  }
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
