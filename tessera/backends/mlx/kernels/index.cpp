// Choosing and placing elements by index. MLX does not look at indices, so they are checked here.
#include "tessera/ops/index.h"

#include "tessera/backends/mlx/internal/kernel.h"
#include "tessera/ops/embedding.h"
#include "tessera/ops/scatter.h"

namespace tessera::mlx_backend {

namespace {

mx::array take(Call& call, const Take& op) {
  const mx::array index = call.indices(Take::kName, call.in[1], call.in[0].shape(op.axis));
  return mx::take(call.in[0], index, op.axis, call.stream);
}

mx::array embedding(Call& call, const Embedding&) {
  const mx::array index = call.indices(Embedding::kName, call.in[0], call.in[1].shape(0));
  return mx::take(call.in[1], index, 0, call.stream);
}

mx::array take_along_axis(Call& call, const TakeAlongAxis& op) {
  const mx::array index = call.indices(TakeAlongAxis::kName, call.in[1], call.in[0].shape(op.axis));
  return mx::take_along_axis(call.in[0], index, op.axis, call.stream);
}

// Index arrays are in[first...]; an index must leave room for the slice that begins there.
std::vector<mx::array> starts(Call& call, const char* op, std::size_t first,
                              const InlineVector<int, 6>& axes, const Shape& slice_sizes) {
  std::vector<mx::array> out;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    out.push_back(
        call.indices(op, call.in[first + i], call.in[0].shape(axes[i]), slice_sizes[axes[i]]));
  }
  return out;
}

mx::array gather(Call& call, const Gather& op) {
  const auto index = starts(call, Gather::kName, 1, op.axes, op.slice_sizes);
  return mx::gather(call.in[0], index, to_ints(op.axes), to_mlx(op.slice_sizes), call.stream);
}

bool sums_in_order(ScatterReduce reduce, Dtype dtype, bool on_cpu) {
  switch (reduce) {
    case ScatterReduce::none: return on_cpu;  // a GPU leaves open which update comes last
    case ScatterReduce::sum:
    case ScatterReduce::prod: return dtype != bool_ && dtype != complex64;
    // NaN that is there already loses in MLX.
    default: return !is_floating(dtype) && dtype != complex64;
  }
}

bool takes_scatter(const Scatter& op, std::span<const TensorPtr> in, bool on_cpu) {
  return sums_in_order(op.reduce, in[0]->dtype(), on_cpu);
}

mx::array scatter(Call& call, const Scatter& op) {
  if (call.in[1].size() == 0) return call.in[0];
  const std::size_t index_rank = call.in.size() > 2 ? call.in[2].ndim() : 0;
  const Shape& updates = call.tensors[1]->shape();
  const Shape slice(updates.begin() + index_rank, updates.end());
  const auto index = starts(call, Scatter::kName, 2, op.axes, slice);
  const std::vector<int> axes = to_ints(op.axes);
  const bool adds = op.reduce == ScatterReduce::sum || op.reduce == ScatterReduce::prod;
  const mx::array x = adds ? call.wide(call.in[0]) : call.in[0];
  const mx::array u = adds ? call.wide(call.in[1]) : call.in[1];
  switch (op.reduce) {
    case ScatterReduce::sum: return call.result(mx::scatter_add(x, index, u, axes, call.stream));
    case ScatterReduce::prod: return call.result(mx::scatter_prod(x, index, u, axes, call.stream));
    case ScatterReduce::max: return mx::scatter_max(x, index, u, axes, call.stream);
    case ScatterReduce::min: return mx::scatter_min(x, index, u, axes, call.stream);
    default: return mx::scatter(x, index, u, axes, call.stream);
  }
}

bool takes_scatter_axis(const ScatterAxis& op, std::span<const TensorPtr> in, bool on_cpu) {
  const bool in_mlx = op.reduce == ScatterReduce::none || op.reduce == ScatterReduce::sum;
  return in_mlx && sums_in_order(op.reduce, in[0]->dtype(), on_cpu);
}

mx::array scatter_axis(Call& call, const ScatterAxis& op) {
  if (call.in[1].size() == 0) return call.in[0];
  const mx::array index = call.indices(ScatterAxis::kName, call.in[2], call.in[0].shape(op.axis));
  if (op.reduce == ScatterReduce::none) {
    return mx::put_along_axis(call.in[0], index, call.in[1], op.axis, call.stream);
  }
  return call.result(mx::scatter_add_axis(call.wide(call.in[0]), index, call.wide(call.in[1]),
                                          op.axis, call.stream));
}

}  // namespace

void add_index(KernelTable& table) {
  table.add<Take, take>();
  table.add<Embedding, embedding>();
  table.add<TakeAlongAxis, take_along_axis>();
  table.add<Gather, gather>();
  table.add_if<Scatter, scatter, takes_scatter>();
  table.add_if<ScatterAxis, scatter_axis, takes_scatter_axis>();
}

}  // namespace tessera::mlx_backend
