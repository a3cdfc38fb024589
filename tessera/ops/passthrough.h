// Ops that hand values through unchanged and mean something to transforms and to the order of
// evaluation only.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct Copy {
  static constexpr const char* kName = "copy";
  static constexpr const char* kDoc = "The same value as another array of the graph.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "any -> the same";
  static constexpr bool kElementwise = true;
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};

struct StopGradient {
  static constexpr const char* kName = "stop_gradient";
  static constexpr const char* kDoc = "The same value, which no gradient flows through.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "any -> the same";
  static constexpr bool kElementwise = true;
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};

struct Depends {
  int count = 0;
  static constexpr const char* kName = "depends";
  static constexpr const char* kDoc =
      "The first `count` inputs unchanged, once the other inputs have been computed.";
  static constexpr const char* kShapes = "any arrays -> the first count of them";
  static constexpr const char* kDtypes = "any -> the same";
  static constexpr auto kAttributes = std::tuple(
      attribute<&Depends::count>("how many inputs are handed through; the rest run first"));
  std::vector<TensorSpec> infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// What a function's author says of it in place of the rules of its ops.
struct CustomRules {
  using Arrays = std::vector<array>;
  /// (primals, cotangents, outputs) -> a gradient for each primal
  std::function<Arrays(const Arrays&, const Arrays&, const Arrays&)> vjp;
  /// (primals, tangents of those in argnums, argnums) -> a tangent for each output
  std::function<Arrays(const Arrays&, const Arrays&, const std::vector<int>&)> jvp;
  /// (inputs, their batch axes, -1 for none) -> outputs and their batch axes
  std::function<std::pair<Arrays, std::vector<int>>(const Arrays&, const std::vector<int>&)> vmap;
};

struct CustomFunction {
  std::shared_ptr<const CustomRules> rules;
  int count = 0;
  static constexpr const char* kName = "custom_function";
  static constexpr const char* kDoc =
      "The first `count` inputs, which are the outputs of a function of the other inputs; its "
      "derivatives are those that the function's author gave.";
  static constexpr const char* kShapes = "any arrays -> the first count of them";
  static constexpr const char* kDtypes = "any -> the same";
  static constexpr auto kAttributes = std::tuple(
      attribute<&CustomFunction::rules>("what the author says of derivatives and batches"),
      attribute<&CustomFunction::count>(
          "of outputs: the first inputs; the function's arguments follow"));
  std::vector<TensorSpec> infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// The same value as an array of its own.
array copy(const array& a);
/// The value of `a` as a constant to vjp and jvp.
array stop_gradient(const array& a);
/// The inputs, evaluated no earlier than the dependencies.
std::vector<array> depends(const std::vector<array>& inputs,
                           const std::vector<array>& dependencies);

}  // namespace tessera
