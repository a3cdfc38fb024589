// Reductions, in float32 for half types. Sums over nothing are made here: MLX need not be asked.
#include "tessera/ops/reduce.h"

#include <limits>

#include "tessera/backends/mlx/internal/kernel.h"
#include "tessera/ops/softmax.h"

namespace tessera::mlx_backend {

namespace {

mx::array filled(Call& call, double value) {
  return mx::full(call.out_shape(), mx::array(static_cast<float>(value)), call.out_dtype(),
                  call.stream);
}

using Reduce = mx::array (*)(const mx::array&, const std::vector<int>&, bool, mx::StreamOrDevice);

template <class Op, Reduce fn>
mx::array reduced(Call& call, const Op& op) {
  return call.result(fn(call.wide(call.in[0]), to_ints(op.axes), op.keepdims, call.stream));
}

mx::array sum(Call& call, const Sum& op) {
  return call.in[0].size() == 0 ? filled(call, 0) : reduced<Sum, mx::sum>(call, op);
}
mx::array prod(Call& call, const Prod& op) {
  return call.in[0].size() == 0 ? filled(call, 1) : reduced<Prod, mx::prod>(call, op);
}
mx::array all(Call& call, const All& op) {
  return call.in[0].size() == 0 ? filled(call, 1) : reduced<All, mx::all>(call, op);
}
mx::array any(Call& call, const Any& op) {
  return call.in[0].size() == 0 ? filled(call, 0) : reduced<Any, mx::any>(call, op);
}
mx::array mean(Call& call, const Mean& op) {
  if (call.in[0].size() == 0) return filled(call, std::numeric_limits<float>::quiet_NaN());
  return reduced<Mean, mx::mean>(call, op);
}
mx::array logsumexp(Call& call, const LogSumExp& op) {
  if (call.in[0].size() == 0) return filled(call, -std::numeric_limits<float>::infinity());
  return reduced<LogSumExp, mx::logsumexp>(call, op);
}

mx::array argmax(Call& call, const ArgMax& op) {
  return mx::argmax(call.wide(call.in[0]), op.axis, op.keepdims, call.stream);
}
mx::array argmin(Call& call, const ArgMin& op) {
  return mx::argmin(call.wide(call.in[0]), op.axis, op.keepdims, call.stream);
}

mx::array softmax(Call& call, const Softmax& op) {
  return call.result(mx::softmax(call.wide(call.in[0]), to_ints(op.axes), true, call.stream));
}

}  // namespace

void add_reductions(KernelTable& table) {
  table.add<Sum, sum>();
  table.add<Prod, prod>();
  table.add<Max, reduced<Max, mx::max>>();
  table.add<Min, reduced<Min, mx::min>>();
  table.add<All, all>();
  table.add<Any, any>();
  table.add<Mean, mean>();
  table.add<LogSumExp, logsumexp>();
  table.add<ArgMax, argmax>();
  table.add<ArgMin, argmin>();
  table.add<Softmax, softmax>();
}

}  // namespace tessera::mlx_backend
