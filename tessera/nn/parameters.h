// Parameters: named arrays, as a module's tree gives them.
//
//   for (const auto& [name, value] : model.parameters()) { ... }  // "layers.0.weight", ...
//   eval(model.parameters(), optimizer.state());
#pragma once

#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "tessera/ir/array.h"

namespace tessera {

namespace nn {

/// Arrays under dotted names, in the order of the names.
using Parameters = std::map<std::string, array, std::less<>>;

}  // namespace nn

namespace detail {
inline void append(std::vector<array>& out, const array& a) {
  out.push_back(a);
}
inline void append(std::vector<array>& out, const nn::Parameters& set) {
  for (const auto& [name, value] : set) out.push_back(value);
}
template <class T>
inline constexpr bool is_parameters = std::is_same_v<T, nn::Parameters>;
}  // namespace detail

/// Evaluates arrays and sets of arrays in one walk over their graph.
template <class... T>
requires((detail::is_parameters<T> || std::is_same_v<T, array>)&&...) &&
    (detail::is_parameters<T> || ...) void eval(const T&... values) {
  std::vector<array> all;
  (detail::append(all, values), ...);
  eval(all);
}

}  // namespace tessera
