#include "tessera/text/internal/tokenizer_pipeline.h"

#include <algorithm>
#include <array>

#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/quote.h"
#include "tessera/text/internal/unicode_text.h"

namespace tessera::text {
namespace {

constexpr std::size_t kLongestText = std::size_t{1} << 31;

void check_length(std::string_view text) {
  if (text.size() >= kLongestText) {
    fail(ErrorCode::invalid_argument, "encode", "a text of {} bytes; cut it, the limit is {}",
         text.size(), kLongestText);
  }
}

/// Replaces what is not UTF-8, and moves the ranges along.
std::string repair(std::string_view text, std::vector<Range>& ranges) {
  std::string repaired;
  std::size_t done = 0;
  const auto repair_to = [&](std::size_t end) {
    repaired += repair_utf8(text.substr(done, end - done));
    done = end;
    return repaired.size();
  };
  for (Range& range : ranges) {
    range.begin = repair_to(range.begin);
    range.end = repair_to(range.end);
  }
  repair_to(text.size());
  return repaired;
}

/// What of the ranges lies in `part`, counted from its beginning.
std::vector<Range> clip(std::span<const Range> ranges, const Range& part) {
  std::vector<Range> inside;
  for (const Range& range : ranges) {
    const std::size_t begin = std::max(range.begin, part.begin);
    const std::size_t end = std::min(range.end, part.end);
    if (begin < end) inside.push_back({begin - part.begin, end - part.begin});
  }
  return inside;
}

/// Ranges of a text as ranges of the normalized text. Where a border cannot be told, all is plain.
std::vector<Range> normalize_ranges(const NormalizerChain& normalizer, std::string_view text,
                                    std::string_view normalized, std::vector<Range> ranges) {
  for (Range& range : ranges) {
    for (std::size_t* border : {&range.begin, &range.end}) {
      const std::string before = normalizer.apply(text.substr(0, *border));
      if (!normalized.starts_with(before)) return {{0, normalized.size()}};
      *border = before.size();
    }
  }
  return ranges;
}

std::vector<Range> plain_ranges(std::string_view text, const EncodeOptions& options) {
  if (!options.parse_special) return {{0, text.size()}};
  std::vector<Range> plain;
  std::size_t last = 0;
  for (const ByteRange& range : options.typed) {
    if (range.begin < last || range.end < range.begin || range.end > text.size()) {
      fail(ErrorCode::invalid_argument, "encode",
           "typed range [{}, {}) is out of order or outside the text of {} bytes", range.begin,
           range.end, text.size());
    }
    last = range.end;
    if (range.begin < range.end) plain.push_back({range.begin, range.end});
  }
  return plain;
}

}  // namespace

TokenizerPipeline::TokenizerPipeline(TokenizerParts parts) : parts_(std::move(parts)) {
  size_ = parts_.vocabulary->size();
  for (AddedToken& token : parts_.added) {
    const std::string* own = parts_.vocabulary->text(token.id);
    if (token.id < 0 || (own != nullptr && *own != token.text && !parts_.added_are_normalized)) {
      fail(ErrorCode::bad_format, "added tokens", "{} has the id {}, which belongs to {}",
           quote(token.text), token.id, own == nullptr ? "no token" : quote(*own));
    }
    added_by_text_.emplace(token.text, token.id);
    // From here on a normalized token is known by its normalized text, as in the reference.
    if (token.normalized && !parts_.added_are_normalized) {
      token.text = parts_.normalizer.apply(token.text);
      added_by_text_.emplace(token.text, token.id);
    }
    const auto [entry, is_new] = added_by_id_.try_emplace(token.id, token);
    if (!is_new) {
      if (entry->second.text == token.text) continue;
      fail(ErrorCode::bad_format, "added tokens", "{} and {} both have the id {}",
           quote(entry->second.text), quote(token.text), token.id);
    }
    size_ = std::max(size_, token.id + 1);
    (token.normalized ? normalized_ : raw_).add(token);
  }
}

void TokenizerPipeline::cut(std::string_view text, bool at_start, Visitor visit) const {
  PretokenizedText pieces(text, at_start);
  for (const auto& step : parts_.pretokenizers) step->apply(pieces);
  for (const Range& range : pieces.pieces) visit(pieces.piece(range), -1);
}

void TokenizerPipeline::for_each_piece(std::string_view text, std::span<const Range> plain,
                                       Visitor visit) const {
  raw_.split(text, plain, [&](const Range& part, const AddedToken* token) {
    if (token != nullptr) return visit(token->text, token->id);
    std::string_view segment = text.substr(part.begin, part.size());
    std::vector<Range> inner_plain;
    if (!normalized_.empty()) inner_plain = clip(plain, part);
    std::string normalized;
    if (!parts_.normalizer.empty()) {
      normalized = parts_.normalizer.apply(segment);
      if (!normalized_.empty() && inner_plain != std::vector<Range>{{0, segment.size()}}) {
        inner_plain =
            normalize_ranges(parts_.normalizer, segment, normalized, std::move(inner_plain));
      } else {
        inner_plain = {{0, normalized.size()}};
      }
      segment = normalized;
    }
    normalized_.split(segment, inner_plain, [&](const Range& inner, const AddedToken* found) {
      if (found != nullptr) return visit(found->text, found->id);
      cut(segment.substr(inner.begin, inner.size()), part.begin == 0 && inner.begin == 0, visit);
    });
  });
}

std::vector<std::int32_t> TokenizerPipeline::encode(std::string_view text,
                                                    const EncodeOptions& options) const {
  check_length(text);
  std::vector<Range> plain = plain_ranges(text, options);
  std::string repaired;
  if (utf8_valid_prefix(text) != text.size()) {
    repaired = repair(text, plain);
    text = repaired;
    check_length(text);
  }
  std::vector<std::int32_t> ids;
  ids.reserve(text.size() / 4 + 8);
  if (options.add_special_tokens) ids = parts_.prefix;
  for_each_piece(text, plain, [&](std::string_view piece, std::int32_t id) {
    if (id >= 0) {
      ids.push_back(id);
    } else {
      parts_.model->encode(piece, ids);
    }
  });
  if (options.add_special_tokens) {
    ids.insert(ids.end(), parts_.suffix.begin(), parts_.suffix.end());
  }
  return ids;
}

std::vector<std::int32_t> TokenizerPipeline::encode_bytes(std::string_view bytes) const {
  if (!parts_.model->takes_bytes()) {
    fail(ErrorCode::unsupported_op, "encode_bytes",
         "this vocabulary is not byte-level; use encode, which reads UTF-8");
  }
  check_length(bytes);
  std::vector<std::int32_t> ids;
  const auto encode_piece = [&](std::string_view piece, std::int32_t) {
    parts_.model->encode(piece, ids);
  };
  while (!bytes.empty()) {
    const std::size_t good = utf8_valid_prefix(bytes);
    if (good > 0) cut(bytes.substr(0, good), /*at_start=*/false, encode_piece);
    std::size_t bad = good;
    while (bad < bytes.size()) {
      const Utf8Step step = utf8_step(bytes, bad);
      if (step.valid) break;
      bad += step.length;
    }
    if (bad > good) encode_piece(bytes.substr(good, bad - good), -1);
    bytes.remove_prefix(bad);
  }
  return ids;
}

std::vector<std::string> TokenizerPipeline::pretokenize(std::string_view text) const {
  check_length(text);
  const std::string valid = repair_utf8(text);
  std::vector<std::string> pieces;
  const Range all{0, valid.size()};
  for_each_piece(valid, {&all, 1},
                 [&](std::string_view piece, std::int32_t) { pieces.emplace_back(piece); });
  return pieces;
}

void TokenizerPipeline::append_bytes(std::int32_t id, DecodeState& state, std::string& out) const {
  const auto added = added_by_id_.find(id);
  if (added != added_by_id_.end()) {
    parts_.decoder.append(added->second.text, /*is_added=*/true, state, out);
  } else if (const std::string* text = parts_.vocabulary->text(id)) {
    parts_.decoder.append(*text, /*is_added=*/false, state, out);
  }
}

std::optional<std::string> TokenizerPipeline::token_text(std::int32_t id) const {
  const auto added = added_by_id_.find(id);
  if (added != added_by_id_.end()) return added->second.text;
  const std::string* text = parts_.vocabulary->text(id);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

std::optional<std::int32_t> TokenizerPipeline::token_to_id(std::string_view token) const {
  const auto added = added_by_text_.find(std::string(token));
  if (added != added_by_text_.end()) return added->second;
  return parts_.vocabulary->find(token);
}

bool TokenizerPipeline::is_special(std::int32_t id) const {
  const auto added = added_by_id_.find(id);
  return added != added_by_id_.end() && added->second.special;
}

std::vector<bool> special_ids(const std::vector<AddedToken>& added) {
  std::vector<bool> special;
  for (const AddedToken& token : added) {
    if (!token.special || token.id < 0) continue;
    const auto id = static_cast<std::size_t>(token.id);
    if (special.size() <= id) special.resize(id + 1);
    special[id] = true;
  }
  return special;
}

std::vector<std::int32_t> end_of_generation_ids(const std::vector<AddedToken>& added,
                                                std::vector<std::int32_t> declared) {
  static constexpr std::array<std::string_view, 16> kNames = {
      "<|eot_id|>",
      "<|eom_id|>",
      "<|end_of_text|>",
      "<|im_end|>",
      "<|endoftext|>",
      "<|end|>",
      "<end_of_turn>",
      "<turn|>",
      "<|end_of_turn|>",
      "<|return|>",
      "<|call|>",
      "<|eot|>",
      "<｜end▁of▁sentence｜>",
      "<end_of_utterance>",
      "<EOT>",
      "<|END_OF_TURN_TOKEN|>",
  };
  for (const AddedToken& token : added) {
    if (token.special && std::find(kNames.begin(), kNames.end(), token.text) != kNames.end()) {
      declared.push_back(token.id);
    }
  }
  std::sort(declared.begin(), declared.end());
  declared.erase(std::unique(declared.begin(), declared.end()), declared.end());
  return declared;
}

}  // namespace tessera::text
