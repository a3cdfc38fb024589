#include "tessera/nn/module.h"

#include <algorithm>

#include "tessera/core/internal/fail.h"
#include "tessera/ops/creation.h"

namespace tessera::nn {

void Members::on_weight(std::string_view name, Weight& weight) {
  const bool dense = weight.is_dense();
  on_array(name, weight.data, dense);
  if (dense && weight.shape != weight.data.shape()) weight.shape = weight.data.shape();
  if (!weight.groups) return;
  on_array("scales", weight.groups->scales, false);
  if (weight.groups->biases) on_array("biases", *weight.groups->biases, false);
}

// Calls fn(full name, array, whether it is trained) for every array below a module.
class ArrayWalk final : public Members {
 public:
  using Fn = function_ref<void(const std::string& name, array& values, bool trainable)>;

  static void over(Module& root, Fn fn) {
    ArrayWalk walk(root, "", true, fn);
    root.visit(walk);
  }

 private:
  ArrayWalk(Module& owner, std::string prefix, bool trainable, Fn fn)
      : owner_(owner), prefix_(std::move(prefix)), trainable_(trainable), fn_(fn) {}

  void on_array(std::string_view name, array& values, bool trainable) override {
    fn_(prefix_ + std::string(name), values, trainable_ && trainable && !owner_.is_frozen(name));
  }
  void on_module(std::string_view name, Module& child) override {
    ArrayWalk below(child, prefix_ + std::string(name) + ".", trainable_ && !owner_.is_frozen(name),
                    fn_);
    child.visit(below);
  }

  Module& owner_;
  std::string prefix_;
  bool trainable_;
  Fn fn_;
};

namespace {

// Walks show members as mutable, also those of a module that they do not change.
Module& writable(const Module& module) {
  return const_cast<Module&>(module);
}

class WeightWalk final : public Members {
 public:
  WeightWalk(std::string prefix, Module::Visitor visit)
      : prefix_(std::move(prefix)), visit_(visit) {}

 private:
  void on_array(std::string_view name, array& values, bool) override {
    visit_(prefix_ + std::string(name), Weight(values));
  }
  void on_weight(std::string_view name, Weight& weight) override {
    visit_(prefix_ + std::string(name), weight);
  }
  void on_module(std::string_view name, Module& child) override {
    child.for_each_parameter(prefix_ + std::string(name) + ".", visit_);
  }

  std::string prefix_;
  Module::Visitor visit_;
};

// The names of a module's own arrays, and its children.
class MemberList final : public Members {
 public:
  explicit MemberList(Module& module) { module.visit(*this); }

  std::vector<std::string> arrays;
  std::vector<std::pair<std::string, Module*>> children;

  // `key` may also be the name of a vector of members.
  bool has(std::string_view key) const {
    const auto matches = [&](std::string_view name) {
      return name.starts_with(key) && (name.size() == key.size() || name[key.size()] == '.');
    };
    return std::any_of(arrays.begin(), arrays.end(), matches) ||
           std::any_of(children.begin(), children.end(),
                       [&](const auto& child) { return matches(child.first); });
  }

 private:
  void on_array(std::string_view name, array&, bool) override { arrays.emplace_back(name); }
  void on_module(std::string_view name, Module& child) override {
    children.emplace_back(name, &child);
  }
};

void append_modules(const std::string& name, Module& module,
                    std::vector<std::pair<std::string, Module*>>& out) {
  out.emplace_back(name, &module);
  for (const auto& [child, m] : MemberList(module).children) {
    append_modules(name.empty() ? child : name + "." + child, *m, out);
  }
}

void check_keys(const FreezeOptions& options, const std::vector<Module*>& modules) {
  if (!options.strict) return;
  for (const std::string& key : options.keys) {
    const bool found = std::any_of(modules.begin(), modules.end(),
                                   [&](Module* m) { return MemberList(*m).has(key); });
    if (!found) fail(ErrorCode::not_found, "nn::Module", "no member is called \"{}\"", key);
  }
}

}  // namespace

Parameters Module::parameters() const {
  Parameters out;
  ArrayWalk::over(writable(*this), [&](const std::string& name, array& values, bool) {
    out.insert_or_assign(name, values);
  });
  return out;
}

Parameters Module::trainable_parameters() const {
  Parameters out;
  ArrayWalk::over(writable(*this), [&](const std::string& name, array& values, bool trainable) {
    if (trainable) out.insert_or_assign(name, values);
  });
  return out;
}

Module& Module::update(const Parameters& parameters, bool strict) {
  if (strict) {
    const Parameters mine = this->parameters();
    std::string unknown;
    for (const auto& [name, values] : parameters) {
      if (!mine.contains(name)) unknown += (unknown.empty() ? "" : ", ") + name;
    }
    if (!unknown.empty()) {
      fail(ErrorCode::not_found, "nn::Module", "has no parameter called {}", unknown);
    }
  }
  ArrayWalk::over(*this, [&](const std::string& name, array& values, bool) {
    if (const auto found = parameters.find(name); found != parameters.end()) {
      values = found->second;
    }
  });
  return *this;
}

Module& Module::apply(const std::function<array(const array&)>& fn) {
  ArrayWalk::over(*this, [&](const std::string&, array& values, bool) { values = fn(values); });
  return *this;
}

Module& Module::set_dtype(Dtype dtype, const std::function<bool(Dtype)>& predicate) {
  return apply([&](const array& a) {
    const bool chosen = predicate ? predicate(a.dtype()) : is_floating(a.dtype());
    return chosen ? astype(a, dtype) : a;
  });
}

std::vector<std::pair<std::string, Module*>> Module::children() {
  return MemberList(*this).children;
}

std::vector<std::pair<std::string, Module*>> Module::named_modules() {
  std::vector<std::pair<std::string, Module*>> out;
  append_modules("", *this, out);
  return out;
}

std::vector<Module*> Module::modules() {
  std::vector<Module*> out;
  for (const auto& [name, m] : named_modules()) out.push_back(m);
  return out;
}

std::vector<std::pair<std::string, Module*>> Module::leaf_modules() {
  std::vector<std::pair<std::string, Module*>> all = named_modules();
  std::erase_if(all, [](const auto& m) { return !m.second->children().empty(); });
  return all;
}

Module& Module::apply_to_modules(
    const std::function<void(const std::string& name, Module& m)>& fn) {
  for (const auto& [name, m] : named_modules()) fn(name, *m);
  return *this;
}

bool Module::is_frozen(std::string_view member) const {
  return std::any_of(frozen_.begin(), frozen_.end(), [&](const std::string& key) {
    return member.starts_with(key) && (member.size() == key.size() || member[key.size()] == '.');
  });
}

void Module::freeze_here(const FreezeOptions& options) {
  for (const std::string& key : options.keys.empty() ? MemberList(*this).arrays : options.keys) {
    if (std::find(frozen_.begin(), frozen_.end(), key) == frozen_.end()) frozen_.push_back(key);
  }
}

void Module::unfreeze_here(const FreezeOptions& options) {
  if (options.keys.empty()) return frozen_.clear();
  for (const std::string& key : options.keys) std::erase(frozen_, key);
}

Module& Module::freeze(const FreezeOptions& options) {
  const std::vector<Module*> all = options.recurse ? modules() : std::vector<Module*>{this};
  check_keys(options, all);
  for (Module* m : all) m->freeze_here(options);
  return *this;
}

Module& Module::unfreeze(const FreezeOptions& options) {
  const std::vector<Module*> all = options.recurse ? modules() : std::vector<Module*>{this};
  check_keys(options, all);
  for (Module* m : all) m->unfreeze_here(options);
  return *this;
}

Module& Module::train(bool mode) {
  for (Module* m : modules()) m->training_ = mode;
  return *this;
}

void Module::for_each_parameter(const std::string& prefix, Visitor visit) const {
  WeightWalk walk(prefix, visit);
  writable(*this).visit(walk);
}

}  // namespace tessera::nn
