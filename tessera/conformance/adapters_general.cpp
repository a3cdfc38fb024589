// General ops, one line each.
#include "tessera/conformance/internal/adapters.h"

#include "tessera/ops/ops.h"

namespace tessera::conformance {

Dtype dtype_named(const std::string& name) {
  static const std::map<std::string, Dtype> dtypes = {
      {"bool", bool_},  {"u8", uint8},      {"u16", uint16},   {"u32", uint32}, {"u64", uint64},
      {"i8", int8},     {"i16", int16},     {"i32", int32},    {"i64", int64},  {"f16", float16},
      {"f32", float32}, {"bf16", bfloat16}, {"c64", complex64}};
  return dtypes.at(name);
}

Adapter unary(array (*fn)(const array&)) {
  return [fn](const GoldenCase& c) { return fn(c.input(0)); };
}

Shape shape_of(const nlohmann::json& list) {
  const auto sizes = list.get<std::vector<ShapeElem>>();
  return Shape(sizes.begin(), sizes.end());
}

namespace {

// What an operator does with a C++ scalar, for functions that only take arrays.
array weak_operand(const nlohmann::json& scalar, const array& like) {
  const bool inexact = issubdtype(like.dtype(), Dtype::Category::inexact);
  if (scalar.is_number_integer()) return array(scalar.get<int>(), like.dtype());
  return array(scalar.get<float>(), inexact ? like.dtype() : float32);
}

Adapter binary_or_scalar(array (*fn)(const array&, const array&)) {
  return [fn](const GoldenCase& c) {
    const array a = c.input(0);
    return fn(a, c.attrs.contains("scalar") ? weak_operand(c.attrs["scalar"], a) : c.input(1));
  };
}

// The C++ operator, so that its own rule for scalars is what runs.
template <class Operator>
Adapter infix(Operator op) {
  return [op](const GoldenCase& c) {
    const array a = c.input(0);
    if (!c.attrs.contains("scalar")) return op(a, c.input(1));
    const nlohmann::json& scalar = c.attrs["scalar"];
    return scalar.is_number_integer() ? op(a, scalar.get<int>()) : op(a, scalar.get<float>());
  };
}

using ReduceAll = array (*)(const array&, bool);
using ReduceAxes = array (*)(const array&, const std::vector<int>&, bool);

Adapter reduction(ReduceAll all, ReduceAxes some) {
  return [=](const GoldenCase& c) {
    const bool keepdims = c.attrs.value("keepdims", false) || c.attrs.value("precise", false);
    if (c.attrs["axes"].is_null()) return all(c.input(0), keepdims);
    return some(c.input(0), c.attrs["axes"].get<std::vector<int>>(), keepdims);
  };
}

using AlongAxis = array (*)(const array&, int, bool);

Adapter arg_reduction(ReduceAll all, AlongAxis along) {
  return [=](const GoldenCase& c) {
    if (c.attrs["axis"].is_null()) return all(c.input(0), c.attrs["keepdims"]);
    return along(c.input(0), c.attrs["axis"], c.attrs["keepdims"]);
  };
}

array call_take(const GoldenCase& c) {
  if (c.attrs["axis"].is_null()) return take(c.input(0), c.input(1));
  return take(c.input(0), c.input(1), c.attrs["axis"].get<int>());
}

array call_transpose(const GoldenCase& c) {
  if (c.attrs["axes"].is_null()) return transpose(c.input(0));
  return transpose(c.input(0), c.attrs["axes"].get<std::vector<int>>());
}

array call_concatenate(const GoldenCase& c) {
  std::vector<array> parts;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) parts.push_back(c.input(i));
  return concatenate(std::move(parts), c.attrs["axis"]);
}

array call_pad(const GoldenCase& c) {
  const auto width = c.attrs["pad_width"].get<std::vector<std::pair<int, int>>>();
  return pad(c.input(0), width, array(c.attrs.value("constant_value", 0)),
             c.attrs.value("mode", "constant"));
}

array call_slice(const GoldenCase& c) {
  return slice(c.input(0), shape_of(c.attrs["start"]), shape_of(c.attrs["stop"]),
               shape_of(c.attrs["strides"]));
}

array call_slice_update(const GoldenCase& c) {
  return slice_update(c.input(0), c.input(1), shape_of(c.attrs["start"]), shape_of(c.attrs["stop"]),
                      shape_of(c.attrs["strides"]));
}

array call_reshape(const GoldenCase& c) {
  const bool transposed = c.attrs.value("transpose_first", false);
  return reshape(transposed ? transpose(c.input(0)) : c.input(0), shape_of(c.attrs["shape"]));
}

array call_arange(const GoldenCase& c) {
  return arange(c.attrs["start"].get<double>(), c.attrs["stop"].get<double>(),
                c.attrs["step"].get<double>(), dtype_named(c.attrs["dtype"]));
}

array call_rope(const GoldenCase& c) {
  std::optional<float> base;
  if (!c.attrs["base"].is_null()) base = c.attrs["base"].get<float>();
  const int dims = c.attrs["dims"];
  const bool traditional = c.attrs["traditional"];
  const float scale = c.attrs["scale"];
  const bool offsets = c.attrs["offset"].is_string();
  std::optional<array> freqs;
  if (c.attrs.contains("freqs")) freqs = c.input(offsets ? 2 : 1);
  if (offsets) return fast::rope(c.input(0), dims, traditional, base, scale, c.input(1), freqs);
  return fast::rope(c.input(0), dims, traditional, base, scale, c.attrs["offset"].get<int>(),
                    freqs);
}

array call_attention(const GoldenCase& c) {
  const bool causal = c.attrs["mask"] == "causal";
  return fast::scaled_dot_product_attention(c.input(0), c.input(1), c.input(2), c.attrs["scale"],
                                            causal ? "causal" : "", c.optional_input(3),
                                            c.optional_input(4));
}

}  // namespace

void add_general(Adapters& table) {
  table.insert({
      {"add", infix([](const array& a, const auto& b) { return a + b; })},
      {"subtract", infix([](const array& a, const auto& b) { return a - b; })},
      {"multiply", infix([](const array& a, const auto& b) { return a * b; })},
      {"divide", infix([](const array& a, const auto& b) { return a / b; })},
      {"maximum", binary_or_scalar(maximum)},
      {"minimum", binary_or_scalar(minimum)},
      {"equal", infix([](const array& a, const auto& b) { return a == b; })},
      {"not_equal", infix([](const array& a, const auto& b) { return a != b; })},
      {"less", infix([](const array& a, const auto& b) { return a < b; })},
      {"less_equal", infix([](const array& a, const auto& b) { return a <= b; })},
      {"greater", infix([](const array& a, const auto& b) { return a > b; })},
      {"greater_equal", infix([](const array& a, const auto& b) { return a >= b; })},
      {"logical_and", binary_or_scalar(logical_and)},
      {"logical_or", binary_or_scalar(logical_or)},
      {"logical_not", unary(logical_not)},
      {"exp", unary(exp)},
      {"log", unary(log)},
      {"sqrt", unary(sqrt)},
      {"rsqrt", unary(rsqrt)},
      {"tanh", unary(tanh)},
      {"sigmoid", unary(sigmoid)},
      {"erf", unary(erf)},
      {"sin", unary(sin)},
      {"cos", unary(cos)},
      {"abs", unary(abs)},
      {"negative", unary(negative)},
      {"square", unary(square)},
      {"reciprocal", unary(reciprocal)},
      {"floor", unary(floor)},
      {"ceil", unary(ceil)},
      {"gelu", unary(gelu)},
      {"gelu_approx", unary(gelu_approx)},
      {"silu", unary(silu)},
      {"where", [](const GoldenCase& c) { return where(c.input(0), c.input(1), c.input(2)); }},
      {"sum", reduction(sum, sum)},
      {"prod", reduction(prod, prod)},
      {"max", reduction(max, max)},
      {"min", reduction(min, min)},
      {"mean", reduction(mean, mean)},
      {"all", reduction(all, all)},
      {"any", reduction(any, any)},
      {"argmax", arg_reduction(argmax, argmax)},
      {"argmin", arg_reduction(argmin, argmin)},
      {"softmax", reduction(softmax, softmax)},
      {"logsumexp", reduction(logsumexp, logsumexp)},
      {"power", binary_or_scalar(power)},
      {"linear",
       [](const GoldenCase& c) { return linear(c.input(0), c.input(1), c.optional_input(2)); }},
      {"matmul", [](const GoldenCase& c) { return matmul(c.input(0), c.input(1)); }},
      {"addmm",
       [](const GoldenCase& c) {
         return addmm(c.input(0), c.input(1), c.input(2), c.attrs["alpha"], c.attrs["beta"]);
       }},
      {"take", call_take},
      {"take_along_axis",
       [](const GoldenCase& c) {
         return take_along_axis(c.input(0), c.input(1), c.attrs["axis"]);
       }},
      {"embedding", [](const GoldenCase& c) { return embedding(c.input(1), c.input(0)); }},
      {"transpose", call_transpose},
      {"broadcast_to",
       [](const GoldenCase& c) { return broadcast_to(c.input(0), shape_of(c.attrs["shape"])); }},
      {"concatenate", call_concatenate},
      {"pad", call_pad},
      {"slice", call_slice},
      {"slice_update", call_slice_update},
      {"reshape", call_reshape},
      {"arange", call_arange},
      {"astype",
       [](const GoldenCase& c) { return astype(c.input(0), dtype_named(c.attrs["dtype"])); }},
      {"fast.rms_norm",
       [](const GoldenCase& c) {
         return fast::rms_norm(c.input(0), c.optional_input(1), c.attrs["eps"]);
       }},
      {"fast.layer_norm",
       [](const GoldenCase& c) {
         return fast::layer_norm(c.input(0), c.optional_input(1), c.optional_input(2),
                                 c.attrs["eps"]);
       }},
      {"swiglu", [](const GoldenCase& c) { return swiglu(c.input(0), c.input(1)); }},
      {"geglu",
       [](const GoldenCase& c) {
         return geglu(c.input(0), c.input(1), c.attrs["tanh_approximation"]);
       }},
      {"fast.rope", call_rope},
      {"fast.scaled_dot_product_attention", call_attention},
  });
}

}  // namespace tessera::conformance
