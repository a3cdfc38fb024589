// Random cases: what to draw inputs with, and plain values in double to compute references from.
//
// A case draws everything from one seed, so its id ("random/matmul/17") repeats it; the story of
// what was drawn goes into the failure.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tessera/conformance/internal/compare.h"
#include "tessera/ir/array.h"

namespace tessera::conformance {

/// An array's values in row-major order.
struct Values {
  Shape shape;
  std::vector<double> v;

  Values() = default;
  explicit Values(Shape s, double fill = 0)
      : shape(std::move(s)), v(static_cast<std::size_t>(num_elements(shape)), fill) {}

  /// The element at an index of this rank, or of a higher one whose last axes broadcast from these.
  double& at(const Shape& index) { return v[place(index)]; }
  double at(const Shape& index) const { return v[place(index)]; }

 private:
  std::size_t place(const Shape& index) const;
};

/// Every index of the shape, in row-major order.
void for_each_index(const Shape& shape, const std::function<void(const Shape&)>& visit);

/// An array on the current backend and what it holds.
struct Drawn {
  array a;
  Values values;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  /// In [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high);
  double real(double low, double high);
  bool chance(double probability) { return real(0, 1) < probability; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(all.size()) - 1))];
  }

  /// float32, float16 or bfloat16.
  Dtype floating();
  /// Mostly small, now and then around a vector's width, seldom 0.
  ShapeElem size(bool may_be_empty = true);
  Shape shape(int least_rank, int most_rank, bool may_be_empty = true);
  /// A shape that broadcasts to `shape`.
  Shape broadcastable(const Shape& shape);
  int axis(const Shape& shape) {
    return static_cast<int>(between(0, static_cast<int>(shape.size()) - 1));
  }

  /// Uniform values in [low, high], rounded to dtype; the array is whole, or a transposed, strided,
  /// reversed or repeated view.
  Drawn values(const Shape& shape, Dtype dtype, double low = -2, double high = 2);

  /// Adds to the story: "x float16 [3, 5], axis 1".
  template <class... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    if (!story_.empty()) story_ += ", ";
    story_ += fmt::format(text, std::forward<Args>(args)...);
  }
  const std::string& story() const { return story_; }

 private:
  std::mt19937_64 random_;
  std::string story_;
};

/// The values as an array of the dtype, rounded to it.
array to_array(const Values& values, Dtype dtype);
/// The values of an array, evaluated.
Values to_values(const array& a);

/// Throws NotSo unless got has the shape and dtype and each element is as near as `tolerance` says,
/// beyond the rounding to dtype. slack: more room for each element, or none.
void expect_near(const array& got, const Values& want, Dtype dtype, Tolerance tolerance,
                 const Values* slack = nullptr);

struct RandomCase {
  std::string name;  ///< "matmul"
  void (*run)(Draw&);
};
std::vector<RandomCase> random_cases();
std::vector<RandomCase> random_elementwise();
std::vector<RandomCase> random_reductions();
std::vector<RandomCase> random_moves();
std::vector<RandomCase> random_indexing();
std::vector<RandomCase> random_order();
std::vector<RandomCase> random_products();
std::vector<RandomCase> random_windows();
std::vector<RandomCase> random_attention();

/// How many of each, and what the n-th one says is wrong (nothing: an empty text).
constexpr int kRandomCases = 40;
std::string run_random(const RandomCase& c, int n);

}  // namespace tessera::conformance
