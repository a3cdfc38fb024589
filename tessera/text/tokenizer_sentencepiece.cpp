// SentencePiece models: the protocol buffer ModelProto of sentencepiece_model.proto, as far as a
// BPE model needs it.
#include <cstring>

#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/quote.h"
#include "tessera/text/internal/spm_parts.h"
#include "tessera/text/internal/tokenizer_config.h"
#include "tessera/text/internal/tokenizer_files.h"

namespace tessera::text {
namespace {

/// Walks the fields of one protocol buffer message.
class ProtoReader {
 public:
  ProtoReader(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  /// Goes to the next field; false at the end.
  bool next() {
    if (at_ == bytes_.size()) return false;
    const std::uint64_t key = varint();
    field = key >> 3;
    switch (key & 7) {
      case 0: number = varint(); break;
      case 1: data = take(8); break;
      case 2: data = take(varint()); break;
      case 5: data = take(4); break;
      default: refuse(fmt::format("unknown wire type {}", key & 7));
    }
    return true;
  }

  /// The field as a float; it must have been one of four bytes.
  float as_float() const {
    if (data.size() != sizeof(float)) refuse("a score that is no float");
    float value;
    std::memcpy(&value, data.data(), sizeof(value));
    return value;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    fail(ErrorCode::bad_format, file_, "not a SentencePiece model: {} at byte {} of a message",
         what, at_);
  }

  std::uint64_t field = 0;
  std::uint64_t number = 0;
  std::string_view data;

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) refuse("a number is cut off");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    refuse("a number of more than ten bytes");
  }

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - at_) refuse(fmt::format("a field of {} bytes is cut off", size));
    const std::string_view taken = bytes_.substr(at_, size);
    at_ += size;
    return taken;
  }

  std::string_view bytes_;
  std::string file_;
  std::size_t at_ = 0;
};

struct SpmFile {
  std::shared_ptr<Vocabulary> vocabulary = std::make_shared<Vocabulary>();
  std::vector<float> scores;
  std::vector<TokenType> types;
  std::uint64_t model_type = 1;  // 1 unigram, 2 BPE, 3 word, 4 char
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
  bool suffix_whitespace = false;
  bool has_character_map = false;
  // Negative ids, which switch a token off, are ten-byte numbers and become -1 when narrowed.
  std::int32_t unk = 0;
  std::int32_t bos = 1;
  std::int32_t eos = 2;
  std::int32_t pad = -1;
};

void read_piece(ProtoReader reader, SpmFile& file) {
  std::string text;
  float score = 0;
  std::uint64_t type = 1;
  while (reader.next()) {
    if (reader.field == 1) text = reader.data;
    if (reader.field == 2) score = reader.as_float();
    if (reader.field == 3) type = reader.number;
  }
  if (type < 1 || type > 6) reader.refuse(fmt::format("token type {}", type));
  file.vocabulary->add(static_cast<std::int32_t>(file.scores.size()), std::move(text));
  file.scores.push_back(score);
  file.types.push_back(static_cast<TokenType>(type));
}

void read_trainer(ProtoReader reader, SpmFile& file) {
  while (reader.next()) {
    switch (reader.field) {
      case 3: file.model_type = reader.number; break;
      case 24: file.suffix_whitespace = reader.number != 0; break;
      case 40: file.unk = static_cast<std::int32_t>(reader.number); break;
      case 41: file.bos = static_cast<std::int32_t>(reader.number); break;
      case 42: file.eos = static_cast<std::int32_t>(reader.number); break;
      case 43: file.pad = static_cast<std::int32_t>(reader.number); break;
      default: break;
    }
  }
}

void read_normalizer_spec(ProtoReader reader, SpmFile& file) {
  while (reader.next()) {
    switch (reader.field) {
      case 2: file.has_character_map = !reader.data.empty(); break;
      case 3: file.add_dummy_prefix = reader.number != 0; break;
      case 4: file.remove_extra_whitespaces = reader.number != 0; break;
      case 5: file.escape_whitespaces = reader.number != 0; break;
      default: break;
    }
  }
}

void check_supported(const SpmFile& file, const std::string& name) {
  if (file.model_type != 2) {
    fail(ErrorCode::unsupported_op, name, "SentencePiece model type {} is not supported, only BPE",
         file.model_type == 1   ? "Unigram"
         : file.model_type == 3 ? "word"
                                : "char");
  }
  if (file.has_character_map || file.remove_extra_whitespaces || !file.escape_whitespaces ||
      file.suffix_whitespace) {
    fail(ErrorCode::unsupported_op, name,
         "this SentencePiece normalization is not supported (character map {}, "
         "remove_extra_whitespaces {}, escape_whitespaces {}, treat_whitespace_as_suffix {})",
         file.has_character_map, file.remove_extra_whitespaces, file.escape_whitespaces,
         file.suffix_whitespace);
  }
}

}  // namespace

std::unique_ptr<Tokenizer> load_sentencepiece(const std::filesystem::path& path) {
  const std::string bytes = read_text_file(path);
  const std::string name = path.string();
  SpmFile file;
  ProtoReader reader(bytes, name);
  while (reader.next()) {
    if (reader.field == 1) read_piece({reader.data, name}, file);
    if (reader.field == 2) read_trainer({reader.data, name}, file);
    if (reader.field == 3) read_normalizer_spec({reader.data, name}, file);
  }
  if (file.scores.empty()) reader.refuse("no tokens");
  check_supported(file, name);

  const auto id_or_none = [&](std::int32_t id) -> std::optional<std::int32_t> {
    return id >= 0 && id < file.vocabulary->size() ? std::optional(id) : std::nullopt;
  };
  SpmTokens tokens;
  tokens.vocabulary = file.vocabulary;
  tokens.scores = std::move(file.scores);
  tokens.types = std::move(file.types);
  tokens.unknown = id_or_none(file.unk);
  tokens.add_space_prefix = file.add_dummy_prefix;
  TokenizerParts parts = make_spm_parts(std::move(tokens));
  parts.special.bos = id_or_none(file.bos);
  parts.special.eos = id_or_none(file.eos);
  parts.special.pad = id_or_none(file.pad);
  // Llama, Mistral and Gemma, whose files these are, begin a text with bos and do not end it.
  if (parts.special.bos) parts.prefix = {*parts.special.bos};
  read_tokenizer_configs(path.parent_path(), /*has_template=*/true, parts);
  return std::make_unique<TokenizerPipeline>(std::move(parts));
}

}  // namespace tessera::text
