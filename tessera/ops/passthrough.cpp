#include "tessera/ops/passthrough.h"

#include "tessera/ir/node.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

std::vector<TensorSpec> first_specs(const char* op, std::span<const array> in, int count) {
  detail::check_count(op, in, static_cast<std::size_t>(count), SIZE_MAX);
  std::vector<TensorSpec> specs;
  for (const array& a : in.first(static_cast<std::size_t>(count))) {
    specs.push_back({a.shape(), a.dtype()});
  }
  return specs;
}

std::vector<array> first_inputs(std::span<const array> in, int count) {
  return std::vector<array>(in.begin(), in.begin() + count);
}

}  // namespace

TensorSpec Copy::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  return {in[0].shape(), in[0].dtype()};
}
std::vector<array> Copy::lower(std::span<const array> in) const {
  return {in[0]};
}
void Copy::vjp(Vjp& v) const {
  v.set(0, v.cotangent());
}

TensorSpec StopGradient::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  return {in[0].shape(), in[0].dtype()};
}
std::vector<array> StopGradient::lower(std::span<const array> in) const {
  return {in[0]};
}
void StopGradient::vjp(Vjp& /*v*/) const {}

std::vector<TensorSpec> Depends::infer(std::span<const array> in) const {
  return first_specs(kName, in, count);
}
std::vector<array> Depends::lower(std::span<const array> in) const {
  return first_inputs(in, count);
}
void Depends::vjp(Vjp& v) const {
  for (int i = 0; i < count; ++i) {
    v.set(static_cast<std::size_t>(i), v.cotangent(static_cast<std::size_t>(i)));
  }
}
std::vector<array> Depends::vmap(const Vmap& v) const {
  std::vector<array> inputs(v.inputs().begin(), v.inputs().end());
  for (int i = 0; i < count; ++i) {
    inputs[static_cast<std::size_t>(i)] = v.with_batch(static_cast<std::size_t>(i));
  }
  return apply_multi(*this, std::move(inputs));
}

std::vector<TensorSpec> CustomFunction::infer(std::span<const array> in) const {
  return first_specs(kName, in, count);
}
std::vector<array> CustomFunction::lower(std::span<const array> in) const {
  return first_inputs(in, count);
}
void CustomFunction::vjp(Vjp& v) const {
  const std::size_t n = static_cast<std::size_t>(count);
  const std::vector<array> primals(v.inputs().begin() + count, v.inputs().end());
  const std::vector<array> cotangents(v.cotangents().begin(), v.cotangents().end());
  std::vector<array> outputs;
  for (std::size_t i = 0; i < n; ++i) outputs.push_back(v.output(i));
  const std::vector<array> gradients = rules->vjp(primals, cotangents, outputs);
  if (gradients.size() != primals.size()) {
    fail(ErrorCode::invalid_argument, kName,
         "the custom vjp gave {} gradients for {} arguments; give one for each", gradients.size(),
         primals.size());
  }
  for (std::size_t i = 0; i < primals.size(); ++i) {
    if (gradients[i].shape() != primals[i].shape()) {
      fail(ErrorCode::shape_mismatch, kName,
           "the custom vjp gave a gradient of shape {} for argument {} of shape {}",
           to_string(gradients[i].shape()), i, to_string(primals[i].shape()));
    }
    v.set(n + i, gradients[i]);
  }
}
std::vector<array> CustomFunction::vmap(const Vmap& v) const {
  const std::size_t n = static_cast<std::size_t>(count);
  const std::vector<array> arguments(v.inputs().begin() + count, v.inputs().end());
  std::vector<int> axes;
  for (std::size_t i = n; i < v.inputs().size(); ++i) axes.push_back(v.batched(i) ? 0 : -1);
  auto [outputs, out_axes] = rules->vmap(arguments, axes);
  if (outputs.size() != n || out_axes.size() != n) {
    fail(ErrorCode::invalid_argument, kName, "the custom vmap gave {} outputs and {} axes, not {}",
         outputs.size(), out_axes.size(), n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    array& out = outputs[i];
    if (out_axes[i] < 0) {
      Shape shape = out.shape();
      shape.insert(shape.begin(), v.size());
      out = broadcast_to(out, shape);
    } else {
      for (int axis = out_axes[i]; axis > 0; --axis) out = swapaxes(out, axis, axis - 1);
    }
  }
  return outputs;
}

array copy(const array& a) {
  return apply(Copy{}, {a});
}
array stop_gradient(const array& a) {
  return apply(StopGradient{}, {a});
}
std::vector<array> depends(const std::vector<array>& inputs,
                           const std::vector<array>& dependencies) {
  if (inputs.empty()) return {};
  std::vector<array> all = inputs;
  all.insert(all.end(), dependencies.begin(), dependencies.end());
  return apply_multi(Depends{static_cast<int>(inputs.size())}, std::move(all));
}

}  // namespace tessera
