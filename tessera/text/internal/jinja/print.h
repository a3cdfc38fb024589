// Values as text: Python's str() and repr().
#pragma once

#include <string>
#include <string_view>

#include "tessera/text/internal/jinja/value.h"

namespace tessera::jinja {

/// str(value): what {{ value }} writes. Strings keep their origin; a container that holds any
/// user text is user text as a whole.
Text to_text(Runtime& runtime, const Value& value);

/// repr(value): strings in quotes.
Text repr(Runtime& runtime, const Value& value, int depth = 0);

/// repr of a float: the shortest digits that read back alike, "1.0", "1e+22", "inf", "nan".
std::string float_repr(double value);

/// repr of a string: quotes chosen and characters escaped as Python does.
std::string quoted(std::string_view text);

/// The open-close form shared by lists, tuples and views: "[1, 'a']".
Text repr_items(Runtime& runtime, const Items& items, std::string_view open, std::string_view close,
                int depth);
Text repr_dict(Runtime& runtime, const Dict& dict, int depth);

/// `bytes` marked as user text when `source` holds any.
Text with_origin_of(std::string bytes, const Text& source);

}  // namespace tessera::jinja
