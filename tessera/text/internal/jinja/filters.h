// The filters: value|name(arguments).
#pragma once

#include <string_view>

#include "tessera/text/internal/jinja/value.h"

namespace tessera::jinja {

struct Arguments;

using FilterFunction = Value (*)(Runtime& runtime, const Value& input, const Arguments& arguments);

/// Null when there is no filter of that name. Jinja's built-in ones are here but for pprint,
/// random, striptags, urlize and xmlattr, which make no prompt.
FilterFunction find_filter(std::string_view name);

// One table per kind, each in the file of its name.
FilterFunction find_text_filter(std::string_view name);
FilterFunction find_sequence_filter(std::string_view name);
FilterFunction find_value_filter(std::string_view name);

}  // namespace tessera::jinja
