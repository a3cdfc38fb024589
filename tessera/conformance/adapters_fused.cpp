// fused: functions whose ops compile() makes one of, as tools/oracles/mlx_fused.py has them.
#include "tessera/conformance/internal/adapters.h"
#include "tessera/core/internal/fail.h"
#include "tessera/graph/compile.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

Arrays gelu_by_ops(const Arrays& in) {
  const array x = in[0] + in[1];
  return {0.5f * x * (1.0f + tanh(0.7978845608f * (x + 0.044715f * x * x * x)))};
}
Arrays layer_norm_by_ops(const Arrays& in) {
  const array centred = in[0] - mean(in[0], -1, true);
  return {centred * rsqrt(mean(square(centred), -1, true) + 1e-5f) * in[1] + in[2]};
}
Arrays softmax_by_ops(const Arrays& in) {
  const array e = exp(in[0] - max(in[0], -1, true));
  return {e / sum(e, -1, true)};
}
Arrays adam_by_ops(const Arrays& in) {
  const array m = 0.9f * in[2] + 0.1f * in[1];
  const array v = 0.999f * in[3] + 0.001f * square(in[1]);
  return {in[0] - 0.01f * m / (sqrt(v) + 1e-8f), m, v};
}
Arrays choice_by_ops(const Arrays& in) {
  const array odd = in[0] % 3 == 1;
  return {where(odd && in[1] > 0, in[0] * in[1], in[0] - in[1]), odd};
}

ArraysFn function_of(const GoldenCase& c) {
  const std::string name = c.attrs["function"];
  if (name == "gelu") return gelu_by_ops;
  if (name == "layer_norm") return layer_norm_by_ops;
  if (name == "softmax") return softmax_by_ops;
  if (name == "adam") return adam_by_ops;
  if (name == "choice") return choice_by_ops;
  fail(ErrorCode::bad_format, c.id, "there is no function \"{}\"", name);
}

std::vector<array> call_fused(const GoldenCase& c) {
  Arrays inputs;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) inputs.push_back(c.input(i));
  return compile(function_of(c))(inputs);
}

}  // namespace

void add_fused(Adapters& table) {
  table.insert({{"fused", call_fused}});
}

}  // namespace tessera::conformance
