// The attributes of an op, listed beside its members: enough to print them and to write the
// contract's page, with names and types that the compiler supplies.
//
//   struct Softmax {
//     InlineVector<int, 6> axes;
//     static constexpr auto kAttributes = std::tuple(attribute<&Softmax::axes>("ascending"));
//     ...
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/core/dtype.h"
#include "tessera/core/quant_groups.h"
#include "tessera/core/shape.h"

namespace tessera {

/// One attribute in words.
struct AttributeText {
  std::string_view name;  ///< the member's
  std::string type;       ///< "bool", "float", "axes", "max | mean"
  std::string value;      ///< "true", "1e-05", "[0, 2]", "mean"
  std::string_view doc;   ///< its meaning and unit
};

/// Values as AttributeText has them.
std::string attribute_text(bool value);
std::string attribute_text(std::int64_t value);
std::string attribute_text(double value);
std::string attribute_text(Dtype value);
std::string attribute_text(const Shape& value);
std::string attribute_text(const InlineVector<int, 6>& value);
std::string attribute_text(const QuantGroups& value);

namespace detail {

// The compiler's own spelling of a template argument, "&tessera::Softmax::axes" or
// "tessera::QuantMode::affine", from its last "::" on; empty for a number that is no enumerator.
template <auto Value>
constexpr std::string_view spelled() {
  std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::string_view kMark = "Value = ";
  text.remove_prefix(text.find(kMark) + kMark.size());
  text = text.substr(0, text.find_first_of(";]"));
  if (text.starts_with('(')) return {};
  return text.substr(text.rfind(':') + 1);
}

constexpr std::size_t kMostEnumerators = 16;

/// Of an enum whose values count from 0.
template <class Enum, std::size_t... Is>
std::vector<std::string_view> enumerators(std::index_sequence<Is...>) {
  std::vector<std::string_view> names;
  for (const std::string_view name : {spelled<static_cast<Enum>(Is)>()...}) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}
template <class Enum>
const std::vector<std::string_view>& enumerators() {
  static const auto names = enumerators<Enum>(std::make_index_sequence<kMostEnumerators>{});
  return names;
}

template <class T>
inline constexpr bool is_shared = false;
template <class T>
inline constexpr bool is_shared<std::shared_ptr<T>> = true;

template <class T>
std::string type_text() {
  if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_integral_v<T>) {
    return "int";
  } else if constexpr (std::is_floating_point_v<T>) {
    return "float";
  } else if constexpr (std::is_same_v<T, Dtype>) {
    return "dtype";
  } else if constexpr (std::is_same_v<T, Shape>) {
    return "sizes";
  } else if constexpr (std::is_same_v<T, InlineVector<int, 6>>) {
    return "axes";
  } else if constexpr (std::is_same_v<T, QuantGroups>) {
    return "mode, bits, group_size";
  } else if constexpr (is_shared<T>) {
    return "object";
  } else {
    static_assert(std::is_enum_v<T>, "an attribute's type needs a text: see ir/attribute.h");
    std::string text;
    for (const std::string_view name : enumerators<T>()) {
      text.append(text.empty() ? "" : " | ").append(name);
    }
    return text;
  }
}

template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(enumerators<T>().at(static_cast<std::size_t>(value)));
  } else if constexpr (is_shared<T>) {
    return value ? "given" : "none";
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return attribute_text(static_cast<std::int64_t>(value));
  } else {
    return attribute_text(value);
  }
}

template <class T>
bool same_value(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;  // tells 0 from -0, and NaN is itself
  } else {
    return a == b;
  }
}

template <class T>
struct MemberOf;
template <class Op, class T>
struct MemberOf<T Op::*> {
  using type = T;
};

/// Converts to anything but a class that Op derives from.
template <class Op>
struct AnyMember {
  template <class T>
  requires(!std::is_base_of_v<T, Op>) operator T() const;
};

template <class Op, std::size_t... Is>
constexpr bool holds(std::index_sequence<Is...>) {
  return requires {
    Op{(static_cast<void>(Is), AnyMember<Op>{})...};
  };
}

}  // namespace detail

template <auto Member>
struct Attribute {
  using type = typename detail::MemberOf<decltype(Member)>::type;
  static constexpr std::string_view name = detail::spelled<Member>();
  const char* doc;

  template <class Op>
  AttributeText text(const Op& op) const {
    return {name, detail::type_text<type>(), detail::value_text(op.*Member), doc};
  }
  template <class Op>
  bool same(const Op& a, const Op& b) const {
    return detail::same_value(a.*Member, b.*Member);
  }
};

/// doc: its meaning and unit, without the default, which is read off the op.
template <auto Member>
constexpr Attribute<Member> attribute(const char* doc) {
  return {doc};
}

namespace detail {

/// The size of a struct of these members in this order.
template <auto... Members>
constexpr std::size_t laid_out(const std::tuple<Attribute<Members>...>&, std::size_t alignment) {
  std::size_t end = 0;
  const auto up = [](std::size_t at, std::size_t to) { return (at + to - 1) / to * to; };
  ((end = up(end, alignof(typename Attribute<Members>::type)) +
          sizeof(typename Attribute<Members>::type)),
   ...);
  return up(end, alignment);
}

/// Whether kAttributes names every member of Op, in order.
template <class Op>
constexpr bool lists_all_members() {
  if constexpr (std::is_empty_v<Op>) {
    return true;
  } else if constexpr (requires { Op::kAttributes; }) {
    constexpr std::size_t count = std::tuple_size_v<decltype(Op::kAttributes)>;
    // An aggregate without bases tells how many members it has; of others only the size is known.
    if (holds<Op>(std::make_index_sequence<1>{}) &&
        (holds<Op>(std::make_index_sequence<count + 1>{}) ||
         !holds<Op>(std::make_index_sequence<count>{}))) {
      return false;
    }
    return laid_out(Op::kAttributes, alignof(Op)) == sizeof(Op);
  } else {
    return false;
  }
}

}  // namespace detail

/// The attributes with the op's values; none for an op without members.
template <class Op>
std::vector<AttributeText> attributes_of(const Op& op) {
  if constexpr (std::is_empty_v<Op>) {
    return {};
  } else {
    return std::apply(
        [&](const auto&... each) { return std::vector<AttributeText>{each.text(op)...}; },
        Op::kAttributes);
  }
}

/// Whether two ops have the same attributes, bit for bit.
template <class Op>
bool same_attributes(const Op& a, const Op& b) {
  if constexpr (std::is_empty_v<Op>) {
    return true;
  } else {
    return std::apply([&](const auto&... each) { return (each.same(a, b) && ...); },
                      Op::kAttributes);
  }
}

}  // namespace tessera
