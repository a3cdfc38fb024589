// Products with matrices quantised in groups (core/quant_groups.h), from their packed form, spread
// over a thread pool. What matmul.h says of shapes, pointers and bits holds here too:
// linear_grouped equals linear() on what the weights expand to, bit for bit.
#pragma once

#include "tessera/backends/cpu/isa/matmul.h"

namespace tessera::cpu::isa {

/// A matrix of rows: each holds whole groups.
struct GroupedMatrix {
  CodeType type;
  GroupedRows rows;
};

/// y[m, n] = alpha * sum over k of x[m, k] * w[n, k] + bias[n].   w: n rows of k
void linear_grouped(ThreadPool& pool, const LinearArgs& args, const GroupedMatrix& w);

/// y[m, n] = sum over k of x[m, k] * w[k, n].   w: k rows of n; args.alpha and bias are not used
void product_grouped(ThreadPool& pool, const LinearArgs& args, const GroupedMatrix& w);

/// Row `row`, k weights, as floats.
void dequantize(const GroupedMatrix& w, std::int64_t row, std::int64_t k, float* out);

}  // namespace tessera::cpu::isa
