// Python's truth, equality, order and hash of values.
#pragma once

#include <compare>
#include <cstddef>
#include <string_view>

#include "tessera/text/internal/jinja/value.h"

namespace tessera::jinja {

bool truthy(const Value& value);

/// 1 == 1.0 == True; containers item by item; undefined equals only undefined.
bool equals(Runtime& runtime, const Value& a, const Value& b);

/// errors  bad_format for types without an order ("'<' not supported between str and int")
bool less(Runtime& runtime, const Value& a, const Value& b);
bool less_equal(Runtime& runtime, const Value& a, const Value& b);

/// Equal values hash alike.
/// errors  bad_format for lists and dicts
std::size_t hash_of(Runtime& runtime, const Value& value);
std::size_t hash_of(std::string_view text);

}  // namespace tessera::jinja
