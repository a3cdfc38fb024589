// Making and arranging arrays.
#include "tessera/conformance/internal/adapters.h"

#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

std::vector<int> ints_of(const GoldenCase& c, const char* name) {
  return c.attrs[name].get<std::vector<int>>();
}

std::vector<array> inputs_of(const GoldenCase& c) {
  std::vector<array> all;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) all.push_back(c.input(i));
  return all;
}

Adapter window(array (*fn)(int)) {
  return [fn](const GoldenCase& c) { return fn(c.attrs["M"]); };
}

array call_linspace(const GoldenCase& c) {
  return linspace(c.attrs["start"], c.attrs["stop"], c.attrs["num"],
                  c.attrs.value("endpoint", true), dtype_named(c.attrs["dtype"]));
}

array call_diagonal(const GoldenCase& c) {
  return diagonal(c.input(0), c.attrs.value("offset", 0), c.attrs.value("axis1", 0),
                  c.attrs.value("axis2", 1));
}

array call_trace(const GoldenCase& c) {
  const int offset = c.attrs.value("offset", 0);
  const int axis1 = c.attrs.value("axis1", 0), axis2 = c.attrs.value("axis2", 1);
  if (!c.attrs.contains("dtype")) return trace(c.input(0), offset, axis1, axis2);
  return trace(c.input(0), offset, axis1, axis2, dtype_named(c.attrs["dtype"]));
}

array call_squeeze(const GoldenCase& c) {
  return c.attrs.contains("axis") ? squeeze(c.input(0), ints_of(c, "axis")) : squeeze(c.input(0));
}

array call_flip(const GoldenCase& c) {
  return c.attrs["axes"].is_null() ? flip(c.input(0)) : flip(c.input(0), ints_of(c, "axes"));
}

array call_repeat(const GoldenCase& c) {
  if (!c.attrs.contains("axis")) return repeat(c.input(0), c.attrs["repeats"].get<int>());
  return repeat(c.input(0), c.attrs["repeats"], c.attrs["axis"]);
}

// Each of the six argument lists.
array call_roll(const GoldenCase& c) {
  const nlohmann::json& shift = c.attrs["shift"];
  const nlohmann::json axis = c.attrs.value("axis", nlohmann::json());
  const auto with = [&](const auto& by) {
    if (axis.is_null()) return roll(c.input(0), by);
    if (axis.is_array()) return roll(c.input(0), by, axis.get<std::vector<int>>());
    return roll(c.input(0), by, axis.get<int>());
  };
  return shift.is_array() ? with(shape_of(shift)) : with(shift.get<int>());
}

std::vector<array> call_split(const GoldenCase& c) {
  const nlohmann::json& at = c.attrs["indices_or_sections"];
  const int axis = c.attrs["axis"];
  return at.is_array() ? split(c.input(0), shape_of(at), axis)
                       : split(c.input(0), at.get<int>(), axis);
}

std::vector<array> call_meshgrid(const GoldenCase& c) {
  return meshgrid(inputs_of(c), c.attrs["sparse"], c.attrs["indexing"]);
}

array call_as_strided(const GoldenCase& c) {
  const Shape strides = shape_of(c.attrs["strides"]);
  return as_strided(c.input(0), shape_of(c.attrs["shape"]), Strides(strides.begin(), strides.end()),
                    c.attrs["offset"]);
}

std::vector<array> call_unique(const GoldenCase& c) {
  const bool all = c.attrs.value("return_index", false);
  return unique(c.input(0), c.attrs["size"], all, all, all, c.optional_input(1));
}

void add_creation(Adapters& table) {
  table.insert({
      {"eye",
       [](const GoldenCase& c) {
         return eye(c.attrs["n"], c.attrs["m"], c.attrs["k"], dtype_named(c.attrs["dtype"]));
       }},
      {"tri",
       [](const GoldenCase& c) {
         return tri(c.attrs["n"], c.attrs["m"], c.attrs["k"], dtype_named(c.attrs["dtype"]));
       }},
      {"identity",
       [](const GoldenCase& c) { return identity(c.attrs["n"], dtype_named(c.attrs["dtype"])); }},
      {"linspace", call_linspace},
      {"hanning", window(hanning)},
      {"hamming", window(hamming)},
      {"blackman", window(blackman)},
      {"bartlett", window(bartlett)},
      {"zeros_like", [](const GoldenCase& c) { return zeros_like(c.input(0)); }},
      {"ones_like", [](const GoldenCase& c) { return ones_like(c.input(0)); }},
      {"full_like", [](const GoldenCase& c) { return full_like(c.input(0), c.input(1)); }},
      {"tril", [](const GoldenCase& c) { return tril(c.input(0), c.attrs.value("k", 0)); }},
      {"triu", [](const GoldenCase& c) { return triu(c.input(0), c.attrs.value("k", 0)); }},
      {"diagonal", call_diagonal},
      {"diag", [](const GoldenCase& c) { return diag(c.input(0), c.attrs.value("k", 0)); }},
      {"trace", call_trace},
  });
}

}  // namespace

void add_shapes(Adapters& table) {
  add_creation(table);
  table.insert({
      {"squeeze", call_squeeze},
      {"expand_dims",
       [](const GoldenCase& c) { return expand_dims(c.input(0), ints_of(c, "axis")); }},
      {"flatten",
       [](const GoldenCase& c) {
         return flatten(c.input(0), c.attrs["start_axis"], c.attrs["end_axis"]);
       }},
      {"unflatten",
       [](const GoldenCase& c) {
         return unflatten(c.input(0), c.attrs["axis"], shape_of(c.attrs["shape"]));
       }},
      {"moveaxis",
       [](const GoldenCase& c) {
         return moveaxis(c.input(0), c.attrs["source"], c.attrs["destination"]);
       }},
      {"matrix_transpose", unary(matrix_transpose)},
      {"atleast_1d", unary(atleast_1d)},
      {"atleast_2d", unary(atleast_2d)},
      {"atleast_3d", unary(atleast_3d)},
      {"flip", call_flip},
      {"repeat", call_repeat},
      {"tile", [](const GoldenCase& c) { return tile(c.input(0), ints_of(c, "reps")); }},
      {"roll", call_roll},
      {"split", call_split},
      {"unstack", [](const GoldenCase& c) { return unstack(c.input(0), c.attrs["axis"]); }},
      {"broadcast_arrays", [](const GoldenCase& c) { return broadcast_arrays(inputs_of(c)); }},
      {"meshgrid", call_meshgrid},
      {"diff", [](const GoldenCase& c) { return diff(c.input(0), c.attrs["n"], c.attrs["axis"]); }},
      {"slice_at",
       [](const GoldenCase& c) {
         return slice(c.input(0), c.input(1), ints_of(c, "axes"), shape_of(c.attrs["slice_size"]));
       }},
      {"slice_update_at",
       [](const GoldenCase& c) {
         return slice_update(c.input(0), c.input(1), c.input(2), ints_of(c, "axes"));
       }},
      {"masked_scatter",
       [](const GoldenCase& c) { return masked_scatter(c.input(0), c.input(1), c.input(2)); }},
      {"as_strided", call_as_strided},
      {"unique", call_unique},
  });
}

}  // namespace tessera::conformance
