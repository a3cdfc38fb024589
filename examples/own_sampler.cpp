// A sampler of one's own: only tokens without the letter e may be chosen.   own_sampler [MODEL]
#include <algorithm>
#include <cmath>
#include <iostream>

#include "tessera/models/load.h"
#include "tessera/text/generate.h"
#include "tessera/text/prompt.h"

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "SmolLM2-135M-Instruct.Q4_1.gguf";
  try {
    const tessera::LoadedModel m = tessera::load(name);
    std::vector<bool> allowed(static_cast<std::size_t>(m.model->vocab_size()));
    for (std::int32_t id = 0; id < m.tokenizer->vocab_size(); ++id) {
      if (!m.tokenizer->token_text(id)) continue;
      const std::string text = m.tokenizer->token_bytes(id);
      const bool has_e = text.find_first_of("eE") != std::string::npos;
      allowed[static_cast<std::size_t>(id)] = !has_e || m.tokenizer->is_end_of_generation(id);
    }

    tessera::GenerateOptions options;
    options.max_tokens = 24;
    options.sampler = [&](std::span<float> logits, std::span<const std::int32_t>) {
      for (std::size_t id = 0; id < logits.size(); ++id) {
        if (!allowed[id]) logits[id] = -INFINITY;
      }
      return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) -
                                       logits.begin());
    };
    const tessera::ChatMessage question{"user", "Describe the sea."};
    const auto prompt = tessera::encode_chat(*m.tokenizer, *m.chat_template, {&question, 1},
                                             {.add_generation_prompt = true});
    tessera::Session session(*m.model, *m.tokenizer);
    const std::string text = session.generate(prompt, options).text;
    std::cout << text << '\n';
    std::cout << "letters e: " << std::count(text.begin(), text.end(), 'e') << '\n';
  } catch (const tessera::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
