// Faults in ops that fold an axis, and in products.
#include <cmath>

#include "tessera/ops/ops.h"
#include "tests/conformance/mutant.h"

namespace tessera::testing {

namespace {

float as_half(float x) {
  return static_cast<float>(float16_t(x));
}
float without_nan(float x) {
  return std::isnan(x) ? 0.0f : x;
}

/// Flips the order along the op's axis and counts its index from the other end: ties go to the
/// last.
template <class Op>
void last_on_ties(Call& c) {
  const int axis = c.op<Op>().axis;
  const HostTensor in = c.read(c.inputs()[0]);
  if (in.shape().empty() || in.size() == 0) return c.run();
  const ShapeElem length = in.shape()[axis];
  Slice flip;
  for (std::size_t i = 0; i < in.shape().size(); ++i) {
    const bool here = static_cast<int>(i) == axis;
    flip.start.push_back(here ? length - 1 : 0);
    flip.stop.push_back(here ? -length - 1 : in.shape()[i]);
    flip.strides.push_back(here ? -1 : 1);
  }
  const array flipped = slice(array(in), flip.start, flip.stop, flip.strides);
  c.inputs()[0] = c.make(flipped.to_host());
  c.run();
  const HostTensor found = c.read(c.output());
  HostTensor turned(found.shape(), found.dtype());
  for (std::int64_t i = 0; i < found.size(); ++i) {
    reinterpret_cast<std::uint32_t*>(turned.mutable_data())[i] =
        static_cast<std::uint32_t>(length - 1) - found.values<std::uint32_t>()[i];
  }
  c.output() = c.make(std::move(turned));
}

/// The float inputs without their last 1..7 columns, as a loop over whole vectors reads them.
void without_tail(Call& c, std::size_t input) {
  const HostTensor in = c.read(c.inputs()[input]);
  if (in.shape().empty()) return;
  const ShapeElem columns = in.shape().back();
  if (columns < 8 || columns % 8 == 0) return;
  ShapeElem column = 0;
  c.change_floats(c.inputs()[input], [&](float x) {
    const bool tail = column >= columns / 8 * 8;
    column = (column + 1) % columns;
    return tail ? 0.0f : x;
  });
}

void scaled_result(Call& c, float factor) {
  c.run();
  c.change_floats(c.output(), [factor](float x) { return x * factor; });
}

}  // namespace

std::vector<Mutant> reduction_mutants() {
  return {
      wrong<Sum>("sum rounds its addends to float16",
                 [](Call& c) {
                   c.change_inputs(as_half);
                   c.run();
                 }),
      wrong<Sum>("sum rounds its result to float16",
                 [](Call& c) {
                   c.run();
                   c.change_floats(c.output(), as_half);
                 }),
      wrong<Sum>("sum skips the tail after whole vectors",
                 [](Call& c) {
                   without_tail(c, 0);
                   c.run();
                 }),
      wrong<Sum>("sum takes NaN for 0",
                 [](Call& c) {
                   c.change_inputs(without_nan);
                   c.run();
                 }),
      wrong<Prod>("prod takes NaN for 1",
                  [](Call& c) {
                    c.change_inputs([](float x) { return std::isnan(x) ? 1.0f : x; });
                    c.run();
                  }),
      wrong<Prod>("prod is sum", [](Call& c) { c.run_as(Sum{c.op<Prod>()}); }),
      wrong<Max>("max passes over NaN",
                 [](Call& c) {
                   c.change_inputs([](float x) { return std::isnan(x) ? -INFINITY : x; });
                   c.run();
                 }),
      wrong<Max>("max starts from 0",
                 [](Call& c) {
                   c.run();
                   c.change_floats(c.output(), [](float x) { return x < 0 ? 0.0f : x; });
                 }),
      wrong<Min>("min passes over NaN",
                 [](Call& c) {
                   c.change_inputs([](float x) { return std::isnan(x) ? INFINITY : x; });
                   c.run();
                 }),
      wrong<Min>("min is max", [](Call& c) { c.run_as(Max{c.op<Min>()}); }),
      wrong<All>("all is any", [](Call& c) { c.run_as(Any{c.op<All>()}); }),
      wrong<Any>("any is all", [](Call& c) { c.run_as(All{c.op<Any>()}); }),
      wrong<Mean>("mean divides by one less", [](Call& c) { scaled_result(c, 33.0f / 32); }),
      wrong<Mean>("mean rounds its addends to float16",
                  [](Call& c) {
                    c.change_inputs(as_half);
                    c.run();
                  }),
      wrong<ArgMax>("argmax gives the last on ties", last_on_ties<ArgMax>),
      wrong<ArgMin>("argmin gives the last on ties", last_on_ties<ArgMin>),
      wrong<ArgMax>("argmax passes over NaN",
                    [](Call& c) {
                      c.change_inputs([](float x) { return std::isnan(x) ? -INFINITY : x; });
                      c.run();
                    }),
      wrong<CumSum>("cumsum leaves out the element itself",
                    [](Call& c) {
                      CumSum op = c.op<CumSum>();
                      op.inclusive = !op.inclusive;
                      c.run_as(op);
                    }),
      wrong<CumSum>("cumsum ignores reverse",
                    [](Call& c) {
                      CumSum op = c.op<CumSum>();
                      op.reverse = false;
                      c.run_as(op);
                    }),
      wrong<Softmax>("softmax does not subtract the maximum",
                     [](Call& c) {
                       c.change_inputs([](float x) { return x > 88 ? INFINITY : x; });
                       c.run();
                     }),
      wrong<Softmax>("softmax rounds its result to bfloat16",
                     [](Call& c) {
                       c.run();
                       c.change_floats(c.output(),
                                       [](float x) { return static_cast<float>(bfloat16_t(x)); });
                     }),
      wrong<Softmax>("softmax gives zeros for a row of minus infinities",
                     [](Call& c) {
                       c.run();
                       c.change_floats(c.output(), without_nan);
                     }),
      wrong<LogSumExp>("logsumexp leaves the log out by a little",
                       [](Call& c) { scaled_result(c, 1.0001f); }),
      wrong<Matmul>("matmul rounds its operands to float16",
                    [](Call& c) {
                      c.change_inputs(as_half);
                      c.run();
                    }),
      wrong<Matmul>("matmul skips the tail of K",
                    [](Call& c) {
                      without_tail(c, 0);
                      c.run();
                    }),
      wrong<Matmul>("matmul adds to what was there",
                    [](Call& c) {
                      c.run();
                      c.change_floats(c.output(), [](float x) { return x + 0.125f; });
                    }),
      wrong<Linear>("linear forgets the bias",
                    [](Call& c) {
                      if (c.inputs().size() > 2) {
                        c.change_floats(c.inputs()[2], [](float) { return 0.0f; });
                      }
                      c.run();
                    }),
      wrong<Linear>("linear skips the tail of K",
                    [](Call& c) {
                      without_tail(c, 1);
                      c.run();
                    }),
  };
}

}  // namespace tessera::testing
