// custom_function, custom_vjp and checkpoint (graph/transforms.h).
#include <algorithm>

#include "tessera/graph/transforms.h"
#include "tessera/ir/node.h"
#include "tessera/ops/passthrough.h"
#include "tessera/ops/reduce.h"

namespace tessera {

namespace {

Arrays joined(const Arrays& a, const Arrays& b) {
  Arrays both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}
Arrays part(const Arrays& a, std::size_t from, std::size_t count) {
  return Arrays(a.begin() + static_cast<std::ptrdiff_t>(from),
                a.begin() + static_cast<std::ptrdiff_t>(from + count));
}

CustomVjpFn vjp_of(const ArraysFn& fun) {
  return [fun](const Arrays& primals, const Arrays& cotangents, const Arrays& /*outputs*/) {
    return vjp(fun, primals, cotangents).second;
  };
}

CustomJvpFn jvp_of(const ArraysFn& fun) {
  return [fun](const Arrays& primals, const Arrays& tangents, const std::vector<int>& argnums) {
    Arrays moving;
    for (const int i : argnums) moving.push_back(primals[static_cast<std::size_t>(i)]);
    const ArraysFn partial = [&](const Arrays& in) {
      Arrays all = primals;
      for (std::size_t i = 0; i < argnums.size(); ++i) {
        all[static_cast<std::size_t>(argnums[i])] = in[i];
      }
      return fun(all);
    };
    return jvp(partial, moving, tangents).second;
  };
}

// The vjp over a batch: an argument that the batch shares gets the sum of all gradients.
CustomVjpFn batched_vjp(const CustomVjpFn& fun_vjp, const std::vector<int>& axes) {
  return [fun_vjp, axes](const Arrays& primals, const Arrays& cotangents, const Arrays& outputs) {
    const std::size_t p = primals.size(), n = outputs.size();
    const ArraysFn single = [&](const Arrays& in) {
      return fun_vjp(part(in, 0, p), part(in, p, n), part(in, p + n, n));
    };
    std::vector<int> in_axes = axes;
    in_axes.resize(p + 2 * n, 0);
    Arrays gradients = vmap(single, in_axes)(joined(joined(primals, cotangents), outputs));
    for (std::size_t i = 0; i < p; ++i) {
      if (axes[i] < 0) gradients[i] = sum(gradients[i], 0);
    }
    return gradients;
  };
}

CustomVmapFn vmap_of(const ArraysFn& fun, const CustomVjpFn& fun_vjp) {
  return [fun, fun_vjp](const Arrays& inputs, const std::vector<int>& axes) {
    Arrays outputs = custom_function(vmap(fun, axes), batched_vjp(fun_vjp, axes))(inputs);
    const std::size_t count = outputs.size();
    return std::pair(std::move(outputs), std::vector<int>(count, 0));
  };
}

}  // namespace

ArraysFn custom_function(ArraysFn fun, std::optional<CustomVjpFn> fun_vjp,
                         std::optional<CustomJvpFn> fun_jvp, std::optional<CustomVmapFn> fun_vmap) {
  auto rules = std::make_shared<CustomRules>();
  rules->vjp = fun_vjp ? *fun_vjp : vjp_of(fun);
  rules->jvp = fun_jvp ? *fun_jvp : jvp_of(fun);
  rules->vmap = fun_vmap ? *fun_vmap : vmap_of(fun, rules->vjp);
  return [fun = std::move(fun),
          rules = std::shared_ptr<const CustomRules>(rules)](const Arrays& arguments) {
    const Arrays outputs = fun(arguments);
    if (!TracingScope::active() || outputs.empty()) return outputs;
    return apply_multi(CustomFunction{rules, static_cast<int>(outputs.size())},
                       joined(outputs, arguments));
  };
}

ArraysFn custom_vjp(ArraysFn fun, CustomVjpFn fun_vjp) {
  return custom_function(std::move(fun), std::move(fun_vjp));
}

ArraysFn checkpoint(ArraysFn fun) {
  CustomVjpFn again = [fun](const Arrays& primals, const Arrays& cotangents, const Arrays&) {
    // Not before the cotangents are there: until then the values would only take memory.
    return vjp(fun, depends(primals, cotangents), cotangents).second;
  };
  return custom_function(std::move(fun), std::move(again));
}

}  // namespace tessera
