#include "tessera/backends/cpu/grouped_matrix.h"

namespace tessera::cpu {

namespace {

isa::CodeType code_type(const QuantGroups& groups) {
  using isa::CodeType;
  if (groups.mode == QuantMode::mxfp8) return CodeType::e4m3;
  if (!groups.has_integer_codes()) return CodeType::e2m1;
  constexpr CodeType kByBits[] = {CodeType::u1, CodeType::u2, CodeType::u3, CodeType::u4,
                                  CodeType::u5, CodeType::u6, CodeType::u8, CodeType::u8};
  return kByBits[groups.bits - 1];
}

isa::ScaleType scale_type(const QuantGroups& groups, Dtype dtype) {
  using isa::ScaleType;
  if (groups.mode == QuantMode::nvfp4) return ScaleType::e4m3;
  if (!groups.has_integer_codes()) return ScaleType::e8m0;
  return dtype == float16 ? ScaleType::f16 : dtype == bfloat16 ? ScaleType::bf16 : ScaleType::f32;
}

}  // namespace

GroupedWeight::GroupedWeight(const Context& ctx, Inputs in, const QuantGroups& groups)
    : codes_(ctx.contiguous(in[0])),
      scales_(ctx.contiguous(in[1])),
      biases_(groups.has_biases() ? ctx.contiguous(in[2]) : nullptr),
      groups_(groups) {
  const Shape& shape = codes_->shape();
  rows_ = num_elements(Shape(shape.begin(), shape.end() - 1));
}

isa::GroupedMatrix GroupedWeight::from_row(std::int64_t first) const {
  const std::int64_t words = codes_->shape().back();
  const std::int64_t groups = scales_->shape().back();
  const auto terms_from = [&](const CpuTensorPtr& t) -> const void* {
    return t ? t->bytes() + first * groups * t->dtype().size() : nullptr;
  };
  return {code_type(groups_),
          {.codes = codes_->bytes() + first * words * 4,
           .codes_stride = words * 4,
           .scales = terms_from(scales_),
           .biases = terms_from(biases_),
           .scales_stride = groups,
           .scale_type = scale_type(groups_, scales_->dtype()),
           .group_size = groups_.group_size,
           .bias_per_scale = groups_.symmetric_bias()}};
}

}  // namespace tessera::cpu
