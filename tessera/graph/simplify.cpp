// Rewrites of a traced program that leave every bit of its results as it was.
#include <algorithm>
#include <map>
#include <numeric>

#include "tessera/graph/internal/program.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/op_ids.h"
#include "tessera/ops/shape.h"

namespace tessera::graph {

namespace {

class Simplifier {
 public:
  explicit Simplifier(Program& program)
      : program_(program), same_as_(program.specs.size()), made_by_(program.specs.size(), nullptr) {
    std::iota(same_as_.begin(), same_as_.end(), 0);
  }

  void run() {
    std::vector<Step> kept;
    kept.reserve(program_.steps.size());  // made_by_ points into it
    for (Step& step : program_.steps) {
      for (ValueId& v : step.inputs) v = resolved(v);
      compose(step);
      if (const ValueId same = unchanged(step); same >= 0) {
        same_as_[index(step.outputs[0])] = same;
        continue;
      }
      if (const Step* earlier = seen_before(step)) {
        for (std::size_t i = 0; i < step.outputs.size(); ++i) {
          same_as_[index(step.outputs[i])] = earlier->outputs[i];
        }
        continue;
      }
      kept.push_back(std::move(step));
      for (const ValueId v : kept.back().outputs) made_by_[index(v)] = &kept.back();
      steps_like_[{kept.back().op.info, kept.back().inputs}].push_back(&kept.back());
    }
    program_.steps = std::move(kept);
    for (ValueId& v : program_.outputs) v = resolved(v);
  }

 private:
  static std::size_t index(ValueId v) { return static_cast<std::size_t>(v); }
  ValueId resolved(ValueId v) const { return same_as_[index(v)]; }

  template <class Op>
  const Op* maker_as(ValueId v) const {
    const Step* step = made_by_[index(v)];
    return step && step->op.info->id == op_id<Op> ? &step->op.ref().as<Op>() : nullptr;
  }

  // A move of a move is one move.
  void compose(Step& step) {
    if (step.op.info->id == OpId::Reshape && maker_as<Reshape>(step.inputs[0])) {
      step.inputs[0] = made_by_[index(step.inputs[0])]->inputs[0];
    } else if (step.op.info->id == OpId::Transpose) {
      const Transpose* first = maker_as<Transpose>(step.inputs[0]);
      if (!first) return;
      Transpose both = step.op.ref().as<Transpose>();
      for (int& axis : both.axes) axis = first->axes[static_cast<std::size_t>(axis)];
      step.inputs[0] = made_by_[index(step.inputs[0])]->inputs[0];
      step.op.attributes = std::make_shared<const Transpose>(std::move(both));
    }
  }

  // Which of its inputs a step hands through, -1 for one that computes.
  ValueId unchanged(const Step& step) const {
    if (step.outputs.size() != 1 || step.inputs.empty()) return -1;
    const ValueId in = step.inputs[0];
    const bool same_spec = program_.spec(in).shape == program_.spec(step.outputs[0]).shape &&
                           program_.spec(in).dtype == program_.spec(step.outputs[0]).dtype;
    switch (step.op.info->id) {
      case OpId::Copy: return in;
      case OpId::Cast:
      case OpId::Reshape:
      case OpId::Broadcast: return same_spec ? in : -1;
      case OpId::Transpose: {
        const auto& axes = step.op.ref().as<Transpose>().axes;
        return std::is_sorted(axes.begin(), axes.end()) ? in : -1;
      }
      case OpId::Multiply:
        if (same_spec && is_one(step.inputs[1])) return in;
        return step.inputs[1] != in && is_one(in) && gives_all_of(step, step.inputs[1])
                   ? step.inputs[1]
                   : -1;
      case OpId::Divide: return same_spec && is_one(step.inputs[1]) ? in : -1;
      default: return -1;
    }
  }

  bool gives_all_of(const Step& step, ValueId v) const {
    return program_.spec(v).shape == program_.spec(step.outputs[0]).shape &&
           program_.spec(v).dtype == program_.spec(step.outputs[0]).dtype;
  }
  bool is_one(ValueId v) const {
    if (!program_.is_constant(v)) return false;
    const array& a = program_.constant(v);
    if (a.size() != 1 || !issubdtype(a.dtype(), Dtype::Category::number)) return false;
    return a.dtype() != complex64 && astype(a, float64).item<double>() == 1;
  }

  const Step* seen_before(const Step& step) const {
    const auto found = steps_like_.find({step.op.info, step.inputs});
    if (found == steps_like_.end()) return nullptr;
    for (const Step* earlier : found->second) {
      if (step.op.info->same(earlier->op.attributes.get(), step.op.attributes.get())) {
        return earlier;
      }
    }
    return nullptr;
  }

  Program& program_;
  std::vector<ValueId> same_as_;
  std::vector<const Step*> made_by_;
  std::map<std::pair<const OpInfo*, std::vector<ValueId>>, std::vector<const Step*>> steps_like_;
};

// Constants of the same bytes are one.
void merge_constants(Program& program) {
  std::vector<ValueId> same_as(program.specs.size());
  std::iota(same_as.begin(), same_as.end(), 0);
  const int end = program.inputs + static_cast<int>(program.constants.size());
  for (ValueId v = program.inputs; v < end; ++v) {
    const array& a = program.constant(v);
    if (a.size() != 1) continue;
    for (ValueId w = program.inputs; w < v; ++w) {
      const array& b = program.constant(w);
      if (b.size() != 1 || b.shape() != a.shape() || b.dtype() != a.dtype() ||
          b.backend() != a.backend()) {
        continue;
      }
      if (std::equal(a.to_host().data(), a.to_host().data() + a.nbytes(), b.to_host().data())) {
        same_as[static_cast<std::size_t>(v)] = same_as[static_cast<std::size_t>(w)];
        break;
      }
    }
  }
  const auto replace = [&](std::vector<ValueId>& values) {
    for (ValueId& v : values) v = same_as[static_cast<std::size_t>(v)];
  };
  for (Step& step : program.steps) replace(step.inputs);
  replace(program.outputs);
}

}  // namespace

void drop_unused(Program& program) {
  std::vector<bool> used(program.specs.size(), false);
  const auto use = [&](const std::vector<ValueId>& values) {
    for (const ValueId v : values) used[static_cast<std::size_t>(v)] = true;
  };
  use(program.outputs);
  std::vector<Step> kept;
  for (auto step = program.steps.rbegin(); step != program.steps.rend(); ++step) {
    const bool needed = std::any_of(step->outputs.begin(), step->outputs.end(),
                                    [&](ValueId v) { return used[static_cast<std::size_t>(v)]; });
    if (!needed) continue;
    use(step->inputs);
    kept.push_back(std::move(*step));
  }
  std::reverse(kept.begin(), kept.end());
  program.steps = std::move(kept);
  for (std::size_t i = 0; i < program.constants.size(); ++i) {
    // The number stays; the memory goes.
    if (!used[static_cast<std::size_t>(program.inputs) + i]) program.constants[i] = array(0);
  }
}

void simplify(Program& program) {
  merge_constants(program);
  Simplifier(program).run();
  drop_unused(program);
}

}  // namespace tessera::graph
