#include "tessera/text/stream_decoder.h"

#include <gtest/gtest.h>

#include "tests/text/tokenizer_toys.h"

namespace tessera {
namespace {

using Deltas = std::vector<std::string>;

/// A vocabulary of given byte strings; the id is the place in the list.
class BytesTokenizer final : public Tokenizer {
 public:
  explicit BytesTokenizer(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}

  std::vector<std::int32_t> encode(std::string_view, const EncodeOptions&) const override {
    return {};
  }
  std::vector<std::int32_t> encode_bytes(std::string_view) const override { return {}; }
  std::vector<std::string> pretokenize(std::string_view) const override { return {}; }
  void append_bytes(std::int32_t id, DecodeState&, std::string& out) const override {
    out += tokens_.at(static_cast<std::size_t>(id));
  }
  std::optional<std::string> token_text(std::int32_t id) const override {
    return tokens_.at(static_cast<std::size_t>(id));
  }
  std::optional<std::int32_t> token_to_id(std::string_view) const override { return {}; }
  std::int32_t vocab_size() const override { return static_cast<std::int32_t>(tokens_.size()); }
  const SpecialTokens& special_tokens() const override { return special_; }
  bool is_special(std::int32_t) const override { return false; }

 private:
  std::vector<std::string> tokens_;
  SpecialTokens special_;
};

/// The delta of each token, then that of finish().
Deltas stream(const std::vector<std::string>& tokens) {
  const BytesTokenizer tokenizer(tokens);
  StreamDecoder decoder(tokenizer);
  Deltas deltas;
  std::vector<std::int32_t> ids;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    deltas.push_back(decoder.push(id));
    ids.push_back(id);
  }
  deltas.push_back(decoder.finish());
  std::string joined;
  for (const std::string& delta : deltas) joined += delta;
  EXPECT_EQ(joined, tokenizer.decode(ids));
  return deltas;
}

TEST(StreamDecoder, HoldsHalfACharacterBack) {
  EXPECT_EQ(stream({"\xF0\x9F", "\x98\xB8"}), (Deltas{"", "😸", ""}));
  EXPECT_EQ(stream({"\xF0\x9F\x98", "\xB8!"}), (Deltas{"", "😸!", ""}));
  EXPECT_EQ(stream({"a", "\xE4\xBD", "\xA0 b"}), (Deltas{"a", "", "你 b", ""}));
  EXPECT_EQ(stream({"\xF0", "\x9F", "\x98", "\xB8"}), (Deltas{"", "", "", "😸", ""}));
}

TEST(StreamDecoder, InvalidBytesComeAtOnce) {
  EXPECT_EQ(stream({"\xFF", "a"}), (Deltas{"\uFFFD", "a", ""}));
  EXPECT_EQ(stream({"\xE4\xBD", "a"}), (Deltas{"", "\uFFFDa", ""}));
  EXPECT_EQ(stream({"\xC0", "\x80"}), (Deltas{"\uFFFD", "\uFFFD", ""}));
  EXPECT_EQ(stream({"\xED", "\xA0", "\x80"}), (Deltas{"", "\uFFFD\uFFFD", "\uFFFD", ""}));
  EXPECT_EQ(stream({std::string(10, '\x80')}).front().size(), 30u);
}

TEST(StreamDecoder, UnfinishedCharacterAtTheEndIsOneReplacement) {
  EXPECT_EQ(stream({"\xE4\xBD"}), (Deltas{"", "\uFFFD"}));
  EXPECT_EQ(stream({"ok\xF0\x9F\x98"}), (Deltas{"ok", "\uFFFD"}));
}

TEST(StreamDecoder, EveryCutOfAFamilyEmojiIsValidAtEachDelta) {
  const std::string family = "👨‍👩‍👧‍👦";  // 25 bytes, joined by U+200D
  ASSERT_EQ(family.size(), 25u);
  for (std::size_t step = 1; step < family.size(); ++step) {
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < family.size(); at += step) {
      tokens.push_back(family.substr(at, step));
    }
    std::string joined;
    for (const std::string& delta : stream(tokens)) {
      // A JSON library refuses what is not UTF-8.
      EXPECT_NO_THROW(nlohmann::json(delta).dump());
      joined += delta;
    }
    EXPECT_EQ(joined, family);
  }
}

TEST(StreamDecoder, TwoStreamsShareNothing) {
  const BytesTokenizer tokenizer({"\xF0\x9F", "\x98\xB8", "\xE4\xBD", "\xA0"});
  StreamDecoder first(tokenizer);
  StreamDecoder second(tokenizer);
  EXPECT_EQ(first.push(0), "");
  EXPECT_EQ(second.push(2), "");
  EXPECT_EQ(first.push(1), "😸");
  EXPECT_EQ(second.push(3), "你");
}

TEST(StreamDecoder, StartsAnewAfterFinish) {
  const auto tokenizer = testing::toy("llama2");
  const std::vector<std::int32_t> ids =
      tokenizer->encode("der Hund", {.add_special_tokens = false});
  StreamDecoder decoder(*tokenizer);
  for (int round = 0; round < 2; ++round) {
    std::string text;
    for (const std::int32_t id : ids) text += decoder.push(id);
    text += decoder.finish();
    EXPECT_EQ(text, "der Hund");
  }
}

TEST(StreamDecoder, LeavesSpecialTokensOutWhenAsked) {
  const auto tokenizer = testing::toy("qwen2");
  const std::int32_t end = *tokenizer->token_to_id("<|im_end|>");
  StreamDecoder shown(*tokenizer);
  StreamDecoder hidden(*tokenizer, /*skip_special_tokens=*/true);
  EXPECT_EQ(shown.push(end), "<|im_end|>");
  EXPECT_EQ(hidden.push(end), "");
}

}  // namespace
}  // namespace tessera
