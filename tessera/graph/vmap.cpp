// vmap (graph/transforms.h).
#include "tessera/core/internal/fail.h"
#include "tessera/graph/tape.h"
#include "tessera/graph/transforms.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

array move_axis(const array& a, int from, int to) {
  if (from == to) return a;
  std::vector<int> axes;
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i) {
    if (i != from) axes.push_back(i);
  }
  axes.insert(axes.begin() + to, from);
  return transpose(a, axes);
}

std::vector<int> axes_for(const char* what, const std::vector<int>& axes, std::size_t count) {
  if (axes.empty()) return std::vector<int>(count, 0);
  if (axes.size() != count) {
    fail(ErrorCode::invalid_argument, "vmap", "{} {} axes for {} arrays", axes.size(), what, count);
  }
  return axes;
}

// Arguments as the function sees them: of one element of the batch, without values.
struct Arguments {
  Arrays seen;              // what the function is called with
  Arrays sources, batches;  // its batched arguments, and what they stand for
  ShapeElem size = -1;
};

Arguments split_batch(const Arrays& inputs, const std::vector<int>& axes) {
  Arguments out;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const array& a = inputs[i];
    if (axes[i] < 0) {
      out.seen.push_back(a);
      continue;
    }
    if (axes[i] >= static_cast<int>(a.ndim())) {
      fail(ErrorCode::invalid_argument, "vmap", "argument {} of shape {} has no axis {}", i,
           to_string(a.shape()), axes[i]);
    }
    const ShapeElem size = a.shape(axes[i]);
    if (out.size >= 0 && size != out.size) {
      fail(ErrorCode::shape_mismatch, "vmap",
           "argument {} of shape {} has {} on its batch axis {}; earlier arguments have {}", i,
           to_string(a.shape()), size, axes[i], out.size);
    }
    out.size = size;
    Shape shape = a.shape();
    shape.erase(shape.begin() + axes[i]);
    auto state = std::make_shared<ArrayState>(TensorSpec{shape, a.dtype()}, a.backend());
    state->tracer = true;
    out.seen.push_back(array(std::move(state)));
    out.sources.push_back(out.seen.back());
    out.batches.push_back(move_axis(a, axes[i], 0));
  }
  if (out.size < 0) {
    fail(ErrorCode::invalid_argument, "vmap", "no argument has a batch axis");
  }
  return out;
}

}  // namespace

ArraysFn vmap(const ArraysFn& fun, const std::vector<int>& in_axes,
              const std::vector<int>& out_axes) {
  return [fun, in_axes, out_axes](const Arrays& inputs) {
    const TracingScope tracing;
    const Arguments arguments = split_batch(inputs, axes_for("input", in_axes, inputs.size()));
    const Arrays outputs = fun(arguments.seen);
    const std::vector<int> to = axes_for("output", out_axes, outputs.size());
    const graph::Batched found =
        graph::over_batch(outputs, arguments.sources, arguments.batches, arguments.size);
    Arrays results;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const array& a = found.outputs[i];
      if (to[i] < 0) {
        if (found.batched[i]) {
          fail(ErrorCode::invalid_argument, "vmap",
               "output {} differs over the batch: it needs an output axis", i);
        }
        results.push_back(a);
        continue;
      }
      if (to[i] > static_cast<int>(outputs[i].ndim())) {
        fail(ErrorCode::invalid_argument, "vmap", "output {} of shape {} cannot have axis {}", i,
             to_string(outputs[i].shape()), to[i]);
      }
      results.push_back(
          move_axis(Vmap({a}, {found.batched[i]}, arguments.size).with_batch(0), 0, to[i]));
    }
    return results;
  };
}

UnaryFn vmap(const UnaryFn& fun, int in_axis, int out_axis) {
  return [f = vmap(ArraysFn([fun](const Arrays& in) { return Arrays{fun(in[0])}; }),
                   std::vector<int>{in_axis}, std::vector<int>{out_axis})](const array& a) {
    return f({a})[0];
  };
}

BinaryFn vmap(const BinaryFn& fun, int in_axis_a, int in_axis_b, int out_axis) {
  return [f = vmap(ArraysFn([fun](const Arrays& in) { return Arrays{fun(in[0], in[1])}; }),
                   std::vector<int>{in_axis_a, in_axis_b}, std::vector<int>{out_axis})](
             const array& a, const array& b) {
    return f({a, b})[0];
  };
}

}  // namespace tessera
