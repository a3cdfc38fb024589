// What tokenizer files are refused, and the small formats beside tokenizer.json.
#include <gtest/gtest.h>

#include <cstring>

#include "tessera/core/error.h"
#include "tests/text/tokenizer_toys.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::int32_t>;

/// A folder that goes away with the test.
class TokenizerFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("tessera_") + info->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, std::string_view content) {
    testing::write_file(folder_ / name, content);
    return folder_ / name;
  }

  fs::path folder_;
};

template <class F>
void expect_error(ErrorCode code, const std::string& words, const F& action) {
  try {
    action();
    FAIL() << "no error with " << words;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

std::string with(const char* field, const std::string& value) {
  return std::string(R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[]},")") + field +
         "\":" + value + "}";
}

TEST(TokenizerJson, NamesTheComponentItDoesNotKnow) {
  const std::tuple<std::string, ErrorCode, std::string> cases[] = {
      {R"({"model":{"type":"WordPiece","vocab":{}}})", ErrorCode::unsupported_op, "WordPiece"},
      {R"({"model":{"type":"Unigram","vocab":[]}})", ErrorCode::unsupported_op, "Unigram"},
      {R"({"model":{"type":"BPE","vocab":{},"merges":[],"continuing_subword_prefix":"##"}})",
       ErrorCode::unsupported_op, "continuing_subword_prefix"},
      {R"({"model":{"type":"BPE","vocab":{},"merges":[],"end_of_word_suffix":"</w>"}})",
       ErrorCode::unsupported_op, "end_of_word_suffix"},
      {R"({"model":{"type":"BPE","vocab":{},"merges":[],"dropout":0.1}})",
       ErrorCode::unsupported_op, "dropout"},
      {with("normalizer", R"({"type":"Precompiled"})"), ErrorCode::unsupported_op, "Precompiled"},
      {with("pre_tokenizer", R"({"type":"UnicodeScripts"})"), ErrorCode::unsupported_op,
       "UnicodeScripts"},
      {with("pre_tokenizer", R"({"type":"Sequence","pretokenizers":[{"type":"Other"}]})"),
       ErrorCode::unsupported_op, "Other"},
      {with("decoder", R"({"type":"CTC"})"), ErrorCode::unsupported_op, "CTC"},
      {with("decoder", R"({"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"ByteLevel"}]})"),
       ErrorCode::unsupported_op, "after Fuse"},
      {with("post_processor", R"({"type":"Odd"})"), ErrorCode::unsupported_op, "Odd"},
      {with("pre_tokenizer",
            R"({"type":"Split","pattern":{"Regex":"[a&&b]"},"behavior":"Isolated"})"),
       ErrorCode::bad_format, "&&"},
      {with("pre_tokenizer", R"({"type":"Split","pattern":{"Regex":"("},"behavior":"Isolated"})"),
       ErrorCode::bad_format, "parenthesis"},
      {with("pre_tokenizer", R"({"type":"Split","pattern":{"String":" "},"behavior":"Odd"})"),
       ErrorCode::unsupported_op, "Odd"},
  };
  for (const auto& [json, code, words] : cases) {
    expect_error(code, words, [&] { parse_tokenizer_json(json, "t.json"); });
  }
}

TEST(TokenizerJson, NamesTheFieldThatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "not valid JSON"},
      {"{", "not valid JSON"},
      {"[]", "expected an object"},
      {"{}", "\"model\" is missing"},
      {R"({"model":{"type":"BPE","vocab":[],"merges":[]}})", "vocab"},
      {R"({"model":{"type":"BPE","vocab":{"a":-1},"merges":[]}})", "\"a\""},
      {R"({"model":{"type":"BPE","vocab":{"a":"0"},"merges":[]}})", "\"a\""},
      {R"({"model":{"type":"BPE","vocab":{"a":0,"b":0},"merges":[]}})", "two tokens"},
      {R"({"model":{"type":"BPE","vocab":{"a":900000000},"merges":[]}})", "900000000"},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":["aa"]}})", "merge 0"},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":["a a"]}})", "\"aa\""},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[],"unk_token":"x"}})", "unk_token"},
      {with("added_tokens", R"([{"id":0,"content":"b"}])"), "belongs to"},
      {with("added_tokens", R"([{"id":5,"content":"b"},{"id":5,"content":"c"}])"), "id 5"},
      {with("added_tokens", R"([{"id":1e9,"content":"b"}])"), "token id"},
      {with("post_processor", R"({"type":"TemplateProcessing","single":[],"special_tokens":{}})"),
       "sequence A"},
      {"{\"model\":" + std::string(100, '[') + std::string(100, ']') + "}", "levels"},
  };
  for (const auto& [json, words] : cases) {
    expect_error(ErrorCode::bad_format, words, [&] { parse_tokenizer_json(json, "t.json"); });
  }
}

TEST(TokenizerJson, EveryTruncationIsAnError) {
  const std::string json =
      testing::read_file(testing::tokenizer_goldens() / "fixtures/toy_plain_words.json");
  const std::size_t end = json.rfind('}');
  for (std::size_t size = 0; size < end; size += size < 600 ? 1 : 97) {
    EXPECT_THROW(parse_tokenizer_json(json.substr(0, size), "t.json"), Error) << size;
  }
}

TEST_F(TokenizerFiles, MissingFilesSayWhatWasLookedFor) {
  expect_error(ErrorCode::not_found, "tokenizer.json", [&] { load_tokenizer(folder_); });
  expect_error(ErrorCode::not_found, "none.json", [&] { load_tokenizer(folder_ / "none.json"); });
  expect_error(ErrorCode::invalid_argument, "tokenizer_from_gguf",
               [&] { load_tokenizer(folder_ / "m.gguf"); });
}

TEST_F(TokenizerFiles, TiktokenRanksAreIds) {
  std::string ranks;
  const auto base64 = [](const std::string& bytes) {
    const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
      std::uint32_t bits = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
      }
      for (int k = 3; k >= 0; --k) out += digits[bits >> (6 * k) & 63];
    }
    for (std::size_t k = bytes.size(); k % 3 != 0; ++k) out[out.size() - 3 + k % 3] = '=';
    return out;
  };
  for (int b = 0; b < 256; ++b) {
    ranks += base64(std::string(1, static_cast<char>(b))) + " " + std::to_string(b) + "\n";
  }
  ranks += base64("ab") + " 256\n" + base64("\xE6\xAD") + " 257\n" + base64("xyz") + " 258\n";
  const auto tokenizer = load_tiktoken(write("toy.tiktoken", ranks), {R"(\w+|\W)", {{"<e>", 300}}});
  EXPECT_EQ(tokenizer->encode("ab"), Ids{256});
  EXPECT_EQ(tokenizer->encode("abab"), (Ids{256, 256}));
  EXPECT_EQ(tokenizer->encode("xyz"), Ids{258}) << "a piece that is a token needs no merges";
  EXPECT_EQ(tokenizer->encode("xyzx"), (Ids{'x', 'y', 'z', 'x'}));
  EXPECT_EQ(tokenizer->encode_bytes("\xE6\xAD"), Ids{257});
  EXPECT_EQ(tokenizer->encode("<e>", {.parse_special = true}), Ids{300});
  EXPECT_EQ(tokenizer->encode("<e>"), (Ids{'<', 'e', '>'}));
  EXPECT_EQ(tokenizer->vocab_size(), 301);
  expect_error(ErrorCode::bad_format, "line 260", [&] {
    load_tiktoken(write("bad.tiktoken", ranks + "!!!! 259\n"), {"a", {}});
  });
  expect_error(ErrorCode::bad_format, "256 single bytes", [&] {
    load_tiktoken(write("few.tiktoken", "YQ== 0\n"), {"a", {}});
  });
}

/// Writes protocol buffer fields.
struct Proto {
  std::string bytes;

  Proto& varint(int field, std::uint64_t value) {
    number(static_cast<std::uint64_t>(field) << 3);
    number(value);
    return *this;
  }
  Proto& text(int field, const std::string& value) {
    number(static_cast<std::uint64_t>(field) << 3 | 2);
    number(value.size());
    bytes += value;
    return *this;
  }
  Proto& real(int field, float value) {
    number(static_cast<std::uint64_t>(field) << 3 | 5);
    char raw[4];
    std::memcpy(raw, &value, 4);
    bytes.append(raw, 4);
    return *this;
  }

 private:
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    bytes += static_cast<char>(value);
  }
};

std::string sentencepiece_toy(std::uint64_t model_type = 2, bool remove_whitespace = false) {
  Proto model;
  const auto piece = [&](const std::string& text, float score, std::uint64_t type) {
    model.text(1, Proto().text(1, text).real(2, score).varint(3, type).bytes);
  };
  piece("<unk>", 0, 2);
  piece("<s>", 0, 3);
  piece("</s>", 0, 3);
  piece("▁a", -1, 1);
  piece("bc", -2, 1);
  piece("▁", -3, 1);
  piece("a", -4, 1);
  piece("b", -5, 1);
  piece("c", -6, 1);
  piece("[X]", -7, 4);
  model.text(2, Proto().varint(3, model_type).bytes);
  model.text(3, Proto().varint(4, remove_whitespace).bytes);
  return model.bytes;
}

TEST_F(TokenizerFiles, SentencePieceModelOfTypeBpe) {
  const auto tokenizer = load_tokenizer(write("tokenizer.model", sentencepiece_toy()));
  EXPECT_EQ(tokenizer->encode("abc"), (Ids{1, 3, 4}));
  EXPECT_EQ(tokenizer->encode("b a"), (Ids{1, 5, 7, 3}));
  // A user-defined piece does not restart the text: no new space behind it.
  EXPECT_EQ(tokenizer->encode("a[X]a"), (Ids{1, 3, 9, 6}));
  EXPECT_EQ(tokenizer->encode("a??", {.add_special_tokens = false}), (Ids{3, 0}));
  EXPECT_EQ(tokenizer->decode(Ids{3, 4}), "abc");
  EXPECT_EQ(tokenizer->special_tokens().eos, 2);
  EXPECT_TRUE(tokenizer->is_end_of_generation(2));
  EXPECT_EQ(load_tokenizer(folder_)->vocab_size(), 10);
}

TEST_F(TokenizerFiles, SentencePieceOfAnotherKindIsRefused) {
  expect_error(ErrorCode::unsupported_op, "Unigram",
               [&] { load_tokenizer(write("u.model", sentencepiece_toy(1))); });
  expect_error(ErrorCode::unsupported_op, "remove_extra_whitespaces true",
               [&] { load_tokenizer(write("w.model", sentencepiece_toy(2, true))); });
  expect_error(ErrorCode::bad_format, "SentencePiece",
               [&] { load_tokenizer(write("t.model", "this is a text file")); });
  expect_error(ErrorCode::bad_format, "no tokens", [&] { load_tokenizer(write("e.model", "")); });
}

TEST_F(TokenizerFiles, CutSentencePieceModelIsAnErrorOrLacksTheTail) {
  const std::string whole = sentencepiece_toy();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(load_tokenizer(write("cut.model", whole.substr(0, size))), Error) << size;
  }
}

TEST_F(TokenizerFiles, TekkenIdsFollowTheSpecialTokens) {
  nlohmann::json json = {
      {"config",
       {{"pattern", R"(\w+|\W)"}, {"default_vocab_size", 260}, {"default_num_special_tokens", 3}}},
      {"vocab", nlohmann::json::array()}};
  const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int b = 0; b < 256; ++b) {
    const std::string bytes{digits[b >> 2], digits[(b & 3) << 4], '=', '='};
    json["vocab"].push_back({{"rank", b}, {"token_bytes", bytes}, {"token_str", nullptr}});
  }
  json["vocab"].push_back({{"rank", 256}, {"token_bytes", "YWI="}});  // ab
  json["vocab"].push_back({{"rank", 257}, {"token_bytes", "YWJj"}});  // abc, past the vocabulary
  const auto tokenizer = load_tokenizer(write("tekken.json", json.dump()));
  EXPECT_EQ(tokenizer->encode("abc"), (Ids{1, 259, 3 + 'c'}));
  EXPECT_EQ(tokenizer->vocab_size(), 260);
  EXPECT_EQ(tokenizer->token_to_id("</s>"), 2);
  EXPECT_TRUE(tokenizer->is_end_of_generation(2));
  EXPECT_EQ(tokenizer->decode(Ids{1, 259}, /*skip_special_tokens=*/true), "ab");
  json["config"]["default_num_special_tokens"] = 1 << 30;
  expect_error(ErrorCode::bad_format, "special tokens",
               [&] { load_tokenizer(write("tekken.json", json.dump())); });
}

}  // namespace
}  // namespace tessera
