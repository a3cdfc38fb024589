// Numbers by a format spec: [[fill]align][sign][#][0][width][,][.precision][type].
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tessera/text/internal/jinja/value.h"

namespace tessera::jinja {

struct FormatSpec {
  std::string fill = " ";
  char align = 0;  ///< < > ^ = or 0 for the type's own
  char sign = '-';
  bool alternate = false;
  char grouping = 0;  ///< , or _
  std::int64_t width = 0;
  std::optional<std::int64_t> precision;
  char type = 0;
};

/// A spec as in "{:>8.2f}".
/// errors  bad_format when it is none
FormatSpec parse_format_spec(Runtime& runtime, std::string_view spec);

/// The value by the spec; strings keep their origin.
Text format_value(Runtime& runtime, const Value& value, const FormatSpec& spec);

/// The largest width or precision accepted.
inline constexpr std::int64_t kMaxFormatSize = 100000;

}  // namespace tessera::jinja
