// How an op is differentiated and vectorised: what the rules beside an op's definition are given.
//
//   struct Exp {
//     ...
//     static constexpr bool kElementwise = true;                    // vmap: nothing more to say
//     void vjp(Vjp& v) const { v.set(0, v.cotangent() * v.output()); }
//   };
//
// An op without a rule gets it from its lowering or, if it is required, from its composition:
// compose() says the same with simpler ops. One with none of them is an error when it is met. The
// forward derivative (jvp) of an op is its vjp transposed once more, so that ops state only one.
// (J. Townsend, "A new trick for calculating Jacobian vector products", 2017.)
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"

namespace tessera {

/// The vector-Jacobian product of one op that ran forward: from the gradients of its outputs to
/// those of its inputs.
class Vjp {
 public:
  Vjp(std::span<const array> inputs, std::span<const array> outputs,
      std::span<const array> cotangents, std::vector<bool> wanted);

  std::span<const array> inputs() const { return inputs_; }
  const array& input(std::size_t i = 0) const { return inputs_[i]; }
  const array& output(std::size_t i = 0) const { return outputs_[i]; }
  /// One per output, of its shape and dtype; zeros for an output that nothing depends on.
  const array& cotangent(std::size_t i = 0) const { return cotangents_[i]; }
  std::span<const array> cotangents() const { return cotangents_; }
  /// Whether the gradient of an input is asked for; others need not be set.
  bool wants(std::size_t i) const { return wanted_[i]; }

  /// The gradient of an input: an input left unset has none (zeros). It may have the shape that
  /// broadcasting gave the input, and another dtype: it is summed and cast back.
  void set(std::size_t i, const array& gradient) { gradients_[i] = gradient; }
  const std::vector<std::optional<array>>& gradients() const { return gradients_; }

  /// Says that the rule does not cover this case: the lowering's derivative is taken.
  void use_lowering() { declined_ = true; }
  bool declined() const { return declined_; }

 private:
  std::span<const array> inputs_, outputs_, cotangents_;
  std::vector<bool> wanted_;
  std::vector<std::optional<array>> gradients_;
  bool declined_ = false;
};

/// One op over a batch of inputs. A batched input has the batch as axis 0, the others none.
class Vmap {
 public:
  Vmap(std::vector<array> inputs, std::vector<bool> batched, ShapeElem size)
      : inputs_(std::move(inputs)), batched_(std::move(batched)), size_(size) {}

  std::span<const array> inputs() const { return inputs_; }
  const array& input(std::size_t i = 0) const { return inputs_[i]; }
  bool batched(std::size_t i = 0) const { return batched_[i]; }
  ShapeElem size() const { return size_; }
  /// The input with its batch axis, made by broadcasting if it has none.
  array with_batch(std::size_t i) const;
  /// Rank without the batch axis.
  std::size_t rank(std::size_t i = 0) const { return inputs_[i].ndim() - (batched_[i] ? 1 : 0); }

 private:
  std::vector<array> inputs_;
  std::vector<bool> batched_;
  ShapeElem size_;
};

template <class T>
concept HasVjp = requires(const T& op, Vjp& v) {
  op.vjp(v);
};
/// vmap returns the outputs, each with the batch as axis 0; nothing at all leaves the case to the
/// lowering, the composition, or a loop over the batch.
template <class T>
concept HasVmap = requires(const T& op, const Vmap& v) {
  { op.vmap(v) } -> std::same_as<std::vector<array>>;
};
template <class T>
concept HasComposition = requires(const T& op, std::span<const array> inputs) {
  { op.compose(inputs) } -> std::same_as<std::vector<array>>;
};
/// Every output element depends on the elements at its own place alone, inputs broadcast together.
template <class T>
concept ElementwiseOp = requires {
  requires T::kElementwise;
};

}  // namespace tessera
