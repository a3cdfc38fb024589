// Value: what a template expression evaluates to, with Python's types and their rules.
//
//   Value name = Value::string("user");
//   Value pair = Value::list({Value(std::int64_t{1}), Value(true)});
//
// Strings, lists, tuples and dicts never change once made, as in the sandbox that published
// templates run in; only a namespace does. So containers hold no cycles, and their nesting is
// bounded when they are made.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/text/internal/jinja/text.h"

namespace tessera::jinja {

class Dict;
class Object;
class Runtime;
class Value;

/// Deepest nesting of lists, tuples, dicts and the objects that hold values.
inline constexpr int kMaxValueDepth = 128;
/// `depth` itself.
/// errors  bad_format past kMaxValueDepth
int bounded_depth(int depth);

struct String {
  Text text;
  bool ascii = true;
  /// Escaped HTML (the |escape and |safe filters): adding plain text to it escapes that text.
  bool markup = false;
};

/// The items of a list or tuple.
struct Items {
  std::vector<Value> values;
  int depth = 1;
  /// A (grouper, list) pair of the groupby filter, whose items have these names too.
  bool is_group = false;
};

class Value {
 public:
  enum class Kind {
    undefined,
    none,
    boolean,
    integer,
    big_integer,  ///< an integer of the input beyond 64 bits: printed and compared, never computed
    floating,
    string,
    list,
    tuple,
    dict,
    object,
  };

  Value() : data_(None{}) {}
  explicit Value(bool value) : data_(value) {}
  explicit Value(std::int64_t value) : data_(value) {}
  explicit Value(double value) : data_(value) {}
  explicit Value(std::shared_ptr<const Dict> dict) : data_(std::move(dict)) {}
  explicit Value(std::shared_ptr<Object> object) : data_(std::move(object)) {}

  /// message: what to say when the template does more with it than print or test it.
  static Value undefined(std::string message);
  static Value big_integer(std::string digits);
  static Value string(Text text, bool markup = false);
  static Value string(std::string_view template_text) {
    return string(Text(std::string(template_text)));
  }
  /// errors  bad_format past kMaxValueDepth
  static Value list(std::vector<Value> values);
  static Value tuple(std::vector<Value> values);
  static Value group(Value key, Value items);
  /// A list of these very items.
  static Value list(std::shared_ptr<const Items> items);

  Kind kind() const { return static_cast<Kind>(data_.index()); }
  bool is_undefined() const { return kind() == Kind::undefined; }
  bool is_none() const { return kind() == Kind::none; }
  bool is_boolean() const { return kind() == Kind::boolean; }
  bool is_string() const { return kind() == Kind::string; }
  bool is_dict() const { return kind() == Kind::dict; }
  bool is_list() const { return kind() == Kind::list; }
  bool is_tuple() const { return kind() == Kind::tuple; }
  bool is_sequence() const { return is_list() || is_tuple(); }
  bool is_object() const { return kind() == Kind::object; }
  bool is_float() const { return kind() == Kind::floating; }
  /// An int or a bool: Python computes with both.
  bool is_integral() const { return kind() == Kind::integer || is_boolean(); }
  bool is_number() const { return is_integral() || is_float(); }

  // Each needs the matching kind.
  bool as_bool() const { return std::get<bool>(data_); }
  std::int64_t as_int() const { return is_boolean() ? as_bool() : std::get<std::int64_t>(data_); }
  double as_double() const { return is_float() ? std::get<double>(data_) : double(as_int()); }
  const std::string& digits() const { return *std::get<BigInteger>(data_).digits; }
  const String& as_string() const { return *std::get<std::shared_ptr<const String>>(data_); }
  const Text& text() const { return as_string().text; }
  std::string_view view() const { return text().view(); }
  const std::shared_ptr<const Items>& items_ptr() const;
  const Items& items() const { return *items_ptr(); }
  const Dict& dict() const { return *std::get<std::shared_ptr<const Dict>>(data_); }
  const std::shared_ptr<const Dict>& dict_ptr() const {
    return std::get<std::shared_ptr<const Dict>>(data_);
  }
  const std::shared_ptr<Object>& object() const { return std::get<std::shared_ptr<Object>>(data_); }
  /// The object as a T, or null when it is none.
  template <class T>
  std::shared_ptr<T> object_as() const {
    return is_object() ? std::dynamic_pointer_cast<T>(object()) : nullptr;
  }
  const std::string& undefined_message() const { return *std::get<Undefined>(data_).message; }

  /// Python's name for the type: "str", "dict", "NoneType".
  std::string_view type_name() const;
  /// Nesting of containers: 0 for a value that holds none.
  int depth() const;
  /// The `is sameas` test: one object, not two equal ones.
  bool same_as(const Value& other) const;

 private:
  struct Undefined {
    std::shared_ptr<const std::string> message;
  };
  struct None {};
  struct BigInteger {
    std::shared_ptr<const std::string> digits;
  };
  struct ListRef {
    std::shared_ptr<const Items> items;
  };
  struct TupleRef {
    std::shared_ptr<const Items> items;
  };

  // In the order of Kind.
  std::variant<Undefined, None, bool, std::int64_t, BigInteger, double,
               std::shared_ptr<const String>, ListRef, TupleRef, std::shared_ptr<const Dict>,
               std::shared_ptr<Object>>
      data_;
};

/// A dict in insertion order. Built once, then shared as const.
class Dict {
 public:
  using Entry = std::pair<Value, Value>;

  /// Adds a key or replaces its value (the place of the first stays).
  /// errors  bad_format for a key that cannot be hashed or past kMaxValueDepth
  void set(Runtime& runtime, Value key, Value value);
  /// Null when there is none; a key that cannot be hashed is an error.
  const Value* find(Runtime& runtime, const Value& key) const;
  const Value* find(std::string_view key) const;

  const std::vector<Entry>& entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }
  int depth() const { return depth_; }

 private:
  static constexpr std::size_t kIndexFrom = 9;

  std::vector<Entry> entries_;
  std::vector<std::size_t> hashes_;
  std::unordered_multimap<std::size_t, std::size_t> index_;  // hash to entry, for larger dicts
  int depth_ = 1;
};

}  // namespace tessera::jinja
