#include <gtest/gtest.h>

#include "tessera/core/error.h"
#include "tests/text/tokenizer_toys.h"

namespace tessera {
namespace {

using testing::gguf_from_json;
using testing::gguf_vocabulary;
using testing::tokenizer_corpus;
using Ids = std::vector<std::int32_t>;

nlohmann::json fixture(const std::string& name) {
  return testing::read_json(testing::tokenizer_goldens() / "fixtures" / (name + ".json"));
}

TEST(TokenizerGguf, PretokenizersCutAsTheModelsOwnFilesDo) {
  const nlohmann::json golden = testing::read_json(testing::tokenizer_goldens() / "parts.json");
  const std::size_t stride = golden.at("stride");
  for (const nlohmann::json& entry : golden.at("gguf_pre")) {
    const std::string name = entry.at("name");
    nlohmann::json json = fixture("toy_gpt2");
    json["added_tokens"] = nlohmann::json::array();
    const auto tokenizer = tokenizer_from_gguf(gguf_from_json(json, name));
    const std::string hashes = entry.at("hashes");
    ASSERT_FALSE(hashes.empty());
    for (std::size_t i = 0; i * 8 < hashes.size(); ++i) {
      const std::string& text = tokenizer_corpus()[i * stride];
      std::string made;
      for (const std::string& piece : tokenizer->pretokenize(text)) {
        if (!made.empty()) made += std::string("\0|", 2);
        made += piece;
      }
      EXPECT_EQ(testing::fnv1a(made), hashes.substr(i * 8, 8))
          << name << " on corpus line " << i * stride + 1 << ": "
          << nlohmann::json(text).dump(-1, ' ', true) << " gives "
          << nlohmann::json(made).dump(-1, ' ', true);
    }
  }
}

TEST(TokenizerGguf, ByteLevelVocabularyGivesTheIdsOfItsTokenizerJson) {
  const std::pair<const char*, const char*> pairs[] = {
      {"toy_gpt2", "gpt-2"}, {"toy_llama3", "llama-bpe"}, {"toy_qwen2", "qwen2"}};
  for (const auto& [name, pre] : pairs) {
    const auto from_gguf = tokenizer_from_gguf(gguf_from_json(fixture(name), pre));
    const auto from_json = parse_tokenizer_json(fixture(name).dump(), name);
    for (const std::string& text : tokenizer_corpus()) {
      for (const bool parse : {false, true}) {
        const EncodeOptions options{.add_special_tokens = false, .parse_special = parse};
        ASSERT_EQ(from_gguf->encode(text, options), from_json->encode(text, options))
            << name << nlohmann::json(text);
      }
    }
  }
}

TEST(TokenizerGguf, SurroundsTextAsTheFileSays) {
  GgufFile file = gguf_from_json(fixture("toy_gpt2"), "gpt-2");
  file.metadata["tokenizer.ggml.bos_token_id"] = std::uint64_t{5};
  file.metadata["tokenizer.ggml.eos_token_id"] = std::uint64_t{6};
  EXPECT_EQ(tokenizer_from_gguf(file)->encode("").size(), 0u);
  file.metadata["tokenizer.ggml.add_bos_token"] = true;
  file.metadata["tokenizer.ggml.add_eos_token"] = true;
  const auto tokenizer = tokenizer_from_gguf(file);
  EXPECT_EQ(tokenizer->encode(""), (Ids{5, 6}));
  EXPECT_EQ(tokenizer->encode("", {.add_special_tokens = false}), Ids{});
  EXPECT_EQ(tokenizer->special_tokens().bos, 5);
  EXPECT_EQ(tokenizer->special_tokens().eos, 6);
}

TEST(TokenizerGguf, Llama3AddsBosUnlessTheFileRefuses) {
  GgufFile file = gguf_from_json(fixture("toy_llama3"), "llama-bpe");
  file.metadata["tokenizer.ggml.bos_token_id"] = std::uint64_t{5};
  EXPECT_EQ(tokenizer_from_gguf(file)->encode(""), (Ids{5}));
  file.metadata["tokenizer.ggml.add_bos_token"] = false;
  EXPECT_EQ(tokenizer_from_gguf(file)->encode(""), Ids{});
}

TEST(TokenizerGguf, CollectsEveryEndOfGenerationToken) {
  GgufFile file = gguf_from_json(fixture("toy_qwen2"), "qwen2");
  file.metadata["tokenizer.ggml.eot_token_id"] = std::uint64_t{7};
  const auto tokenizer = tokenizer_from_gguf(file);
  EXPECT_TRUE(tokenizer->is_end_of_generation(7));
  EXPECT_TRUE(tokenizer->is_end_of_generation(*tokenizer->token_to_id("<|im_end|>")));
  EXPECT_TRUE(tokenizer->is_end_of_generation(*tokenizer->token_to_id("<|endoftext|>")));
  EXPECT_FALSE(tokenizer->is_end_of_generation(*tokenizer->token_to_id("<|im_start|>")));
  EXPECT_FALSE(tokenizer->is_end_of_generation(8));
}

/// Scores fall with the id, so earlier tokens merge first.
GgufFile spm_toy(std::vector<std::string> tokens, std::vector<std::int64_t> types) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < tokens.size(); ++i) scores.push_back(-static_cast<double>(i));
  GgufFile file = gguf_vocabulary("llama", std::move(tokens), std::move(types));
  file.metadata["tokenizer.ggml.scores"] = GgufArray{std::move(scores)};
  file.metadata["tokenizer.ggml.add_bos_token"] = false;
  file.metadata["tokenizer.ggml.unknown_token_id"] = std::uint64_t{0};
  return file;
}

using testing::kByte;
using testing::kControl;
using testing::kNormal;
using testing::kUnknown;
using testing::kUnused;
using testing::kUserDefined;

TEST(TokenizerGguf, SentencePieceMergesTheBestScoreFirst) {
  const auto tokenizer = tokenizer_from_gguf(
      spm_toy({"<unk>", "bc", "ab", "▁", "a", "b", "c"},
              {kUnknown, kNormal, kNormal, kNormal, kNormal, kNormal, kNormal}));
  EXPECT_EQ(tokenizer->encode("abc"), (Ids{3, 4, 1}));
  EXPECT_EQ(tokenizer->encode("abab"), (Ids{3, 2, 2}));
  EXPECT_EQ(tokenizer->decode(Ids{3, 4, 1}), "abc");
}

TEST(TokenizerGguf, UnusedTokensComeApartTheWayTheyMerged) {
  const auto tokenizer = tokenizer_from_gguf(
      spm_toy({"<unk>", "ab", "abc", "▁", "a", "b", "c"},
              {kUnknown, kNormal, kUnused, kNormal, kNormal, kNormal, kNormal}));
  EXPECT_EQ(tokenizer->encode("abc"), (Ids{3, 1, 6}));
}

TEST(TokenizerGguf, TextNeverMergesIntoAControlToken) {
  const auto tokenizer = tokenizer_from_gguf(
      spm_toy({"<unk>", "<s>", "s>", "▁", "<", "s", ">"},
              {kUnknown, kControl, kNormal, kNormal, kNormal, kNormal, kNormal}));
  EXPECT_EQ(tokenizer->encode("<s>"), (Ids{3, 4, 2}));
  EXPECT_EQ(tokenizer->encode("<s>", {.parse_special = true}), (Ids{1}));
}

TEST(TokenizerGguf, BytesStandInForCharactersWithoutToken) {
  std::vector<std::string> tokens{"<unk>", "▁", "a"};
  std::vector<std::int64_t> types{kUnknown, kNormal, kNormal};
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof(name), "<0x%02X>", byte);
    tokens.push_back(name);
    types.push_back(kByte);
  }
  GgufFile file = spm_toy(tokens, types);
  file.metadata["tokenizer.ggml.add_space_prefix"] = false;
  const auto tokenizer = tokenizer_from_gguf(file);
  EXPECT_EQ(tokenizer->encode("aé"), (Ids{2, 3 + 0xC3, 3 + 0xA9}));
  EXPECT_EQ(tokenizer->decode(Ids{2, 3 + 0xC3, 3 + 0xA9}), "aé");
  EXPECT_EQ(tokenizer->token_bytes(3 + 0xC3), "\xC3");
  // The name of a byte token is text like any other.
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("<0xE6>")), "<0xE6>");
}

TEST(TokenizerGguf, UserDefinedSpacesMatchSpacesAndWrittenMarks) {
  GgufFile file = spm_toy({"<unk>", "  ", "▁", "a"}, {kUnknown, kUserDefined, kNormal, kNormal});
  file.metadata["tokenizer.ggml.add_space_prefix"] = false;
  const auto tokenizer = tokenizer_from_gguf(file);
  EXPECT_EQ(tokenizer->encode("a   a"), (Ids{3, 1, 2, 3}));
  EXPECT_EQ(tokenizer->encode("▁▁"), (Ids{1}));
  EXPECT_EQ(tokenizer->decode(Ids{3, 1, 2, 3}), "a   a");
}

TEST(TokenizerGguf, UnknownRunBecomesOneUnknownToken) {
  const auto tokenizer =
      tokenizer_from_gguf(spm_toy({"<unk>", "▁", "a"}, {kUnknown, kNormal, kNormal}));
  EXPECT_EQ(tokenizer->encode("xyzaq"), (Ids{1, 0, 2, 0}));
}

void expect_error(const GgufFile& file, ErrorCode code, const std::string& words) {
  try {
    tokenizer_from_gguf(file);
    FAIL() << "no error with " << words;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

TEST(TokenizerGguf, NamesWhatItCannotRead) {
  GgufFile file = gguf_from_json(fixture("toy_gpt2"), "no-such-model");
  expect_error(file, ErrorCode::unsupported_op, "no-such-model");
  file.metadata["tokenizer.ggml.model"] = std::string("bert");
  expect_error(file, ErrorCode::unsupported_op, "bert");
  file.metadata.erase("tokenizer.ggml.model");
  expect_error(file, ErrorCode::bad_format, "tokenizer.ggml.model");
}

TEST(TokenizerGguf, RefusesArraysThatDoNotFit) {
  GgufFile file = gguf_from_json(fixture("toy_gpt2"), "gpt-2");
  file.metadata["tokenizer.ggml.token_type"] = GgufArray{std::vector<std::int64_t>{1}};
  expect_error(file, ErrorCode::bad_format, "tokenizer.ggml.token_type");
  file = gguf_from_json(fixture("toy_gpt2"), "gpt-2");
  file.metadata["tokenizer.ggml.merges"] = GgufArray{std::vector<std::string>{"a"}};
  expect_error(file, ErrorCode::bad_format, "tokenizer.ggml.merges");
  file.metadata["tokenizer.ggml.merges"] = GgufArray{std::vector<std::string>{"a 中"}};
  expect_error(file, ErrorCode::bad_format, "merge");
  file.metadata.erase("tokenizer.ggml.merges");
  expect_error(file, ErrorCode::bad_format, "tokenizer.ggml.merges");
  file = spm_toy({"<unk>", "a"}, {kUnknown, kNormal});
  file.metadata["tokenizer.ggml.scores"] = GgufArray{std::vector<double>{0}};
  expect_error(file, ErrorCode::bad_format, "tokenizer.ggml.scores");
}

}  // namespace
}  // namespace tessera
