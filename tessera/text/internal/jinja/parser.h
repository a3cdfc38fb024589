// The parser: template text to statements.
#pragma once

#include <string_view>

#include "tessera/text/internal/jinja/ast.h"

namespace tessera::jinja {

/// errors  bad_format with the line: syntax, an unknown tag, or nesting past the parser's bounds
Block parse(std::string_view source);

}  // namespace tessera::jinja
