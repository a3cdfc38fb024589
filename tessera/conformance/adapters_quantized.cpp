// Quantising in groups, products with quantised and with packed weights, float8.
#include "tessera/conformance/internal/adapters.h"

#include "tessera/core/internal/fail.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

int bits(const GoldenCase& c) {
  return c.attrs["bits"];
}
int group_size(const GoldenCase& c) {
  return c.attrs["group_size"];
}
std::string mode(const GoldenCase& c) {
  return c.attrs["mode"];
}

Outputs call_quantize(const GoldenCase& c) {
  return quantize(c.input(0), group_size(c), bits(c), mode(c), c.optional_input(1));
}

Outputs call_dequantize(const GoldenCase& c) {
  std::optional<Dtype> dtype;
  if (!c.attrs["dtype"].is_null()) dtype = dtype_named(c.attrs["dtype"]);
  return dequantize(c.input(0), c.input(1), c.optional_input(2), group_size(c), bits(c), mode(c),
                    c.optional_input(3), dtype);
}

Outputs call_quantized_matmul(const GoldenCase& c) {
  const array x = c.attrs["x_transposed"] ? swapaxes(c.input(0), -1, -2) : c.input(0);
  return quantized_matmul(x, c.input(1), c.input(2), c.optional_input(3), c.attrs["transpose"],
                          group_size(c), bits(c), mode(c));
}

Outputs call_gather_qmm(const GoldenCase& c) {
  return gather_qmm(c.input(0), c.input(1), c.input(2), c.optional_input(3), c.optional_input(4),
                    c.optional_input(5), c.attrs["transpose"], group_size(c), bits(c), mode(c));
}

QuantType block_type(const GoldenCase& c) {
  for (int i = 0; i <= static_cast<int>(QuantType::q6_k); ++i) {
    if (to_string(QuantType(i)) == c.attrs["type"].get<std::string>()) return QuantType(i);
  }
  fail(ErrorCode::bad_format, c.id, "block format \"{}\" is not known",
       c.attrs["type"].get<std::string>());
}

Outputs call_packed_dequantize(const GoldenCase& c) {
  return dequantize(c.input(0), block_type(c), c.attrs["columns"], dtype_named(c.attrs["dtype"]));
}
Outputs call_packed_linear(const GoldenCase& c) {
  return quantized_linear(c.input(0), c.input(1), block_type(c), c.optional_input(2));
}
Outputs call_packed_embedding(const GoldenCase& c) {
  return quantized_embedding(c.input(0), c.input(1), block_type(c), c.attrs["dims"],
                             dtype_named(c.attrs["dtype"]));
}

}  // namespace

void add_quantized(Adapters& table) {
  table.insert({
      {"quantize", call_quantize},
      {"dequantize", call_dequantize},
      {"quantized_matmul", call_quantized_matmul},
      {"gather_qmm", call_gather_qmm},
      {"packed.dequantize", call_packed_dequantize},
      {"packed.linear", call_packed_linear},
      {"packed.embedding", call_packed_embedding},
      {"gather_mm",
       [](const GoldenCase& c) {
         return gather_mm(c.input(0), c.input(1), c.optional_input(2), c.optional_input(3));
       }},
      {"to_fp8", [](const GoldenCase& c) { return to_fp8(c.input(0)); }},
      {"from_fp8",
       [](const GoldenCase& c) { return from_fp8(c.input(0), dtype_named(c.attrs["dtype"])); }},
  });
}

}  // namespace tessera::conformance
