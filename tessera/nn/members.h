// Members: how a module shows what it is made of, so that walks over the tree need no registration.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/nn/weight.h"

namespace tessera::nn {

class Module;

/// Handed to Module::visit, which calls it with each member and its name:
///   members("weight", weight_);        an array, an optional array that may be unset, or a Weight
///   members("layers", layers_);        a module, an optional, a pointer or a vector of them
///   members.buffer("mean", mean_);     saved and loaded like a parameter, but never trained
/// The elements of a vector are called "layers.0", "layers.1" and so on.
class Members {
 public:
  virtual ~Members() = default;

  void operator()(std::string_view name, array& parameter) { on_array(name, parameter, true); }
  void operator()(std::string_view name, Weight& weight) { on_weight(name, weight); }
  void buffer(std::string_view name, array& values) { on_array(name, values, false); }
  void buffer(std::string_view name, std::optional<array>& values) {
    if (values) buffer(name, *values);
  }

  template <std::derived_from<Module> M>
  void operator()(std::string_view name, M& child) {
    on_module(name, child);
  }
  template <class T>
  void operator()(std::string_view name, std::optional<T>& member) {
    if (member) (*this)(name, *member);
  }
  template <class T>
  void operator()(std::string_view name, std::unique_ptr<T>& member) {
    if (member) (*this)(name, *member);
  }
  template <class T>
  void operator()(std::string_view name, std::shared_ptr<T>& member) {
    if (member) (*this)(name, *member);
  }
  template <class T>
  void operator()(std::string_view name, std::vector<T>& members) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      (*this)(std::string(name) + "." + std::to_string(i), members[i]);
    }
  }

 protected:
  /// A parameter, or a buffer if it is not trainable.
  virtual void on_array(std::string_view name, array& values, bool trainable) = 0;
  virtual void on_module(std::string_view name, Module& child) = 0;
  /// Unless overridden, the arrays that the weight is stored in: the values, or, for a quantised
  /// one, which is never trained, its codes under `name`, "scales" and "biases".
  virtual void on_weight(std::string_view name, Weight& weight);
};

}  // namespace tessera::nn
