#include "tessera/conformance/internal/draw.h"

#include <algorithm>
#include <cmath>

#include "tessera/conformance/internal/behaviour.h"
#include "tessera/core/internal/fail.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/shape.h"

namespace tessera::conformance {

std::size_t Values::place(const Shape& index) const {
  const std::size_t skipped = index.size() - shape.size();
  std::int64_t at = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    at = at * shape[i] + (shape[i] == 1 ? 0 : index[i + skipped]);
  }
  return static_cast<std::size_t>(at);
}

void for_each_index(const Shape& shape, const std::function<void(const Shape&)>& visit) {
  const std::int64_t count = num_elements(shape);
  Shape index(shape.size(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    visit(index);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

std::int64_t Draw::between(std::int64_t low, std::int64_t high) {
  // Not std::uniform_int_distribution, whose results differ from one library to another.
  const auto range = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<std::int64_t>(random_() % range);
}

double Draw::real(double low, double high) {
  return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
}

Dtype Draw::floating() {
  return one_of<Dtype>({float32, float16, bfloat16});
}

ShapeElem Draw::size(bool may_be_empty) {
  const double luck = real(0, 1);
  if (may_be_empty && luck < 0.04) return 0;
  if (luck > 0.85) return one_of<ShapeElem>({15, 16, 17, 31, 33});
  return between(1, 6);
}

Shape Draw::shape(int least_rank, int most_rank, bool may_be_empty) {
  Shape out;
  const std::int64_t rank = between(least_rank, most_rank);
  std::int64_t elements = 1;
  for (std::int64_t i = 0; i < rank; ++i) {
    // The references are slow: no more than some thousand elements.
    const ShapeElem next = elements > 300 ? between(1, 2) : size(may_be_empty);
    out.push_back(next);
    elements *= std::max<ShapeElem>(next, 1);
  }
  return out;
}

Shape Draw::broadcastable(const Shape& shape) {
  const std::int64_t dropped =
      chance(0.3) ? between(0, static_cast<std::int64_t>(shape.size())) : 0;
  Shape out(shape.begin() + dropped, shape.end());
  for (ShapeElem& n : out) {
    if (chance(0.3)) n = 1;
  }
  return out;
}

namespace {

template <class T>
void store(const Values& values, HostTensor& out) {
  T* to = reinterpret_cast<T*>(out.mutable_data());
  for (std::size_t i = 0; i < values.v.size(); ++i) {
    if constexpr (std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>)
      to[i] = T(static_cast<float>(values.v[i]));
    else
      to[i] = static_cast<T>(values.v[i]);
  }
}

HostTensor to_host(const Values& values, Dtype dtype) {
  HostTensor out(values.shape, dtype);
  switch (dtype) {
    case Dtype::Val::bool_: store<bool>(values, out); break;
    case Dtype::Val::uint8: store<std::uint8_t>(values, out); break;
    case Dtype::Val::uint32: store<std::uint32_t>(values, out); break;
    case Dtype::Val::int8: store<std::int8_t>(values, out); break;
    case Dtype::Val::int32: store<std::int32_t>(values, out); break;
    case Dtype::Val::int64: store<std::int64_t>(values, out); break;
    case Dtype::Val::float16: store<float16_t>(values, out); break;
    case Dtype::Val::bfloat16: store<bfloat16_t>(values, out); break;
    case Dtype::Val::float32: store<float>(values, out); break;
    default: fail(ErrorCode::internal, "draw", "does not draw {}", to_string(dtype));
  }
  return out;
}

Values of_host(const HostTensor& host) {
  Values out;
  out.shape = host.shape();
  out.v = as_doubles(host);
  return out;
}

/// An array of `shape` that is a view of `stored`, and how an index leads into it.
struct View {
  array a;
  std::function<Shape(const Shape&)> stored_index;
};

Shape stored_shape(const Shape& shape, int layout, std::size_t axis) {
  Shape stored = shape;
  if (layout == 1) std::reverse(stored.begin(), stored.end());
  if (layout == 2) stored[axis] = 2 * stored[axis] + 1;
  if (layout == 4) stored[axis] = 1;
  return stored;
}

View view_of(const array& stored, const Shape& shape, int layout, std::size_t axis) {
  Shape start(shape.size(), 0), stop = stored.shape(), strides(shape.size(), 1);
  if (layout == 1) {
    return {transpose(stored), [](Shape i) {
              std::reverse(i.begin(), i.end());
              return i;
            }};
  }
  if (layout == 2) {  // every other element, from the second on
    start[axis] = 1;
    strides[axis] = 2;
    return {slice(stored, start, stop, strides), [axis](Shape i) {
              i[axis] = 2 * i[axis] + 1;
              return i;
            }};
  }
  if (layout == 3) {  // backwards
    start[axis] = shape[axis] - 1;
    stop[axis] = -shape[axis] - 1;
    strides[axis] = -1;
    return {slice(stored, start, stop, strides), [axis, last = shape[axis] - 1](Shape i) {
              i[axis] = last - i[axis];
              return i;
            }};
  }
  if (layout == 4) {  // one element repeated
    return {broadcast_to(stored, shape), [axis](Shape i) {
              i[axis] = 0;
              return i;
            }};
  }
  return {stored, [](const Shape& i) { return i; }};
}

}  // namespace

Drawn Draw::values(const Shape& shape, Dtype dtype, double low, double high) {
  const int layout = shape.empty() || num_elements(shape) == 0 || chance(0.4)
                         ? 0
                         : static_cast<int>(between(1, 4));
  const std::size_t at = shape.empty() ? 0 : static_cast<std::size_t>(axis(shape));
  Values stored(stored_shape(shape, layout, at));
  for (double& x : stored.v)
    x = is_floating(dtype) ? real(low, high) : std::floor(real(low, high + 1));
  const HostTensor host = to_host(stored, dtype);
  stored = of_host(host);
  const View view = view_of(array(host), shape, layout, at);
  Values seen(shape);
  for_each_index(shape, [&](const Shape& i) { seen.at(i) = stored.at(view.stored_index(i)); });
  constexpr const char* kLayouts[] = {"", " transposed", " strided", " reversed", " repeated"};
  note("{} {}{}", to_string(dtype), to_string(shape), kLayouts[layout]);
  return {view.a, seen};
}

array to_array(const Values& values, Dtype dtype) {
  return array(to_host(values, dtype));
}
Values to_values(const array& a) {
  return of_host(a.to_host());
}

void expect_near(const array& got, const Values& want, Dtype dtype, Tolerance tolerance,
                 const Values* slack) {
  const HostTensor& host = got.to_host();
  expect(host.dtype() == dtype && host.shape() == want.shape, "gave {} {}, not {} {}",
         to_string(host.dtype()), to_string(host.shape()), to_string(dtype), to_string(want.shape));
  const std::vector<double> values = as_doubles(host);
  const bool rounds = is_floating(dtype);
  double largest = 0;
  for (const double x : want.v) {
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = values[i], y = want.v[i];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    double allowed = tolerance.of_largest * largest;
    if (rounds) allowed += (tolerance.ulps + 0.5) * ulp(y, dtype);
    if (slack) allowed += slack->v[i];
    expect(std::isfinite(y) && std::abs(x - y) <= allowed,
           "element {} is {}, not {} (off by {:.3g}, allowed {:.3g})", i, x, y, std::abs(x - y),
           allowed);
  }
}

std::vector<RandomCase> random_cases() {
  std::vector<RandomCase> all;
  for (auto&& part : {random_elementwise(), random_reductions(), random_moves(), random_indexing(),
                      random_order(), random_products(), random_windows(), random_attention()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::string run_random(const RandomCase& c, int n) {
  std::uint64_t seed = static_cast<std::uint64_t>(n) + 1;
  for (const char letter : c.name) seed = seed * 131 + static_cast<unsigned char>(letter);
  Draw draw(seed);
  try {
    c.run(draw);
  } catch (const NotSo& e) {
    return fmt::format("{}; drawn: {}", e.what, draw.story());
  } catch (const std::exception& e) {
    return fmt::format("threw: {}; drawn: {}", e.what(), draw.story());
  }
  return {};
}

}  // namespace tessera::conformance
