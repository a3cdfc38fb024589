// A sampler of one's own: it sees the logits of each step and chooses the token. This one writes a
// lipogram, a text in which one letter never occurs.
//   own_sampler MODEL [LETTER]
#include <algorithm>
#include <iostream>

#include "tessera/tessera.h"

using namespace tessera;

int main(int argc, char** argv) try {
  const char letter = argc > 2 ? argv[2][0] : 'e';
  const LoadedModel m = load(argc > 1 ? argv[1] : "SmolLM2-135M-Instruct.Q4_1.gguf");

  std::vector<bool> forbidden(static_cast<std::size_t>(m.model->vocab_size()));
  for (std::int32_t id = 0; id < m.tokenizer->vocab_size(); ++id) {
    const std::string text = m.tokenizer->decode({{id}});
    forbidden[id] = std::any_of(text.begin(), text.end(), [&](unsigned char c) {
      return std::tolower(c) == std::tolower(static_cast<unsigned char>(letter));
    });
  }
  const auto likeliest_allowed = [&](std::span<float> logits, std::span<const std::int32_t>) {
    std::int32_t best = -1;
    for (std::int32_t id = 0; id < static_cast<std::int32_t>(logits.size()); ++id) {
      if (!forbidden[id] && (best < 0 || logits[id] > logits[best])) best = id;
    }
    return best;
  };

  const ChatMessage request{"user", "Write one sentence about a dog."};
  const auto prompt =
      encode_chat(*m.tokenizer, *m.chat_template, {&request, 1}, {.add_generation_prompt = true});
  Session session(*m.model, *m.tokenizer);
  std::cout << session.generate(prompt, {.max_tokens = 40, .sampler = likeliest_allowed}).text
            << '\n';
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
