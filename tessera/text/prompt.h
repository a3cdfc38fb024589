// encode_chat(): a conversation to the ids that a chat model was trained on.
//
//   std::vector<ChatMessage> messages = {{"user", "What is 2 + 2?"}};
//   std::vector<std::int32_t> ids =
//       encode_chat(tokenizer, chat_template, messages, {.add_generation_prompt = true});
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/text/chat_template.h"
#include "tessera/text/tokenizer.h"

namespace tessera {

/// Renders and encodes. Control tokens are read from the template's own words only: "<|im_end|>" in
/// a message stays text. Otherwise the ids are those of the rendered prompt as one text; what the
/// tokenizer adds around a text (beginning-of-text) is added unless the prompt begins with it.
/// errors  those of ChatTemplate::render and Tokenizer::encode
std::vector<std::int32_t> encode_chat(const Tokenizer& tokenizer, const ChatTemplate& chat_template,
                                      std::span<const ChatMessage> messages,
                                      const RenderOptions& options = {});

/// The same of a prompt that is rendered already.
std::vector<std::int32_t> encode_prompt(const Tokenizer& tokenizer,
                                        std::span<const PromptSegment> segments);

}  // namespace tessera
