// int("...") and float("...") as Python reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::jinja {

/// Blanks round it, a sign and single underscores between digits are allowed; base 0 follows a
/// 0x, 0o or 0b prefix. Nothing when it is no integer or beyond 64 bits.
std::optional<std::int64_t> parse_integer(std::string_view text, std::int64_t base);
std::optional<double> parse_float(std::string_view text);

}  // namespace tessera::jinja
