#include "tessera/graph/transforms.h"

#include <algorithm>

#include "tessera/core/internal/fail.h"
#include "tessera/graph/tape.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/passthrough.h"

namespace tessera {

namespace {

void check_like(const char* where, const char* what, const Arrays& given, const Arrays& wanted) {
  if (given.size() != wanted.size()) {
    fail(ErrorCode::invalid_argument, where, "{} {}s for {} arrays", given.size(), what,
         wanted.size());
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].shape() != wanted[i].shape()) {
      fail(ErrorCode::shape_mismatch, where, "{} {} has shape {}; the array it belongs to has {}",
           what, i, to_string(given[i].shape()), to_string(wanted[i].shape()));
    }
  }
}

// The arguments as arrays of their own, so that what the function makes of them can be told from
// what the caller does with the same arrays.
Arrays traced(const Arrays& arguments) {
  Arrays copies;
  for (const array& a : arguments) {
    copies.push_back(copy(a));
    copies.back().state().tracer = true;
  }
  return copies;
}

Arrays converted(const Arrays& values, const Arrays& like) {
  Arrays out;
  for (std::size_t i = 0; i < values.size(); ++i) out.push_back(astype(values[i], like[i].dtype()));
  return out;
}

ArraysFn as_arrays_fn(const UnaryFn& fun) {
  return [fun](const Arrays& in) { return Arrays{fun(in[0])}; };
}
ArraysFn as_arrays_fn(const ScalarFn& fun) {
  return [fun](const Arrays& in) { return Arrays{fun(in)}; };
}

}  // namespace

std::pair<Arrays, Arrays> vjp(const ArraysFn& fun, const Arrays& primals,
                              const Arrays& cotangents) {
  const TracingScope tracing;
  const Arrays arguments = traced(primals);
  Arrays outputs = fun(arguments);
  check_like("vjp", "cotangent", cotangents, outputs);
  return {outputs, graph::pull_back(outputs, converted(cotangents, outputs), arguments)};
}

std::pair<array, array> vjp(const UnaryFn& fun, const array& primal, const array& cotangent) {
  const auto [outputs, gradients] = vjp(as_arrays_fn(fun), {primal}, {cotangent});
  return {outputs[0], gradients[0]};
}

std::pair<Arrays, Arrays> jvp(const ArraysFn& fun, const Arrays& primals, const Arrays& tangents) {
  check_like("jvp", "tangent", tangents, primals);
  const TracingScope tracing;
  const Arrays arguments = traced(primals);
  Arrays outputs = fun(arguments);
  return {outputs, graph::push_forward(outputs, arguments, converted(tangents, arguments))};
}

std::pair<array, array> jvp(const UnaryFn& fun, const array& primal, const array& tangent) {
  const auto [outputs, tangents] = jvp(as_arrays_fn(fun), {primal}, {tangent});
  return {outputs[0], tangents[0]};
}

namespace {

std::vector<std::size_t> chosen_arguments(const std::vector<int>& argnums, const Arrays& inputs) {
  if (argnums.empty()) {
    fail(ErrorCode::invalid_argument, "grad", "give at least one argument number");
  }
  std::vector<std::size_t> chosen;
  for (const int argnum : argnums) {
    const int n = static_cast<int>(inputs.size());
    if (argnum < -n || argnum >= n) {
      fail(ErrorCode::invalid_argument, "grad", "argument number {} of a function called with {}",
           argnum, n);
    }
    const std::size_t i = static_cast<std::size_t>(argnum < 0 ? argnum + n : argnum);
    if (std::find(chosen.begin(), chosen.end(), i) != chosen.end()) {
      fail(ErrorCode::invalid_argument, "grad", "argument number {} is named twice", argnum);
    }
    if (!issubdtype(inputs[i].dtype(), Dtype::Category::inexact)) {
      fail(ErrorCode::unsupported_dtype, "grad",
           "argument {} is {}; a gradient needs floating numbers (use astype)", argnum,
           to_string(inputs[i].dtype()));
    }
    chosen.push_back(i);
  }
  return chosen;
}

}  // namespace

ValueAndGradFn value_and_grad(const ArraysFn& fun, const std::vector<int>& argnums) {
  return [fun, argnums](const Arrays& inputs) -> std::pair<Arrays, Arrays> {
    const std::vector<std::size_t> chosen = chosen_arguments(argnums, inputs);
    const TracingScope tracing;
    Arrays primals;
    for (const std::size_t i : chosen) primals.push_back(inputs[i]);
    const Arrays arguments = traced(primals);
    Arrays all = inputs;
    for (std::size_t i = 0; i < chosen.size(); ++i) all[chosen[i]] = arguments[i];
    Arrays values = fun(all);
    if (values.empty() || values[0].size() != 1 || values[0].ndim() != 0) {
      fail(ErrorCode::invalid_argument, "grad",
           "the function must return a scalar first (rank 0); it returned {}",
           values.empty() ? std::string("nothing") : to_string(values[0].shape()));
    }
    if (!issubdtype(values[0].dtype(), Dtype::Category::floating)) {
      fail(ErrorCode::unsupported_dtype, "grad", "the function returned {}, not a floating number",
           to_string(values[0].dtype()));
    }
    return {values, graph::pull_back({values[0]}, {graph::filled_like(values[0], 1)}, arguments)};
  };
}

ValueAndGradFn value_and_grad(const ArraysFn& fun, int argnum) {
  return value_and_grad(fun, std::vector<int>{argnum});
}
SimpleValueAndGradFn value_and_grad(const ScalarFn& fun, const std::vector<int>& argnums) {
  return [f = value_and_grad(as_arrays_fn(fun), argnums)](const Arrays& inputs) {
    auto [values, gradients] = f(inputs);
    return std::pair<array, Arrays>(values[0], std::move(gradients));
  };
}
SimpleValueAndGradFn value_and_grad(const ScalarFn& fun, int argnum) {
  return value_and_grad(fun, std::vector<int>{argnum});
}
std::function<std::pair<array, array>(const array&)> value_and_grad(const UnaryFn& fun) {
  return [f = value_and_grad(as_arrays_fn(fun), 0)](const array& input) {
    const auto [values, gradients] = f({input});
    return std::pair<array, array>(values[0], gradients[0]);
  };
}

std::function<Arrays(const Arrays&)> grad(const ScalarFn& fun, const std::vector<int>& argnums) {
  return [f = value_and_grad(fun, argnums)](const Arrays& inputs) { return f(inputs).second; };
}
std::function<Arrays(const Arrays&)> grad(const ScalarFn& fun, int argnum) {
  return grad(fun, std::vector<int>{argnum});
}
UnaryFn grad(const UnaryFn& fun) {
  return [f = value_and_grad(fun)](const array& input) { return f(input).second; };
}

}  // namespace tessera
