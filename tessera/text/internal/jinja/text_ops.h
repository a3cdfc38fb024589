// What Python's str methods do, on texts that keep their origin. Positions are bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tessera/text/internal/jinja/text.h"

namespace tessera::jinja {

class Runtime;

enum class Sides { left, right, both };
/// Without `chars` white space goes, else every character that occurs in it.
Text strip(Runtime& runtime, const Text& text, std::optional<std::string_view> chars,
           Sides sides = Sides::both);

/// count < 0 replaces all. An empty `from` matches between all characters, as in Python.
Text replace(Runtime& runtime, const Text& text, std::string_view from, const Text& to,
             std::int64_t count = -1);

/// At a separator (not empty), at most `limit` times (all when negative), from the left or right.
std::vector<Text> split(Runtime& runtime, const Text& text, std::string_view separator,
                        std::int64_t limit);
std::vector<Text> split_right(Runtime& runtime, const Text& text, std::string_view separator,
                              std::int64_t limit);
/// At runs of white space; no empty parts.
std::vector<Text> split_space(Runtime& runtime, const Text& text, std::int64_t limit);
std::vector<Text> split_space_right(Runtime& runtime, const Text& text, std::int64_t limit);
std::vector<Text> split_lines(Runtime& runtime, const Text& text, bool keep_ends);

Text upper(Runtime& runtime, const Text& text);
Text lower(Runtime& runtime, const Text& text);
Text swap_case(Runtime& runtime, const Text& text);
/// First character in title case, the rest lower.
Text capitalize(Runtime& runtime, const Text& text);
/// str.title: after every character without case a word begins.
Text title(Runtime& runtime, const Text& text);

/// center: as str.center, where an odd pad's extra blank depends on the width's parity; middle: as
/// a format's ^, where it goes right.
enum class Align { left, right, center, middle };
/// Pads with `fill` (one character) to `width` characters.
Text pad(Runtime& runtime, const Text& text, std::int64_t width, Align align, const Text& fill);

Text join(Runtime& runtime, const Text& separator, const std::vector<Text>& parts);

/// Charges for a text that has just been made.
Text charged(Runtime& runtime, Text text);

}  // namespace tessera::jinja
