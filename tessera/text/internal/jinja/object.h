// Object: a value with behaviour (functions, macros, loops, namespaces, iterators).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tessera/text/internal/jinja/value.h"

namespace tessera::jinja {

struct Arguments;

class Object : public std::enable_shared_from_this<Object> {
 public:
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  virtual std::string_view type_name() const = 0;
  virtual bool callable() const { return false; }
  /// Only asked when callable().
  virtual Value call(Runtime& runtime, const Arguments& arguments);
  virtual std::optional<Value> attribute(Runtime&, std::string_view) { return std::nullopt; }
  /// The items a loop over it visits; null when it cannot be iterated.
  virtual std::shared_ptr<const Items> iterate(Runtime&) { return nullptr; }
  virtual bool iterable() const { return false; }
  /// len(), where Python has one.
  virtual std::optional<std::int64_t> length() const { return std::nullopt; }
  virtual bool indexable() const { return false; }
  /// Levels of values inside, as for containers; bounded, because letting go of them recurses.
  virtual int depth() const { return 0; }
  /// What printing it shows; `depth` counts the containers it is inside of.
  virtual Text repr(Runtime&, int /*depth*/) const {
    return Text("<" + std::string(type_name()) + " object>");
  }
};

/// What a lazy filter such as map or select gives back: always true, without a length, and used
/// up by the first pass over it.
class Iterator final : public Object {
 public:
  explicit Iterator(std::vector<Value> values);
  std::string_view type_name() const override { return "generator"; }
  bool iterable() const override { return true; }
  std::shared_ptr<const Items> iterate(Runtime& runtime) override;
  /// The next item, or nothing at the end.
  std::optional<Value> next();
  int depth() const override { return items_->depth; }

 private:
  std::shared_ptr<const Items> items_;
  std::size_t at_ = 0;
};

/// range(start, stop, step).
class Range final : public Object {
 public:
  Range(std::int64_t start, std::int64_t stop, std::int64_t step, std::vector<Value> values);
  std::string_view type_name() const override { return "range"; }
  bool iterable() const override { return true; }
  bool indexable() const override { return true; }
  std::shared_ptr<const Items> iterate(Runtime&) override { return items_; }
  std::optional<std::int64_t> length() const override { return items_->values.size(); }
  Text repr(Runtime& runtime, int depth) const override;

 private:
  std::int64_t start_, stop_, step_;
  std::shared_ptr<const Items> items_;
};

/// dict.keys(), dict.values() and dict.items().
class DictView final : public Object {
 public:
  enum class Part { keys, values, items };
  DictView(Part part, std::vector<Value> values);
  int depth() const override { return items_->depth; }
  std::string_view type_name() const override;
  bool iterable() const override { return true; }
  std::shared_ptr<const Items> iterate(Runtime&) override { return items_; }
  std::optional<std::int64_t> length() const override { return items_->values.size(); }
  Text repr(Runtime& runtime, int depth) const override;

 private:
  Part part_;
  std::shared_ptr<const Items> items_;
};

/// namespace(...): the one value that a template can change.
class Namespace final : public Object {
 public:
  explicit Namespace(std::shared_ptr<const Dict> start) : attributes_(*start) {}
  std::string_view type_name() const override { return "Namespace"; }
  std::optional<Value> attribute(Runtime&, std::string_view name) override;
  Text repr(Runtime& runtime, int depth) const override;
  void set(Runtime& runtime, std::string_view name, Value value);
  void clear() { attributes_ = Dict(); }

 private:
  Dict attributes_;
};

}  // namespace tessera::jinja
