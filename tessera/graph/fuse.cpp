// Which steps of a program become one Fused op.
//
// A group grows from its last step towards the inputs: a step joins when its rows are the group's
// rows (ops/fused.h) and nothing outside the group lies between it and the group, so that the group
// can run where its last step stood. What is needed outside becomes one of its outputs.
#include <algorithm>
#include <map>
#include <set>

#include "tessera/graph/internal/program.h"
#include "tessera/ir/node.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/shape.h"

namespace tessera::graph {

namespace {

constexpr std::size_t kMostSteps = 64;
constexpr std::int64_t kFewestElements =
    1024;  // below, calling one op instead of many is all there is
constexpr std::int64_t kFewestRows = 8;

template <class Op>
const ReduceAxes* as_reduction(const OwnedOp& op) {
  return op.info->id == op_id<Op> ? &op.ref().as<Op>() : nullptr;
}
template <class... Ops>
const ReduceAxes* first_reduction(const OwnedOp& op) {
  const ReduceAxes* found = nullptr;
  ((found = found ? found : as_reduction<Ops>(op)), ...);
  return found;
}
const ReduceAxes* reduction(const OwnedOp& op) {
  return first_reduction<Sum, Prod, Max, Min, All, Any, Mean>(op);
}

// Leading axes that a step's rows may be counted by: all of an elementwise step, those before the
// reduced ones of a reduction; -1 for a step that does not fuse.
int row_axes(const Program& program, const Step& step) {
  if (step.outputs.size() != 1 || step.inputs.empty()) return -1;
  const int rank = static_cast<int>(program.spec(step.outputs[0]).shape.size());
  if (step.op.info->elementwise) return rank;
  const ReduceAxes* r = reduction(step.op);
  if (!r || !r->keepdims || r->axes.empty()) return -1;
  const int first = *std::min_element(r->axes.begin(), r->axes.end());
  return static_cast<int>(r->axes.size()) == rank - first ? first : -1;
}

class Group {
 public:
  Group(const Program& program, int last) : program_(program), members_{last} {
    rows_ = row_axes(program, step(last));
    shape_ = program.spec(step(last).outputs[0]).shape;
  }

  /// Whether the step may be computed row by row with the group; narrows the rows if so.
  bool admits(int candidate) {
    if (members_.size() >= kMostSteps) return false;
    const int own = row_axes(program_, step(candidate));
    if (own < 0) return false;
    const Shape& shape = program_.spec(step(candidate).outputs[0]).shape;
    if (shape.size() != shape_.size()) return false;
    int rows = std::min(rows_, own);
    // Values of one group may differ in size behind the rows only.
    for (int axis = 0; axis < rows; ++axis) {
      if (shape[static_cast<std::size_t>(axis)] != shape_[static_cast<std::size_t>(axis)]) {
        rows = axis;
      }
    }
    if (rows < rows_ && !enough_rows(rows)) return false;
    rows_ = rows;
    return true;
  }
  void add(int candidate) { members_.insert(candidate); }
  bool has(int s) const { return members_.contains(s); }
  const std::set<int>& members() const { return members_; }
  int rows() const { return rows_; }
  int rank() const { return static_cast<int>(shape_.size()); }
  /// Whether so many leading axes hold enough rows to share out.
  bool enough_rows(int rows) const {
    std::int64_t count = 1;
    for (int axis = 0; axis < rows; ++axis) count *= shape_[static_cast<std::size_t>(axis)];
    return count >= kFewestRows;
  }

 private:
  const Step& step(int s) const { return program_.steps[static_cast<std::size_t>(s)]; }

  const Program& program_;
  std::set<int> members_;
  Shape shape_;
  int rows_ = 0;
};

class Fuser {
 public:
  explicit Fuser(Program& program)
      : program_(program), maker_(program.specs.size(), -1), users_(program.specs.size()) {
    for (int s = 0; s < steps(); ++s) {
      for (const ValueId v : at(s).outputs) maker_[index(v)] = s;
      for (const ValueId v : at(s).inputs) users_[index(v)].push_back(s);
    }
    taken_.resize(program.steps.size(), false);
  }

  void run() {
    std::map<int, Step> fused;  // by the place of the group's last step
    for (int last = steps() - 1; last >= 0; --last) {
      if (taken_[index(last)] || row_axes(program_, at(last)) < 0) continue;
      Group group(program_, last);
      if (!group.enough_rows(group.rows())) continue;
      grow(group, last);
      if (!worthwhile(group)) continue;
      for (const int s : group.members()) taken_[index(s)] = true;
      fused.emplace(last, as_step(group));
    }
    std::vector<Step> kept;
    for (int s = 0; s < steps(); ++s) {
      if (const auto found = fused.find(s); found != fused.end()) {
        kept.push_back(std::move(found->second));
      } else if (!taken_[index(s)]) {
        kept.push_back(std::move(program_.steps[index(s)]));
      }
    }
    program_.steps = std::move(kept);
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  int steps() const { return static_cast<int>(program_.steps.size()); }
  const Step& at(int s) const { return program_.steps[index(s)]; }

  // From late to early: when a step is looked at, all steps after it have been decided.
  void grow(Group& group, int last) {
    std::set<int, std::greater<>> candidates;
    const auto look_behind = [&](int s) {
      for (const ValueId v : at(s).inputs) {
        if (const int maker = maker_[index(v)]; maker >= 0) candidates.insert(maker);
      }
    };
    look_behind(last);
    while (!candidates.empty()) {
      const int s = *candidates.begin();
      candidates.erase(candidates.begin());
      if (taken_[index(s)] || group.has(s) || used_between(group, s, last) || !group.admits(s)) {
        continue;
      }
      group.add(s);
      look_behind(s);
    }
  }

  // Whether a step outside the group takes s's value, and stands before the group's place: it would
  // not find the value there.
  bool used_between(const Group& group, int s, int last) const {
    const auto& users = users_[index(at(s).outputs[0])];
    return std::any_of(users.begin(), users.end(),
                       [&](int user) { return user < last && !group.has(user); });
  }

  bool worthwhile(const Group& group) const {
    if (group.members().size() < 2) return false;
    std::int64_t most = 0;
    for (const int s : group.members()) {
      most = std::max(most, num_elements(program_.spec(at(s).outputs[0]).shape));
    }
    return most >= kFewestElements;
  }

  Step as_step(const Group& group) const {
    auto fused = std::make_shared<FusedProgram>();
    fused->rank = group.rank();
    fused->rows = group.rows();
    Step step;
    std::map<ValueId, int> numbers;
    for (const int s : group.members()) {
      for (const ValueId v : at(s).inputs) {
        const int maker = maker_[index(v)];
        if ((maker >= 0 && group.has(maker)) || numbers.contains(v)) continue;
        numbers.emplace(v, static_cast<int>(step.inputs.size()));
        step.inputs.push_back(v);
        fused->known_inputs.push_back(program_.spec(v));
      }
    }
    fused->inputs = static_cast<int>(step.inputs.size());
    for (const int s : group.members()) {
      const ValueId made = at(s).outputs[0];
      FusedProgram::Step inner{at(s).op, {}, program_.spec(made).dtype};
      for (const ValueId v : at(s).inputs) inner.inputs.push_back(numbers.at(v));
      const int number = fused->inputs + static_cast<int>(fused->steps.size());
      fused->steps.push_back(std::move(inner));
      numbers.emplace(made, number);
      if (!needed_outside(group, made)) continue;
      fused->outputs.push_back(number);
      fused->known_outputs.push_back(program_.spec(made));
      step.outputs.push_back(made);
    }
    step.op = {&op_info<Fused>(), std::make_shared<const Fused>(Fused{std::move(fused)})};
    return step;
  }

  bool needed_outside(const Group& group, ValueId v) const {
    const auto& users = users_[index(v)];
    return std::find(program_.outputs.begin(), program_.outputs.end(), v) !=
               program_.outputs.end() ||
           std::any_of(users.begin(), users.end(), [&](int user) { return !group.has(user); });
  }

  Program& program_;
  std::vector<int> maker_;               // of a value; -1 for inputs and constants
  std::vector<std::vector<int>> users_;  // of a value
  std::vector<bool> taken_;
};

// An elementwise op repeats its inputs itself: what broadcast_to gave them need not exist.
void absorb_broadcasts(Program& program) {
  std::vector<const Step*> maker(program.specs.size(), nullptr);
  for (Step& step : program.steps) {
    for (const ValueId v : step.outputs) maker[static_cast<std::size_t>(v)] = &step;
    if (!step.op.info->elementwise || step.inputs.size() < 2) continue;
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      const Step* before = maker[static_cast<std::size_t>(step.inputs[i])];
      if (!before || before->op.info->id != OpId::Broadcast) continue;
      // Another input gives the result its shape.
      const Shape& shape = program.spec(step.outputs[0]).shape;
      for (std::size_t j = 0; j < step.inputs.size(); ++j) {
        if (j != i && program.spec(step.inputs[j]).shape == shape) {
          step.inputs[i] = before->inputs[0];
          break;
        }
      }
    }
  }
}

}  // namespace

void fuse(Program& program) {
  absorb_broadcasts(program);
  drop_unused(program);
  Fuser(program).run();
}

}  // namespace tessera::graph
