// Running totals and sorting.
#include "tessera/ops/scan.h"

#include "tessera/backends/mlx/internal/kernel.h"
#include "tessera/ops/sort.h"

namespace tessera::mlx_backend {

namespace {

mx::array cumsum(Call& call, const CumSum& op) {
  return call.result(mx::cumsum(call.wide(call.in[0]), op.axis, op.reverse, op.inclusive,
                                std::nullopt, call.stream));
}
mx::array cumprod(Call& call, const CumProd& op) {
  return call.result(mx::cumprod(call.wide(call.in[0]), op.axis, op.reverse, op.inclusive,
                                 std::nullopt, call.stream));
}
mx::array cummax(Call& call, const CumMax& op) {
  return call.result(
      mx::cummax(call.wide(call.in[0]), op.axis, op.reverse, op.inclusive, call.stream));
}
mx::array cummin(Call& call, const CumMin& op) {
  return call.result(
      mx::cummin(call.wide(call.in[0]), op.axis, op.reverse, op.inclusive, call.stream));
}
mx::array logcumsumexp(Call& call, const LogCumSumExp& op) {
  return call.result(
      mx::logcumsumexp(call.wide(call.in[0]), op.axis, op.reverse, op.inclusive, call.stream));
}

mx::array sort(Call& call, const Sort& op) {
  return mx::sort(call.in[0], op.axis, call.stream);
}
mx::array argsort(Call& call, const ArgSort& op) {
  return mx::argsort(call.in[0], op.axis, call.stream);
}
mx::array partition(Call& call, const Partition& op) {
  return mx::partition(call.in[0], static_cast<int>(op.kth), op.axis, call.stream);
}
mx::array argpartition(Call& call, const ArgPartition& op) {
  return mx::argpartition(call.in[0], static_cast<int>(op.kth), op.axis, call.stream);
}
mx::array searchsorted(Call& call, const SearchSorted& op) {
  return call.result(
      mx::searchsorted(call.in[0], call.in[1], op.right ? "right" : "left", call.stream));
}

}  // namespace

void add_scans(KernelTable& table) {
  table.add<CumSum, cumsum>();
  table.add<CumProd, cumprod>();
  table.add<CumMax, cummax>();
  table.add<CumMin, cummin>();
  table.add<LogCumSumExp, logcumsumexp>();
  table.add<Sort, sort>();
  table.add<ArgSort, argsort>();
  table.add<Partition, partition>();
  table.add<ArgPartition, argpartition>();
  table.add<SearchSorted, searchsorted>();
}

}  // namespace tessera::mlx_backend
