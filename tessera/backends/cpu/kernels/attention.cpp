// Attention without the [L, S] matrix: blocks of queries walk blocks of keys with an online
// softmax.
//
// source  arXiv:2205.14135 (FlashAttention), arXiv:1805.02867 (online softmax)
#include <cmath>
#include <limits>
#include <vector>

#include "tessera/backends/cpu/float_type.h"
#include "tessera/backends/cpu/isa/attention.h"
#include "tessera/backends/cpu/isa/vector_math.h"
#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/sdpa.h"

namespace tessera::cpu {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// A block of scores [kQueryBlock, kKeyBlock] is 16 KiB, and stays in the first-level cache with the
// keys it was made from.
constexpr std::int64_t kQueryBlock = 16;
constexpr std::int64_t kKeyBlock = 256;

// The last axis must be dense for the dot products; other axes keep their strides, so that a slice
// of a KV cache is read where it lies, in its own dtype.
CpuTensorPtr dense_rows(const Context& ctx, const TensorPtr& t) {
  const CpuTensor& c = as_cpu(t);
  if (c.dtype() == float64) return ctx.to_float32(t);
  if (c.strides().back() == 1 || c.shape().back() <= 1) {
    return std::static_pointer_cast<CpuTensor>(t);
  }
  return ctx.contiguous(t);
}

struct Problem {
  const Sdpa& op;
  const CpuTensor& q;  // float32
  const CpuTensor& k;
  const CpuTensor& v;
  const CpuTensor* mask;
  const float* sinks;  // one per head, or nullptr
  CpuTensor& y;        // float32, contiguous
  std::int64_t heads, group, queries, keys, width, value_width;

  // What row i of the queries may see without a mask: [first, last).
  std::int64_t first_key(std::int64_t i) const {
    return op.window > 0 ? std::max<std::int64_t>(0, keys - queries + i + 1 - op.window) : 0;
  }
  std::int64_t last_key(std::int64_t i) const {
    return op.causal ? std::clamp<std::int64_t>(keys - queries + i + 1, 0, keys) : keys;
  }
};

// Scratch of one thread.
struct Block {
  std::vector<float> queries, scores, max, sum;
};

// Rows of a block: either consecutive queries of one head, or (decoding) the query heads that share
// a key head; both read the same keys once.
struct RowSet {
  std::int64_t batch, kv_head, count;
  std::int64_t head0, head_step, query0, query_step;
  std::int64_t head(std::int64_t r) const { return head0 + r * head_step; }
  std::int64_t query(std::int64_t r) const { return query0 + r * query_step; }
};

// -infinity for what the row must not see; softcap and mask.
void adjust_scores(const Problem& p, const RowSet& rows, std::int64_t r, std::int64_t key0,
                   std::int64_t count, float* scores) {
  const std::int64_t i = rows.query(r);
  if (p.op.softcap > 0) {
    for (std::int64_t j = 0; j < count; ++j) scores[j] *= 1.0f / p.op.softcap;
    isa::vec_tanh(scores, scores, count);
    for (std::int64_t j = 0; j < count; ++j) scores[j] *= p.op.softcap;
  }
  if (p.mask) {
    const Strides& m = p.mask->strides();
    const std::int64_t at = rows.batch * m[0] + rows.head(r) * m[1] + i * m[2] + key0 * m[3];
    if (p.mask->dtype() == bool_) {
      const bool* keep = p.mask->data<bool>() + at;
      for (std::int64_t j = 0; j < count; ++j) scores[j] = keep[j * m[3]] ? scores[j] : -kInfinity;
    } else {
      const float* add = p.mask->data<float>() + at;
      for (std::int64_t j = 0; j < count; ++j) scores[j] += add[j * m[3]];
    }
  }
  const std::int64_t first = std::clamp<std::int64_t>(p.first_key(i) - key0, 0, count);
  const std::int64_t last = std::clamp<std::int64_t>(p.last_key(i) - key0, 0, count);
  std::fill(scores, scores + first, -kInfinity);
  std::fill(scores + std::max(first, last), scores + count, -kInfinity);
}

void attend(const Problem& p, const RowSet& rows, Block& block) {
  const std::int64_t width = p.width;
  block.queries.resize(rows.count * width);
  block.scores.resize(rows.count * kKeyBlock);
  block.max.assign(rows.count, -kInfinity);
  block.sum.assign(rows.count, 0.0f);
  const Strides& qs = p.q.strides();
  std::int64_t begin = p.keys;
  std::int64_t end = 0;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const float* from =
        p.q.data<float>() + rows.batch * qs[0] + rows.head(r) * qs[1] + rows.query(r) * qs[2];
    std::copy(from, from + width, block.queries.begin() + r * width);
    begin = std::min(begin, p.first_key(rows.query(r)));
    end = std::max(end, p.last_key(rows.query(r)));
  }
  // The rows' outputs: a stride apart, for queries of a head as for heads of a query.
  const std::int64_t out_stride = (rows.head_step * p.queries + rows.query_step) * p.value_width;
  float* out = p.y.data<float>() +
               ((rows.batch * p.heads + rows.head0) * p.queries + rows.query0) * p.value_width;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    std::fill(out + r * out_stride, out + r * out_stride + p.value_width, 0.0f);
  }
  // A sink is a key seen before all others, whose value is 0.
  for (std::int64_t r = 0; p.sinks != nullptr && r < rows.count; ++r) {
    const float sink = p.sinks[rows.head(r)];
    block.max[r] = sink;
    block.sum[r] = sink == -kInfinity ? 0.0f : 1.0f;
  }
  const Strides& ks = p.k.strides();
  const Strides& vs = p.v.strides();
  const std::int64_t item = p.k.dtype().size();
  const std::byte* keys = p.k.bytes() + (rows.batch * ks[0] + rows.kv_head * ks[1]) * item;
  const std::byte* values = p.v.bytes() + (rows.batch * vs[0] + rows.kv_head * vs[1]) * item;
  const isa::FloatType type = float_type(p.k.dtype());

  for (std::int64_t key0 = begin; key0 < end; key0 += kKeyBlock) {
    const std::int64_t count = std::min(kKeyBlock, end - key0);
    isa::attention_scores({block.queries.data(), rows.count, width},
                          {keys + key0 * ks[2] * item, type, count, ks[2]}, width, p.op.scale,
                          block.scores.data(), kKeyBlock);
    for (std::int64_t r = 0; r < rows.count; ++r) {
      float* scores = block.scores.data() + r * kKeyBlock;
      adjust_scores(p, rows, r, key0, count, scores);
      const float shrink = isa::softmax_step(scores, count, &block.max[r], &block.sum[r]);
      if (shrink != 1.0f) {
        float* row = out + r * out_stride;
        for (std::int64_t d = 0; d < p.value_width; ++d) row[d] *= shrink;
      }
    }
    isa::attention_values({block.scores.data(), rows.count, kKeyBlock},
                          {values + key0 * vs[2] * item, type, count, vs[2]}, p.value_width, out,
                          out_stride, true);
  }
  for (std::int64_t r = 0; r < rows.count; ++r) {
    // Nothing to attend to: the zeros stay.
    if (block.sum[r] == 0.0f) continue;
    const float scale = 1.0f / block.sum[r];
    float* row = out + r * out_stride;
    for (std::int64_t d = 0; d < p.value_width; ++d) row[d] *= scale;
  }
}

TensorPtr sdpa_kernel(Context& ctx, const Sdpa& op, Inputs in, const TensorSpec& out) {
  const CpuTensorPtr wide_q = ctx.to_float32(in[0]);
  const CpuTensorPtr q = wide_q->strides().back() == 1 ? wide_q : ctx.contiguous(wide_q);
  const CpuTensorPtr k = dense_rows(ctx, in[1]);
  const CpuTensorPtr v = dense_rows(ctx, in[2]);
  const CpuTensorPtr sinks = op.has_sinks ? ctx.contiguous(in[in.size() - 1]) : nullptr;
  const bool has_mask = in.size() > (op.has_sinks ? 4u : 3u);
  CpuTensorPtr y = ctx.make({out.shape, float32});
  const std::int64_t heads = q->shape()[1];
  const std::int64_t kv_heads = k->shape()[1];
  const std::int64_t queries = q->shape()[2];
  const Problem p{op,
                  *q,
                  *k,
                  *v,
                  has_mask ? &as_cpu(in[3]) : nullptr,
                  sinks ? sinks->data<float>() : nullptr,
                  *y,
                  heads,
                  heads / kv_heads,
                  queries,
                  k->shape()[2],
                  q->shape()[3],
                  v->shape()[3]};

  // Decoding takes the heads of a group together, longer inputs blocks of queries.
  const bool by_group = queries == 1;
  const std::int64_t blocks = by_group ? 1 : (queries + kQueryBlock - 1) / kQueryBlock;
  const std::int64_t per_batch = by_group ? kv_heads : heads * blocks;
  ctx.pool.parallel_for(q->shape()[0] * per_batch, 1, [&](std::int64_t begin, std::int64_t end) {
    Block block;
    for (std::int64_t w = begin; w < end; ++w) {
      const std::int64_t batch = w / per_batch;
      const std::int64_t rest = w % per_batch;
      if (by_group) {
        attend(p, {batch, rest, p.group, rest * p.group, 1, 0, 0}, block);
      } else {
        const std::int64_t head = rest / blocks;
        const std::int64_t first = rest % blocks * kQueryBlock;
        const std::int64_t count = std::min(kQueryBlock, queries - first);
        attend(p, {batch, head / p.group, count, head, 0, first, 1}, block);
      }
    }
  });
  if (out.dtype == float32) return y;
  CpuTensorPtr narrow = ctx.make(out);
  copy_elements(ctx, *y, *narrow);
  return narrow;
}

}  // namespace

void register_attention(KernelRegistry& table) {
  table.add<Sdpa, sdpa_kernel>();
}

}  // namespace tessera::cpu
