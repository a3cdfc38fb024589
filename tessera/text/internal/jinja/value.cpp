#include "tessera/text/internal/jinja/value.h"

#include <algorithm>

#include "tessera/core/internal/fail.h"
#include "tessera/text/internal/jinja/compare.h"
#include "tessera/text/internal/jinja/object.h"
#include "tessera/text/internal/jinja/unicode.h"

namespace tessera::jinja {

int bounded_depth(int depth) {
  if (depth > kMaxValueDepth) {
    tessera::fail(ErrorCode::bad_format, "chat template", "values nested deeper than {} levels",
                  kMaxValueDepth);
  }
  return depth;
}

namespace {

std::shared_ptr<Items> make_items(std::vector<Value> values) {
  auto items = std::make_shared<Items>();
  int depth = 0;
  for (const Value& value : values) depth = std::max(depth, value.depth());
  items->depth = bounded_depth(depth + 1);
  items->values = std::move(values);
  return items;
}

}  // namespace

Value Value::undefined(std::string message) {
  Value value;
  value.data_ = Undefined{std::make_shared<const std::string>(std::move(message))};
  return value;
}

Value Value::big_integer(std::string digits) {
  Value value;
  value.data_ = BigInteger{std::make_shared<const std::string>(std::move(digits))};
  return value;
}

Value Value::string(Text text, bool markup) {
  Value value;
  const bool ascii = unicode::is_ascii(text.view());
  value.data_ = std::make_shared<const String>(String{std::move(text), ascii, markup});
  return value;
}

Value Value::list(std::vector<Value> values) {
  return list(make_items(std::move(values)));
}

Value Value::list(std::shared_ptr<const Items> items) {
  Value value;
  value.data_ = ListRef{std::move(items)};
  return value;
}

Value Value::tuple(std::vector<Value> values) {
  Value value;
  value.data_ = TupleRef{make_items(std::move(values))};
  return value;
}

Value Value::group(Value key, Value items) {
  auto pair = make_items({std::move(key), std::move(items)});
  pair->is_group = true;
  Value value;
  value.data_ = TupleRef{std::move(pair)};
  return value;
}

const std::shared_ptr<const Items>& Value::items_ptr() const {
  return is_list() ? std::get<ListRef>(data_).items : std::get<TupleRef>(data_).items;
}

std::string_view Value::type_name() const {
  switch (kind()) {
    case Kind::undefined: return "Undefined";
    case Kind::none: return "NoneType";
    case Kind::boolean: return "bool";
    case Kind::integer:
    case Kind::big_integer: return "int";
    case Kind::floating: return "float";
    case Kind::string: return "str";
    case Kind::list: return "list";
    case Kind::tuple: return "tuple";
    case Kind::dict: return "dict";
    case Kind::object: return object()->type_name();
  }
  return "object";
}

int Value::depth() const {
  if (is_sequence()) return items().depth;
  if (is_dict()) return dict().depth();
  return is_object() ? object()->depth() : 0;
}

bool Value::same_as(const Value& other) const {
  if (kind() != other.kind()) return false;
  switch (kind()) {
    case Kind::none: return true;
    case Kind::boolean: return as_bool() == other.as_bool();
    case Kind::integer: return as_int() == other.as_int();
    case Kind::floating: return as_double() == other.as_double();
    case Kind::big_integer: return digits() == other.digits();
    case Kind::string: return view() == other.view();
    case Kind::list:
    case Kind::tuple: return &items() == &other.items();
    case Kind::dict: return &dict() == &other.dict();
    case Kind::object: return object() == other.object();
    case Kind::undefined: return undefined_message() == other.undefined_message();
  }
  return false;
}

void Dict::set(Runtime& runtime, Value key, Value value) {
  const std::size_t hash = hash_of(runtime, key);
  depth_ = std::max(depth_, bounded_depth(1 + std::max(key.depth(), value.depth())));
  if (const Value* found = find(runtime, key)) {
    const_cast<Value&>(*found) = std::move(value);
    return;
  }
  entries_.emplace_back(std::move(key), std::move(value));
  hashes_.push_back(hash);
  if (entries_.size() == kIndexFrom) {
    for (std::size_t i = 0; i < entries_.size(); ++i) index_.emplace(hashes_[i], i);
  } else if (entries_.size() > kIndexFrom) {
    index_.emplace(hash, entries_.size() - 1);
  }
}

const Value* Dict::find(Runtime& runtime, const Value& key) const {
  const std::size_t hash = hash_of(runtime, key);
  if (entries_.size() < kIndexFrom) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (hashes_[i] == hash && equals(runtime, entries_[i].first, key)) return &entries_[i].second;
    }
    return nullptr;
  }
  const auto [first, last] = index_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Entry& entry = entries_[it->second];
    if (equals(runtime, entry.first, key)) return &entry.second;
  }
  return nullptr;
}

const Value* Dict::find(std::string_view key) const {
  const std::size_t hash = hash_of(key);
  const auto is_key = [key](const Entry& entry) {
    return entry.first.is_string() && entry.first.view() == key;
  };
  if (entries_.size() < kIndexFrom) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (hashes_[i] == hash && is_key(entries_[i])) return &entries_[i].second;
    }
    return nullptr;
  }
  const auto [first, last] = index_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (is_key(entries_[it->second])) return &entries_[it->second].second;
  }
  return nullptr;
}

}  // namespace tessera::jinja
