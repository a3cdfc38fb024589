// A tensor of this backend: a handle on an array of MLX, which may be a value or a node of MLX's
// graph.
#pragma once

#include <mlx/array.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "tessera/core/quant_type.h"
#include "tessera/ir/tensor.h"

namespace tessera::mlx_backend {

namespace mx = mlx::core;

/// Guards every use of MLX in this process: its graph nodes count their users to decide what they
/// may overwrite, so a node may not lose one in one thread while another evaluates it. Recursive,
/// because a tensor may be freed inside a call.
std::recursive_mutex& mlx_mutex();

/// A packed matrix of GGUF's blocks as MLX stores quantised matrices.
struct Repacked {
  QuantType type;
  int bits;
  mx::array codes, scales, biases;
};

class MlxTensor final : public Tensor {
 public:
  MlxTensor(TensorSpec spec, mx::array value, std::shared_ptr<std::atomic<std::uint64_t>> live)
      : Tensor(std::move(spec)), value_(std::move(value)), live_(std::move(live)) {
    ++*live_;
  }
  ~MlxTensor() override {
    const std::lock_guard lock(mlx_mutex());
    value_.reset();
    repacked_.reset();
    --*live_;
  }

  const mx::array& value() const { return *value_; }

  /// Made at the first product with these bytes and kept for the next ones.
  std::optional<Repacked>& repacked() const { return repacked_; }

 private:
  std::optional<mx::array> value_;
  mutable std::optional<Repacked> repacked_;
  std::shared_ptr<std::atomic<std::uint64_t>> live_;
};

inline const MlxTensor& as_mlx(const TensorPtr& t) {
  return static_cast<const MlxTensor&>(*t);
}

}  // namespace tessera::mlx_backend
