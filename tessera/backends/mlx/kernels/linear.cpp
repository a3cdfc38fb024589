// Products of matrices.
#include "tessera/ops/matmul.h"

#include "tessera/backends/mlx/internal/kernel.h"
#include "tessera/ops/quantized_matmul.h"

namespace tessera::mlx_backend {

namespace {

mx::array zeros(Call& call) {
  return mx::zeros(call.out_shape(), call.out_dtype(), call.stream);
}

mx::array matmul(Call& call, const Matmul&) {
  if (call.in[0].size() == 0) return zeros(call);
  const mx::array a = call.wide_on_cpu(call.in[0]);
  const mx::array b = call.wide_on_cpu(call.in[1]);
  return call.result(mx::matmul(a, b, call.stream));
}

mx::array linear(Call& call, const Linear&) {
  const auto widen = [&](const mx::array& x) {
    return call.wide_on_cpu(call.cast(x, call.out_dtype()));
  };
  if (call.in[1].size() == 0) {  // no features to sum over
    const mx::array sum = zeros(call);
    return call.in.size() < 3 ? sum : call.result(mx::add(sum, call.in[2], call.stream));
  }
  const mx::array x = widen(call.in[0]);
  const mx::array w = mx::transpose(widen(call.in[1]), call.stream);
  if (call.in.size() < 3) return call.result(mx::matmul(x, w, call.stream));
  return call.result(mx::addmm(widen(call.in[2]), x, w, 1.0f, 1.0f, call.stream));
}

std::int64_t matrices(const mx::array& a) {
  return static_cast<std::int64_t>(a.size()) / (std::int64_t{a.shape(-1)} * a.shape(-2));
}

bool takes_gather_mm(const GatherMm&, std::span<const TensorPtr> in, bool) {
  return num_elements(in[0]->shape()) != 0 && num_elements(in[1]->shape()) != 0;
}

mx::array gather_mm(Call& call, const GatherMm&) {
  const mx::array a = call.wide_on_cpu(call.in[0]);
  const mx::array b = call.wide_on_cpu(call.in[1]);
  const auto index = [&](const mx::array& i, const mx::array& of) {
    const std::int64_t count = matrices(of);
    const mx::array asked = call.cast(call.indices(GatherMm::kName, i, count), mx::int32);
    const mx::array below = mx::less(asked, mx::array(0), call.stream);
    const mx::array size = mx::array(static_cast<int>(count));
    return call.cast(mx::where(below, mx::add(asked, size, call.stream), asked, call.stream),
                     mx::uint32);
  };
  return call.result(
      mx::gather_mm(a, b, index(call.in[2], a), index(call.in[3], b), false, call.stream));
}

}  // namespace

void add_linear(KernelTable& table) {
  table.add<Matmul, matmul>();
  table.add<Linear, linear>();
  table.add_if<GatherMm, gather_mm, takes_gather_mm>();
}

}  // namespace tessera::mlx_backend
