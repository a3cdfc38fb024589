#include "tessera/graph/compile.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

#include "tessera/graph/internal/program.h"

namespace tessera {

namespace {

std::atomic<CompileMode>& mode() {
  static std::atomic<CompileMode> value{
      std::getenv("TESSERA_DISABLE_COMPILE") ? CompileMode::disabled : CompileMode::enabled};
  return value;
}

// What calls must have in common to share a trace.
struct Signature {
  std::vector<TensorSpec> inputs;
  std::vector<BackendPtr> backends;
  CompileMode mode;

  Signature(const Arrays& arrays, bool shapeless) : mode(tessera::mode().load()) {
    for (const array& a : arrays) {
      inputs.push_back({shapeless ? Shape(a.ndim(), 0) : a.shape(), a.dtype()});
      backends.push_back(a.backend());
    }
  }
  bool operator==(const Signature& other) const {
    return mode == other.mode && backends == other.backends &&
           std::equal(inputs.begin(), inputs.end(), other.inputs.begin(), other.inputs.end(),
                      [](const TensorSpec& a, const TensorSpec& b) {
                        return a.shape == b.shape && a.dtype == b.dtype;
                      });
  }
};

using ProgramPtr = std::shared_ptr<const graph::Program>;

class Compiled {
 public:
  Compiled(ArraysFn fun, bool shapeless) : fun_(std::move(fun)), shapeless_(shapeless) {}

  Arrays operator()(const Arrays& inputs) {
    if (mode().load() == CompileMode::disabled) return fun_(inputs);
    const Signature signature(inputs, shapeless_);
    ProgramPtr program = find(signature);
    if (!program) {
      program = make(inputs, signature.mode);
      if (!program) return fun_(inputs);
      const std::lock_guard lock(mutex_);
      programs_.emplace_back(signature, program);
    }
    return graph::replay(*program, inputs);
  }

 private:
  ProgramPtr find(const Signature& signature) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, program] : programs_) {
      if (known == signature) return program;
    }
    return nullptr;
  }

  ProgramPtr make(const Arrays& inputs, CompileMode how) const {
    std::optional<graph::Program> program = graph::trace(fun_, inputs);
    if (!program) return nullptr;
    if (how != CompileMode::no_simplify) graph::simplify(*program);
    if (how != CompileMode::no_fuse) graph::fuse(*program);
    graph::drop_unused(*program);
    return std::make_shared<const graph::Program>(*std::move(program));
  }

  ArraysFn fun_;
  bool shapeless_;
  mutable std::mutex mutex_;
  std::vector<std::pair<Signature, ProgramPtr>> programs_;
};

}  // namespace

ArraysFn compile(ArraysFn fun, bool shapeless) {
  auto compiled = std::make_shared<Compiled>(std::move(fun), shapeless);
  return [compiled](const Arrays& inputs) { return (*compiled)(inputs); };
}
UnaryFn compile(const UnaryFn& fun, bool shapeless) {
  return [f = compile(ArraysFn([fun](const Arrays& in) { return Arrays{fun(in[0])}; }), shapeless)](
             const array& a) { return f({a})[0]; };
}
BinaryFn compile(const BinaryFn& fun, bool shapeless) {
  return [f = compile(ArraysFn([fun](const Arrays& in) { return Arrays{fun(in[0], in[1])}; }),
                      shapeless)](const array& a, const array& b) {
    return f({a, b})[0];
  };
}

void set_compile_mode(CompileMode value) {
  mode().store(value);
}
void enable_compile() {
  set_compile_mode(CompileMode::enabled);
}
void disable_compile() {
  set_compile_mode(CompileMode::disabled);
}

}  // namespace tessera
