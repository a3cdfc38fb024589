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
    R"(\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚ)"
    R"(Ḁ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤ)"
    R"(Ⳬ-ⳮⲳⲳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+)";
constexpr std::string_view kDeepseekLlmPunctuation = R"(\s?[!-/:-~！-／：-～‘-‟\u3000-。]+)";
constexpr std::string_view kTrailingSpace = R"(\s+$)";
constexpr std::string_view kDeepseekV3Ideographs = "[一-龥぀-ゟ゠-ヿ]+";
constexpr std::string_view kDeepseekV3 =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|)"
    R"( ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kSuperBpeGroups = R"((?=(\d{3})+(?!\d)))";

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
  add({"superbpe"}, {.patterns = {kDigits, kSuperBpeGroups}});
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
