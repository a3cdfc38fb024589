#include "tessera/text/internal/tokenizer_gguf_pre.h"

#include <map>

#include "tessera/text/internal/pretokenizer.h"

namespace tessera::text {
namespace {

// Named after the model that introduced the pattern.
constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen35 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|)"
    R"( ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kTekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kGpt4o =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";
constexpr std::string_view kBloom = R"( ?[^(\s|.,!?…。，、।۔،)]+)";
constexpr std::string_view kDigit = R"(\p{N})";
constexpr std::string_view kUpTo3Digits = R"(\p{N}{1,3})";
constexpr std::string_view kDigits = R"(\p{N}+)";
constexpr std::string_view kThreeAsciiDigits = "[0-9][0-9][0-9]";
constexpr std::string_view kFalconPunctuation = R"([\p{P}$+<=>^~|`]+)";
constexpr std::string_view kNewline = R"([\r\n])";
constexpr std::string_view kDeepseekIdeographs = R"([一-龥\u0800-一가-\ud7ff]+)";
constexpr std::string_view kDeepseekLlmLetters =
    R"(\s?[A-Za-z\x{b5}\x{c0}-\x{d6}\x{d8}-\x{f6}\x{f8}-\x{1ba}\x{1bc}-\x{1bf}\x{1c4}-\x{293})"
    R"(\x{295}-\x{2af}\x{370}-\x{373}\x{376}\x{377}\x{37b}-\x{37d}\x{37f}\x{386})"
    R"(\x{388}-\x{38a}\x{38c}\x{38e}-\x{3a1}\x{3a3}-\x{3f5}\x{3f7}-\x{481}\x{48a}-\x{52f})"
    R"(\x{531}-\x{556}\x{10a0}-\x{10c5}\x{13a0}-\x{13f5}\x{13f8}-\x{13fd}\x{1c90}-\x{1cba})"
    R"(\x{1cbd}-\x{1cbf}\x{1d00}-\x{1d2b}\x{1d6b}-\x{1d77}\x{1d79}-\x{1d9a})"
    R"(\x{1e00}-\x{1f15}\x{1f18}-\x{1f1d}\x{1f20}-\x{1f45}\x{1f48}-\x{1f4d})"
    R"(\x{1f50}-\x{1f57}\x{1f59}\x{1f5b}\x{1f5d}\x{1f5f}-\x{1f7d}\x{1f80}-\x{1fb4})"
    R"(\x{1fb6}-\x{1fbc}\x{1fbe}\x{1fc2}-\x{1fc4}\x{1fc6}-\x{1fcc}\x{1fd0}-\x{1fd3})"
    R"(\x{1fd6}-\x{1fdb}\x{1fe0}-\x{1fec}\x{1ff2}-\x{1ff4}\x{1ff6}-\x{1ffc}\x{2102}\x{2107})"
    R"(\x{210a}-\x{2113}\x{2115}\x{2119}-\x{211d}\x{2124}\x{2126}\x{2128}\x{212a}-\x{212d})"
    R"(\x{212f}-\x{2134}\x{2139}\x{213c}-\x{213f}\x{2145}-\x{2149}\x{214e}\x{2183}\x{2184})"
    R"(\x{2c00}-\x{2c7b}\x{2c7e}-\x{2ce4}\x{2ceb}-\x{2cee}\x{2cf2}\x{2cf3}\x{a640}-\x{a66d})"
    R"(\x{a680}-\x{a69b}\x{a722}-\x{a76f}\x{a771}-\x{a787}\x{a78b}-\x{a78e})"
    R"(\x{ab70}-\x{abbf}\x{fb00}-\x{fb06}\x{fb13}-\x{fb17}\x{ff21}-\x{ff3a})"
    R"(\x{ff41}-\x{ff5a}\x{10400}-\x{1044f}\x{104b0}-\x{104d3}\x{104d8}-\x{104fb})"
    R"(\x{10c80}-\x{10cb2}\x{10cc0}-\x{10cf2}\x{118a0}-\x{118df}\x{1e900}-\x{1e943}]+)";
constexpr std::string_view kDeepseekLlmPunctuation = R"(\s?[!-/:-~！-／：-～‘-‟\u3000-。]+)";
// The models write \s+$, which takes quadratic time on a long run of spaces; newlines are split off
// before it, so this finds the same.
constexpr std::string_view kTrailingSpace = R"((?<!\s)\s++$)";
constexpr std::string_view kDeepseekV3Ideographs = "[一-龥぀-ゟ゠-ヿ]+";
constexpr std::string_view kDeepseekV3 =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|)"
    R"( ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

using Table = std::map<std::string_view, GgufPretokenizer>;

Table make_table() {
  const std::string_view gpt2 = kGpt2Pattern;
  Table table;
  const auto add = [&](std::initializer_list<std::string_view> names, const GgufPretokenizer& pre) {
    for (const std::string_view name : names) table.emplace(name, pre);
  };
  add({"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"},
      {.patterns = {kLlama3}, .ignore_merges = true, .add_bos = true});
  add({"dbrx", "smaug-bpe", "chatglm-bpe", "glm4"}, {.patterns = {kLlama3}});
  add({"qwen2", "deepseek-r1-qwen", "megrez"}, {.patterns = {kQwen2}, .nfc = true});
  add({"stablelm2", "hunyuan", "solar-open", "grok-2"}, {.patterns = {kQwen2}});
  add({"qwen35"}, {.patterns = {kQwen35}, .nfc = true});
  add({"tekken"}, {.patterns = {kTekken}, .ignore_merges = true, .add_bos = true});
  add({"gpt-4o", "llama4", "kanana2", "minimax-m2"}, {.patterns = {kGpt4o}});
  add({"gpt-2", "phi-2", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de", "gigachat", "a.x-4.0",
       "mellum", "modern-bert", "roberta-bpe", "jina-v1-en", "jina-v2-code", "jais", "trillion",
       "granite-docling", "exaone4"},
      {.patterns = {gpt2}});
  add({"mpt", "olmo"}, {.patterns = {gpt2}, .nfc = true});
  add({"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"},
      {.patterns = {kDigit, gpt2}});
  add({"deepseek-llm"}, {.patterns = {kNewline, kDeepseekLlmLetters, kDeepseekLlmPunctuation,
                                      kTrailingSpace, kDeepseekIdeographs, kDigits}});
  add({"deepseek-coder"},
      {.patterns = {kNewline, R"(\s?\p{L}+)", R"(\s?\p{P}+)", kDeepseekIdeographs, kDigit}});
  add({"deepseek-v3", "hunyuan-dense"},
      {.patterns = {kUpTo3Digits, kDeepseekV3Ideographs, kDeepseekV3}});
  add({"falcon"}, {.patterns = {kFalconPunctuation, gpt2, kThreeAsciiDigits}});
  add({"bloom", "poro-chat", "gpt3-finnish"}, {.patterns = {kBloom}});
  add({"viking"}, {.patterns = {kBloom, kDigit}});
  add({"default"}, {.patterns = {kFalconPunctuation, gpt2, kDigits, kThreeAsciiDigits}});
  return table;
}

}  // namespace

const GgufPretokenizer* find_gguf_pretokenizer(std::string_view name) {
  static const Table table = make_table();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace tessera::text
