// What a model thinks comes next: the logits after a prompt, and the likeliest tokens.
//   logits_topk [MODEL]
#include <cmath>
#include <iostream>

#include "tessera/models/load.h"
#include "tessera/text/generate.h"

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "SmolLM2-135M-Instruct.Q4_1.gguf";
  try {
    const tessera::LoadedModel m = tessera::load(name);
    tessera::Session session(*m.model, *m.tokenizer);
    const std::string prompt = "The opposite of hot is";
    const std::vector<float> logits = session.logits(m.tokenizer->encode(prompt));

    std::cout << logits.size() << " logits after \"" << prompt << "\"\n";
    for (const tessera::TokenLogprob& token : tessera::logprobs_of(logits, 0, 5).top) {
      std::cout << "  " << std::exp(token.logprob) << '\t' << m.tokenizer->token_bytes(token.id)
                << '\n';
    }
  } catch (const tessera::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
