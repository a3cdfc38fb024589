#include "tessera/text/internal/jinja/predicates.h"

#include <unordered_map>

#include "tessera/text/internal/jinja/arguments.h"
#include "tessera/text/internal/jinja/ast.h"
#include "tessera/text/internal/jinja/compare.h"
#include "tessera/text/internal/jinja/methods.h"
#include "tessera/text/internal/jinja/object.h"
#include "tessera/text/internal/jinja/operators.h"
#include "tessera/text/internal/jinja/print.h"
#include "tessera/text/internal/jinja/runtime.h"

namespace tessera::jinja {
namespace {

using Test = bool (*)(const Value&);

/// A test without arguments that looks at the value alone.
template <Test kTest>
bool plain(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "test", arguments, {});
  return kTest(input);
}

bool is_defined(const Value& value) {
  return !value.is_undefined();
}
bool is_undefined(const Value& value) {
  return value.is_undefined();
}
bool is_none(const Value& value) {
  return value.is_none();
}
bool is_boolean(const Value& value) {
  return value.is_boolean();
}
bool is_true(const Value& value) {
  return value.is_boolean() && value.as_bool();
}
bool is_false(const Value& value) {
  return value.is_boolean() && !value.as_bool();
}
bool is_integer(const Value& value) {
  return value.kind() == Value::Kind::integer || value.kind() == Value::Kind::big_integer;
}
bool is_float(const Value& value) {
  return value.is_float();
}
bool is_number(const Value& value) {
  return value.is_number() || value.kind() == Value::Kind::big_integer;
}
bool is_string(const Value& value) {
  return value.is_string();
}
bool is_mapping(const Value& value) {
  return value.is_dict();
}
bool is_sequence(const Value& value) {
  return value.is_string() || value.is_sequence() || value.is_dict() || value.is_undefined() ||
         (value.is_object() && value.object()->indexable());
}
/// Undefined has a call operator (one that fails), so Python finds it callable, and a sequence.
bool is_callable(const Value& value) {
  return value.is_undefined() || (value.is_object() && value.object()->callable());
}
bool is_escaped(const Value& value) {
  return value.is_string() && value.as_string().markup;
}

/// value % divisor == remainder
bool has_remainder(Runtime& runtime, const Value& value, const Value& divisor,
                   std::int64_t remainder) {
  return equals(runtime, binary(runtime, BinaryOp::modulo, value, divisor), Value(remainder));
}

bool is_odd(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "odd", arguments, {});
  return has_remainder(runtime, input, Value(std::int64_t{2}), 1);
}

bool is_even(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "even", arguments, {});
  return has_remainder(runtime, input, Value(std::int64_t{2}), 0);
}

bool is_divisible(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "divisibleby", arguments, {"num"}, 1);
  return has_remainder(runtime, input, bound[0], 0);
}

bool has_case(Runtime& runtime, const Value& input, const Arguments& arguments,
              std::string_view method) {
  const Value text = Value::string(to_text(runtime, input));
  return find_string_method(method)(runtime, text, arguments).as_bool();
}

bool is_upper(Runtime& runtime, const Value& input, const Arguments& arguments) {
  return has_case(runtime, input, arguments, "isupper");
}

bool is_lower(Runtime& runtime, const Value& input, const Arguments& arguments) {
  return has_case(runtime, input, arguments, "islower");
}

template <CompareOp kOp>
bool compares(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "comparison test", arguments, {"other"}, 1);
  switch (kOp) {
    case CompareOp::equal: return equals(runtime, input, bound[0]);
    case CompareOp::not_equal: return !equals(runtime, input, bound[0]);
    case CompareOp::less: return less(runtime, input, bound[0]);
    case CompareOp::less_equal: return less_equal(runtime, input, bound[0]);
    case CompareOp::greater: return less(runtime, bound[0], input);
    case CompareOp::greater_equal: return less_equal(runtime, bound[0], input);
    case CompareOp::in: return contains(runtime, bound[0], input);
    case CompareOp::not_in: return !contains(runtime, bound[0], input);
  }
  return false;
}

bool is_same(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "sameas", arguments, {"other"}, 1);
  return input.same_as(bound[0]);
}

bool names_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "filter", arguments, {});
  return input.is_string() && find_filter(input.view()) != nullptr;
}

bool names_test(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "test", arguments, {});
  return input.is_string() && find_predicate(input.view()) != nullptr;
}

}  // namespace

PredicateFunction find_predicate(std::string_view name) {
  static const std::unordered_map<std::string_view, PredicateFunction> kPredicates = {
      {"boolean", plain<is_boolean>},
      {"callable", plain<is_callable>},
      {"defined", plain<is_defined>},
      {"divisibleby", is_divisible},
      {"==", compares<CompareOp::equal>},
      {"eq", compares<CompareOp::equal>},
      {"equalto", compares<CompareOp::equal>},
      {"escaped", plain<is_escaped>},
      {"even", is_even},
      {"false", plain<is_false>},
      {"filter", names_filter},
      {"float", plain<is_float>},
      {">=", compares<CompareOp::greater_equal>},
      {"ge", compares<CompareOp::greater_equal>},
      {">", compares<CompareOp::greater>},
      {"greaterthan", compares<CompareOp::greater>},
      {"gt", compares<CompareOp::greater>},
      {"in", compares<CompareOp::in>},
      {"integer", plain<is_integer>},
      {"iterable", plain<is_iterable>},
      {"<=", compares<CompareOp::less_equal>},
      {"le", compares<CompareOp::less_equal>},
      {"<", compares<CompareOp::less>},
      {"lessthan", compares<CompareOp::less>},
      {"lower", is_lower},
      {"lt", compares<CompareOp::less>},
      {"mapping", plain<is_mapping>},
      {"!=", compares<CompareOp::not_equal>},
      {"ne", compares<CompareOp::not_equal>},
      {"none", plain<is_none>},
      {"number", plain<is_number>},
      {"odd", is_odd},
      {"sameas", is_same},
      {"sequence", plain<is_sequence>},
      {"string", plain<is_string>},
      {"test", names_test},
      {"true", plain<is_true>},
      {"undefined", plain<is_undefined>},
      {"upper", is_upper},
  };
  const auto found = kPredicates.find(name);
  return found == kPredicates.end() ? nullptr : found->second;
}

}  // namespace tessera::jinja
