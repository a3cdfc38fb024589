#include "tessera/text/internal/added_tokens.h"

#include <algorithm>

#include "tessera/core/internal/fail.h"
#include "tessera/text/internal/unicode_text.h"

namespace tessera::text {
namespace {

constexpr std::size_t kLongest = 4096;

std::size_t character_start_before(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

bool word_before(std::string_view text, std::size_t end) {
  return end > 0 && is_word(utf8_step(text, character_start_before(text, end)).code_point);
}

bool word_after(std::string_view text, std::size_t begin) {
  return begin < text.size() && is_word(utf8_step(text, begin).code_point);
}

std::size_t skip_space_left(std::string_view text, std::size_t end, std::size_t stop) {
  while (end > stop) {
    const std::size_t at = character_start_before(text, end);
    if (at < stop || !is_whitespace(utf8_step(text, at).code_point)) break;
    end = at;
  }
  return end;
}

std::size_t skip_space_right(std::string_view text, std::size_t begin) {
  while (begin < text.size()) {
    const Utf8Step step = utf8_step(text, begin);
    if (!is_whitespace(step.code_point)) break;
    begin += step.length;
  }
  return begin;
}

bool is_plain_word(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

enum class Origin { other, mixed, plain };

/// Whether a match consists of what may be a special token, of plain text, or of both.
Origin origin_of(std::string_view text, const Range& match, std::span<const Range> plain) {
  const auto ends_before = [](const Range& range, std::size_t at) { return range.end <= at; };
  auto range = std::lower_bound(plain.begin(), plain.end(), match.begin, ends_before);
  Origin origin = Origin::other;
  for (; range != plain.end() && range->begin < match.end; ++range) {
    if (range->begin <= match.begin && range->end >= match.end) return Origin::plain;
    const bool inside = range->begin > match.begin && range->end < match.end;
    if (!inside || !is_plain_word(text.substr(range->begin, range->size()))) origin = Origin::mixed;
  }
  return origin;
}

}  // namespace

AddedTokenMatcher::AddedTokenMatcher() : nodes_(1), roots_(256, -1) {}

std::int32_t AddedTokenMatcher::child(std::int32_t node, unsigned char byte) const {
  for (const auto& [edge, next] : nodes_[node].children) {
    if (edge == byte) return next;
  }
  return -1;
}

void AddedTokenMatcher::add(AddedToken token) {
  if (token.text.empty()) return;
  if (token.text.size() > kLongest) {
    fail(ErrorCode::bad_format, "added tokens", "token {} has {} bytes, at most {} are read",
         token.id, token.text.size(), kLongest);
  }
  std::int32_t node = 0;
  for (const char c : token.text) {
    const auto byte = static_cast<unsigned char>(c);
    std::int32_t next = node == 0 ? roots_[byte] : child(node, byte);
    if (next < 0) {
      next = static_cast<std::int32_t>(nodes_.size());
      nodes_.emplace_back();
      if (node == 0) {
        roots_[byte] = next;
      } else {
        nodes_[node].children.emplace_back(byte, next);
      }
    }
    node = next;
  }
  if (nodes_[node].token >= 0) return;
  nodes_[node].token = static_cast<std::int32_t>(tokens_.size());
  tokens_.push_back(std::move(token));
}

const AddedToken* AddedTokenMatcher::longest_at(std::string_view text, std::size_t at) const {
  std::int32_t node = roots_[static_cast<unsigned char>(text[at])];
  std::int32_t best = -1;
  while (node >= 0) {
    if (nodes_[node].token >= 0) best = nodes_[node].token;
    if (++at == text.size()) break;
    node = child(node, static_cast<unsigned char>(text[at]));
  }
  return best < 0 ? nullptr : &tokens_[best];
}

void AddedTokenMatcher::split(
    std::string_view text, std::span<const Range> plain,
    function_ref<void(const Range& part, const AddedToken* token)> visit) const {
  std::size_t done = 0;  // everything before it has been visited
  std::size_t at = 0;
  while (!empty() && at < text.size()) {
    const AddedToken* token = longest_at(text, at);
    if (token == nullptr) {
      ++at;
      continue;
    }
    Range match{at, at + token->text.size()};
    at = match.end;
    if (token->special) {
      const Origin origin = origin_of(text, match, plain);
      // Of a mixed match the rest may still hold a token that is meant as one.
      if (origin == Origin::mixed) at = match.begin + 1;
      if (origin != Origin::other) continue;
    }
    if (token->single_word && (word_before(text, match.begin) || word_after(text, match.end))) {
      continue;
    }
    if (match.begin < done) continue;  // inside white space that the token before took in
    if (token->lstrip) match.begin = skip_space_left(text, match.begin, done);
    if (token->rstrip) match.end = skip_space_right(text, match.end);
    if (match.begin > done) visit({done, match.begin}, nullptr);
    visit(match, token);
    done = match.end;
  }
  if (done < text.size()) visit({done, text.size()}, nullptr);
}

}  // namespace tessera::text
