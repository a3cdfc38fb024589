// Function transforms: derivatives, vectorisation, functions with derivatives of their own.
//
//   auto loss = [](const array& x) { return sum(square(x)); };
//   array slope = grad(loss)(array({1.0f, 2.0f}));               // [2, 4]
//   array each = vmap(grad(loss))(ones({8, 3}));                 // one gradient per row
//
// They nest in any order. The function runs once per call, on lazy arrays: what it returns, and the
// derivatives, are computed when they are evaluated. It may evaluate values on its way (print a
// loss, branch on it), except under vmap, whose arguments stand for many values.
//
// errors  invalid_argument for an op without a derivative, a loss that is not one number, an
//         argument number out of range; unsupported_dtype for the gradient of integers;
//         shape_mismatch when tangents, cotangents or batch sizes do not fit
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/ir/array.h"

namespace tessera {

using Arrays = std::vector<array>;
using UnaryFn = std::function<array(const array&)>;
using BinaryFn = std::function<array(const array&, const array&)>;
using ArraysFn = std::function<Arrays(const Arrays&)>;
using ScalarFn = std::function<array(const Arrays&)>;

/// The outputs, and for each primal the cotangents times the Jacobian.
/// cotangents  one per output, of its shape
std::pair<Arrays, Arrays> vjp(const ArraysFn& fun, const Arrays& primals, const Arrays& cotangents);
std::pair<array, array> vjp(const UnaryFn& fun, const array& primal, const array& cotangent);

/// The outputs, and for each output the Jacobian times the tangents.
/// tangents  one per primal, of its shape
std::pair<Arrays, Arrays> jvp(const ArraysFn& fun, const Arrays& primals, const Arrays& tangents);
std::pair<array, array> jvp(const UnaryFn& fun, const array& primal, const array& tangent);

using ValueAndGradFn = std::function<std::pair<Arrays, Arrays>(const Arrays&)>;
using SimpleValueAndGradFn = std::function<std::pair<array, Arrays>(const Arrays&)>;

/// The function's values and the gradient of the first of them, which must be a scalar, for the
/// arguments that argnums name (negative ones count from the end). Further values are carried
/// along.
ValueAndGradFn value_and_grad(const ArraysFn& fun, const std::vector<int>& argnums);
ValueAndGradFn value_and_grad(const ArraysFn& fun, int argnum = 0);
SimpleValueAndGradFn value_and_grad(const ScalarFn& fun, const std::vector<int>& argnums);
SimpleValueAndGradFn value_and_grad(const ScalarFn& fun, int argnum = 0);
std::function<std::pair<array, array>(const array&)> value_and_grad(const UnaryFn& fun);

/// The gradient alone.
std::function<Arrays(const Arrays&)> grad(const ScalarFn& fun, const std::vector<int>& argnums);
std::function<Arrays(const Arrays&)> grad(const ScalarFn& fun, int argnum = 0);
UnaryFn grad(const UnaryFn& fun);

/// A function of batches, from one of single values. in_axes, out_axes: where each argument and
/// output has its batch axis (-1: an argument shared by the whole batch; an output that is the same
/// for all). Empty lists mean axis 0 for all. For a negative axis from the end, give it positive.
UnaryFn vmap(const UnaryFn& fun, int in_axis = 0, int out_axis = 0);
BinaryFn vmap(const BinaryFn& fun, int in_axis_a = 0, int in_axis_b = 0, int out_axis = 0);
ArraysFn vmap(const ArraysFn& fun, const std::vector<int>& in_axes = {},
              const std::vector<int>& out_axes = {});

/// (primals, cotangents, outputs) -> the gradients of the primals.
using CustomVjpFn = std::function<Arrays(const Arrays&, const Arrays&, const Arrays&)>;
/// (primals, tangents of those that argnums name, argnums) -> the tangents of the outputs.
using CustomJvpFn = std::function<Arrays(const Arrays&, const Arrays&, const std::vector<int>&)>;
/// (inputs, their batch axes, -1 for none) -> the outputs and their batch axes.
using CustomVmapFn =
    std::function<std::pair<Arrays, std::vector<int>>(const Arrays&, const std::vector<int>&)>;

/// `fun` with transforms of one's own; those not given are the ones of `fun` itself.
ArraysFn custom_function(ArraysFn fun, std::optional<CustomVjpFn> fun_vjp = std::nullopt,
                         std::optional<CustomJvpFn> fun_jvp = std::nullopt,
                         std::optional<CustomVmapFn> fun_vmap = std::nullopt);
ArraysFn custom_vjp(ArraysFn fun, CustomVjpFn fun_vjp);

/// `fun`, whose intermediate values are computed anew for its gradient instead of being kept.
/// source  arXiv:1604.06174
ArraysFn checkpoint(ArraysFn fun);

}  // namespace tessera
