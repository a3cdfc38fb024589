// An answer that another thread stops: text streams from a worker, and the main thread, which could
// be a window's, asks it to end.   streaming_cancel [MODEL]
#include <chrono>
#include <future>
#include <iostream>
#include <stop_token>

#include "tessera/models/load.h"
#include "tessera/text/generate.h"

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "SmolLM2-135M-Instruct.Q4_1.gguf";
  try {
    const tessera::LoadedModel m = tessera::load(name);
    std::stop_source stop;
    std::future<tessera::GenerateResult> answer = std::async(std::launch::async, [&] {
      tessera::GenerateOptions options;
      options.max_tokens = 4000;
      options.ignore_end = true;  // so that only the stop ends it
      options.stop_token = stop.get_token();
      tessera::Session session(*m.model, *m.tokenizer);
      return session.generate(m.tokenizer->encode("Once upon a time"), options,
                              [](const tessera::GeneratedToken& token) {
                                std::cout << token.text << std::flush;
                                return true;
                              });
    });

    answer.wait_for(std::chrono::seconds(1));  // the user loses patience
    stop.request_stop();
    const tessera::GenerateResult result = answer.get();
    std::cout << "\n"
              << to_string(result.finish_reason) << " after " << result.ids.size() << " tokens\n";
  } catch (const tessera::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
