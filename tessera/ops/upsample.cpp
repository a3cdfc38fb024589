#include "tessera/ops/upsample.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

// Each output element of an axis is a weighted sum of input elements: tap k of output i reads
// input index[k][i].
struct Taps {
  std::vector<std::vector<std::int32_t>> index;
  std::vector<std::vector<float>> weight;
};

void check_scale(const char* op, const array& x, const std::vector<double>& scale_factor) {
  if (x.ndim() < 3 || scale_factor.size() != x.ndim() - 2) {
    fail(ErrorCode::shape_mismatch, op, "{} scale factors for the spatial axes of {}",
         scale_factor.size(), detail::describe(x));
  }
  for (std::size_t i = 0; i < scale_factor.size(); ++i) {
    const double size = static_cast<double>(x.shape()[i + 1]);
    const double most = std::numeric_limits<std::int32_t>::max();
    if (!(scale_factor[i] > 0) || !(scale_factor[i] * size <= most) || size > most) {
      fail(ErrorCode::invalid_argument, op, "scale {} is not one for axis {} of {}",
           scale_factor[i], i + 1, detail::describe(x));
    }
  }
}

// Positions are float32 products like MLX's, so that the same elements are chosen at ties.
std::vector<float> sources(ShapeElem size, double scale, bool align_corners) {
  const auto count = static_cast<ShapeElem>(scale * static_cast<double>(size));
  const double last = static_cast<double>(size) - 1;
  const double last_out = static_cast<double>(count) - 1;
  double step = 1 / scale;
  double start = (last_out * step - last) / 2;
  if (align_corners) {
    step = last / std::max(last_out, 1.0);
    start = 0;
  }
  std::vector<float> out(count);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<float>(i) * static_cast<float>(step) - static_cast<float>(start);
  }
  return out;
}

float triangle(float x) {
  return std::max(1.0f - x, 0.0f);
}

float cubic(float x, float a) {
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x <= 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

// radius: how far the kernel reaches, in input elements.
template <class Kernel>
Taps kernel_taps(const std::vector<float>& at, ShapeElem size, int radius, Kernel kernel) {
  Taps taps;
  for (int k = 1 - radius; k <= radius; ++k) {
    auto& index = taps.index.emplace_back();
    auto& weight = taps.weight.emplace_back();
    for (float position : at) {
      const float element = std::floor(position) + static_cast<float>(k);
      weight.push_back(kernel(std::abs(position - element)));
      index.push_back(static_cast<std::int32_t>(
          std::clamp(element, 0.0f, static_cast<float>(std::max<ShapeElem>(size - 1, 0)))));
    }
  }
  return taps;
}

// The kernel widened to the output's spacing; elements outside are left out and the weights of the
// others made to sum to one.
template <class Kernel>
Taps antialiased_taps(const std::vector<float>& at, ShapeElem size, double scale, int radius,
                      Kernel kernel) {
  const double spacing = scale < 1 ? 1 / scale : 1;
  const int reach = static_cast<int>(std::ceil(radius * spacing)) + 1;
  const float narrow = static_cast<float>(spacing);
  Taps taps = kernel_taps(at, size, reach, [&](float d) { return kernel(d / narrow); });
  for (std::size_t i = 0; i < at.size(); ++i) {
    float total = 0;
    for (int k = 0; k < 2 * reach; ++k) {
      const float element = std::floor(at[i]) + static_cast<float>(k + 1 - reach);
      if (element < 0 || element >= static_cast<float>(size)) taps.weight[k][i] = 0;
      total += taps.weight[k][i];
    }
    for (auto& weight : taps.weight) weight[i] /= total > 0 ? total : 1;
  }
  return taps;
}

template <class T>
array on_backend_of(const array& x, const std::vector<T>& values, Shape shape) {
  return array(HostTensor::from(std::span<const T>(values), std::move(shape)), x.backend());
}

array resampled(const array& x, int axis, const Taps& taps) {
  const auto count = static_cast<ShapeElem>(taps.index[0].size());
  Shape along(x.ndim(), 1);
  along[axis] = count;
  std::vector<array> terms;
  for (std::size_t k = 0; k < taps.index.size(); ++k) {
    const auto& weight = taps.weight[k];
    if (k > 0 && std::all_of(weight.begin(), weight.end(), [](float w) { return w == 0; }))
      continue;
    const array seen = take(x, on_backend_of(x, taps.index[k], {count}), axis);
    terms.push_back(seen * on_backend_of(x, weight, along));
  }
  array out = terms[0];
  for (std::size_t k = 1; k < terms.size(); ++k) out = out + terms[k];
  return out;
}

// Axis by axis, which is the same sum of products as over all axes at once.
template <class MakeTaps>
array interpolated(const char* op, const array& x, const std::vector<double>& scale_factor,
                   bool align_corners, bool antialias, MakeTaps make_taps) {
  check_scale(op, x, scale_factor);
  if (align_corners && antialias) {
    fail(ErrorCode::invalid_argument, op, "antialias needs align_corners to be false");
  }
  array out = astype(x, promote_types(x.dtype(), float32));
  for (std::size_t i = 0; i < scale_factor.size(); ++i) {
    const double scale = scale_factor[i];
    const ShapeElem size = x.shape()[i + 1];
    const std::vector<float> at = sources(size, scale, align_corners);
    out = resampled(out, static_cast<int>(i) + 1, make_taps(at, size, scale));
  }
  return out;
}

std::vector<std::int32_t> nearest(ShapeElem size, double scale) {
  const auto count = static_cast<ShapeElem>(scale * static_cast<double>(size));
  const bool whole = scale == std::floor(scale);
  const float ratio = static_cast<float>(static_cast<double>(size) / std::max<ShapeElem>(count, 1));
  std::vector<std::int32_t> out(count);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (whole) {
      out[i] = static_cast<std::int32_t>(static_cast<double>(i) / scale);
      continue;
    }
    float at = static_cast<float>(i);
    at = count > size ? std::nearbyint((at + 0.5f) * ratio - 0.5f) : at * ratio;
    out[i] = static_cast<std::int32_t>(std::clamp(at, 0.0f, static_cast<float>(size - 1)));
  }
  return out;
}

}  // namespace

array upsample_nearest(const array& x, const std::vector<double>& scale_factor) {
  check_scale("upsample_nearest", x, scale_factor);
  array out = x;
  for (std::size_t i = 0; i < scale_factor.size(); ++i) {
    const std::vector<std::int32_t> index = nearest(x.shape()[i + 1], scale_factor[i]);
    const auto count = static_cast<ShapeElem>(index.size());
    out = take(out, on_backend_of(x, index, {count}), static_cast<int>(i) + 1);
  }
  return out;
}

array upsample_linear(const array& x, const std::vector<double>& scale_factor, bool align_corners,
                      bool antialias) {
  return interpolated("upsample_linear", x, scale_factor, align_corners, antialias,
                      [&](std::vector<float> at, ShapeElem size, double scale) {
                        if (antialias) return antialiased_taps(at, size, scale, 1, triangle);
                        const float last = static_cast<float>(size) - 1;
                        for (float& p : at) p = std::clamp(p, 0.0f, std::max(last, 0.0f));
                        return kernel_taps(at, size, 1, triangle);
                      });
}

array upsample_cubic(const array& x, const std::vector<double>& scale_factor, bool align_corners,
                     bool antialias) {
  return interpolated("upsample_cubic", x, scale_factor, align_corners, antialias,
                      [&](const std::vector<float>& at, ShapeElem size, double scale) {
                        if (antialias) {
                          return antialiased_taps(at, size, scale, 2,
                                                  [](float d) { return cubic(d, -0.5f); });
                        }
                        return kernel_taps(at, size, 2, [](float d) { return cubic(d, -0.75f); });
                      });
}

}  // namespace tessera
