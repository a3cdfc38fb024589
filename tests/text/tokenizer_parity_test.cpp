// Ids and decoded text equal those of the reference implementations, on 2,100 awkward strings.
#include <gtest/gtest.h>

#include <functional>

#include "tessera/io/gguf.h"
#include "tessera/text/stream_decoder.h"
#include "tessera/text/tokenizer.h"
#include "tests/text/tokenizer_test_data.h"

namespace tessera {
namespace {

using testing::hash_ids;
using testing::tokenizer_corpus;
namespace fs = std::filesystem;

constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";

struct Case {
  std::string name;
  std::function<fs::path()> file;
  std::function<std::unique_ptr<Tokenizer>(const fs::path&)> load;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

std::unique_ptr<Tokenizer> from_gguf(const fs::path& path) {
  return tokenizer_from_gguf(load_gguf(path));
}

Case toy(const std::string& name) {
  return {name, [name] { return testing::tokenizer_goldens() / "fixtures" / (name + ".json"); },
          load_tokenizer};
}

std::vector<Case> all_cases() {
  const auto model = [](const char* file) {
    return [file] { return testing::model_folder() / file; };
  };
  const auto vocab = [](const char* file) {
    return [file] { return testing::vocab_folder() / file; };
  };
  return {
      toy("toy_gpt2"),
      toy("toy_llama3"),
      toy("toy_qwen2"),
      toy("toy_falcon"),
      toy("toy_gemma"),
      toy("toy_llama2"),
      toy("toy_metaspace"),
      toy("toy_plain_words"),
      {"smollm2", model("SmolLM2-135M-Instruct.Q4_1.gguf"), from_gguf},
      {"gemma3", model("gemma-3-270m.Q4_K_M.gguf"), from_gguf},
      {"stories260k", [] { return testing::shared_data() / "stories260K.gguf"; }, from_gguf},
      {"mistral_v1", vocab("mistral_v1.model"), load_tokenizer},
      {"mistral_v3", vocab("mistral_v3.model"), load_tokenizer},
      {"tekken", vocab("tekken_240911.json"), load_tokenizer},
      {"deepseek_v3", vocab("deepseek_v3"), load_tokenizer},
      {"gpt2", vocab("gpt2.tiktoken"),
       [](const fs::path& path) {
         return load_tiktoken(path, {std::string(kGpt2Pattern), {{"<|endoftext|>", 50256}}});
       }},
      {"qwen", vocab("qwen.tiktoken"),
       [](const fs::path& path) {
         return load_tiktoken(
             path, {std::string(kQwen2Pattern),
                    {{"<|endoftext|>", 151643}, {"<|im_start|>", 151644}, {"<|im_end|>", 151645}}});
       }},
  };
}

class TokenizerParity : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const fs::path path = GetParam().file();
    if (!fs::exists(path)) GTEST_SKIP() << path << " is not here; tools/fetch_test_data brings it";
    tokenizer_ = GetParam().load(path);
    golden_ = testing::read_json(testing::tokenizer_goldens() / (GetParam().name + ".json"));
  }

  /// Compares one hash per string; `make` gives what is hashed.
  void expect_hashes(const char* field,
                     const std::function<std::string(const std::string&)>& make) {
    const std::string expected = golden_.at(field);
    const std::vector<std::string>& corpus = tokenizer_corpus();
    ASSERT_EQ(expected.size(), corpus.size() * 8);
    int failures = 0;
    for (std::size_t i = 0; i < corpus.size(); ++i) {
      if (make(corpus[i]) == expected.substr(i * 8, 8)) continue;
      if (++failures <= 5) {
        ADD_FAILURE() << field << " of corpus line " << i + 1 << ": "
                      << nlohmann::json(corpus[i]).dump(-1, ' ', true);
      }
    }
    EXPECT_EQ(failures, 0) << "of " << corpus.size() << " strings, oracle " << golden_.at("oracle");
  }

  std::unique_ptr<Tokenizer> tokenizer_;
  nlohmann::json golden_;
};

constexpr EncodeOptions kPlain{.add_special_tokens = false, .parse_special = false};

TEST_P(TokenizerParity, PlainIdsEqualTheReference) {
  const auto& full = golden_.at("plain_ids");
  for (std::size_t i = 0; i < full.size(); ++i) {
    const auto expected = full[i].get<std::vector<std::int32_t>>();
    ASSERT_EQ(tokenizer_->encode(tokenizer_corpus()[i], kPlain), expected)
        << "corpus line " << i + 1 << ": "
        << nlohmann::json(tokenizer_corpus()[i]).dump(-1, ' ', true);
  }
  expect_hashes(
      "plain", [&](const std::string& text) { return hash_ids(tokenizer_->encode(text, kPlain)); });
}

TEST_P(TokenizerParity, SecondEncodingOutOfTheCacheIsTheSame) {
  for (const std::string& text : tokenizer_corpus()) {
    ASSERT_EQ(tokenizer_->encode(text, kPlain), tokenizer_->encode(text, kPlain));
  }
}

TEST_P(TokenizerParity, ParsedSpecialTokensEqualTheReference) {
  if (!golden_.contains("special")) GTEST_SKIP() << "the oracle does not parse special tokens";
  expect_hashes("special", [&](const std::string& text) {
    return hash_ids(tokenizer_->encode(text, {.add_special_tokens = true, .parse_special = true}));
  });
}

TEST_P(TokenizerParity, DecodedTextEqualsTheReference) {
  expect_hashes("decode", [&](const std::string& text) {
    return testing::fnv1a(tokenizer_->decode(tokenizer_->encode(text, kPlain)));
  });
}

TEST_P(TokenizerParity, StreamJoinsToTheDecodedText) {
  for (const std::string& text : tokenizer_corpus()) {
    const std::vector<std::int32_t> ids = tokenizer_->encode(text, {});
    StreamDecoder stream(*tokenizer_);
    std::string joined;
    for (const std::int32_t id : ids) joined += stream.push(id);
    joined += stream.finish();
    ASSERT_EQ(joined, tokenizer_->decode(ids));
  }
}

TEST_P(TokenizerParity, NoSpecialIdComesOutOfPlainText) {
  const std::optional<std::int32_t> unknown = tokenizer_->special_tokens().unk;
  for (const std::string& text : tokenizer_corpus()) {
    for (const std::int32_t id : tokenizer_->encode(text, kPlain)) {
      ASSERT_TRUE(!tokenizer_->is_special(id) || id == unknown)
          << id << " from " << nlohmann::json(text).dump(-1, ' ', true);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, TokenizerParity, ::testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

/// A tokenizer.json with one component and an empty model.
std::unique_ptr<Tokenizer> with_component(const char* field, const nlohmann::json& config) {
  nlohmann::json json = {
      {"model", {{"type", "BPE"}, {"vocab", nlohmann::json::object()}, {"merges", {}}}}};
  json["model"]["merges"] = nlohmann::json::array();
  json[field] = config;
  return parse_tokenizer_json(json.dump(), "component");
}

void expect_component_parity(const char* list, const char* field) {
  const nlohmann::json golden = testing::read_json(testing::tokenizer_goldens() / "parts.json");
  const std::size_t stride = golden.at("stride");
  for (const nlohmann::json& entry : golden.at(list)) {
    const auto tokenizer = with_component(field, entry.at("config"));
    const std::string hashes = entry.at("hashes");
    int failures = 0;
    for (std::size_t i = 0; i * 8 < hashes.size(); ++i) {
      const std::string& text = tokenizer_corpus()[i * stride];
      std::string made;
      for (const std::string& piece : tokenizer->pretokenize(text)) {
        if (!made.empty()) made += std::string("\0|", 2);
        made += piece;
      }
      if (testing::fnv1a(made) == hashes.substr(i * 8, 8)) continue;
      if (++failures <= 3) {
        ADD_FAILURE() << entry.at("config") << " on corpus line " << i * stride + 1 << ": "
                      << nlohmann::json(text).dump(-1, ' ', true) << " gives "
                      << nlohmann::json(made).dump(-1, ' ', true);
      }
    }
  }
}

TEST(TokenizerParts, PretokenizersEqualTheReference) {
  expect_component_parity("pre_tokenizers", "pre_tokenizer");
}

TEST(TokenizerParts, NormalizersEqualTheReference) {
  expect_component_parity("normalizers", "normalizer");
}

}  // namespace
}  // namespace tessera
