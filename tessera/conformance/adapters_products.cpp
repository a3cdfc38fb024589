// Products and statistics over axes.
#include "tessera/conformance/internal/adapters.h"

#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

std::vector<array> inputs_of(const GoldenCase& c) {
  std::vector<array> all;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) all.push_back(c.input(i));
  return all;
}

// "axis" is null for all axes, a number or a list.
template <class Fn>
auto over_axes(const GoldenCase& c, Fn fn) {
  const nlohmann::json& axis = c.attrs["axis"];
  if (axis.is_null()) return fn();
  return axis.is_array() ? fn(axis.get<std::vector<int>>()) : fn(axis.get<int>());
}

std::vector<array> call_minmax(const GoldenCase& c) {
  const auto [low, high] = over_axes(c, [&](const auto&... axis) {
    return minmax(c.input(0), axis..., c.attrs["keepdims"].get<bool>());
  });
  return {low, high};
}

array call_tensordot(const GoldenCase& c) {
  const nlohmann::json& axes = c.attrs["axes"];
  if (!axes.is_array()) return tensordot(c.input(0), c.input(1), axes.get<int>());
  return tensordot(c.input(0), c.input(1), axes[0].get<std::vector<int>>(),
                   axes[1].get<std::vector<int>>());
}

// The steps one after the other; a summary that differs is an empty array.
array call_einsum_path(const GoldenCase& c) {
  const auto [steps, text] = einsum_path(c.attrs["subscripts"], inputs_of(c));
  std::vector<int> flat;
  if (text == c.attrs["text"].get<std::string>()) {
    for (const std::vector<int>& step : steps) flat.insert(flat.end(), step.begin(), step.end());
  }
  return array(std::span<const int>(flat), Shape{static_cast<ShapeElem>(flat.size())});
}

array call_hadamard(const GoldenCase& c) {
  const nlohmann::json& scale = c.attrs["scale"];
  return scale.is_null() ? hadamard_transform(c.input(0))
                         : hadamard_transform(c.input(0), scale.get<float>());
}

}  // namespace

void add_products(Adapters& table) {
  table.insert({
      {"var",
       [](const GoldenCase& c) {
         return over_axes(c, [&](const auto&... axis) {
           return var(c.input(0), axis..., c.attrs["keepdims"].get<bool>(), c.attrs["ddof"]);
         });
       }},
      {"std",
       [](const GoldenCase& c) {
         return over_axes(c, [&](const auto&... axis) {
           return tessera::std(c.input(0), axis..., c.attrs["keepdims"].get<bool>(),
                               c.attrs["ddof"]);
         });
       }},
      {"count_nonzero",
       [](const GoldenCase& c) {
         return over_axes(c, [&](const auto&... axis) {
           return count_nonzero(c.input(0), axis..., c.attrs["keepdims"].get<bool>());
         });
       }},
      {"minmax", call_minmax},
      {"outer", [](const GoldenCase& c) { return outer(c.input(0), c.input(1)); }},
      {"inner", [](const GoldenCase& c) { return inner(c.input(0), c.input(1)); }},
      {"kron", [](const GoldenCase& c) { return kron(c.input(0), c.input(1)); }},
      {"vecdot",
       [](const GoldenCase& c) { return vecdot(c.input(0), c.input(1), c.attrs["axis"]); }},
      {"tensordot", call_tensordot},
      {"einsum", [](const GoldenCase& c) { return einsum(c.attrs["subscripts"], inputs_of(c)); }},
      {"einsum_path", call_einsum_path},
      {"block_masked_mm",
       [](const GoldenCase& c) {
         return block_masked_mm(c.input(0), c.input(1), c.attrs["block_size"], c.optional_input(2),
                                c.optional_input(3), c.optional_input(4));
       }},
      {"segmented_mm",
       [](const GoldenCase& c) { return segmented_mm(c.input(0), c.input(1), c.input(2)); }},
      {"hadamard_transform", call_hadamard},
  });
}

}  // namespace tessera::conformance
