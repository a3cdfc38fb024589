// Tokenizer: text to token ids and back, for the vocabularies of tokenizer.json, GGUF,
// SentencePiece (.model), Tekken (tekken.json) and tiktoken files.
//
//   auto tokenizer = load_tokenizer("model-folder");            // or tokenizer_from_gguf(file)
//   std::vector<std::int32_t> ids = tokenizer->encode("Hello");
//   std::string text = tokenizer->decode(ids);
//   StreamDecoder stream(*tokenizer);                           // token by token: stream_decoder.h
//
// Ids equal those of the reference implementation of each file kind: Hugging Face tokenizers,
// SentencePiece, tiktoken. tests/text/ holds them to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

struct GgufFile;

/// A half-open range [begin, end) of a text's bytes.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct EncodeOptions {
  /// Add what the file says belongs around a text (beginning-of-text and the like).
  bool add_special_tokens = true;
  /// Read "<|im_end|>" and other special tokens inside the text as those tokens. Off by default:
  /// in text that a user typed they are ordinary characters and must stay so.
  bool parse_special = false;
  /// With parse_special: ranges of the text, in order and apart, in which special tokens are
  /// ordinary characters all the same, because a user typed them. A token across such a range is
  /// read only when the range lies inside it and is a plain word: templates spell "<|" role "|>".
  std::vector<ByteRange> typed = {};
};

/// Special tokens by role; a role the file does not declare is empty.
struct SpecialTokens {
  std::optional<std::int32_t> bos;
  std::optional<std::int32_t> eos;
  std::optional<std::int32_t> pad;
  std::optional<std::int32_t> unk;
  /// All tokens that end a generation (eos, <|eot_id|>, <|im_end|>, <end_of_turn>, ...); sorted.
  std::vector<std::int32_t> end_of_generation;
};

/// How far a decoding has come; starts out value-initialised, used by one decoding only.
struct DecodeState {
  std::size_t tokens = 0;     ///< decoded before this one
  std::size_t stripped = 0;   ///< leading characters removed
  bool text_started = false;  ///< some text has been given out
};

/// Immutable: any number of threads may use one tokenizer.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Text to ids. Input that is not UTF-8 is read with one U+FFFD per maximal invalid sequence (as
  /// WHATWG decoders and Python's errors='replace' do); a zero byte is a character like any other.
  /// errors  invalid_argument for a text of 2 GiB or more
  virtual std::vector<std::int32_t> encode(std::string_view text,
                                           const EncodeOptions& options = {}) const = 0;

  /// Bytes to ids without loss: decoding without repair gives these very bytes. Nothing is
  /// normalized, added or parsed; bytes that are not UTF-8 form pieces of their own.
  /// errors  unsupported_op unless this is a byte-level vocabulary with a token for each byte
  virtual std::vector<std::int32_t> encode_bytes(std::string_view bytes) const = 0;

  /// The pieces, in the model's input form, inside which encode() may merge.
  virtual std::vector<std::string> pretokenize(std::string_view text) const = 0;

  /// Ids to text, always valid UTF-8: one U+FFFD per maximal invalid sequence. An id without a
  /// token (models pad their vocabularies) gives nothing.
  /// skip_special_tokens  leave out ids for which is_special() holds
  /// errors  invalid_argument for a negative id
  std::string decode(std::span<const std::int32_t> ids, bool skip_special_tokens = false) const;

  /// The bytes of one token as they stand inside a text; half a character is possible.
  /// errors  not_found when the id has no token
  std::string token_bytes(std::int32_t id) const;

  /// Appends what the next token of a decoding adds, as bytes. For decode() and StreamDecoder.
  virtual void append_bytes(std::int32_t id, DecodeState& state, std::string& out) const = 0;

  /// A token as the vocabulary spells it ("Ġthe", "▁the", "<0x0A>"; its bytes in Tekken and
  /// tiktoken files); nullopt without a token.
  virtual std::optional<std::string> token_text(std::int32_t id) const = 0;
  /// The id of such a spelling.
  virtual std::optional<std::int32_t> token_to_id(std::string_view token) const = 0;

  /// One above the highest id.
  virtual std::int32_t vocab_size() const = 0;
  virtual const SpecialTokens& special_tokens() const = 0;
  /// Control tokens, which are no part of a text. False for an id without a token.
  virtual bool is_special(std::int32_t id) const = 0;
  bool is_end_of_generation(std::int32_t id) const;
};

/// Opens a folder (tokenizer.json, else tekken.json, else tokenizer.model; beside it
/// tokenizer_config.json, special_tokens_map.json, generation_config.json where they exist) or one
/// such file.
/// errors  not_found, io; bad_format naming file and field; unsupported_op naming a component or
///         model type (WordPiece, Unigram) that is not read
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& folder_or_file);

/// The tokenizer in a GGUF file's metadata (tokenizer.ggml.*), of model "gpt2" or "llama".
/// errors  bad_format naming the key; unsupported_op naming the model or pre-tokenizer
std::unique_ptr<Tokenizer> tokenizer_from_gguf(const GgufFile& file);

/// What a tiktoken rank file does not say itself.
struct TiktokenOptions {
  /// The regular expression that cuts text into pieces.
  std::string pattern;
  /// Special tokens and their ids, above the ranks.
  std::vector<std::pair<std::string, std::int32_t>> special_tokens;
};

/// A tiktoken rank file: lines of base64 token bytes, a space and the rank.
/// errors  not_found, io; bad_format naming the line
std::unique_ptr<Tokenizer> load_tiktoken(const std::filesystem::path& file,
                                         const TiktokenOptions& options);

/// tokenizer.json from memory, with no files beside it. `name` is for messages.
std::unique_ptr<Tokenizer> parse_tokenizer_json(std::string_view json, const std::string& name);

}  // namespace tessera
