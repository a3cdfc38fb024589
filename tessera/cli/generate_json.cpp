#include "tessera/cli/generate_json.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Bytes that are not UTF-8 by themselves come as replacement characters.
Json logprob_entry(const Tokenizer& tokenizer, std::int32_t id, float logprob) {
  return {{"id", id}, {"text", tokenizer.token_bytes(id)}, {"logprob", logprob}};
}

Json logprobs_of(const GenerateResult& result, const Tokenizer& tokenizer) {
  Json steps = Json::array();
  for (std::size_t i = 0; i < result.ids.size(); ++i) {
    Json step = logprob_entry(tokenizer, result.ids[i], result.logprobs[i]);
    step["top"] = Json::array();
    for (const TokenLogprob& top : result.top_logprobs[i]) {
      step["top"].push_back(logprob_entry(tokenizer, top.id, top.logprob));
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

Json to_json(const GenerateResult& result, std::span<const std::int32_t> prompt_ids,
             const OpenModel& open, bool logprobs) {
  const GenerateTimings& timings = result.timings;
  Json json = {{"model", open.loaded().path.string()},
               {"prompt_ids", prompt_ids},
               {"ids", result.ids},
               {"text", result.text},
               {"finish_reason", to_string(result.finish_reason)}};
  if (logprobs) json["logprobs"] = logprobs_of(result, open.tokenizer());
  json["timings"] = {{"load_seconds", open.load_seconds()},
                     {"prompt_tokens", timings.prompt_tokens},
                     {"reused_tokens", timings.reused_tokens},
                     {"prefill_seconds", timings.prefill_seconds},
                     {"prefill_tokens_per_second", timings.prefill_tokens_per_second()},
                     {"generated_tokens", timings.generated_tokens},
                     {"decode_seconds", timings.decode_seconds},
                     {"decode_tokens_per_second", timings.decode_tokens_per_second()}};
  return json;
}

}  // namespace tessera::cli
