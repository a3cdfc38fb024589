// The program of the README: loads a model and streams its answer.   first_words [MODEL]
#include <iostream>

#include "tessera/models/load.h"
#include "tessera/text/generate.h"
#include "tessera/text/prompt.h"

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "SmolLM2-135M-Instruct.Q4_1.gguf";
  try {
    const tessera::LoadedModel m = tessera::load(name);
    const tessera::ChatMessage question{"user", "What is the capital of France?"};
    const auto prompt = tessera::encode_chat(*m.tokenizer, *m.chat_template, {&question, 1},
                                             {.add_generation_prompt = true});

    tessera::Session session(*m.model, *m.tokenizer);
    session.generate(prompt, {.max_tokens = 64}, [](const tessera::GeneratedToken& token) {
      std::cout << token.text << std::flush;
      return true;  // false would stop
    });
    std::cout << '\n';
  } catch (const tessera::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
