#include "tessera/text/internal/tokenizer_json.h"
#include "tessera/text/internal/unicode_text.h"

namespace tessera::text {
namespace {

void check_depth(const JsonObject& json, int depth) {
  if (depth > kDeepestSequence) {
    json.refuse(ErrorCode::bad_format, "Sequence nests more than {} deep", kDeepestSequence);
  }
}

SplitBehavior read_behavior(const JsonObject& json) {
  const std::string name = json.string("behavior");
  if (name == "Removed") return SplitBehavior::removed;
  if (name == "Isolated") return SplitBehavior::isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (name == "MergedWithNext") return SplitBehavior::merged_with_next;
  if (name == "Contiguous") return SplitBehavior::contiguous;
  json.refuse(ErrorCode::unsupported_op, "unknown split behavior {}", quote(name));
}

/// The one character that stands for a space.
std::string read_replacement(const JsonObject& json) {
  const std::string text = json.string("replacement");
  if (text.empty() || utf8_length(text[0]) != text.size()) {
    json.refuse(ErrorCode::bad_format, "\"replacement\" must be one character, it is {}",
                quote(text));
  }
  return text;
}

PrependScheme read_prepend_scheme(const JsonObject& json) {
  if (json.find("prepend_scheme") == nullptr) {
    return json.boolean("add_prefix_space", true) ? PrependScheme::always : PrependScheme::never;
  }
  const std::string name = json.string("prepend_scheme");
  if (name == "always") return PrependScheme::always;
  if (name == "first") return PrependScheme::first;
  if (name == "never") return PrependScheme::never;
  json.refuse(ErrorCode::bad_format, "unknown prepend_scheme {}", quote(name));
}

void read_pretokenizer_step(const JsonObject& json, PretokenizerPart& part, int depth) {
  check_depth(json, depth);
  const std::string type = json.string("type");
  if (type == "Sequence") {
    for (const JsonObject& step : json.objects("pretokenizers")) {
      read_pretokenizer_step(step, part, depth + 1);
    }
    return;
  }
  if (part.byte_level) {
    // What follows ByteLevel sees its characters, so they have to be written out.
    part.chain.push_back(make_byte_alphabet_pretokenizer());
    part.byte_level = false;
  }
  if (type == "ByteLevel") {
    if (json.boolean("add_prefix_space", true)) {
      part.chain.push_back(make_prefix_space_pretokenizer());
    }
    if (json.boolean("use_regex", true)) {
      part.chain.push_back(
          make_regex_split(Regex(kGpt2Pattern), SplitBehavior::isolated, /*invert=*/false));
    }
    part.byte_level = true;
  } else if (type == "Split") {
    const JsonPattern pattern = read_pattern(json.object("pattern"));
    const SplitBehavior behavior = read_behavior(json);
    const bool invert = json.boolean("invert", false);
    if (pattern.is_regex || !pattern.text.empty()) {
      part.chain.push_back(make_regex_split(
          pattern.is_regex ? Regex(pattern.text) : Regex::literal(pattern.text), behavior, invert));
    }
  } else if (type == "Digits") {
    part.chain.push_back(make_character_split(is_numeric, json.boolean("individual_digits", false)
                                                              ? SplitBehavior::isolated
                                                              : SplitBehavior::contiguous));
  } else if (type == "Punctuation") {
    part.chain.push_back(make_character_split(
        is_punctuation, json.find("behavior") ? read_behavior(json) : SplitBehavior::isolated));
  } else if (type == "Whitespace") {
    part.chain.push_back(make_whitespace_pretokenizer());
  } else if (type == "WhitespaceSplit") {
    part.chain.push_back(make_character_split(is_whitespace, SplitBehavior::removed));
  } else if (type == "Metaspace") {
    part.chain.push_back(make_metaspace_pretokenizer(
        read_replacement(json), read_prepend_scheme(json), json.boolean("split", true)));
  } else {
    json.refuse(ErrorCode::unsupported_op, "the pre-tokenizer {} is not supported", quote(type));
  }
}

/// Collects decoder steps; after Fuse only a strip at the start can work token by token.
struct DecoderReader {
  TokenDecoder decoder;
  bool fused = false;

  void read(const JsonObject& json, int depth) {
    check_depth(json, depth);
    using Kind = TokenDecoder::StepKind;
    const std::string type = json.string("type");
    if (type == "Sequence") {
      for (const JsonObject& step : json.objects("decoders")) read(step, depth + 1);
      return;
    }
    if (type == "Fuse") {
      fused = true;
      return;
    }
    if (fused && type != "Strip") {
      json.refuse(ErrorCode::unsupported_op, "the decoder {} after Fuse is not supported",
                  quote(type));
    }
    if (type == "ByteLevel") {
      decoder.add({.kind = Kind::byte_alphabet});
    } else if (type == "ByteFallback") {
      decoder.add({.kind = Kind::byte_fallback});
    } else if (type == "Replace") {
      const JsonPattern pattern = read_pattern(json.object("pattern"));
      if (pattern.is_regex || pattern.text.empty()) {
        json.refuse(ErrorCode::unsupported_op, "the decoder Replace needs a non-empty String");
      }
      decoder.add({.kind = Kind::replace, .from = pattern.text, .to = json.string("content")});
    } else if (type == "Metaspace") {
      decoder.add({.kind = Kind::metaspace,
                   .from = read_replacement(json),
                   .drop_first = read_prepend_scheme(json) != PrependScheme::never});
    } else if (type == "Strip") {
      read_strip(json);
    } else {
      json.refuse(ErrorCode::unsupported_op, "the decoder {} is not supported", quote(type));
    }
  }

  void read_strip(const JsonObject& json) {
    const std::string content = json.string("content");
    const std::int64_t left = json.integer("start");
    const std::int64_t right = json.integer("stop");
    if (content.empty() || left < 0 || right < 0 || (fused && right > 0)) {
      json.refuse(ErrorCode::unsupported_op,
                  "the decoder Strip with content {}, start {}, stop {} is not supported",
                  quote(content), left, right);
    }
    if (fused) {
      decoder.strip_start(content, static_cast<std::size_t>(left));
    } else {
      decoder.add({.kind = TokenDecoder::StepKind::strip,
                   .from = content,
                   .left = static_cast<std::size_t>(left),
                   .right = static_cast<std::size_t>(right)});
    }
  }
};

}  // namespace

void read_normalizer(const JsonObject& json, NormalizerChain& chain, int depth) {
  check_depth(json, depth);
  const std::string type = json.string("type");
  if (type == "Sequence") {
    for (const JsonObject& step : json.objects("normalizers")) {
      read_normalizer(step, chain, depth + 1);
    }
  } else if (type == "NFC") {
    chain.add(make_unicode_normalizer(UnicodeForm::nfc));
  } else if (type == "NFD") {
    chain.add(make_unicode_normalizer(UnicodeForm::nfd));
  } else if (type == "NFKC") {
    chain.add(make_unicode_normalizer(UnicodeForm::nfkc));
  } else if (type == "NFKD") {
    chain.add(make_unicode_normalizer(UnicodeForm::nfkd));
  } else if (type == "Lowercase") {
    chain.add(make_lowercase_normalizer());
  } else if (type == "StripAccents") {
    chain.add(make_strip_accents_normalizer());
  } else if (type == "Strip") {
    chain.add(
        make_strip_normalizer(json.boolean("strip_left", true), json.boolean("strip_right", true)));
  } else if (type == "Prepend") {
    chain.add(make_prepend_normalizer(json.string("prepend")));
  } else if (type == "Replace") {
    const JsonPattern pattern = read_pattern(json.object("pattern"));
    chain.add(pattern.is_regex
                  ? make_replace_normalizer(Regex(pattern.text), json.string("content"))
                  : make_replace_normalizer(pattern.text, json.string("content")));
  } else {
    json.refuse(ErrorCode::unsupported_op, "the normalizer {} is not supported", quote(type));
  }
}

PretokenizerPart read_pretokenizer(const JsonObject& json) {
  PretokenizerPart part;
  read_pretokenizer_step(json, part, 0);
  return part;
}

TokenDecoder read_decoder(const JsonObject& json) {
  DecoderReader reader;
  reader.read(json, 0);
  return std::move(reader.decoder);
}

}  // namespace tessera::text
