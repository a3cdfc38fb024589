// Parses expressions, in Jinja's order of precedence (lowest first): conditional, or, and, not,
// comparison, + -, ~, * / // %, **, unary sign, then postfixes, filters and tests.
#pragma once

#include <set>
#include <string>

#include "tessera/text/internal/jinja/ast.h"
#include "tessera/text/internal/jinja/token_stream.h"

namespace tessera::jinja {

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& stream) : stream_(stream) {}

  /// with_conditional: whether "a if b else c" may stand here.
  ExprPtr parse(bool with_conditional = true);
  /// One expression, or a tuple without parentheses.
  /// stop: a name that ends the tuple after a trailing comma, besides closing marks
  ExprPtr parse_tuple(bool with_conditional = true, std::string_view stop = {});
  /// name(args)|name: a chain that starts at `input` (null for captured text). The first name may
  /// follow directly (as in {% filter upper %}) instead of after a pipe.
  ExprPtr parse_filters(ExprPtr input, bool first_without_pipe);

  /// Names read since the last call; the statement parser asks for what a macro's body mentions.
  std::set<std::string>& names_read() { return names_read_; }

 private:
  ExprPtr parse_conditional();
  ExprPtr parse_or();
  ExprPtr parse_and();
  ExprPtr parse_not();
  ExprPtr parse_comparison();
  ExprPtr parse_sum();
  ExprPtr parse_concatenation();
  ExprPtr parse_product();
  ExprPtr parse_power();
  ExprPtr parse_unary(bool with_filters = true);
  ExprPtr parse_primary();
  ExprPtr parse_name();
  ExprPtr parse_list();
  ExprPtr parse_dict();
  ExprPtr parse_postfix(ExprPtr expr);
  ExprPtr parse_filters_and_tests(ExprPtr expr);
  ExprPtr parse_subscript(ExprPtr object);
  ExprPtr parse_test(ExprPtr input);
  ExprPtr parse_call(ExprPtr function);
  CallArguments parse_arguments();

  bool at_tuple_end(std::string_view stop) const;
  ExprPtr make(int line, Expr::Node node);

  TokenStream& stream_;
  std::set<std::string> names_read_;
};

}  // namespace tessera::jinja
