// A conversation in a program: each turn runs only what is new, because the session's cache holds
// the turns before.   chat [MODEL]
#include <iostream>

#include "tessera/models/load.h"
#include "tessera/text/generate.h"
#include "tessera/text/prompt.h"

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "SmolLM2-135M-Instruct.Q4_1.gguf";
  try {
    const tessera::LoadedModel m = tessera::load(name);
    tessera::Session session(*m.model, *m.tokenizer);
    std::vector<tessera::ChatMessage> conversation = {{"system", "Answer in one short sentence."}};
    for (const char* question : {"What is the capital of France?", "And of Italy?"}) {
      conversation.push_back({"user", question});
      const auto prompt = tessera::encode_chat(*m.tokenizer, *m.chat_template, conversation,
                                               {.add_generation_prompt = true});
      const tessera::GenerateResult answer = session.generate(prompt, {.max_tokens = 32});
      conversation.push_back({"assistant", answer.text});

      std::cout << "> " << question << '\n' << answer.text << '\n';
      std::cout << "  (" << answer.timings.reused_tokens << " of " << prompt.size()
                << " prompt tokens were in the cache)\n";
    }
  } catch (const tessera::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
