// The parsed template: expressions and statements as plain data.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/text/internal/jinja/filters.h"
#include "tessera/text/internal/jinja/predicates.h"
#include "tessera/text/internal/jinja/value.h"

namespace tessera::jinja {

struct Expr;
struct Statement;
using ExprPtr = std::unique_ptr<Expr>;
using Block = std::vector<Statement>;

/// What stands between the parentheses of a call: f(a, b, key=c, *d, **e).
struct CallArguments {
  std::vector<ExprPtr> positional;
  std::vector<std::pair<std::string, ExprPtr>> named;
  ExprPtr unpacked;        // *d
  ExprPtr unpacked_named;  // **e
};

// ---- expressions -------------------------------------------------------------------------------

struct Literal {
  Value value;
};
struct Name {
  std::string name;
};
struct ListLiteral {
  std::vector<ExprPtr> items;
};
struct TupleLiteral {
  std::vector<ExprPtr> items;
};
struct DictLiteral {
  std::vector<std::pair<ExprPtr, ExprPtr>> entries;
};
struct Attribute {
  ExprPtr object;
  std::string name;
};
struct Subscript {
  ExprPtr object;
  ExprPtr key;
};
struct Slice {
  ExprPtr object;
  ExprPtr start, stop, step;  // null where left out
};
struct Call {
  ExprPtr function;
  CallArguments arguments;
};
struct FilterCall {
  ExprPtr input;  // null inside {% filter %} and {% set x | filter %}: the captured text
  std::string name;
  FilterFunction function;  // null for an unknown name: an error when it runs
  CallArguments arguments;
};
struct PredicateCall {
  ExprPtr input;
  std::string name;
  PredicateFunction function;  // null for an unknown name: an error when it runs
  CallArguments arguments;
};
enum class UnaryOp { negate, plus, logical_not };
struct Unary {
  UnaryOp op;
  ExprPtr operand;
};
enum class BinaryOp { add, subtract, multiply, divide, floor_divide, modulo, power };
struct Binary {
  BinaryOp op;
  ExprPtr left, right;
};
struct Logical {
  bool is_and;
  ExprPtr left, right;
};
/// a ~ b ~ c
struct Concatenation {
  std::vector<ExprPtr> parts;
};
enum class CompareOp { equal, not_equal, less, less_equal, greater, greater_equal, in, not_in };
/// a < b <= c: each neighbour pair holds.
struct Comparison {
  ExprPtr first;
  std::vector<std::pair<CompareOp, ExprPtr>> rest;
};
struct Conditional {
  ExprPtr condition, then, otherwise;  // otherwise may be null: undefined
};

struct Expr {
  using Node = std::variant<Literal, Name, ListLiteral, TupleLiteral, DictLiteral, Attribute,
                            Subscript, Slice, Call, FilterCall, PredicateCall, Unary, Binary,
                            Logical, Concatenation, Comparison, Conditional>;
  Node node;
  int line;
  int depth;  ///< height of the tree under it; bounded, so that walking it may recurse
};

// ---- statements --------------------------------------------------------------------------------

/// A name, a namespace attribute (ns.x) or a tuple of those.
struct Target {
  std::string name;
  std::string attribute;      // not empty for ns.x
  std::vector<Target> parts;  // not empty for a tuple
  bool is_tuple() const { return !parts.empty(); }
};

struct Parameter {
  std::string name;
  ExprPtr fallback;  // null when there is none
};

/// The body of a macro or call block, with what its caller may hand over.
struct MacroDefinition {
  std::string name;
  std::vector<Parameter> parameters;
  Block body;
  // A macro takes these only when its body mentions them.
  bool uses_caller = false;
  bool uses_kwargs = false;
  bool uses_varargs = false;
};

struct TextOutput {
  Text text;
};
struct Output {
  ExprPtr value;
};
struct If {
  std::vector<std::pair<ExprPtr, Block>> branches;
  Block otherwise;
};
struct For {
  Target target;
  ExprPtr iterable;
  ExprPtr filter;  // null when there is none
  Block body;
  Block otherwise;
  bool recursive = false;
};
struct Set {
  Target target;
  ExprPtr value;
};
struct SetBlock {
  Target target;
  Block body;
  ExprPtr filter;  // null when there is none
};
struct With {
  std::vector<std::pair<Target, ExprPtr>> bindings;
  Block body;
};
struct MacroStatement {
  std::shared_ptr<const MacroDefinition> macro;
};
struct CallBlock {
  std::shared_ptr<const MacroDefinition> body;
  ExprPtr call;  // holds a Call
};
struct FilterBlock {
  Block body;
  ExprPtr filter;
};
/// {% generation %}: the assistant's words, which training masks look for.
struct Generation {
  Block body;
};
struct Break {};
struct Continue {};

struct Statement {
  using Node = std::variant<TextOutput, Output, If, For, Set, SetBlock, With, MacroStatement,
                            CallBlock, FilterBlock, Generation, Break, Continue>;
  Node node;
  int line;
};

}  // namespace tessera::jinja
