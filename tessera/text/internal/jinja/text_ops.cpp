#include "tessera/text/internal/jinja/text_ops.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tessera/text/internal/jinja/operators.h"
#include "tessera/text/internal/jinja/runtime.h"
#include "tessera/text/internal/jinja/unicode.h"

namespace tessera::jinja {
namespace {

/// Maps character by character: fn(at, code, out) appends what replaces it. Bytes outside valid
/// UTF-8 stay.
template <class Fn>
Text map_characters(Runtime& runtime, const Text& text, Fn fn) {
  Text out;
  out.reserve(text.size());
  std::size_t at = 0;
  text.for_each_piece([&](std::string_view piece, bool from_user) {
    std::string mapped;
    const std::size_t end = at + piece.size();
    while (at < end) {
      const unicode::Character character = unicode::decode(text.view(), at);
      if (character.code == unicode::kInvalid) {
        mapped.append(text.view(), at, character.size);
      } else {
        fn(at, character.code, mapped);
      }
      at += character.size;
    }
    out.append(mapped, from_user);
  });
  return charged(runtime, std::move(out));
}

std::size_t match_end(std::string_view text, std::size_t at, std::string_view chars) {
  const unicode::Character character = unicode::decode(text, at);
  return chars.find(text.substr(at, character.size)) == std::string_view::npos ? 0 : character.size;
}

/// Start of every character, for replacing between all of them.
Text insert_between(Runtime& runtime, const Text& text, const Text& to, std::int64_t count) {
  Text out;
  std::size_t at = 0;
  while (true) {
    if (count != 0) {
      out.append(to);
      runtime.allocate(to.size());
      --count;
    }
    if (at == text.size()) return out;
    const std::size_t size = unicode::decode(text.view(), at).size;
    out.append(text, at, at + size);
    at += size;
  }
}

}  // namespace

Text charged(Runtime& runtime, Text text) {
  runtime.allocate(text.size());
  return text;
}

Text strip(Runtime& runtime, const Text& text, std::optional<std::string_view> chars, Sides sides) {
  const std::string_view bytes = text.view();
  std::size_t begin = 0;
  std::size_t end = bytes.size();
  if (!chars) {
    if (sides != Sides::right) begin = unicode::skip_space(bytes, 0);
    if (sides != Sides::left) end = std::max(begin, unicode::trim_end(bytes, end));
    return charged(runtime, text.slice(begin, end));
  }
  runtime.work(bytes.size() * std::min<std::size_t>(chars->size(), 64));
  while (sides != Sides::right && begin < end) {
    const std::size_t size = match_end(bytes, begin, *chars);
    if (size == 0) break;
    begin += size;
  }
  while (sides != Sides::left && end > begin) {
    const std::size_t last = end - unicode::decode_before(bytes, end).size;
    if (match_end(bytes, last, *chars) == 0) break;
    end = last;
  }
  return charged(runtime, text.slice(begin, end));
}

Text replace(Runtime& runtime, const Text& text, std::string_view from, const Text& to,
             std::int64_t count) {
  if (from.empty()) return insert_between(runtime, text, to, count);
  Text out;
  std::size_t at = 0;
  while (count != 0) {
    const std::size_t found = find_bytes(runtime, text.view(), from, at);
    if (found == std::string_view::npos) break;
    runtime.allocate(to.size());
    out.append(text, at, found);
    out.append(to);
    at = found + from.size();
    --count;
  }
  out.append(text, at, text.size());
  runtime.allocate(text.size());
  return out;
}

std::vector<Text> split(Runtime& runtime, const Text& text, std::string_view separator,
                        std::int64_t limit) {
  std::vector<Text> parts;
  std::size_t at = 0;
  while (limit != 0) {
    const std::size_t found = find_bytes(runtime, text.view(), separator, at);
    if (found == std::string_view::npos) break;
    runtime.allocate(sizeof(Text));
    parts.push_back(charged(runtime, text.slice(at, found)));
    at = found + separator.size();
    --limit;
  }
  parts.push_back(charged(runtime, text.slice(at, text.size())));
  return parts;
}

std::vector<Text> split_right(Runtime& runtime, const Text& text, std::string_view separator,
                              std::int64_t limit) {
  if (limit < 0) return split(runtime, text, separator, limit);
  std::vector<Text> parts;
  std::size_t end = text.size();
  while (limit != 0) {
    const std::size_t found = rfind_bytes(runtime, text.view().substr(0, end), separator);
    if (found == std::string_view::npos) break;
    parts.push_back(charged(runtime, text.slice(found + separator.size(), end)));
    end = found;
    --limit;
  }
  parts.push_back(charged(runtime, text.slice(0, end)));
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<Text> split_space(Runtime& runtime, const Text& text, std::int64_t limit) {
  std::vector<Text> parts;
  const std::string_view bytes = text.view();
  std::size_t at = unicode::skip_space(bytes, 0);
  while (at < bytes.size()) {
    std::size_t end = at;
    if (limit == 0) {
      end = unicode::trim_end(bytes, bytes.size());
    } else {
      while (end < bytes.size()) {
        const unicode::Character character = unicode::decode(bytes, end);
        if (unicode::is_space(character.code)) break;
        end += character.size;
      }
    }
    runtime.allocate(sizeof(Text));
    // The rest of a limited split keeps its trailing white space.
    parts.push_back(charged(runtime, text.slice(at, limit == 0 ? bytes.size() : end)));
    if (limit == 0) break;
    --limit;
    at = unicode::skip_space(bytes, end);
  }
  return parts;
}

std::vector<Text> split_space_right(Runtime& runtime, const Text& text, std::int64_t limit) {
  std::vector<Text> parts;
  const std::string_view bytes = text.view();
  std::size_t end = unicode::trim_end(bytes, bytes.size());
  while (end > 0) {
    std::size_t begin = 0;
    if (limit != 0) {
      begin = end;
      while (begin > 0) {
        const unicode::Character character = unicode::decode_before(bytes, begin);
        if (unicode::is_space(character.code)) break;
        begin -= character.size;
      }
    }
    runtime.allocate(sizeof(Text));
    parts.push_back(charged(runtime, text.slice(begin, end)));
    if (limit == 0) break;
    --limit;
    end = unicode::trim_end(bytes, begin);
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<Text> split_lines(Runtime& runtime, const Text& text, bool keep_ends) {
  std::vector<Text> lines;
  const std::string_view bytes = text.view();
  std::size_t begin = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const unicode::Character character = unicode::decode(bytes, at);
    std::size_t next = at + character.size;
    if (unicode::is_line_break(character.code)) {
      if (character.code == '\r' && next < bytes.size() && bytes[next] == '\n') ++next;
      runtime.allocate(sizeof(Text));
      lines.push_back(charged(runtime, text.slice(begin, keep_ends ? next : at)));
      begin = next;
    }
    at = next;
  }
  if (begin < bytes.size()) lines.push_back(charged(runtime, text.slice(begin, bytes.size())));
  return lines;
}

Text upper(Runtime& runtime, const Text& text) {
  return map_characters(runtime, text, [](std::size_t, char32_t code, std::string& out) {
    unicode::append_upper(code, out);
  });
}

Text lower(Runtime& runtime, const Text& text) {
  return map_characters(runtime, text, [&text](std::size_t at, char32_t code, std::string& out) {
    unicode::append_lower(text.view(), at, code, out);
  });
}

Text swap_case(Runtime& runtime, const Text& text) {
  return map_characters(runtime, text, [&text](std::size_t at, char32_t code, std::string& out) {
    if (unicode::is_upper(code)) {
      unicode::append_lower(text.view(), at, code, out);
    } else if (unicode::is_lower(code)) {
      unicode::append_upper(code, out);
    } else {
      unicode::encode(code, out);
    }
  });
}

Text capitalize(Runtime& runtime, const Text& text) {
  return map_characters(runtime, text, [&text](std::size_t at, char32_t code, std::string& out) {
    if (at == 0) {
      unicode::append_title(code, out);
    } else {
      unicode::append_lower(text.view(), at, code, out);
    }
  });
}

Text title(Runtime& runtime, const Text& text) {
  bool in_word = false;
  return map_characters(runtime, text, [&](std::size_t at, char32_t code, std::string& out) {
    if (in_word) {
      unicode::append_lower(text.view(), at, code, out);
    } else {
      unicode::append_title(code, out);
    }
    in_word = unicode::is_upper(code) || unicode::is_lower(code) || unicode::is_title(code);
  });
}

Text pad(Runtime& runtime, const Text& text, std::int64_t width, Align align, const Text& fill) {
  const auto size = static_cast<std::int64_t>(unicode::count(text.view()));
  runtime.work(text.size());
  const std::int64_t missing = width - size;
  if (missing <= 0) return charged(runtime, text);
  // Charged before anything is made: the width may be any number.
  constexpr std::int64_t kCountable = std::int64_t{1} << 40;
  runtime.allocate(text.size() +
                   fill.size() * static_cast<std::size_t>(std::min(missing, kCountable)));
  std::int64_t left = 0;
  if (align == Align::right) left = missing;
  if (align == Align::middle) left = missing / 2;
  if (align == Align::center) left = missing / 2 + (missing & width & 1);
  Text out;
  const auto add_fill = [&](std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) out.append(fill);
  };
  add_fill(left);
  out.append(text);
  add_fill(missing - left);
  return out;
}

Text join(Runtime& runtime, const Text& separator, const std::vector<Text>& parts) {
  Text out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      runtime.allocate(separator.size());
      out.append(separator);
    }
    runtime.allocate(parts[i].size());
    out.append(parts[i]);
  }
  return out;
}

}  // namespace tessera::jinja
