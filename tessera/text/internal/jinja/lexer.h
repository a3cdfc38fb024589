// The lexer: template text to tokens, with the white-space rules that published chat templates
// are written for: trim_blocks and lstrip_blocks on, one trailing newline dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::jinja {

enum class TokenType {
  data,            ///< text to be written as it is
  variable_begin,  ///< {{
  variable_end,    ///< }}
  block_begin,     ///< {%
  block_end,       ///< %}
  name,
  string,
  integer,
  floating,
  op,  ///< an operator or bracket: its characters are the token's text
  end,
};

struct Token {
  TokenType type = TokenType::end;
  int line = 1;
  std::string text;          // name, operator, data, or a string with its escapes resolved
  std::int64_t integer = 0;  // for integer
  double floating = 0;       // for floating

  bool is_op(std::string_view op) const { return type == TokenType::op && text == op; }
  bool is_name(std::string_view name) const { return type == TokenType::name && text == name; }
};

/// Ends with one token of type `end`.
/// errors  bad_format with the line: an unclosed tag, comment, bracket or string
std::vector<Token> tokenize(std::string_view source);

}  // namespace tessera::jinja
