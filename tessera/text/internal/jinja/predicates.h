// What Jinja calls tests: value is name(arguments).
#pragma once

#include <string_view>

#include "tessera/text/internal/jinja/value.h"

namespace tessera::jinja {

struct Arguments;

using PredicateFunction = bool (*)(Runtime& runtime, const Value& input,
                                   const Arguments& arguments);

/// Null when there is no test of that name.
PredicateFunction find_predicate(std::string_view name);

}  // namespace tessera::jinja
