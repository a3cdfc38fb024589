// A conversation: each question goes with all that was said before, and only what is new is run
// through the model, because the session's cache holds the rest.
//   chat MODEL [QUESTION...]
#include <iostream>

#include "tessera/tessera.h"

using namespace tessera;

int main(int argc, char** argv) try {
  std::vector<std::string> questions(argv + std::min(argc, 2), argv + argc);
  if (questions.empty()) questions = {"My name is Ada. Greet me.", "What is my name?"};

  const LoadedModel m = load(argc > 1 ? argv[1] : "SmolLM2-135M-Instruct.Q4_1.gguf");
  Session session(*m.model, *m.tokenizer);
  std::vector<ChatMessage> conversation;
  for (const std::string& question : questions) {
    std::cout << "> " << question << '\n';
    conversation.push_back({"user", question});
    const auto prompt =
        encode_chat(*m.tokenizer, *m.chat_template, conversation, {.add_generation_prompt = true});
    const GenerateResult answer = session.generate(prompt, {.max_tokens = 48, .stop = {"\n"}},
                                                   [](const GeneratedToken& token) {
                                                     std::cout << token.text << std::flush;
                                                     return true;
                                                   });
    conversation.push_back({"assistant", answer.text});
    std::cout << "\n  (" << answer.timings.reused_tokens << " of " << answer.timings.prompt_tokens
              << " prompt tokens were in the cache)\n";
  }
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
