// Random numbers (their first input is the key), bitwise ops, and the inverses they are made of.
#include "tessera/conformance/internal/adapters.h"

#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

Shape shape_in(const GoldenCase& c) {
  return shape_of(c.attrs["shape"]);
}
Dtype dtype_in(const GoldenCase& c) {
  return dtype_named(c.attrs["dtype"]);
}

using Binary = array (*)(const array&, const array&);

Adapter bitwise(Binary fn) {
  return [fn](const GoldenCase& c) {
    const array a = c.input(0);
    return fn(a, c.attrs.contains("scalar") ? array(c.attrs["scalar"].get<int>(), a.dtype())
                                            : c.input(1));
  };
}

array call_normal(const GoldenCase& c) {
  if (c.inputs.size() == 3) {
    return random::normal(shape_in(c), dtype_in(c), c.input(1), c.input(2), c.input(0));
  }
  return random::normal(shape_in(c), dtype_in(c), c.attrs["loc"].get<float>(),
                        c.attrs["scale"].get<float>(), c.input(0));
}

array call_truncated_normal(const GoldenCase& c) {
  if (!c.attrs.contains("shape")) {
    return random::truncated_normal(c.input(1), c.input(2), dtype_in(c), c.input(0));
  }
  return random::truncated_normal(c.input(1), c.input(2), shape_in(c), dtype_in(c), c.input(0));
}

array call_categorical(const GoldenCase& c) {
  const int axis = c.attrs["axis"];
  if (c.attrs.contains("shape")) {
    return random::categorical(c.input(1), axis, shape_in(c), c.input(0));
  }
  if (c.attrs.contains("num_samples")) {
    return random::categorical(c.input(1), axis, c.attrs["num_samples"].get<int>(), c.input(0));
  }
  return random::categorical(c.input(1), axis, c.input(0));
}

}  // namespace

void add_random(Adapters& table) {
  table.insert({
      {"random.key",
       [](const GoldenCase& c) { return random::key(c.attrs["seed"].get<std::uint64_t>()); }},
      {"random.split",
       [](const GoldenCase& c) { return random::split(c.input(0), c.attrs["num"].get<int>()); }},
      {"random.bits",
       [](const GoldenCase& c) {
         return random::bits(shape_in(c), c.attrs["width"].get<int>(), c.input(0));
       }},
      {"random.uniform",
       [](const GoldenCase& c) {
         return random::uniform(c.input(1), c.input(2), shape_in(c), dtype_in(c), c.input(0));
       }},
      {"random.normal", call_normal},
      {"random.laplace",
       [](const GoldenCase& c) {
         return random::laplace(shape_in(c), dtype_in(c), c.attrs["loc"].get<float>(),
                                c.attrs["scale"].get<float>(), c.input(0));
       }},
      {"random.gumbel",
       [](const GoldenCase& c) { return random::gumbel(shape_in(c), dtype_in(c), c.input(0)); }},
      {"random.truncated_normal", call_truncated_normal},
      {"random.bernoulli",
       [](const GoldenCase& c) { return random::bernoulli(c.input(1), shape_in(c), c.input(0)); }},
      {"random.categorical", call_categorical},
      {"random.permutation",
       [](const GoldenCase& c) {
         if (c.attrs.contains("n")) return random::permutation(c.attrs["n"].get<int>(), c.input(0));
         return random::permutation(c.input(1), c.attrs["axis"].get<int>(), c.input(0));
       }},
      {"random.randint",
       [](const GoldenCase& c) {
         return random::randint(c.input(1), c.input(2), shape_in(c), dtype_in(c), c.input(0));
       }},
      {"bitwise_and", bitwise(bitwise_and)},
      {"bitwise_or", bitwise(bitwise_or)},
      {"bitwise_xor", bitwise(bitwise_xor)},
      {"left_shift", bitwise(left_shift)},
      {"right_shift", bitwise(right_shift)},
      {"bitwise_invert", unary(bitwise_invert)},
      {"erfinv", unary(erfinv)},
      {"log1p", unary(log1p)},
  });
}

}  // namespace tessera::conformance
