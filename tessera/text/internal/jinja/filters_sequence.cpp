// Filters over sequences.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "tessera/text/internal/jinja/arguments.h"
#include "tessera/text/internal/jinja/compare.h"
#include "tessera/text/internal/jinja/filters.h"
#include "tessera/text/internal/jinja/object.h"
#include "tessera/text/internal/jinja/operators.h"
#include "tessera/text/internal/jinja/predicates.h"
#include "tessera/text/internal/jinja/print.h"
#include "tessera/text/internal/jinja/runtime.h"
#include "tessera/text/internal/jinja/text_ops.h"

namespace tessera::jinja {
namespace {

Value iterator(Runtime& runtime, std::vector<Value> values) {
  runtime.allocate(values.size() * sizeof(Value));
  return Value(std::static_pointer_cast<Object>(std::make_shared<Iterator>(std::move(values))));
}

Value fold_case(Runtime& runtime, const Value& value) {
  return value.is_string() ? Value::string(lower(runtime, value.text())) : value;
}

/// The key by which sort, unique, min, max and groupby compare.
Value key_of(Runtime& runtime, const Value& item, const Bound& bound, std::size_t attribute,
             bool case_sensitive, const Value* fallback = nullptr) {
  Value key =
      bound.has_value(attribute) ? attribute_path(runtime, item, bound[attribute], fallback) : item;
  return case_sensitive ? key : fold_case(runtime, key);
}

struct Keyed {
  Value key;
  Value item;
};

void stable_sort(Runtime& runtime, std::vector<Keyed>& keyed, bool reverse) {
  // Python's reverse keeps equal items in their order too.
  std::stable_sort(keyed.begin(), keyed.end(), [&](const Keyed& a, const Keyed& b) {
    return reverse ? less(runtime, b.key, a.key) : less(runtime, a.key, b.key);
  });
}

Value sort_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "sort", arguments, {"reverse", "case_sensitive", "attribute"});
  const bool case_sensitive = bound.flag(1, false);
  std::vector<Keyed> keyed;
  for (const auto items = iterate(runtime, input); const Value& item : items->values) {
    Value key;
    if (bound.has_value(2) && bound[2].is_string() &&
        bound[2].view().find(',') != std::string_view::npos) {
      std::vector<Value> parts;
      for (const Text& path : split(runtime, bound[2].text(), ",", -1)) {
        const Value part = attribute_path(runtime, item, Value::string(path));
        parts.push_back(case_sensitive ? part : fold_case(runtime, part));
      }
      key = Value::list(std::move(parts));
    } else {
      key = key_of(runtime, item, bound, 2, case_sensitive);
    }
    runtime.allocate(sizeof(Keyed));
    keyed.push_back({std::move(key), item});
  }
  stable_sort(runtime, keyed, bound.flag(0, false));
  std::vector<Value> out;
  for (Keyed& entry : keyed) out.push_back(std::move(entry.item));
  return Value::list(std::move(out));
}

Value dictsort_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "dictsort", arguments, {"case_sensitive", "by", "reverse"});
  if (!input.is_dict()) runtime.fail("dictsort needs a dict, not {}", input.type_name());
  const std::string_view by = bound.has(1) ? bound.text(1).view() : "key";
  if (by != "key" && by != "value") runtime.fail("dictsort: by must be 'key' or 'value'");
  std::vector<Keyed> keyed;
  for (const auto& [key, value] : input.dict().entries()) {
    const Value& sorted_by = by == "key" ? key : value;
    keyed.push_back({bound.flag(0, false) ? sorted_by : fold_case(runtime, sorted_by),
                     Value::tuple({key, value})});
    runtime.allocate(4 * sizeof(Value));
  }
  stable_sort(runtime, keyed, bound.flag(2, false));
  std::vector<Value> out;
  for (Keyed& entry : keyed) out.push_back(std::move(entry.item));
  return Value::list(std::move(out));
}

Value unique_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "unique", arguments, {"case_sensitive", "attribute"});
  Dict seen;
  std::vector<Value> out;
  for (const auto items = iterate(runtime, input); const Value& item : items->values) {
    Value key = key_of(runtime, item, bound, 1, bound.flag(0, false));
    if (seen.find(runtime, key) != nullptr) continue;
    runtime.allocate(4 * sizeof(Value));
    seen.set(runtime, std::move(key), Value(true));
    out.push_back(item);
  }
  return iterator(runtime, std::move(out));
}

template <bool kMax>
Value extreme_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, kMax ? "max" : "min", arguments, {"case_sensitive", "attribute"});
  const auto items = iterate(runtime, input);
  if (items->values.empty()) {
    return Value::undefined("No aggregated item, sequence was empty.");
  }
  const bool case_sensitive = bound.flag(0, false);
  const Value* best = nullptr;
  Value best_key;
  for (const Value& item : items->values) {
    Value key = key_of(runtime, item, bound, 1, case_sensitive);
    const bool better =
        best == nullptr || (kMax ? less(runtime, best_key, key) : less(runtime, key, best_key));
    if (!better) continue;
    best = &item;
    best_key = std::move(key);
  }
  return *best;
}

Value groupby_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "groupby", arguments, {"attribute", "default", "case_sensitive"}, 1);
  const Value* fallback = bound.has_value(1) ? &bound[1] : nullptr;
  std::vector<Keyed> keyed;
  for (const auto items = iterate(runtime, input); const Value& item : items->values) {
    runtime.allocate(sizeof(Keyed));
    keyed.push_back({key_of(runtime, item, bound, 0, bound.flag(2, false), fallback), item});
  }
  stable_sort(runtime, keyed, /*reverse=*/false);
  std::vector<Value> groups;
  for (std::size_t i = 0; i < keyed.size();) {
    const std::size_t first = i;
    std::vector<Value> members;
    while (i < keyed.size() && equals(runtime, keyed[i].key, keyed[first].key)) {
      members.push_back(keyed[i++].item);
    }
    // A key that differs from itself (NaN) still makes a group.
    if (i == first) members.push_back(keyed[i++].item);
    Value name = attribute_path(runtime, keyed[first].item, bound[0], fallback);
    groups.push_back(Value::group(std::move(name), Value::list(std::move(members))));
  }
  return Value::list(std::move(groups));
}

Value batch_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "batch", arguments, {"linecount", "fill_with"}, 1);
  const std::int64_t size = bound.integer(0, 1);
  std::vector<Value> batches;
  std::vector<Value> row;
  for (const auto items = iterate(runtime, input); const Value& item : items->values) {
    if (static_cast<std::int64_t>(row.size()) == size) {
      batches.push_back(Value::list(std::exchange(row, {})));
    }
    runtime.allocate(sizeof(Value));
    row.push_back(item);
  }
  if (!row.empty()) {
    while (bound.has_value(1) && static_cast<std::int64_t>(row.size()) < size) {
      runtime.allocate(sizeof(Value));
      row.push_back(bound[1]);
    }
    batches.push_back(Value::list(std::move(row)));
  }
  return iterator(runtime, std::move(batches));
}

Value slice_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "slice", arguments, {"slices", "fill_with"}, 1);
  const std::int64_t slices = bound.integer(0, 1);
  if (slices == 0) runtime.fail("slice: into 0 slices");
  const auto items = iterate(runtime, input);
  const auto size = static_cast<std::int64_t>(items->values.size());
  std::vector<Value> out;
  auto at = items->values.begin();
  for (std::int64_t i = 0; i < slices; ++i) {
    const bool longer = i < size % slices;
    const std::int64_t count = size / slices + (longer ? 1 : 0);
    std::vector<Value> part(at, at + count);
    at += count;
    if (bound.has_value(1) && !longer) part.push_back(bound[1]);
    runtime.allocate((part.size() + 2) * sizeof(Value));
    out.push_back(Value::list(std::move(part)));
  }
  return iterator(runtime, std::move(out));
}

Value first_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "first", arguments, {});
  std::optional<Value> first;
  if (const auto lazy = input.object_as<Iterator>()) {
    first = lazy->next();
  } else if (input.is_string()) {
    // Not by iterating: that would make a string of every character.
    first = subscript(runtime, input, Value(std::int64_t{0}));
    if (first->is_undefined()) first.reset();
  } else {
    const auto items = iterate(runtime, input);
    if (!items->values.empty()) first = items->values.front();
  }
  return first ? *first : Value::undefined("No first item, sequence was empty.");
}

Value last_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "last", arguments, {});
  if (input.object_as<Iterator>()) runtime.fail("last: a generator has no last item; use |list");
  if (input.is_undefined()) runtime.fail("{}", input.undefined_message());
  if (input.is_string()) {
    const Value last = subscript(runtime, input, Value(std::int64_t{-1}));
    if (!last.is_undefined()) return last;
  } else {
    const auto items = iterate(runtime, input);
    if (!items->values.empty()) return items->values.back();
  }
  return Value::undefined("No last item, sequence was empty.");
}

Value reverse_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "reverse", arguments, {});
  if (input.is_string()) {
    return slice(runtime, input, Value(), Value(), Value(std::int64_t{-1}));
  }
  std::vector<Value> values = iterate(runtime, input)->values;
  std::reverse(values.begin(), values.end());
  return iterator(runtime, std::move(values));
}

Value list_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "list", arguments, {});
  return Value::list(iterate(runtime, input));
}

Value length_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "length", arguments, {});
  const auto size = length(runtime, input);
  if (!size) runtime.fail("object of type '{}' has no len()", input.type_name());
  return Value(*size);
}

Value join_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "join", arguments, {"d", "attribute"});
  std::vector<Text> parts;
  for (const auto items = iterate(runtime, input); const Value& item : items->values) {
    parts.push_back(
        to_text(runtime, bound.has_value(1) ? attribute_path(runtime, item, bound[1]) : item));
  }
  const Text separator = bound.has(0) ? to_text(runtime, bound[0]) : Text();
  return Value::string(join(runtime, separator, parts));
}

Value sum_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "sum", arguments, {"attribute", "start"});
  Value total = bound.get(1, Value(std::int64_t{0}));
  if (total.is_string()) runtime.fail("sum cannot add strings; use |join");
  for (const auto items = iterate(runtime, input); const Value& item : items->values) {
    runtime.step();
    total = binary(runtime, BinaryOp::add, total,
                   bound.has_value(0) ? attribute_path(runtime, item, bound[0]) : item);
  }
  return total;
}

Value items_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "items", arguments, {});
  if (input.is_undefined()) return iterator(runtime, {});
  if (!input.is_dict()) runtime.fail("items needs a dict, not {}", input.type_name());
  std::vector<Value> pairs;
  for (const auto& [key, value] : input.dict().entries()) {
    runtime.allocate(2 * sizeof(Value));
    pairs.push_back(Value::tuple({key, value}));
  }
  return iterator(runtime, std::move(pairs));
}

Value map_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  std::vector<Value> out;
  if (!truthy(input)) return iterator(runtime, {});
  const auto items = iterate(runtime, input);
  if (arguments.positional.empty() && arguments.find("attribute") != nullptr) {
    const Bound bound(runtime, "map", arguments, {"attribute", "default"});
    const Value* fallback = bound.has_value(1) ? &bound[1] : nullptr;
    for (const Value& item : items->values) {
      runtime.step();
      out.push_back(attribute_path(runtime, item, bound[0], fallback));
    }
    return iterator(runtime, std::move(out));
  }
  if (arguments.positional.empty()) runtime.fail("map needs a filter or an attribute");
  const std::string name = to_text(runtime, arguments.positional[0]).bytes();
  const FilterFunction filter = find_filter(name);
  if (filter == nullptr) runtime.fail("no filter named '{}'", name);
  Arguments rest = arguments;
  rest.positional.erase(rest.positional.begin());
  const Runtime::Level level(runtime);
  for (const Value& item : items->values) {
    runtime.step();
    out.push_back(filter(runtime, item, rest));
  }
  return iterator(runtime, std::move(out));
}

/// select, reject, selectattr and rejectattr.
template <bool kKeep, bool kByAttribute>
Value select_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  std::vector<Value> out;
  if (!truthy(input)) return iterator(runtime, {});
  Arguments rest = arguments;
  const auto take = [&rest] {
    Value value = std::move(rest.positional.front());
    rest.positional.erase(rest.positional.begin());
    return value;
  };
  Value attribute;
  if (kByAttribute) {
    if (rest.positional.empty()) runtime.fail("selectattr needs the name of an attribute");
    attribute = take();
  }
  PredicateFunction predicate = nullptr;
  if (!rest.positional.empty()) {
    const std::string name = to_text(runtime, take()).bytes();
    predicate = find_predicate(name);
    if (predicate == nullptr) runtime.fail("no test named '{}'", name);
  }
  for (const auto items = iterate(runtime, input); const Value& item : items->values) {
    runtime.step();
    const Value tested = kByAttribute ? attribute_path(runtime, item, attribute) : item;
    const bool holds = predicate != nullptr ? predicate(runtime, tested, rest) : truthy(tested);
    if (holds == kKeep) out.push_back(item);
  }
  return iterator(runtime, std::move(out));
}

}  // namespace

FilterFunction find_sequence_filter(std::string_view name) {
  static const std::unordered_map<std::string_view, FilterFunction> kFilters = {
      {"batch", batch_filter},
      {"count", length_filter},
      {"dictsort", dictsort_filter},
      {"first", first_filter},
      {"groupby", groupby_filter},
      {"items", items_filter},
      {"join", join_filter},
      {"last", last_filter},
      {"length", length_filter},
      {"list", list_filter},
      {"map", map_filter},
      {"max", extreme_filter<true>},
      {"min", extreme_filter<false>},
      {"reject", select_filter<false, false>},
      {"rejectattr", select_filter<false, true>},
      {"reverse", reverse_filter},
      {"select", select_filter<true, false>},
      {"selectattr", select_filter<true, true>},
      {"slice", slice_filter},
      {"sort", sort_filter},
      {"sum", sum_filter},
      {"unique", unique_filter},
  };
  const auto found = kFilters.find(name);
  return found == kFilters.end() ? nullptr : found->second;
}

}  // namespace tessera::jinja
