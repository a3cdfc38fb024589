// Formatting: the % operator, str.format and the format filter.
#pragma once

#include <string_view>

#include "tessera/text/internal/jinja/value.h"

namespace tessera::jinja {

struct Arguments;

/// format % values: a tuple gives one value per conversion, a dict serves %(name)s.
/// errors  bad_format for a wrong number or type of values, or a conversion Python does not have
Value percent_format(Runtime& runtime, const String& format, const Value& values);

/// format.format(*arguments): {}, {0}, {name}, {name.attribute}, {0[key]}, !r !s, and a spec.
Value brace_format(Runtime& runtime, const String& format, const Arguments& arguments);

/// round(value, precision), Python's round half to even on the exact decimal value.
double round_half_even(double value, int precision);

}  // namespace tessera::jinja
