#include "tessera/backends/cpu/fused.h"

#include <algorithm>

#include "tessera/backends/cpu/strided.h"
#include "tessera/ops/reduce.h"

namespace tessera::cpu {

namespace {

// Elements of one value in one piece: a handful of float32 values of the most fit in a core's own
// cache; with the fewest, calling a kernel costs little beside its work.
constexpr std::int64_t kMostElements = 32 * 1024, kFewestElements = 4 * 1024;

std::int64_t piece_elements(const Shape& space, const ThreadPool& pool) {
  return std::clamp(num_elements(space) / (4 * pool.size()), kFewestElements, kMostElements);
}

bool hands_on(const OwnedOp& op) {
  return op.info->id == OpId::Copy || op.info->id == OpId::StopGradient;
}

// What the rows of a program are, for these inputs: leading axes that all values share, as few as
// the inputs' strides allow.
class Rows {
 public:
  Rows(const FusedProgram& program, std::span<const TensorPtr> inputs, const Shape& space,
       std::int64_t piece_elements)
      : rank_(static_cast<std::size_t>(program.rank)) {
    const auto rows = static_cast<std::size_t>(program.rows);
    const std::size_t count = inputs.size();
    steps_.resize(count);
    own_sizes_.resize(count);
    for (std::size_t axis = 0; axis < rows; ++axis) {
      const ShapeElem size = space[axis];
      if (size == 1) continue;
      bool merge = !sizes_.empty();
      for (std::size_t i = 0; merge && i < count; ++i) {
        merge = steps_[i].back() == stride_of(as_cpu(inputs[i]), axis) * size;
      }
      if (merge) {
        sizes_.back() *= size;
      } else {
        sizes_.push_back(size);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t stride = stride_of(as_cpu(inputs[i]), axis);
        const ShapeElem own = size_of(as_cpu(inputs[i]), axis);
        if (merge) {
          steps_[i].back() = stride;
          own_sizes_[i].back() *= own;
        } else {
          steps_[i].push_back(stride);
          own_sizes_[i].push_back(own);
        }
      }
    }
    if (sizes_.empty()) {
      sizes_.push_back(1);
      for (Strides& s : steps_) s.push_back(0);
      for (Shape& s : own_sizes_) s.push_back(1);
    }
    for (std::size_t axis = rows; axis < rank_; ++axis) widest_ *= space[axis];
    cut(piece_elements);
  }

  std::int64_t pieces() const { return before_ * per_cut_axis_; }

  /// One piece: a range of one axis, with all of what lies behind it.
  struct Piece {
    std::int64_t first;  // row, counting them all
    ShapeElem cut_begin, cut_count;
    Shape index;  // on the axes before the cut
  };
  Piece piece(std::int64_t number) const {
    Piece p;
    p.cut_begin = number % per_cut_axis_ * cut_step_;
    p.cut_count = std::min<ShapeElem>(cut_step_, sizes_[cut_] - p.cut_begin);
    std::int64_t outer = number / per_cut_axis_;
    p.index = Shape(cut_, 0);
    p.first = 0;
    for (std::size_t axis = cut_; axis-- > 0;) {
      p.index[axis] = outer % sizes_[axis];
      outer /= sizes_[axis];
    }
    for (std::size_t axis = 0; axis < cut_; ++axis)
      p.first = p.first * sizes_[axis] + p.index[axis];
    p.first = p.first * sizes_[cut_] + p.cut_begin;
    for (std::size_t axis = cut_ + 1; axis < sizes_.size(); ++axis) p.first *= sizes_[axis];
    return p;
  }
  /// The leading axes of a value of a piece: ones, then the piece's own. With the axes behind the
  /// rows they make up the program's rank, so that a reduction's axes keep their numbers.
  Shape leading(const Piece& p, std::size_t rows) const {
    const std::size_t own = sizes_.size() - cut_;
    Shape shape(rows - own, 1);
    shape.push_back(p.cut_count);
    for (std::size_t axis = cut_ + 1; axis < sizes_.size(); ++axis) shape.push_back(sizes_[axis]);
    return shape;
  }

  /// The part of an input that a piece reads.
  CpuTensorPtr part(const Context& ctx, const Piece& p, const TensorPtr& input, std::size_t number,
                    std::size_t rows) const {
    const CpuTensor& t = as_cpu(input);
    const Strides& steps = steps_[number];
    std::int64_t offset = t.offset() + p.cut_begin * steps[cut_];
    for (std::size_t axis = 0; axis < cut_; ++axis) offset += p.index[axis] * steps[axis];
    Shape shape = leading(p, rows);
    Strides strides(rows - (sizes_.size() - cut_), 0);
    for (std::size_t axis = cut_; axis < sizes_.size(); ++axis) strides.push_back(steps[axis]);
    // What the op repeats stays one value: kernels broadcast.
    for (std::size_t axis = cut_; axis < sizes_.size(); ++axis) {
      if (own_sizes_[number][axis] == 1) shape[rows - sizes_.size() + axis] = 1;
    }
    for (std::size_t axis = rows; axis < rank_; ++axis) {
      shape.push_back(size_of(t, axis));
      strides.push_back(stride_of(t, axis));
    }
    return ctx.view(t, {std::move(shape), t.dtype()}, offset, std::move(strides));
  }

 private:
  // Of an input on one of the program's axes.
  ShapeElem size_of(const CpuTensor& t, std::size_t axis) const {
    const std::size_t lead = rank_ - t.shape().size();
    return axis < lead ? 1 : t.shape()[axis - lead];
  }
  std::int64_t stride_of(const CpuTensor& t, std::size_t axis) const {
    return size_of(t, axis) == 1 ? 0 : t.strides()[axis - (rank_ - t.shape().size())];
  }

  // Which axis is cut, and into how many parts.
  void cut(std::int64_t piece_elements) {
    std::int64_t behind = std::max<std::int64_t>(widest_, 1);
    cut_ = sizes_.size() - 1;
    while (cut_ > 0 && behind * sizes_[cut_] <= piece_elements) behind *= sizes_[cut_--];
    cut_step_ = std::clamp<std::int64_t>(piece_elements / std::max<std::int64_t>(behind, 1), 1,
                                         std::max<std::int64_t>(sizes_[cut_], 1));
    per_cut_axis_ = (sizes_[cut_] + cut_step_ - 1) / cut_step_;
    before_ = 1;
    for (std::size_t axis = 0; axis < cut_; ++axis) before_ *= sizes_[axis];
  }

  std::size_t rank_;
  Shape sizes_;                   // of the row axes, neighbours merged
  std::vector<Strides> steps_;    // of each input along them
  std::vector<Shape> own_sizes_;  // of each input: 1 where the op repeats it
  std::int64_t widest_ = 1;       // elements of a row
  std::size_t cut_ = 0;
  std::int64_t cut_step_ = 1, per_cut_axis_ = 1, before_ = 1;
};

// The shape all elementwise steps would have together: each axis at its largest.
Shape space_of(const FusedProgram& program, std::span<const TensorPtr> inputs,
               std::span<const TensorSpec> specs) {
  Shape space(static_cast<std::size_t>(program.rank), 1);
  const auto cover = [&](const Shape& shape) {
    const std::size_t lead = space.size() - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] != 1) space[lead + i] = shape[i];
    }
  };
  for (const TensorPtr& t : inputs) cover(t->shape());
  for (const TensorSpec& s : specs) cover(s.shape);
  return space;
}

Shape step_shape(const OwnedOp& op, std::span<const TensorPtr> in) {
  if (op.info->elementwise) {
    Shape shape = in[0]->shape();
    for (const TensorPtr& t : in.subspan(1)) {
      for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 1) shape[i] = t->shape()[i];
      }
    }
    return shape;
  }
  Shape shape = in[0]->shape();
  for (const int axis : static_cast<const ReduceAxes*>(op.attributes.get())->axes) {
    shape[static_cast<std::size_t>(axis)] = 1;
  }
  return shape;
}

// The last step that takes each value; -1 for one that is handed out.
std::vector<int> last_uses(const FusedProgram& program) {
  std::vector<int> last(static_cast<std::size_t>(program.inputs) + program.steps.size(), -1);
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    for (const int v : program.steps[s].inputs) {
      last[static_cast<std::size_t>(v)] = static_cast<int>(s);
    }
  }
  return last;
}

// Memory for the outputs: an input of the same layout that nobody needs any more gives its own. A
// piece reads an input's rows before it writes the output's, and no other piece reads them.
void make_outputs(const Context& ctx, const FusedProgram& program, Inputs inputs,
                  std::span<const TensorSpec> specs, std::span<TensorPtr> outputs) {
  const bool hands_inputs_on = std::any_of(program.steps.begin(), program.steps.end(),
                                           [](const auto& step) { return hands_on(step.op); });
  std::vector<bool> given(inputs.size(), hands_inputs_on);
  for (std::size_t i = 0; i < inputs.size(); ++i) given[i] = given[i] || !is_donated(inputs[i]);
  for (std::size_t o = 0; o < specs.size(); ++o) {
    for (std::size_t i = 0; i < inputs.size() && !outputs[o]; ++i) {
      const CpuTensor& t = as_cpu(inputs[i]);
      if (given[i] || !t.contiguous() || t.dtype() != specs[o].dtype ||
          t.shape() != specs[o].shape) {
        continue;
      }
      given[i] = true;
      outputs[o] = ctx.view(t, specs[o], t.offset(), t.strides());
    }
    if (!outputs[o]) outputs[o] = ctx.make(specs[o]);
  }
}

}  // namespace

bool can_run(const KernelRegistry& kernels, const FusedProgram& program) {
  return std::all_of(program.steps.begin(), program.steps.end(), [&](const auto& step) {
    return hands_on(step.op) || kernels.find(step.op.info->id);
  });
}

void run_fused(Context& ctx, const KernelRegistry& kernels, const FusedProgram& program,
               Inputs inputs, std::span<const TensorSpec> specs, std::span<TensorPtr> outputs) {
  const auto row_axes = static_cast<std::size_t>(program.rows);
  const Shape space = space_of(program, inputs, specs);
  const Rows rows(program, inputs, space, piece_elements(space, ctx.pool));
  make_outputs(ctx, program, inputs, specs, outputs);
  const std::vector<int> last = last_uses(program);
  std::vector<std::int64_t> behind_rows;  // elements of each output behind a row
  for (const TensorSpec& s : specs) {
    behind_rows.push_back(num_elements(Shape(s.shape.begin() + program.rows, s.shape.end())));
  }

  ctx.pool.parallel_for(rows.pieces(), 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<TensorPtr> values(last.size()), in;
    for (std::int64_t number = begin; number < end; ++number) {
      const Rows::Piece piece = rows.piece(number);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        values[i] = rows.part(ctx, piece, inputs[i], i, row_axes);
      }
      for (std::size_t s = 0; s < program.steps.size(); ++s) {
        const FusedProgram::Step& step = program.steps[s];
        in.clear();
        for (const int v : step.inputs) in.push_back(values[static_cast<std::size_t>(v)]);
        // With its last use a value gives up its memory.
        for (const int v : step.inputs) {
          const bool kept =
              std::find(program.outputs.begin(), program.outputs.end(), v) != program.outputs.end();
          if (last[static_cast<std::size_t>(v)] == static_cast<int>(s) && !kept) {
            values[static_cast<std::size_t>(v)].reset();
          }
        }
        TensorPtr& made = values[inputs.size() + s];
        if (hands_on(step.op)) {
          made = in[0];
        } else {
          const TensorSpec spec{step_shape(step.op, in), step.dtype};
          made = kernels.find(step.op.info->id)(ctx, step.op.attributes.get(), in, spec);
        }
      }
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const CpuTensor& from = as_cpu(values[static_cast<std::size_t>(program.outputs[i])]);
        const CpuTensor& whole = as_cpu(outputs[i]);
        // Rows follow each other in the output.
        const CpuTensorPtr to =
            ctx.view(whole, from.spec(), whole.offset() + piece.first * behind_rows[i],
                     row_major_strides(from.shape()));
        copy_elements(ctx, from, *to);
      }
      for (TensorPtr& v : values) v.reset();
    }
  });
}

}  // namespace tessera::cpu
