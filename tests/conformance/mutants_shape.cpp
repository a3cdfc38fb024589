// Faults in ops that move elements.
#include <algorithm>
#include <cstring>

#include "tessera/backends/cpu/tensor.h"
#include "tessera/core/error.h"
#include "tessera/ops/ops.h"
#include "tests/conformance/mutant.h"

namespace tessera::testing {

namespace {

/// Integer inputs from the second on, changed.
void change_indices(Call& c, std::size_t input,
                    const std::function<std::int64_t(std::int64_t)>& f) {
  const HostTensor in = c.read(c.inputs()[input]);
  const auto change = [&]<class T>(T) {
    HostTensor out(in.shape(), in.dtype());
    for (std::int64_t i = 0; i < in.size(); ++i) {
      reinterpret_cast<T*>(out.mutable_data())[i] =
          static_cast<T>(f(static_cast<std::int64_t>(in.values<T>()[i])));
    }
    c.inputs()[input] = c.make(std::move(out));
  };
  if (in.dtype() == int32) change(std::int32_t{});
  if (in.dtype() == int64) change(std::int64_t{});
}

void swallow_errors(Call& c) {
  try {
    c.run();
  } catch (const Error&) {
    c.output() = c.make(HostTensor(c.spec().shape, c.spec().dtype));
  }
}

}  // namespace

std::vector<Mutant> shape_mutants() {
  return {
      wrong<Reshape>("reshape reads storage order of a transposed array",
                     [](Call& c) {
                       const auto& in = cpu::as_cpu(c.inputs()[0]);
                       std::int64_t last = 0;
                       for (std::size_t i = 0; i < in.shape().size(); ++i) {
                         last += (in.shape()[i] - 1) * in.strides()[i];
                       }
                       const bool permuted = !in.contiguous() && last == in.size() - 1;
                       if (!permuted) return c.run();
                       HostTensor raw(in.shape(), in.dtype());
                       std::memcpy(raw.mutable_data(), in.bytes(), raw.nbytes());
                       c.inputs()[0] = c.make(std::move(raw));
                       c.run();
                     }),
      wrong<Transpose>("transpose leaves square matrices as they are",
                       [](Call& c) {
                         const Shape& s = c.spec().shape;
                         if (s.size() == 2 && s[0] == s[1]) {
                           c.output() = c.inputs()[0];
                         } else {
                           c.run();
                         }
                       }),
      wrong<Broadcast>("broadcast fills with the first element",
                       [](Call& c) {
                         const HostTensor in = c.read(c.inputs()[0]);
                         HostTensor out(in.shape(), in.dtype());
                         const std::size_t width = in.dtype().size();
                         for (std::int64_t i = 0; i < in.size(); ++i) {
                           std::memcpy(out.mutable_data() + i * width, in.data(), width);
                         }
                         c.inputs()[0] = c.make(std::move(out));
                         c.run();
                       }),
      wrong<Slice>("slice ignores a negative stride",
                   [](Call& c) {
                     Slice op = c.op<Slice>();
                     for (std::size_t i = 0; i < op.strides.size(); ++i) {
                       if (op.strides[i] >= 0) continue;
                       op.strides[i] = -op.strides[i];
                       op.start[i] = 0;
                       op.stop[i] = (c.spec().shape[i] - 1) * op.strides[i] + 1;
                     }
                     c.run_as(op);
                   }),
      wrong<Slice>("slice starts one early",
                   [](Call& c) {
                     Slice op = c.op<Slice>();
                     for (std::size_t i = 0; i < op.start.size(); ++i) {
                       if (op.start[i] > 0 && op.strides[i] > 0) {
                         --op.start[i];
                         --op.stop[i];
                       }
                     }
                     c.run_as(op);
                   }),
      wrong<SliceUpdate>("slice_update drops a stride",
                         [](Call& c) {
                           SliceUpdate op = c.op<SliceUpdate>();
                           for (std::size_t i = 0; i < op.strides.size(); ++i) {
                             if (op.strides[i] <= 1) continue;
                             op.strides[i] = 1;
                             op.stop[i] = op.start[i] + c.inputs()[1]->shape()[i];
                           }
                           c.run_as(op);
                         }),
      wrong<SliceUpdate>(
          "slice_update writes into a shared original",
          [](Call& c) {
            const TensorPtr original = c.inputs()[0];
            c.run();
            const HostTensor updated = c.read(c.output());
            const auto& in = cpu::as_cpu(original);
            if (in.contiguous()) {
              std::memcpy(in.bytes(), updated.data(), updated.nbytes());
            }
          },
          "behaviour/sharing"),
      wrong<Concatenate>("concatenate joins in the other order",
                         [](Call& c) {
                           const auto inputs = c.inputs();
                           std::reverse(inputs.begin(), inputs.end());
                           c.run();
                         }),
      wrong<Pad>("pad fills with 0",
                 [](Call& c) {
                   const TensorSpec value = c.inputs()[1]->spec();
                   c.inputs()[1] = c.make(HostTensor(value.shape, value.dtype));
                   c.run();
                 }),
      wrong<Pad>("pad puts what goes before behind",
                 [](Call& c) {
                   Pad op = c.op<Pad>();
                   std::swap(op.low, op.high);
                   c.run_as(op);
                 }),
      wrong<Take>("take clamps negative indices",
                  [](Call& c) {
                    change_indices(c, 1,
                                   [](std::int64_t i) { return std::max<std::int64_t>(i, 0); });
                    c.run();
                  }),
      wrong<TakeAlongAxis>("take_along_axis clamps negative indices",
                           [](Call& c) {
                             change_indices(
                                 c, 1, [](std::int64_t i) { return std::max<std::int64_t>(i, 0); });
                             c.run();
                           }),
      wrong<Gather>("gather is one row off",
                    [](Call& c) {
                      change_indices(c, 1, [](std::int64_t i) { return i > 0 ? i - 1 : i; });
                      c.run();
                    }),
      wrong<Take>("take reads past the end", swallow_errors, "behaviour/errors"),
      wrong<Embedding>("embedding reads past the end", swallow_errors, "behaviour/errors"),
      wrong<Embedding>("embedding is one row off",
                       [](Call& c) {
                         change_indices(c, 0, [](std::int64_t i) { return i > 0 ? i - 1 : i; });
                         c.run();
                       }),
      wrong<Arange>("arange adds up its steps in float16",
                    [](Call& c) {
                      c.run();
                      c.change_floats(c.output(),
                                      [](float x) { return static_cast<float>(float16_t(x)); });
                    }),
  };
}

}  // namespace tessera::testing
