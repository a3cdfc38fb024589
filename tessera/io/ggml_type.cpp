#include <iterator>

#include "tessera/io/internal/ggml_type.h"

namespace tessera {
namespace {

// Index = type number. Numbers without a name were withdrawn from the format or never given out.
const GgmlType kTypes[] = {
    {"F32", float32},
    {"F16", float16},
    {"Q4_0", QuantType::q4_0},
    {"Q4_1", QuantType::q4_1},
    {"Q4_2", {}},
    {"Q4_3", {}},
    {"Q5_0", QuantType::q5_0},
    {"Q5_1", QuantType::q5_1},
    {"Q8_0", QuantType::q8_0},
    {"Q8_1", {}},
    {"Q2_K", QuantType::q2_k},
    {"Q3_K", QuantType::q3_k},
    {"Q4_K", QuantType::q4_k},
    {"Q5_K", QuantType::q5_k},
    {"Q6_K", QuantType::q6_k},
    {"Q8_K", {}},
    {"IQ2_XXS", {}},
    {"IQ2_XS", {}},
    {"IQ3_XXS", {}},
    {"IQ1_S", {}},
    {"IQ4_NL", {}},
    {"IQ3_S", {}},
    {"IQ2_S", {}},
    {"IQ4_XS", {}},
    {"I8", int8},
    {"I16", int16},
    {"I32", int32},
    {"I64", int64},
    {"F64", float64},
    {"IQ1_M", {}},
    {"BF16", bfloat16},
    {"Q4_0_4_4", {}},
    {"Q4_0_4_8", {}},
    {"Q4_0_8_8", {}},
    {"TQ1_0", {}},
    {"TQ2_0", {}},
    {"IQ4_NL_4_4", {}},
    {"IQ4_NL_4_8", {}},
    {"IQ4_NL_8_8", {}},
    {"MXFP4", {}},
    {"NVFP4", {}},
    {"Q1_0", {}},
};

}  // namespace

GgmlType ggml_type(std::uint32_t id) {
  return id < std::size(kTypes) ? kTypes[id] : GgmlType{};
}

}  // namespace tessera
