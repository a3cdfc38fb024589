// Chains of moves: the values must arrive exactly where NumPy's rules put them.
#include "tessera/conformance/internal/draw.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

/// Output shape, and where each of its elements comes from.
template <class From>
Values moved(const Shape& shape, const Values& x, From from) {
  Values out(shape);
  for_each_index(shape, [&](const Shape& i) { out.at(i) = x.at(from(i)); });
  return out;
}

Drawn transposed(Draw& draw, const Drawn& x) {
  std::vector<int> axes(x.values.shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int>(i);
  for (std::size_t i = axes.size(); i > 1; --i) {
    std::swap(axes[i - 1], axes[static_cast<std::size_t>(draw.between(0, i - 1))]);
  }
  Shape shape;
  for (const int axis : axes) shape.push_back(x.values.shape[axis]);
  return {transpose(x.a, axes), moved(shape, x.values, [&](const Shape& i) {
            Shape from(i.size());
            for (std::size_t k = 0; k < axes.size(); ++k) from[axes[k]] = i[k];
            return from;
          })};
}

Drawn sliced(Draw& draw, const Drawn& x) {
  Shape start, stop, strides, shape;
  for (const ShapeElem n : x.values.shape) {
    const bool backwards = draw.chance(0.3);
    const ShapeElem step = draw.between(1, 3);
    const ShapeElem first = n == 0 ? 0 : draw.between(0, n - 1);
    const ShapeElem count =
        n == 0 ? 0 : draw.between(0, (backwards ? first : n - 1 - first) / step + 1);
    const ShapeElem end = backwards ? first - count * step : first + count * step;
    start.push_back(first);
    strides.push_back(backwards ? -step : step);
    stop.push_back(backwards && end < 0 ? end - n : std::min(end, n));
    shape.push_back(count);
  }
  return {slice(x.a, start, stop, strides), moved(shape, x.values, [&](const Shape& i) {
            Shape from(i.size());
            for (std::size_t k = 0; k < i.size(); ++k) from[k] = start[k] + i[k] * strides[k];
            return from;
          })};
}

Drawn broadcast(Draw& draw, const Drawn& x) {
  Shape shape = x.values.shape;
  for (ShapeElem& n : shape) {
    if (n == 1) n = draw.between(0, 3);
  }
  if (shape.size() < 6 && draw.chance(0.5))
    shape = [&] {
      Shape wider{draw.between(1, 3)};
      for (const ShapeElem n : shape) wider.push_back(n);
      return wider;
    }();
  return {broadcast_to(x.a, shape), moved(shape, x.values, [](const Shape& i) { return i; })};
}

Drawn padded(Draw& draw, const Drawn& x) {
  std::vector<std::pair<int, int>> width;
  Shape shape;
  for (const ShapeElem n : x.values.shape) {
    width.push_back({static_cast<int>(draw.between(0, 2)), static_cast<int>(draw.between(0, 2))});
    shape.push_back(n + width.back().first + width.back().second);
  }
  Values out(shape, 7);
  for_each_index(x.values.shape, [&](const Shape& i) {
    Shape to = i;
    for (std::size_t k = 0; k < i.size(); ++k) to[k] += width[k].first;
    out.at(to) = x.values.at(i);
  });
  return {pad(x.a, width, array(7, x.a.dtype())), out};
}

Drawn joined(Draw& draw, const Drawn& x) {
  const int axis = draw.axis(x.values.shape);
  Shape other = x.values.shape;
  other[axis] = draw.size();
  const Drawn y = draw.values(other, x.a.dtype(), 0, 9);
  Shape shape = x.values.shape;
  shape[axis] += other[axis];
  Values out(shape);
  for_each_index(shape, [&](const Shape& i) {
    Shape from = i;
    from[axis] -= x.values.shape[axis];
    out.at(i) = from[axis] < 0 ? x.values.at(i) : y.values.at(from);
  });
  return {concatenate({x.a, y.a}, axis), out};
}

Drawn updated(Draw& draw, const Drawn& x) {
  Shape start, stop, strides, shape;
  for (const ShapeElem n : x.values.shape) {
    const ShapeElem first = draw.between(0, n);
    const ShapeElem step = draw.between(1, 2);
    const ShapeElem count = draw.between(0, (n - first + step - 1) / step);
    start.push_back(first);
    stop.push_back(std::min(n, first + count * step));
    strides.push_back(step);
    shape.push_back(count);
  }
  const Drawn update = draw.values(shape, x.a.dtype(), 0, 9);
  Values out = x.values;
  for_each_index(shape, [&](const Shape& i) {
    Shape to(i.size());
    for (std::size_t k = 0; k < i.size(); ++k) to[k] = start[k] + i[k] * strides[k];
    out.at(to) = update.values.at(i);
  });
  return {slice_update(x.a, update.a, start, stop, strides), out};
}

Drawn flattened(Draw& draw, const Drawn& x) {
  const int axis = draw.axis(x.values.shape);
  Shape shape(x.values.shape.begin(), x.values.shape.begin() + axis);
  ShapeElem rest = 1;
  for (std::size_t k = axis; k < x.values.shape.size(); ++k) rest *= x.values.shape[k];
  shape.push_back(rest);
  Values out = x.values;
  out.shape = shape;
  return {reshape(x.a, shape), out};
}

void moves_case(Draw& draw) {
  struct Move {
    const char* name;
    Drawn (*make)(Draw&, const Drawn&);
  };
  const std::vector<Move> moves = {{"transpose", transposed}, {"slice", sliced},
                                   {"broadcast", broadcast},  {"pad", padded},
                                   {"concatenate", joined},   {"slice_update", updated},
                                   {"flatten", flattened}};
  const Dtype dtype = draw.one_of<Dtype>({float32, float16, bfloat16, int32, uint8, bool_, int64});
  Drawn x = draw.values(draw.shape(1, 4), dtype, 0, dtype == bool_ ? 1 : 9);
  for (int i = 0; i < 4 && x.values.v.size() < 3000; ++i) {
    const Move& move = draw.one_of(moves);
    draw.note("{}", move.name);
    x = move.make(draw, x);
    draw.note("to {}", to_string(x.values.shape));
  }
  if (dtype == bool_) {
    for (double& v : x.values.v) v = v != 0;
  }
  expect_near(x.a, x.values, dtype, {});
}

}  // namespace

std::vector<RandomCase> random_moves() {
  return {{"moves", moves_case}};
}

}  // namespace tessera::conformance
