// Fourier transforms: a few lines at a time are gathered side by side, transformed and written.
// An even number of real points is transformed as half as many complex ones.
#include "tessera/ops/fft.h"

#include <algorithm>
#include <list>
#include <mutex>

#include "tessera/backends/cpu/internal/fft_plan.h"
#include "tessera/backends/cpu/kernel.h"

namespace tessera::cpu {

namespace {

using Kind = Fft::Kind;

bool is_real(Kind kind) {
  return kind == Kind::real_forward || kind == Kind::real_inverse;
}

struct Transform {
  std::int64_t n;
  bool real;
  bool halved;  // pairs of real points as complex ones
  FftPlan plan;
  std::vector<complex64_t> roots;  // of n, for the step between pairs and whole; [0, n / 2]

  Transform(std::int64_t points, bool is_real)
      : n(points), real(is_real), halved(is_real && points % 2 == 0), plan(halved ? n / 2 : n) {
    if (halved) roots = roots_of_unity(n, n / 2 + 1);
  }
};

// Recently used lengths: an audio program has one or two, and computing the roots takes longer than
// the transform of a line.
std::shared_ptr<const Transform> transform_of(std::int64_t n, bool real) {
  constexpr std::size_t kKept = 8;
  constexpr std::int64_t kLargestKept = 1 << 16;
  static std::mutex mutex;
  static std::list<std::shared_ptr<const Transform>> recent;
  {
    const std::lock_guard lock(mutex);
    for (auto it = recent.begin(); it != recent.end(); ++it) {
      if ((*it)->n != n || (*it)->real != real) continue;
      recent.splice(recent.begin(), recent, it);
      return recent.front();
    }
  }
  auto made = std::make_shared<const Transform>(n, real);
  if (n > kLargestKept) return made;
  const std::lock_guard lock(mutex);
  recent.push_front(made);
  if (recent.size() > kKept) recent.pop_back();
  return made;
}

// A line of a tensor along the transform's axis.
template <class T>
struct Line {
  T* first;
  std::int64_t stride;
  T& operator[](std::int64_t i) const { return first[i * stride]; }
};

template <class T>
Line<T> line_of(const CpuTensor& t, int axis, std::int64_t index) {
  std::int64_t at = 0;
  for (std::size_t i = t.shape().size(); i-- > 0;) {
    if (static_cast<int>(i) == axis) continue;
    at += index % t.shape()[i] * t.strides()[i];
    index /= t.shape()[i];
  }
  return {t.data<T>() + at, t.strides()[axis]};
}

// The buffer of the lines in work: element j of line l at j * lanes + l.
struct Work {
  float* re;
  float* im;
  std::int64_t lanes;

  complex64_t get(std::int64_t j, std::int64_t lane) const {
    return {re[j * lanes + lane], im[j * lanes + lane]};
  }
  void set(std::int64_t j, std::int64_t lane, complex64_t value) const {
    re[j * lanes + lane] = value.real();
    im[j * lanes + lane] = value.imag();
  }
};

// Plain products: the operator of std::complex looks for infinities.
complex64_t product(complex64_t a, complex64_t b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

void load_real(const Transform& t, Line<const float> x, const Work& work, std::int64_t lane) {
  for (std::int64_t j = 0; j < t.plan.size(); ++j) {
    work.set(j, lane, t.halved ? complex64_t(x[2 * j], x[2 * j + 1]) : complex64_t(x[j]));
  }
}

// With Z the transform of even points + i odd points, those two have the transforms
// (Z[k] + conj Z[-k]) / 2 and -i (Z[k] - conj Z[-k]) / 2, and the whole is even + root[k] odd.
void store_half(const Transform& t, const Work& work, std::int64_t lane, Line<complex64_t> y,
                float scale) {
  const std::int64_t size = t.plan.size();
  for (std::int64_t k = 0; k <= t.n / 2; ++k) {
    if (!t.halved) {
      y[k] = work.get(k, lane) * scale;
      continue;
    }
    const complex64_t z = work.get(k % size, lane);
    const complex64_t mirror = std::conj(work.get((size - k) % size, lane));
    const complex64_t odd = product(t.roots[k], z - mirror);
    y[k] = (z + mirror + complex64_t(odd.imag(), -odd.real())) * (0.5f * scale);
    if (k == 0 || 2 * k == t.n) y[k] = y[k].real();  // whatever the points, NaN as well
  }
}

// The steps of store_half backwards, without halving: the inverse gives twice the sum.
void load_half(const Transform& t, Line<const complex64_t> x, const Work& work, std::int64_t lane) {
  const std::int64_t half = t.n / 2;
  const auto element = [&](std::int64_t k) {
    return k == 0 || 2 * k == t.n ? complex64_t(x[k].real()) : x[k];
  };
  if (!t.halved) {
    for (std::int64_t k = 0; k <= half; ++k) {
      work.set(k, lane, element(k));
      if (k > 0) work.set(t.n - k, lane, std::conj(element(k)));
    }
    return;
  }
  for (std::int64_t k = 0; k < half; ++k) {
    const complex64_t z = element(k);
    const complex64_t mirror = std::conj(element(half - k));
    const complex64_t odd = product(std::conj(t.roots[k]), z - mirror);
    work.set(k, lane, z + mirror + complex64_t(-odd.imag(), odd.real()));
  }
}

void store_real(const Transform& t, const Work& work, std::int64_t lane, Line<float> y,
                float scale) {
  for (std::int64_t j = 0; j < t.plan.size(); ++j) {
    const complex64_t z = work.get(j, lane) * scale;
    if (t.halved) {
      y[2 * j] = z.real();
      y[2 * j + 1] = z.imag();
    } else {
      y[j] = z.real();
    }
  }
}

TensorPtr fft_kernel(Context& ctx, const Fft& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.make(out);
  if (y->size() == 0) return y;
  const std::shared_ptr<const Transform> transform = transform_of(op.n, is_real(op.kind));
  const Transform& t = *transform;
  const std::int64_t size = t.plan.size();
  const std::int64_t lines = y->size() / out.shape[op.axis];
  // Enough lines side by side to fill vectors, few enough to stay in the cache.
  const std::int64_t lanes = std::min(lines, std::clamp<std::int64_t>(16384 / size, 1, 8));
  const std::int64_t blocks = (lines + lanes - 1) / lanes;
  const bool inverse = op.kind == Kind::inverse || op.kind == Kind::real_inverse;
  ctx.pool.parallel_for(
      blocks, 1 + 4096 / (size * lanes), [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> buffer(
            static_cast<std::size_t>(lanes * (2 * size + t.plan.scratch_per_line())));
        for (std::int64_t block = begin; block < end; ++block) {
          const std::int64_t first = block * lanes;
          const Work work{buffer.data(), buffer.data() + lanes * size,
                          std::min(lanes, lines - first)};
          for (std::int64_t lane = 0; lane < work.lanes; ++lane) {
            if (op.kind == Kind::real_forward) {
              load_real(t, line_of<const float>(x, op.axis, first + lane), work, lane);
              continue;
            }
            const auto from = line_of<const complex64_t>(x, op.axis, first + lane);
            if (op.kind == Kind::real_inverse) {
              load_half(t, from, work, lane);
            } else {
              for (std::int64_t j = 0; j < size; ++j) work.set(j, lane, from[j]);
            }
          }
          float* scratch = buffer.data() + 2 * lanes * size;
          t.plan.forward(inverse ? work.im : work.re, inverse ? work.re : work.im, work.lanes,
                         scratch);
          for (std::int64_t lane = 0; lane < work.lanes; ++lane) {
            if (op.kind == Kind::real_inverse) {
              store_real(t, work, lane, line_of<float>(*y, op.axis, first + lane), op.scale);
              continue;
            }
            const auto to = line_of<complex64_t>(*y, op.axis, first + lane);
            if (op.kind == Kind::real_forward) {
              store_half(t, work, lane, to, op.scale);
            } else {
              for (std::int64_t k = 0; k < size; ++k) to[k] = work.get(k, lane) * op.scale;
            }
          }
        }
      });
  return y;
}

}  // namespace

void register_fft(KernelRegistry& table) {
  table.add<Fft, fft_kernel>();
}

}  // namespace tessera::cpu
