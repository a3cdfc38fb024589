#include "tessera/text/internal/jinja/expression_parser.h"

#include <algorithm>
#include <utility>

namespace tessera::jinja {
namespace {

constexpr int kMaxTreeDepth = 150;

int depth_of(const ExprPtr& expr) {
  return expr ? expr->depth : 0;
}

int depth_of(const std::vector<ExprPtr>& exprs) {
  int depth = 0;
  for (const ExprPtr& expr : exprs) depth = std::max(depth, depth_of(expr));
  return depth;
}

int depth_of(const CallArguments& arguments) {
  int depth = std::max({depth_of(arguments.positional), depth_of(arguments.unpacked),
                        depth_of(arguments.unpacked_named)});
  for (const auto& [name, value] : arguments.named) depth = std::max(depth, depth_of(value));
  return depth;
}

/// Depth of the deepest child of a node.
struct ChildDepth {
  int operator()(const Literal&) const { return 0; }
  int operator()(const Name&) const { return 0; }
  int operator()(const ListLiteral& n) const { return depth_of(n.items); }
  int operator()(const TupleLiteral& n) const { return depth_of(n.items); }
  int operator()(const DictLiteral& n) const {
    int depth = 0;
    for (const auto& [key, value] : n.entries) {
      depth = std::max({depth, depth_of(key), depth_of(value)});
    }
    return depth;
  }
  int operator()(const Attribute& n) const { return depth_of(n.object); }
  int operator()(const Subscript& n) const { return std::max(depth_of(n.object), depth_of(n.key)); }
  int operator()(const Slice& n) const {
    return std::max({depth_of(n.object), depth_of(n.start), depth_of(n.stop), depth_of(n.step)});
  }
  int operator()(const Call& n) const {
    return std::max(depth_of(n.function), depth_of(n.arguments));
  }
  int operator()(const FilterCall& n) const {
    return std::max(depth_of(n.input), depth_of(n.arguments));
  }
  int operator()(const PredicateCall& n) const {
    return std::max(depth_of(n.input), depth_of(n.arguments));
  }
  int operator()(const Unary& n) const { return depth_of(n.operand); }
  int operator()(const Binary& n) const { return std::max(depth_of(n.left), depth_of(n.right)); }
  int operator()(const Logical& n) const { return std::max(depth_of(n.left), depth_of(n.right)); }
  int operator()(const Concatenation& n) const { return depth_of(n.parts); }
  int operator()(const Comparison& n) const {
    int depth = depth_of(n.first);
    for (const auto& [op, operand] : n.rest) depth = std::max(depth, depth_of(operand));
    return depth;
  }
  int operator()(const Conditional& n) const {
    return std::max({depth_of(n.condition), depth_of(n.then), depth_of(n.otherwise)});
  }
};

std::optional<CompareOp> compare_op(const Token& token) {
  if (token.is_op("==")) return CompareOp::equal;
  if (token.is_op("!=")) return CompareOp::not_equal;
  if (token.is_op("<")) return CompareOp::less;
  if (token.is_op("<=")) return CompareOp::less_equal;
  if (token.is_op(">")) return CompareOp::greater;
  if (token.is_op(">=")) return CompareOp::greater_equal;
  if (token.is_name("in")) return CompareOp::in;
  return std::nullopt;
}

}  // namespace

ExprPtr ExpressionParser::make(int line, Expr::Node node) {
  const int depth = 1 + std::visit(ChildDepth{}, node);
  if (depth > kMaxTreeDepth) {
    stream_.error("an expression with more than {} chained or nested parts", kMaxTreeDepth);
  }
  return std::make_unique<Expr>(Expr{std::move(node), line, depth});
}

ExprPtr ExpressionParser::parse(bool with_conditional) {
  const TokenStream::Level level(stream_);
  return with_conditional ? parse_conditional() : parse_or();
}

bool ExpressionParser::at_tuple_end(std::string_view stop) const {
  const Token& token = stream_.current();
  return token.type == TokenType::variable_end || token.type == TokenType::block_end ||
         token.is_op(")") || (!stop.empty() && token.is_name(stop));
}

ExprPtr ExpressionParser::parse_tuple(bool with_conditional, std::string_view stop) {
  const int line = stream_.line();
  std::vector<ExprPtr> items;
  bool is_tuple = false;
  while (true) {
    if (!items.empty()) stream_.expect_op(",");
    if (at_tuple_end(stop)) break;
    items.push_back(parse(with_conditional));
    if (!stream_.current().is_op(",")) break;
    is_tuple = true;
  }
  if (items.empty()) stream_.unexpected("an expression");
  if (!is_tuple) return std::move(items.front());
  return make(line, TupleLiteral{std::move(items)});
}

ExprPtr ExpressionParser::parse_conditional() {
  ExprPtr expr = parse_or();
  while (stream_.current().is_name("if")) {
    const int line = stream_.next().line;
    ExprPtr condition = parse_or();
    ExprPtr otherwise;
    if (stream_.skip_name("else")) {
      const TokenStream::Level level(stream_);
      otherwise = parse_conditional();
    }
    expr = make(line, Conditional{std::move(condition), std::move(expr), std::move(otherwise)});
  }
  return expr;
}

ExprPtr ExpressionParser::parse_or() {
  ExprPtr left = parse_and();
  while (stream_.current().is_name("or")) {
    const int line = stream_.next().line;
    left = make(line, Logical{false, std::move(left), parse_and()});
  }
  return left;
}

ExprPtr ExpressionParser::parse_and() {
  ExprPtr left = parse_not();
  while (stream_.current().is_name("and")) {
    const int line = stream_.next().line;
    left = make(line, Logical{true, std::move(left), parse_not()});
  }
  return left;
}

ExprPtr ExpressionParser::parse_not() {
  if (!stream_.current().is_name("not")) return parse_comparison();
  const TokenStream::Level level(stream_);
  const int line = stream_.next().line;
  return make(line, Unary{UnaryOp::logical_not, parse_not()});
}

ExprPtr ExpressionParser::parse_comparison() {
  const int line = stream_.line();
  ExprPtr first = parse_sum();
  std::vector<std::pair<CompareOp, ExprPtr>> rest;
  while (true) {
    if (const auto op = compare_op(stream_.current())) {
      stream_.next();
      rest.emplace_back(*op, parse_sum());
    } else if (stream_.current().is_name("not") && stream_.look().is_name("in")) {
      stream_.next();
      stream_.next();
      rest.emplace_back(CompareOp::not_in, parse_sum());
    } else {
      break;
    }
  }
  if (rest.empty()) return first;
  return make(line, Comparison{std::move(first), std::move(rest)});
}

ExprPtr ExpressionParser::parse_sum() {
  ExprPtr left = parse_concatenation();
  while (stream_.current().is_op("+") || stream_.current().is_op("-")) {
    const Token token = stream_.next();
    const BinaryOp op = token.text == "+" ? BinaryOp::add : BinaryOp::subtract;
    left = make(token.line, Binary{op, std::move(left), parse_concatenation()});
  }
  return left;
}

ExprPtr ExpressionParser::parse_concatenation() {
  const int line = stream_.line();
  std::vector<ExprPtr> parts;
  parts.push_back(parse_product());
  while (stream_.skip_op("~")) parts.push_back(parse_product());
  if (parts.size() == 1) return std::move(parts.front());
  return make(line, Concatenation{std::move(parts)});
}

ExprPtr ExpressionParser::parse_product() {
  ExprPtr left = parse_power();
  while (true) {
    const Token& token = stream_.current();
    const int line = token.line;
    BinaryOp op;
    if (token.is_op("*")) {
      op = BinaryOp::multiply;
    } else if (token.is_op("/")) {
      op = BinaryOp::divide;
    } else if (token.is_op("//")) {
      op = BinaryOp::floor_divide;
    } else if (token.is_op("%")) {
      op = BinaryOp::modulo;
    } else {
      return left;
    }
    stream_.next();
    left = make(line, Binary{op, std::move(left), parse_power()});
  }
}

ExprPtr ExpressionParser::parse_power() {
  ExprPtr left = parse_unary();
  while (stream_.current().is_op("**")) {
    const int line = stream_.next().line;
    left = make(line, Binary{BinaryOp::power, std::move(left), parse_unary()});
  }
  return left;
}

ExprPtr ExpressionParser::parse_unary(bool with_filters) {
  const int line = stream_.line();
  ExprPtr expr;
  if (stream_.current().is_op("-") || stream_.current().is_op("+")) {
    const TokenStream::Level level(stream_);
    const UnaryOp op = stream_.next().text == "-" ? UnaryOp::negate : UnaryOp::plus;
    expr = make(line, Unary{op, parse_unary(/*with_filters=*/false)});
  } else {
    expr = parse_primary();
  }
  expr = parse_postfix(std::move(expr));
  return with_filters ? parse_filters_and_tests(std::move(expr)) : std::move(expr);
}

ExprPtr ExpressionParser::parse_primary() {
  const Token& token = stream_.current();
  const int line = token.line;
  switch (token.type) {
    case TokenType::name: return parse_name();
    case TokenType::string: {
      std::string text;
      while (stream_.current().type == TokenType::string) text += stream_.next().text;
      return make(line, Literal{Value::string(text)});
    }
    case TokenType::integer: return make(line, Literal{Value(stream_.next().integer)});
    case TokenType::floating: return make(line, Literal{Value(stream_.next().floating)});
    case TokenType::op:
      if (token.is_op("(")) {
        stream_.next();
        if (stream_.skip_op(")")) return make(line, TupleLiteral{});
        ExprPtr inner = parse_tuple();
        stream_.expect_op(")");
        return inner;
      }
      if (token.is_op("[")) return parse_list();
      if (token.is_op("{")) return parse_dict();
      break;
    default: break;
  }
  stream_.unexpected("an expression");
}

ExprPtr ExpressionParser::parse_name() {
  const Token token = stream_.next();
  if (token.text == "true" || token.text == "True") return make(token.line, Literal{Value(true)});
  if (token.text == "false" || token.text == "False") {
    return make(token.line, Literal{Value(false)});
  }
  if (token.text == "none" || token.text == "None") return make(token.line, Literal{Value()});
  names_read_.insert(token.text);
  return make(token.line, Name{token.text});
}

ExprPtr ExpressionParser::parse_list() {
  const int line = stream_.next().line;
  std::vector<ExprPtr> items;
  while (!stream_.skip_op("]")) {
    if (!items.empty()) {
      stream_.expect_op(",");
      if (stream_.skip_op("]")) break;
    }
    items.push_back(parse());
  }
  return make(line, ListLiteral{std::move(items)});
}

ExprPtr ExpressionParser::parse_dict() {
  const int line = stream_.next().line;
  std::vector<std::pair<ExprPtr, ExprPtr>> entries;
  while (!stream_.skip_op("}")) {
    if (!entries.empty()) {
      stream_.expect_op(",");
      if (stream_.skip_op("}")) break;
    }
    ExprPtr key = parse();
    stream_.expect_op(":");
    entries.emplace_back(std::move(key), parse());
  }
  return make(line, DictLiteral{std::move(entries)});
}

ExprPtr ExpressionParser::parse_postfix(ExprPtr expr) {
  while (true) {
    const Token& token = stream_.current();
    if (token.is_op(".") || token.is_op("[")) {
      expr = parse_subscript(std::move(expr));
    } else if (token.is_op("(")) {
      expr = parse_call(std::move(expr));
    } else {
      return expr;
    }
  }
}

ExprPtr ExpressionParser::parse_filters_and_tests(ExprPtr expr) {
  while (true) {
    const Token& token = stream_.current();
    if (token.is_op("|")) {
      expr = parse_filters(std::move(expr), /*first_without_pipe=*/false);
    } else if (token.is_name("is")) {
      expr = parse_test(std::move(expr));
    } else if (token.is_op("(")) {
      expr = parse_call(std::move(expr));
    } else {
      return expr;
    }
  }
}

ExprPtr ExpressionParser::parse_subscript(ExprPtr object) {
  const Token opening = stream_.next();
  const int line = opening.line;
  if (opening.text == ".") {
    if (stream_.current().type == TokenType::integer) {
      ExprPtr index = make(line, Literal{Value(stream_.next().integer)});
      return make(line, Subscript{std::move(object), std::move(index)});
    }
    return make(line, Attribute{std::move(object), stream_.expect_identifier()});
  }

  const auto at_part_end = [this] {
    const Token& token = stream_.current();
    return token.is_op(":") || token.is_op("]") || token.is_op(",");
  };
  ExprPtr first = at_part_end() ? nullptr : parse();
  if (stream_.skip_op(":")) {
    ExprPtr stop = at_part_end() ? nullptr : parse();
    ExprPtr step;
    if (stream_.skip_op(":") && !at_part_end()) step = parse();
    stream_.expect_op("]");
    return make(line, Slice{std::move(object), std::move(first), std::move(stop), std::move(step)});
  }
  if (!first) stream_.unexpected("an expression");
  if (stream_.current().is_op(",")) {
    std::vector<ExprPtr> items;
    items.push_back(std::move(first));
    while (stream_.skip_op(",") && !stream_.current().is_op("]")) items.push_back(parse());
    first = make(line, TupleLiteral{std::move(items)});
  }
  stream_.expect_op("]");
  return make(line, Subscript{std::move(object), std::move(first)});
}

ExprPtr ExpressionParser::parse_call(ExprPtr function) {
  const int line = stream_.line();
  return make(line, Call{std::move(function), parse_arguments()});
}

CallArguments ExpressionParser::parse_arguments() {
  CallArguments arguments;
  stream_.expect_op("(");
  bool first = true;
  while (!stream_.skip_op(")")) {
    if (!first) {
      stream_.expect_op(",");
      if (stream_.skip_op(")")) break;
    }
    first = false;
    if (stream_.skip_op("*")) {
      if (arguments.unpacked || arguments.unpacked_named) stream_.error("a second * argument");
      arguments.unpacked = parse();
    } else if (stream_.skip_op("**")) {
      if (arguments.unpacked_named) stream_.error("a second ** argument");
      arguments.unpacked_named = parse();
    } else if (stream_.current().type == TokenType::name && stream_.look().is_op("=")) {
      if (arguments.unpacked_named) stream_.error("a keyword argument after **");
      std::string name = stream_.next().text;
      stream_.next();
      arguments.named.emplace_back(std::move(name), parse());
    } else {
      if (!arguments.named.empty() || arguments.unpacked || arguments.unpacked_named) {
        stream_.error("a positional argument after a keyword argument");
      }
      arguments.positional.push_back(parse());
    }
  }
  return arguments;
}

ExprPtr ExpressionParser::parse_filters(ExprPtr input, bool first_without_pipe) {
  while (first_without_pipe || stream_.current().is_op("|")) {
    if (!first_without_pipe) stream_.next();
    first_without_pipe = false;
    const int line = stream_.line();
    std::string name = stream_.expect_identifier();
    while (stream_.skip_op(".")) name += "." + stream_.expect_identifier();
    CallArguments arguments;
    if (stream_.current().is_op("(")) arguments = parse_arguments();
    const FilterFunction function = find_filter(name);
    input =
        make(line, FilterCall{std::move(input), std::move(name), function, std::move(arguments)});
  }
  return input;
}

ExprPtr ExpressionParser::parse_test(ExprPtr input) {
  const int line = stream_.next().line;
  const bool negated = stream_.skip_name("not");
  std::string name = stream_.expect_identifier();
  while (stream_.skip_op(".")) name += "." + stream_.expect_identifier();
  CallArguments arguments;
  const Token& token = stream_.current();
  if (token.is_op("(")) {
    arguments = parse_arguments();
  } else if ((token.type == TokenType::name && token.text != "else" && token.text != "or" &&
              token.text != "and") ||
             token.type == TokenType::string || token.type == TokenType::integer ||
             token.type == TokenType::floating || token.is_op("[") || token.is_op("{")) {
    if (token.is_name("is")) stream_.error("tests cannot be chained with a second 'is'");
    arguments.positional.push_back(parse_postfix(parse_primary()));
  }
  const PredicateFunction function = find_predicate(name);
  ExprPtr test =
      make(line, PredicateCall{std::move(input), std::move(name), function, std::move(arguments)});
  if (!negated) return test;
  return make(line, Unary{UnaryOp::logical_not, std::move(test)});
}

}  // namespace tessera::jinja
