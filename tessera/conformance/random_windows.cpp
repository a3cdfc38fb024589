// Convolutions and pools with every option, and Fourier transforms, by their definitions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tessera/conformance/internal/draw.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

std::vector<int> draw_each(Draw& draw, std::size_t axes, int low, int high) {
  std::vector<int> out;
  for (std::size_t k = 0; k < axes; ++k) out.push_back(static_cast<int>(draw.between(low, high)));
  return out;
}

void conv_case(Draw& draw) {
  const Dtype dtype = draw.floating();
  const std::size_t axes = static_cast<std::size_t>(draw.between(1, 3));
  const int most = axes == 3 ? 4 : 9;
  const std::vector<int> size = draw_each(draw, axes, 3, most),
                         kernel = draw_each(draw, axes, 1, 3);
  const std::vector<int> stride = draw_each(draw, axes, 1, 2), low = draw_each(draw, axes, 0, 2);
  const std::vector<int> high = draw_each(draw, axes, 0, 2);
  const std::vector<int> kernel_step = draw_each(draw, axes, 1, 2);
  const std::vector<int> input_step = draw_each(draw, axes, 1, 2);
  const ShapeElem groups = draw.between(1, 3), per_group = draw.between(1, 3);
  const ShapeElem outputs = groups * draw.between(1, 2);
  const bool flip = draw.chance(0.3);
  Shape x_shape{draw.between(0, 2)}, w_shape{outputs}, shape{x_shape[0]};
  for (std::size_t k = 0; k < axes; ++k) {
    const int padded = (size[k] - 1) * input_step[k] + 1 + low[k] + high[k];
    const int reach = (kernel[k] - 1) * kernel_step[k] + 1;
    if (padded < reach) return;  // refused, which is not what is checked here
    x_shape.push_back(size[k]);
    w_shape.push_back(kernel[k]);
    shape.push_back((padded - reach) / stride[k] + 1);
  }
  x_shape.push_back(groups * per_group);
  w_shape.push_back(per_group);
  shape.push_back(outputs);
  draw.note("conv_general groups {} flip {} stride {} padding {} and {} steps {} and {} of", groups,
            flip, stride[0], low[0], high[0], kernel_step[0], input_step[0]);
  const Drawn x = draw.values(x_shape, dtype), w = draw.values(w_shape, dtype);

  Values want(shape), slack(shape);
  Shape window(w_shape.begin() + 1, w_shape.end());
  for_each_index(shape, [&](const Shape& i) {
    for_each_index(window, [&](const Shape& j) {
      Shape from = i, at{i.back()};
      for (const ShapeElem place : j) at.push_back(place);
      for (std::size_t k = 0; k < axes; ++k) {
        const ShapeElem step = flip ? kernel[k] - 1 - j[k] : j[k];
        const ShapeElem place = i[k + 1] * stride[k] - low[k] + step * kernel_step[k];
        if (place % input_step[k] != 0 || place < 0 || place / input_step[k] >= size[k]) return;
        from[k + 1] = place / input_step[k];
      }
      from.back() = i.back() / (outputs / groups) * per_group + j.back();
      const double term = x.values.at(from) * w.values.at(at);
      want.at(i) += term;
      slack.at(i) += 2e-6 * std::abs(term);
    });
  });
  expect_near(conv_general(x.a, w.a, stride, low, high, kernel_step, input_step,
                           static_cast<int>(groups), flip),
              want, dtype, {}, &slack);
}

void pool_case(Draw& draw) {
  const Dtype dtype = draw.floating();
  const std::size_t axes = static_cast<std::size_t>(draw.between(1, 3));
  Shape x_shape{draw.between(0, 2)}, window, stride, padding, shape{x_shape[0]};
  for (std::size_t k = 0; k < axes; ++k) {
    window.push_back(draw.between(1, 3));
    stride.push_back(draw.between(1, 3));
    padding.push_back(draw.between(0, 1));
    x_shape.push_back(draw.between(3, axes == 3 ? 5 : 17));
    shape.push_back((x_shape.back() + 2 * padding[k] - window[k]) / stride[k] + 1);
  }
  x_shape.push_back(draw.between(1, 9));
  shape.push_back(x_shape.back());
  draw.note("pools {} {} {} of", to_string(window), to_string(stride), to_string(padding));
  const Drawn x = draw.values(x_shape, dtype);
  Values top(shape, -std::numeric_limits<double>::infinity()), average(shape), slack(shape);
  const double count = static_cast<double>(num_elements(window));
  for_each_index(shape, [&](const Shape& i) {
    for_each_index(window, [&](const Shape& j) {
      Shape from = i;
      for (std::size_t k = 0; k < axes; ++k) {
        from[k + 1] = i[k + 1] * stride[k] - padding[k] + j[k];
        if (from[k + 1] < 0 || from[k + 1] >= x_shape[k + 1]) return;
      }
      top.at(i) = std::max(top.at(i), x.values.at(from));
      average.at(i) += x.values.at(from) / count;
      slack.at(i) += 1e-6 * std::abs(x.values.at(from));
    });
  });
  const auto call = [&](auto one, auto two, auto three) {
    return (axes == 1 ? one : axes == 2 ? two : three)(x.a, window, stride, padding);
  };
  using Pooling = array (*)(const array&, const Shape&, const Shape&, const Shape&);
  expect_near(call(Pooling(max_pool1d), Pooling(max_pool2d), Pooling(max_pool3d)), top, dtype, {});
  expect_near(call(Pooling(avg_pool1d), Pooling(avg_pool2d), Pooling(avg_pool3d)), average, dtype,
              {}, &slack);
}

void fft_case(Draw& draw) {
  draw.note("rfft of");
  const Drawn x = draw.values(draw.shape(1, 3, false), float32);
  const int axis = draw.axis(x.values.shape);
  const ShapeElem n = draw.chance(0.5) ? x.values.shape[axis] : draw.between(1, 40);
  draw.note("axis {}, n {}", axis, n);
  Shape shape = x.values.shape;
  shape[axis] = n / 2 + 1;
  Values real_part(shape), imaginary(shape);
  for_each_index(shape, [&](const Shape& i) {
    Shape from = i;
    for (ShapeElem j = 0; j < std::min(n, x.values.shape[axis]); ++j) {
      from[axis] = j;
      const double angle = -2 * std::numbers::pi * static_cast<double>(i[axis] * j) / double(n);
      real_part.at(i) += x.values.at(from) * std::cos(angle);
      imaginary.at(i) += x.values.at(from) * std::sin(angle);
    }
  });
  const array spectrum = fft::rfft(x.a, static_cast<int>(n), axis);
  const Tolerance near{0, 4e-6};
  expect_near(real(spectrum), real_part, float32, near, nullptr);
  const Values slack(shape, 1e-5 * static_cast<double>(n));  // imaginary parts may all be 0
  expect_near(imag(spectrum), imaginary, float32, near, &slack);
  // And back: what was cut off is gone, what was added is 0.
  Shape back = x.values.shape;
  back[axis] = n;
  Values again(back);
  for_each_index(back, [&](const Shape& i) {
    again.at(i) = i[axis] < x.values.shape[axis] ? x.values.at(i) : 0;
  });
  expect_near(fft::irfft(spectrum, static_cast<int>(n), axis), again, float32, {0, 4e-6}, nullptr);
}

}  // namespace

std::vector<RandomCase> random_windows() {
  return {{"convolutions", conv_case}, {"pools", pool_case}, {"transforms", fft_case}};
}

}  // namespace tessera::conformance
