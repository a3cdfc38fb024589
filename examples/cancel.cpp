// Streaming with cancellation: another thread (a window's Stop button, a closed connection) ends an
// answer, and the session is ready for the next prompt.
//   cancel MODEL
#include <chrono>
#include <iostream>
#include <stop_token>
#include <thread>

#include "tessera/tessera.h"

using namespace tessera;

int main(int argc, char** argv) try {
  const LoadedModel m = load(argc > 1 ? argv[1] : "SmolLM2-135M-Instruct.Q4_1.gguf");
  Session session(*m.model, *m.tokenizer);
  const auto prompt = m.tokenizer->encode("Once upon a time");

  std::stop_source stop;
  const std::jthread button([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    stop.request_stop();
  });
  GenerateOptions options{
      .max_tokens = 100'000, .ignore_end = true, .stop_token = stop.get_token()};
  const auto print = [](const GeneratedToken& token) {
    std::cout << token.text << std::flush;
    return true;
  };
  const GenerateResult first = session.generate(prompt, options, print);
  std::cout << "\n[" << to_string(first.finish_reason) << "]\n";

  options = {.max_tokens = 8};
  const GenerateResult second = session.generate(prompt, options, print);
  std::cout << "\n[" << to_string(second.finish_reason) << " after " << second.ids.size()
            << " tokens]\n";
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
