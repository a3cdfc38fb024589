// The escapes of a string literal, by Python's rules.
#pragma once

#include <string>
#include <string_view>

namespace tessera::jinja {

/// Appends the body of a literal (without its quotes) to `out` with its escapes resolved; an
/// unknown escape stays as written. False for a cut or impossible \x, \u or \U and for \N{name}.
bool unescape_literal(std::string_view body, std::string& out);

}  // namespace tessera::jinja
