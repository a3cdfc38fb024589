// What the graph knows of an op: its static description (OpInfo) and a borrowed, typed-erased view
// of one op with its attributes (OpRef). The ops themselves are plain structs in ops/.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tessera/ir/attribute.h"
#include "tessera/ir/tensor.h"

namespace tessera {

class array;
class Vjp;   // ir/rules.h
class Vmap;  // ir/rules.h

/// Identity of an op; the enumerators come from ops/ops.def (see ops/op_ids.h).
enum class OpId : std::uint16_t;

/// op_id<Softmax>: specialised by ops/op_ids.h for every row of ops.def; an op without a row does
/// not compile.
template <class Op>
inline constexpr OpId op_id = Op::kHasNoRowInOpsDef;

/// The part of an op that does not depend on its attributes.
struct OpInfo {
  OpId id;
  std::string_view name;
  std::string_view doc;     ///< what it computes, with its rules for NaN, ties and nothing
  std::string_view shapes;  ///< of inputs and output: "x [..., K], w [N, K] -> [..., N]"
  std::string_view dtypes;  ///< of inputs and output, and of sums: "floating -> the same"
  /// A backend must have a kernel; otherwise `lower` says what to run instead.
  bool required;
  /// Output elements depend on the input elements at their own place alone (ir/rules.h).
  bool elementwise;
  /// Rewrites the op with simpler ones; nullptr for required ops.
  std::vector<array> (*lower)(const void* op, std::span<const array> inputs);
  /// A copy of an op, and whether two of this kind have the same attributes, bit for bit.
  std::shared_ptr<const void> (*copy)(const void* op);
  bool (*same)(const void* a, const void* b);
  /// The attributes of an op, or the defaults for nullptr.
  std::vector<AttributeText> (*attributes)(const void* op);
  /// The same with simpler ops, for derivatives and batches; required ops only, else nullptr.
  std::vector<array> (*compose)(const void* op, std::span<const array> inputs);
  /// The rules of ir/rules.h; nullptr when the op states none.
  void (*vjp)(const void* op, Vjp& v);
  std::vector<array> (*vmap)(const void* op, const Vmap& v);
  /// A node of the same op and attributes over other inputs; backend as for apply().
  std::vector<array> (*apply)(const void* op, std::vector<array> inputs, BackendPtr backend);
};

/// What an op says of itself: a name, texts (see OpInfo), and kAttributes with all of its members
/// (see ir/attribute.h).
template <class T>
concept DescribedOp = requires {
  { T::kName } -> std::convertible_to<std::string_view>;
  { T::kDoc } -> std::convertible_to<std::string_view>;
  { T::kShapes } -> std::convertible_to<std::string_view>;
  { T::kDtypes } -> std::convertible_to<std::string_view>;
  requires detail::lists_all_members<T>();
};

/// An op whose number of outputs is its own: infer() gives one spec for each.
template <class T>
concept MultiOutputOp = requires(const T& op, std::span<const array> inputs) {
  { op.infer(inputs) } -> std::same_as<std::vector<TensorSpec>>;
};

/// Every op struct describes itself and has a rule from its inputs to its outputs' specs that
/// checks them (throwing Error). Optional ops also have
///   std::vector<array> lower(std::span<const array> inputs) const.
/// Gradient and batching rules are in ir/rules.h.
template <class T>
concept OpStruct = DescribedOp<T> &&
    (MultiOutputOp<T> || requires(const T& op, std::span<const array> inputs) {
      { op.infer(inputs) } -> std::same_as<TensorSpec>;
    });

template <class T>
concept LowerableOp = OpStruct<T> && requires(const T& op, std::span<const array> inputs) {
  { op.lower(inputs) } -> std::same_as<std::vector<array>>;
};

/// A borrowed op; valid while its node lives.
class OpRef {
 public:
  OpRef(const OpInfo& info, const void* op) : info_(&info), op_(op) {}

  const OpInfo& info() const { return *info_; }
  OpId id() const { return info_->id; }
  std::string_view name() const { return info_->name; }
  const void* get() const { return op_; }
  /// The attributes; Op must be the op that id() says.
  template <OpStruct Op>
  const Op& as() const {
    return *static_cast<const Op*>(op_);
  }

 private:
  const OpInfo* info_;
  const void* op_;
};

}  // namespace tessera
