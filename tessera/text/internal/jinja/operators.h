// The operators of expressions: arithmetic, membership, attributes, subscripts and slices.
#pragma once

#include <optional>
#include <string_view>

#include "tessera/text/internal/jinja/ast.h"
#include "tessera/text/internal/jinja/value.h"

namespace tessera::jinja {

/// errors  bad_format for types the operator is not defined for, division by zero, and integer
///         results beyond 64 bits
Value binary(Runtime& runtime, BinaryOp op, const Value& left, const Value& right);
Value negate(Runtime& runtime, const Value& value);
Value plus(Runtime& runtime, const Value& value);

/// item in container
bool contains(Runtime& runtime, const Value& container, const Value& item);

/// What a loop over the value visits: items, characters or keys.
/// errors  bad_format for values that cannot be iterated
std::shared_ptr<const Items> iterate(Runtime& runtime, const Value& value);
bool is_iterable(const Value& value);
/// len(value), or nothing where Python has none.
std::optional<std::int64_t> length(Runtime& runtime, const Value& value);

/// value.name: a method or attribute, else value["name"], else undefined.
Value attribute(Runtime& runtime, const Value& value, std::string_view name);
/// value[key]: the item, else (for a string key) the attribute, else undefined.
Value subscript(Runtime& runtime, const Value& value, const Value& key);
/// A path such as "function.name" or "0", as filters take for `attribute`.
Value attribute_path(Runtime& runtime, const Value& value, const Value& path,
                     const Value* fallback = nullptr);
/// value[start:stop:step], each part None where left out.
Value slice(Runtime& runtime, const Value& value, const Value& start, const Value& stop,
            const Value& step);

/// Byte position of `needle` in `text` from `from` on, in time linear in both; npos when absent.
std::size_t find_bytes(Runtime& runtime, std::string_view text, std::string_view needle,
                       std::size_t from = 0);

/// Position of the last occurrence; npos when absent. Linear too.
std::size_t rfind_bytes(Runtime& runtime, std::string_view text, std::string_view needle);

/// Makes a string value and charges for it.
Value make_string(Runtime& runtime, Text text, bool markup = false);

/// <, >, &, quotes as HTML entities.
Text escape_html(Runtime& runtime, const Text& text);

}  // namespace tessera::jinja
