// One answer in the making: sampling, stop strings, streaming text. Shared by Session and batches.
#pragma once

#include <vector>

#include "tessera/text/generate.h"
#include "tessera/text/stop_matcher.h"
#include "tessera/text/stream_decoder.h"

namespace tessera::detail {

class GenerationRow {
 public:
  /// history: the prompt's ids. row: added to the seed.
  GenerationRow(const Tokenizer& tokenizer, const GenerateOptions& options,
                std::vector<std::int32_t> history, std::size_t row);

  /// Chooses the next token from logits [V], records and reports it, and returns it.
  /// errors  internal "non-finite logits at step n"; what the sampler throws
  std::int32_t accept(std::span<const float> logits, const TokenCallback& on_token);

  /// Ends the row: text that was held back goes out.
  void finish(FinishReason reason, const TokenCallback& on_token);
  void fail_with(std::exception_ptr error);

  bool finished() const { return finished_; }
  std::int64_t generated() const { return static_cast<std::int64_t>(result_.ids.size()); }
  GenerateResult& result() { return result_; }
  GenerateResult take_result();

 private:
  void report(GeneratedToken token, const TokenCallback& on_token);

  const Tokenizer* tokenizer_;
  const GenerateOptions* options_;
  std::vector<std::int32_t> history_;
  std::vector<float> scratch_;
  Sampler sampler_;
  StreamDecoder decoder_;
  StopMatcher stops_;
  GenerateResult result_;
  bool finished_ = false;
};

}  // namespace tessera::detail
