// Sequential: modules and functions applied one after another.
//
//   nn::Sequential net{nn::Linear(784, 64), nn::relu, nn::Linear(64, 10)};
//   array logits = net(x);            // parameters "layers.0.weight", "layers.2.weight", ...
//
// The braces matter: they make the layers in this order, so that a seed gives the numbers that it
// gives in MLX; between parentheses C++ leaves the order open.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/nn/module.h"

namespace tessera::nn {

/// What Sequential takes: anything that makes an array of an array.
template <class T>
concept Layer = requires(T& layer, const array& x) {
  { layer(x) } -> std::convertible_to<array>;
};

/// Moved, not copied: its modules may be of any type.
class Sequential : public Module {
 public:
  template <class... Layers>
  requires(Layer<std::decay_t<Layers>>&&...) explicit Sequential(Layers&&... layers) {
    (append(std::forward<Layers>(layers)), ...);
  }
  Sequential(Sequential&&) = default;
  Sequential& operator=(Sequential&&) = default;

  template <class L>
  requires Layer<std::decay_t<L>>
  void append(L&& layer) {
    layers_.push_back(std::make_unique<Step<std::decay_t<L>>>(std::forward<L>(layer)));
  }

  array operator()(const array& x) {
    array y = x;
    for (const auto& layer : layers_) y = layer->run(y);
    return y;
  }

  std::size_t size() const { return layers_.size(); }
  /// The module at an index, or nullptr if it is a function or a module of another type.
  template <std::derived_from<Module> M = Module>
  M* layer(std::size_t i) {
    return i < layers_.size() ? dynamic_cast<M*>(layers_[i]->module()) : nullptr;
  }

  void visit(Members& members) override {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (Module* m = layers_[i]->module()) members("layers." + std::to_string(i), *m);
    }
  }

 private:
  struct AnyStep {
    virtual ~AnyStep() = default;
    virtual array run(const array& x) = 0;
    virtual Module* module() = 0;
  };
  template <class L>
  struct Step final : AnyStep {
    template <class T>
    explicit Step(T&& layer) : layer_(std::forward<T>(layer)) {}
    array run(const array& x) override { return layer_(x); }
    Module* module() override {
      if constexpr (std::derived_from<L, Module>) return &layer_;
      return nullptr;
    }
    L layer_;
  };

  std::vector<std::unique_ptr<AnyStep>> layers_;
};

}  // namespace tessera::nn
