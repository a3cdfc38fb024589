// Faults in sorts, scans, scatters, pools, convolutions, transforms, random bits and quantised
// weights.
#include <algorithm>
#include <cmath>

#include "tessera/ops/ops.h"
#include "tests/conformance/mutant.h"

namespace tessera::testing {

namespace {

template <class Op, class Other>
Mutant runs(std::string name) {
  return wrong<Op>(std::move(name), [](Call& c) { c.run_as(Other{}); });
}

float as_half(float x) {
  return static_cast<float>(float16_t(x));
}

/// Input `i`, when there is one and it is floating, all zero.
std::function<void(Call&)> without_input(std::size_t i) {
  return [i](Call& c) {
    if (c.inputs().size() > i) c.change_floats(c.inputs()[i], [](float) { return 0.0f; });
    c.run();
  };
}

template <class Op>
Mutant swaps(std::string name) {
  return wrong<Op>(std::move(name), [](Call& c) {
    std::swap(c.inputs()[0], c.inputs()[1]);
    c.run();
  });
}

/// The place where a partition divides, one lower.
template <class Op>
void divide_before(Op& op) {
  if (op.kth > 0) --op.kth;
}

/// Every float input in float16.
void in_half(Call& c) {
  c.change_inputs(as_half);
  c.run();
}

/// Integer elements of input `i`, each the one before it in the flat array.
std::function<void(Call&)> with_shifted_words(std::size_t i) {
  return [i](Call& c) {
    const HostTensor in = c.read(c.inputs()[i]);
    if (in.dtype() == uint32 && in.size() > 1) {
      HostTensor out(in.shape(), uint32);
      for (std::int64_t k = 0; k < in.size(); ++k) {
        reinterpret_cast<std::uint32_t*>(out.mutable_data())[k] =
            in.values<std::uint32_t>()[static_cast<std::size_t>(std::max<std::int64_t>(k - 1, 0))];
      }
      c.inputs()[i] = c.make(std::move(out));
    }
    c.run();
  };
}

/// The last scale of each row is the one before it, as a loop with too few groups leaves it.
void with_last_scale_repeated(Call& c) {
  const ShapeElem columns = c.inputs()[1]->shape().empty() ? 1 : c.inputs()[1]->shape().back();
  ShapeElem column = 0;
  float before = 0;
  c.change_floats(c.inputs()[1], [&](float x) {
    const float out = column + 1 == columns && columns > 1 ? before : x;
    before = x;
    column = (column + 1) % columns;
    return out;
  });
  c.run();
}

}  // namespace

std::vector<Mutant> contract_mutants() {
  return {
      wrong<Sort>("sort takes NaN for the least",
                  [](Call& c) {
                    c.change_inputs([](float x) { return std::isnan(x) ? -INFINITY : x; });
                    c.run();
                  }),
      wrong<ArgSort>("argsort compares in bfloat16",
                     [](Call& c) {
                       c.change_inputs([](float x) { return static_cast<float>(bfloat16_t(x)); });
                       c.run();
                     }),
      wrong_attribute<SearchSorted>("searchsorted takes the other side",
                                    [](SearchSorted& op) { op.right = !op.right; }),
      wrong_attribute<Partition>("partition divides one place early", divide_before<Partition>),
      wrong_attribute<ArgPartition>("argpartition divides one place early",
                                    divide_before<ArgPartition>),
      wrong_attribute<CumProd>("cumprod leaves out the element itself",
                               [](CumProd& op) { op.inclusive = !op.inclusive; }),
      wrong_attribute<CumMax>("cummax ignores reverse", [](CumMax& op) { op.reverse = false; }),
      wrong<CumMin>("cummin passes over NaN",
                    [](Call& c) {
                      c.change_inputs([](float x) { return std::isnan(x) ? INFINITY : x; });
                      c.run();
                    }),
      wrong<LogCumSumExp>("logcumsumexp overflows past 88",
                          [](Call& c) {
                            c.change_inputs([](float x) { return x > 88 ? INFINITY : x; });
                            c.run();
                          }),
      wrong_attribute<Scatter>(
          "scatter_add overwrites",
          [](Scatter& op) {
            if (op.reduce == ScatterReduce::sum) op.reduce = ScatterReduce::none;
          },
          "scatter_add"),
      wrong_attribute<Scatter>(
          "scatter_max keeps the least",
          [](Scatter& op) {
            if (op.reduce == ScatterReduce::max) op.reduce = ScatterReduce::min;
          },
          "scatter_max"),
      wrong_attribute<ScatterAxis>(
          "scatter_add_axis overwrites",
          [](ScatterAxis& op) {
            if (op.reduce == ScatterReduce::sum) op.reduce = ScatterReduce::none;
          },
          "scatter_add_axis"),
      swaps<Swiglu>("swiglu gates with the other half"),
      swaps<Geglu>("geglu gates with the other half"),
      wrong<MeanPool>("mean_pool counts what is masked",
                      [](Call& c) {
                        const TensorSpec mask = c.inputs()[1]->spec();
                        if (mask.dtype == bool_) {
                          HostTensor all(mask.shape, bool_);
                          std::fill_n(all.mutable_data(), all.nbytes(), std::byte{1});
                          c.inputs()[1] = c.make(std::move(all));
                        }
                        c.run();
                      }),
      wrong_attribute<Pool>(
          "max_pool is the mean", [](Pool& op) { op.kind = Pool::Kind::mean; }, "max_pool2d"),
      wrong_attribute<ConvGeneral>(
          "a convolution runs the kernel backwards", [](ConvGeneral& op) { op.flip = !op.flip; },
          "conv2d"),
      wrong_attribute<ConvGeneral>(
          "a convolution pads the other side",
          [](ConvGeneral& op) { std::swap(op.padding_low, op.padding_high); }, "conv_general"),
      wrong<ConvGeneral>("a convolution adds in float16", in_half, "conv2d"),
      wrong<Fft>(
          "a transform has lost its last bits",
          [](Call& c) {
            c.change_inputs(as_half);
            c.run();
          },
          "fft.rfft"),
      wrong_attribute<Fft>(
          "the inverse transform goes forward",
          [](Fft& op) {
            if (op.kind == Fft::Kind::inverse) op.kind = Fft::Kind::forward;
          },
          "fft.ifft"),
      wrong<Imag>("imag is that of the conjugate",
                  [](Call& c) {
                    c.run();
                    c.change_floats(c.output(), [](float x) { return -x; });
                  }),
      wrong<RandomBits>("random bits repeat their first word", with_shifted_words(0),
                        "random.bits"),
      runs<BitwiseXor, BitwiseOr>("bitwise_xor is bitwise_or"),
      runs<BitwiseAnd, BitwiseOr>("bitwise_and is bitwise_or"),
      runs<RightShift, LeftShift>("right_shift is left_shift"),
      runs<LeftShift, RightShift>("left_shift is right_shift"),
      wrong<Quantize>("quantize sees float16", in_half),
      wrong<ToFp8>("to_fp8 saturates at 240",
                   [](Call& c) {
                     c.change_inputs([](float x) {
                       return std::isnan(x) ? x : std::clamp(x, -240.0f, 240.0f);
                     });
                     c.run();
                   }),
      wrong<FromFp8>("from_fp8 flushes denormals",
                     [](Call& c) {
                       c.run();
                       c.change_floats(c.output(),
                                       [](float x) { return std::abs(x) < 0x1p-6f ? 0.0f : x; });
                     }),
      wrong<DequantizeGroups>("dequantize forgets the biases", without_input(2), "dequantize"),
      wrong<DequantizeGroups>("dequantize takes the neighbour's scale for the last group",
                              with_last_scale_repeated, "dequantize"),
      wrong<QuantizedMatmul>("quantized_matmul forgets the biases", without_input(3)),
      wrong<QuantizedMatmul>("quantized_matmul is one word of codes off", with_shifted_words(1)),
      wrong<QuantizedMatmul>("quantized_matmul rounds x to float16", in_half),
      wrong<Dequantize>(
          "packed weights are expanded by way of float16",
          [](Call& c) {
            c.run();
            c.change_floats(c.output(), as_half);
          },
          "packed.dequantize"),
      wrong<QuantizedLinear>("a packed product forgets the bias", without_input(2),
                             "packed.linear"),
      wrong_attribute<QuantizedLinear>(
          "a packed product rounds x to int8",
          [](QuantizedLinear& op) { op.compute = QuantCompute::fast; }, "packed.linear"),
      wrong<QuantizedEmbedding>(
          "rows of a packed table pass through bfloat16",
          [](Call& c) {
            c.run();
            c.change_floats(c.output(), [](float x) { return static_cast<float>(bfloat16_t(x)); });
          },
          "packed.embedding"),
      wrong<GatherQmm>("gather_qmm forgets the biases", without_input(3)),
      wrong<GatherMm>("gather_mm rounds its operands to float16", in_half),
  };
}

}  // namespace tessera::testing
