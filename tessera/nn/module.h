// Module: a tree of named parameters. Layers and models are modules with an operator() of their
// own.
//
//   struct Mlp : nn::Module {
//     nn::Linear up, down;
//     Mlp(int width, int hidden) : up(width, hidden), down(hidden, width) {}
//     array operator()(const array& x) const { return down(nn::relu(up(x))); }
//     void visit(nn::Members& members) override { members("up", up); members("down", down); }
//   };
//
//   Mlp mlp(64, 256);
//   mlp.parameters();                      // "down.bias", "down.weight", "up.bias", "up.weight"
//   mlp.up.freeze();                       // trainable_parameters() now has "down" only
//   mlp.save_weights("mlp.safetensors");
//
// A module is a value: a copy has the same arrays, and afterwards a life of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/core/function_ref.h"
#include "tessera/nn/members.h"
#include "tessera/nn/parameters.h"
#include "tessera/nn/weight.h"

namespace tessera::nn {

/// What freeze and unfreeze apply to.
struct FreezeOptions {
  /// Modules below too.
  bool recurse = true;
  /// Names of members as their module calls them ("bias", or a child's name for all below it).
  /// Empty: every parameter.
  std::vector<std::string> keys = {};
  /// A key that no module has is an error.
  bool strict = false;
};

class Module {
 public:
  Module() = default;
  Module(const Module&) = default;
  Module(Module&&) = default;
  Module& operator=(const Module&) = default;
  Module& operator=(Module&&) = default;
  virtual ~Module() = default;

  /// Shows each member to `members` (nn/members.h).
  virtual void visit(Members& members) = 0;

  /// All parameters below, buffers too.
  Parameters parameters() const;
  /// Those that are neither frozen nor buffers nor quantised.
  Parameters trainable_parameters() const;
  /// Replaces parameters by name.   strict: a name that is not in the tree is an error
  /// errors  not_found naming the parameters; then nothing has changed
  Module& update(const Parameters& parameters, bool strict = true);
  /// Replaces every parameter p by fn(p).
  Module& apply(const std::function<array(const array&)>& fn);
  /// Casts the parameters whose dtype the predicate accepts; without one, the floating ones.
  Module& set_dtype(Dtype dtype, const std::function<bool(Dtype)>& predicate = {});

  /// Direct children by name ("layers.0"), in the order of visit().
  std::vector<std::pair<std::string, Module*>> children();
  /// This module ("") and all below, parents first.
  std::vector<std::pair<std::string, Module*>> named_modules();
  std::vector<Module*> modules();
  /// Those below, or this one, that have no children.
  std::vector<std::pair<std::string, Module*>> leaf_modules();
  Module& apply_to_modules(const std::function<void(const std::string& name, Module& m)>& fn);

  /// Takes parameters out of trainable_parameters(), and puts them back.
  /// errors  not_found for a key that no module has, if strict
  Module& freeze(const FreezeOptions& options = {});
  Module& unfreeze(const FreezeOptions& options = {});

  /// Sets training mode here and below: dropout drops, batch norm takes the batch's statistics.
  /// Modules start in training mode, as in MLX.
  Module& train(bool mode = true);
  Module& eval() { return train(false); }
  bool training() const { return training_; }

  /// Takes the parameters of a file (safetensors, also sharded) or a set, in their dtypes.
  /// strict  names must be the same as here; otherwise those that are on one side only are left
  /// errors  not_found naming all missing and unexpected parameters; shape_mismatch naming the
  ///         parameter and both shapes, strict or not; those of load_safetensors. Then nothing has
  ///         changed.
  Module& load_weights(const std::filesystem::path& file, bool strict = true);
  Module& load_weights(const Parameters& weights, bool strict = true);
  /// errors  invalid_argument unless the name ends in .safetensors; those of save_safetensors
  void save_weights(const std::filesystem::path& file) const;

  using Visitor = function_ref<void(const std::string& name, const Weight& weight)>;
  /// Calls visit("layers.0.self_attn.q_proj.weight", w) for every parameter below, `prefix` first
  /// in each name; a quantised matrix counts as one.
  void for_each_parameter(const std::string& prefix, Visitor visit) const;

 private:
  friend class ArrayWalk;
  bool is_frozen(std::string_view member) const;
  void freeze_here(const FreezeOptions& options);
  void unfreeze_here(const FreezeOptions& options);

  std::vector<std::string> frozen_;  // members
  bool training_ = true;
};

/// A module without parameters.
class Stateless : public Module {
 public:
  void visit(Members&) final {}
};

}  // namespace tessera::nn
