// Wrapping a line at word boundaries, as Python's textwrap does for the wordwrap filter.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/text/internal/jinja/text.h"

namespace tessera::jinja {

class Runtime;

struct WrapOptions {
  std::int64_t width = 79;  ///< characters
  bool break_long_words = true;
  bool break_on_hyphens = true;
};

/// The lines of one wrapped line; none for an empty or blank one.
/// errors  bad_format when the width is not positive
std::vector<Text> word_wrap(Runtime& runtime, const Text& line, const WrapOptions& options);

}  // namespace tessera::jinja
