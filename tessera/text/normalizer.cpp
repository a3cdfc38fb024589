#include "tessera/text/internal/normalizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "tessera/core/internal/fail.h"
#include "tessera/text/internal/unicode_text.h"

namespace tessera::text {
namespace {

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::size_t found = text.find(from);
  if (found == std::string::npos) return;
  std::string out;
  std::size_t at = 0;
  for (; found != std::string::npos; found = text.find(from, at)) {
    out.append(text, at, found - at);
    out += to;
    at = found + from.size();
  }
  out.append(text, at);
  text = std::move(out);
}

class UnicodeNormalizer final : public Normalizer {
 public:
  explicit UnicodeNormalizer(UnicodeForm form)
      : compose_(form == UnicodeForm::nfc || form == UnicodeForm::nfkc) {
    int options = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
    if (form == UnicodeForm::nfkc || form == UnicodeForm::nfkd) options |= UTF8PROC_COMPAT;
    options_ = static_cast<utf8proc_option_t>(options);
  }

  std::string apply(std::string text) const override {
    if (is_ascii(text)) return text;
    std::vector<utf8proc_int32_t> points = decompose(text);
    order_marks(points);
    if (compose_) {
      const auto length = utf8proc_normalize_utf32(
          points.data(), static_cast<utf8proc_ssize_t>(points.size()),
          static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
      check(length);
      points.resize(static_cast<std::size_t>(length));
    }
    std::string out;
    out.reserve(text.size());
    for (const utf8proc_int32_t c : points) append_utf8(out, static_cast<char32_t>(c));
    return out;
  }

 private:
  static void check(utf8proc_ssize_t result) {
    if (result < 0) fail(ErrorCode::internal, "normalizer", "{}", utf8proc_errmsg(result));
  }

  std::vector<utf8proc_int32_t> decompose(std::string_view text) const {
    std::vector<utf8proc_int32_t> points;
    points.reserve(text.size());
    std::array<utf8proc_int32_t, 32> parts;  // the longest decomposition, U+FDFA, has 18
    for (std::size_t at = 0; at < text.size();) {
      const Utf8Step step = utf8_step_valid(text, at);
      at += step.length;
      int boundary_class = 0;
      const auto count =
          utf8proc_decompose_char(static_cast<utf8proc_int32_t>(step.code_point), parts.data(),
                                  parts.size(), options_, &boundary_class);
      check(count);
      points.insert(points.end(), parts.begin(), parts.begin() + count);
    }
    return points;
  }

  /// Canonical ordering. utf8proc's own is an insertion sort, quadratic on a long run of marks.
  static void order_marks(std::vector<utf8proc_int32_t>& points) {
    const auto combining_class = [](utf8proc_int32_t c) {
      return utf8proc_get_property(c)->combining_class;
    };
    auto at = points.begin();
    while (at != points.end()) {
      if (combining_class(*at) == 0) {
        ++at;
        continue;
      }
      const auto run_end =
          std::find_if(at, points.end(), [&](auto c) { return combining_class(c) == 0; });
      std::stable_sort(at, run_end, [&](utf8proc_int32_t a, utf8proc_int32_t b) {
        return combining_class(a) < combining_class(b);
      });
      at = run_end;
    }
  }

  bool compose_;
  utf8proc_option_t options_;
};

class LowercaseNormalizer final : public Normalizer {
 public:
  std::string apply(std::string text) const override {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
      const Utf8Step step = utf8_step_valid(text, at);
      at += step.length;
      if (step.code_point == 0x130) {
        out += "i\xCC\x87";  // the one full lower-case mapping that has two characters
      } else {
        append_utf8(out, static_cast<char32_t>(
                             utf8proc_tolower(static_cast<utf8proc_int32_t>(step.code_point))));
      }
    }
    return out;
  }
};

class StripAccentsNormalizer final : public Normalizer {
 public:
  std::string apply(std::string text) const override {
    if (is_ascii(text)) return text;
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const Utf8Step step = utf8_step_valid(text, at);
      if (!is_mark(step.code_point)) out.append(text, at, step.length);
      at += step.length;
    }
    return out;
  }
};

class StripNormalizer final : public Normalizer {
 public:
  StripNormalizer(bool left, bool right) : left_(left), right_(right) {}

  std::string apply(std::string text) const override {
    std::size_t begin = 0;
    std::size_t end = 0;  // behind the last character that stays
    bool seen = false;
    for (std::size_t at = 0; at < text.size();) {
      const Utf8Step step = utf8_step_valid(text, at);
      if (!is_whitespace(step.code_point)) {
        if (!seen) begin = at;
        seen = true;
        end = at + step.length;
      }
      at += step.length;
    }
    if (!seen) return left_ || right_ ? std::string() : text;
    if (!left_) begin = 0;
    if (!right_) end = text.size();
    return text.substr(begin, end - begin);
  }

 private:
  bool left_;
  bool right_;
};

class PrependNormalizer final : public Normalizer {
 public:
  explicit PrependNormalizer(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string apply(std::string text) const override {
    return text.empty() ? text : prefix_ + text;
  }

 private:
  std::string prefix_;
};

class ReplaceTextNormalizer final : public Normalizer {
 public:
  ReplaceTextNormalizer(std::string from, std::string to)
      : from_(std::move(from)), to_(std::move(to)) {}
  std::string apply(std::string text) const override {
    if (!from_.empty()) replace_all(text, from_, to_);
    return text;
  }

 private:
  std::string from_;
  std::string to_;
};

class ReplaceRegexNormalizer final : public Normalizer {
 public:
  ReplaceRegexNormalizer(Regex from, std::string to) : from_(std::move(from)), to_(std::move(to)) {}

  std::string apply(std::string text) const override {
    std::vector<Range> matches;
    from_.find_all(text, matches);
    std::string out;
    std::size_t at = 0;
    for (const Range& match : matches) {
      out.append(text, at, match.begin - at);
      out += to_;
      at = match.end;
    }
    out.append(text, at);
    return out;
  }

 private:
  Regex from_;
  std::string to_;
};

}  // namespace

std::unique_ptr<Normalizer> make_unicode_normalizer(UnicodeForm form) {
  return std::make_unique<UnicodeNormalizer>(form);
}
std::unique_ptr<Normalizer> make_lowercase_normalizer() {
  return std::make_unique<LowercaseNormalizer>();
}
std::unique_ptr<Normalizer> make_strip_accents_normalizer() {
  return std::make_unique<StripAccentsNormalizer>();
}
std::unique_ptr<Normalizer> make_strip_normalizer(bool left, bool right) {
  return std::make_unique<StripNormalizer>(left, right);
}
std::unique_ptr<Normalizer> make_prepend_normalizer(std::string prefix) {
  return std::make_unique<PrependNormalizer>(std::move(prefix));
}
std::unique_ptr<Normalizer> make_replace_normalizer(std::string from, std::string to) {
  return std::make_unique<ReplaceTextNormalizer>(std::move(from), std::move(to));
}
std::unique_ptr<Normalizer> make_replace_normalizer(Regex from, std::string to) {
  return std::make_unique<ReplaceRegexNormalizer>(std::move(from), std::move(to));
}

std::string NormalizerChain::apply(std::string_view text) const {
  std::string result(text);
  for (const auto& step : steps_) result = step->apply(std::move(result));
  return result;
}

}  // namespace tessera::text
