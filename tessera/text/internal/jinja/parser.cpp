#include "tessera/text/internal/jinja/parser.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "tessera/text/internal/jinja/expression_parser.h"
#include "tessera/text/internal/jinja/lexer.h"
#include "tessera/text/internal/jinja/token_stream.h"

namespace tessera::jinja {
namespace {

class StatementParser {
 public:
  explicit StatementParser(std::string_view source)
      : stream_(tokenize(source)), expressions_(stream_) {}

  Block parse_template() { return parse_block({}); }

 private:
  using EndTags = std::initializer_list<std::string_view>;

  /// Statements up to one of `end_tags`, whose name is then the current token.
  Block parse_block(EndTags end_tags);
  /// The rest of an opening tag, then the block, then the end tag whole.
  Block parse_body(std::string_view end_tag);
  Block parse_body_until(EndTags end_tags);
  void end_tag() { stream_.expect(TokenType::block_end, "'%}'"); }

  void parse_statement(Block& block);
  Statement::Node parse_named(const Token& tag);
  Statement::Node parse_for();
  Statement::Node parse_if();
  Statement::Node parse_set();
  Statement::Node parse_with();
  Statement::Node parse_macro();
  Statement::Node parse_call_block();
  Statement::Node parse_filter_block();
  Statement::Node parse_generation();
  Statement::Node parse_loop_control(bool is_break);
  void parse_print(Block& block);

  void parse_parameters(MacroDefinition& macro);
  std::shared_ptr<const MacroDefinition> parse_macro_body(MacroDefinition macro,
                                                          std::string_view end);
  Target parse_target(bool allows_attribute, std::string_view stop = {});
  Target parse_single_target(bool allows_attribute);

  TokenStream stream_;
  ExpressionParser expressions_;
  int loop_depth_ = 0;
};

Block StatementParser::parse_block(EndTags end_tags) {
  const TokenStream::Level level(stream_);
  Block block;
  while (true) {
    const Token& token = stream_.current();
    const int line = token.line;
    switch (token.type) {
      case TokenType::data: block.push_back({TextOutput{Text(stream_.next().text)}, line}); break;
      case TokenType::variable_begin:
        stream_.next();
        block.push_back({Output{expressions_.parse_tuple()}, line});
        stream_.expect(TokenType::variable_end, "'}}'");
        break;
      case TokenType::block_begin: {
        stream_.next();
        const Token& tag = stream_.current();
        if (tag.type == TokenType::name &&
            std::find(end_tags.begin(), end_tags.end(), tag.text) != end_tags.end()) {
          return block;
        }
        parse_statement(block);
        end_tag();
        break;
      }
      case TokenType::end:
        if (end_tags.size() == 0) return block;
        stream_.error("the template ends where {{% {} %}} should follow", *(end_tags.end() - 1));
      default: stream_.unexpected("text or a tag");
    }
  }
}

Block StatementParser::parse_body_until(EndTags end_tags) {
  stream_.skip_op(":");
  end_tag();
  return parse_block(end_tags);
}

Block StatementParser::parse_body(std::string_view end) {
  Block block = parse_body_until({end});
  stream_.next();
  return block;
}

void StatementParser::parse_statement(Block& block) {
  if (stream_.current().type != TokenType::name) stream_.unexpected("a tag name");
  const Token tag = stream_.next();
  if (tag.text == "print") return parse_print(block);
  block.push_back({parse_named(tag), tag.line});
}

Statement::Node StatementParser::parse_named(const Token& tag) {
  const std::string& name = tag.text;
  if (name == "for") return parse_for();
  if (name == "if") return parse_if();
  if (name == "set") return parse_set();
  if (name == "with") return parse_with();
  if (name == "macro") return parse_macro();
  if (name == "call") return parse_call_block();
  if (name == "filter") return parse_filter_block();
  if (name == "generation") return parse_generation();
  if (name == "break" || name == "continue") return parse_loop_control(name == "break");
  stream_.error(
      "unknown tag '{}'{}", name,
      name.starts_with("end") || name.starts_with("el") ? " (nothing opens it here)" : "");
}

void StatementParser::parse_print(Block& block) {
  bool first = true;
  while (stream_.current().type != TokenType::block_end) {
    if (!first) stream_.expect_op(",");
    first = false;
    const int line = stream_.line();
    block.push_back({Output{expressions_.parse()}, line});
  }
}

Statement::Node StatementParser::parse_for() {
  For loop;
  loop.target = parse_target(/*allows_attribute=*/false, "in");
  stream_.expect_name("in");
  loop.iterable = expressions_.parse_tuple(/*with_conditional=*/false, "recursive");
  if (stream_.skip_name("if")) loop.filter = expressions_.parse();
  loop.recursive = stream_.skip_name("recursive");
  ++loop_depth_;
  loop.body = parse_body_until({"else", "endfor"});
  --loop_depth_;
  if (stream_.next().text == "else") loop.otherwise = parse_body("endfor");
  return loop;
}

Statement::Node StatementParser::parse_if() {
  If statement;
  while (true) {
    ExprPtr condition = expressions_.parse_tuple(/*with_conditional=*/false);
    Block body = parse_body_until({"elif", "else", "endif"});
    statement.branches.emplace_back(std::move(condition), std::move(body));
    const Token tag = stream_.next();
    if (tag.text == "elif") continue;
    if (tag.text == "else") statement.otherwise = parse_body("endif");
    return statement;
  }
}

Statement::Node StatementParser::parse_set() {
  Target target = parse_target(/*allows_attribute=*/true);
  if (stream_.skip_op("=")) return Set{std::move(target), expressions_.parse_tuple()};
  ExprPtr filter = expressions_.parse_filters(nullptr, /*first_without_pipe=*/false);
  return SetBlock{std::move(target), parse_body("endset"), std::move(filter)};
}

Statement::Node StatementParser::parse_with() {
  With with;
  while (stream_.current().type != TokenType::block_end) {
    if (!with.bindings.empty()) stream_.expect_op(",");
    Target target = parse_single_target(/*allows_attribute=*/false);
    stream_.expect_op("=");
    with.bindings.emplace_back(std::move(target), expressions_.parse());
  }
  with.body = parse_body("endwith");
  return with;
}

void StatementParser::parse_parameters(MacroDefinition& macro) {
  stream_.expect_op("(");
  while (!stream_.skip_op(")")) {
    if (!macro.parameters.empty()) stream_.expect_op(",");
    Parameter parameter{stream_.expect_identifier(), nullptr};
    if (stream_.skip_op("=")) {
      parameter.fallback = expressions_.parse();
    } else if (!macro.parameters.empty() && macro.parameters.back().fallback) {
      stream_.error("parameter '{}' without a default after one with", parameter.name);
    }
    macro.parameters.push_back(std::move(parameter));
  }
}

std::shared_ptr<const MacroDefinition> StatementParser::parse_macro_body(MacroDefinition macro,
                                                                         std::string_view end) {
  std::set<std::string> outside = std::move(expressions_.names_read());
  expressions_.names_read().clear();
  // A loop around a macro is not a loop its body can leave.
  const int outer_loops = std::exchange(loop_depth_, 0);
  macro.body = parse_body(end);
  loop_depth_ = outer_loops;

  std::set<std::string>& inside = expressions_.names_read();
  const auto is_parameter = [&macro](std::string_view name) {
    return std::any_of(macro.parameters.begin(), macro.parameters.end(),
                       [name](const Parameter& parameter) { return parameter.name == name; });
  };
  macro.uses_caller = inside.contains("caller") && !is_parameter("caller");
  macro.uses_kwargs = inside.contains("kwargs") && !is_parameter("kwargs");
  macro.uses_varargs = inside.contains("varargs") && !is_parameter("varargs");
  inside.merge(outside);
  return std::make_shared<const MacroDefinition>(std::move(macro));
}

Statement::Node StatementParser::parse_macro() {
  MacroDefinition macro;
  macro.name = stream_.expect_identifier();
  parse_parameters(macro);
  return MacroStatement{parse_macro_body(std::move(macro), "endmacro")};
}

Statement::Node StatementParser::parse_call_block() {
  MacroDefinition body;
  body.name = "caller";
  if (stream_.current().is_op("(")) parse_parameters(body);
  ExprPtr call = expressions_.parse();
  if (!std::holds_alternative<Call>(call->node)) stream_.error("a call block needs a call");
  return CallBlock{parse_macro_body(std::move(body), "endcall"), std::move(call)};
}

Statement::Node StatementParser::parse_filter_block() {
  ExprPtr filter = expressions_.parse_filters(nullptr, /*first_without_pipe=*/true);
  return FilterBlock{parse_body("endfilter"), std::move(filter)};
}

Statement::Node StatementParser::parse_generation() {
  return Generation{parse_body("endgeneration")};
}

Statement::Node StatementParser::parse_loop_control(bool is_break) {
  if (loop_depth_ == 0) stream_.error("{} outside a loop", is_break ? "break" : "continue");
  if (is_break) return Break{};
  return Continue{};
}

Target StatementParser::parse_single_target(bool allows_attribute) {
  Target target;
  if (stream_.skip_op("(")) {
    target = parse_target(allows_attribute);
    stream_.expect_op(")");
    return target;
  }
  target.name = stream_.expect_identifier();
  if (allows_attribute && stream_.skip_op(".")) target.attribute = stream_.expect_identifier();
  static constexpr std::string_view kConstants[] = {"true", "false", "none",
                                                    "True", "False", "None"};
  if (std::find(std::begin(kConstants), std::end(kConstants), target.name) !=
      std::end(kConstants)) {
    stream_.error("'{}' cannot be assigned to", target.name);
  }
  return target;
}

Target StatementParser::parse_target(bool allows_attribute, std::string_view stop) {
  const TokenStream::Level level(stream_);
  Target first = parse_single_target(allows_attribute);
  if (!stream_.current().is_op(",")) return first;
  Target tuple;
  tuple.parts.push_back(std::move(first));
  while (stream_.skip_op(",")) {
    const Token& token = stream_.current();
    if (token.is_op(")") || token.is_op("=") || (!stop.empty() && token.is_name(stop))) break;
    tuple.parts.push_back(parse_single_target(allows_attribute));
  }
  return tuple;
}

}  // namespace

Block parse(std::string_view source) {
  return StatementParser(source).parse_template();
}

}  // namespace tessera::jinja
