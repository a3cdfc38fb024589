#include "tessera/text/prompt.h"

namespace tessera {

std::vector<std::int32_t> encode_prompt(const Tokenizer& tokenizer,
                                        std::span<const PromptSegment> segments) {
  std::string text;
  EncodeOptions options{.add_special_tokens = false, .parse_special = true, .typed = {}};
  for (const PromptSegment& segment : segments) {
    const ByteRange range{text.size(), text.size() + segment.text.size()};
    text += segment.text;
    if (!segment.from_user || segment.text.empty()) continue;
    // Neighbours are one range: a marker cut in two by the template is still the user's.
    if (!options.typed.empty() && options.typed.back().end == range.begin) {
      options.typed.back().end = range.end;
    } else {
      options.typed.push_back(range);
    }
  }
  std::vector<std::int32_t> ids = tokenizer.encode(text, options);
  // Templates differ in whether they write the beginning-of-text token themselves.
  const std::vector<std::int32_t> around = tokenizer.encode("");
  const std::optional<std::int32_t> bos = tokenizer.special_tokens().bos;
  const bool wants_bos = bos && !around.empty() && around.front() == *bos;
  if (wants_bos && (ids.empty() || ids.front() != *bos)) ids.insert(ids.begin(), *bos);
  return ids;
}

std::vector<std::int32_t> encode_chat(const Tokenizer& tokenizer, const ChatTemplate& chat_template,
                                      std::span<const ChatMessage> messages,
                                      const RenderOptions& options) {
  return encode_prompt(tokenizer, chat_template.render_segments(messages, options));
}

}  // namespace tessera
