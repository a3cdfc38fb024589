// Printing against MLX (tools/oracles/mlx_print.py).
#include <gtest/gtest.h>

#include <sstream>

#include "tessera/ops/ops.h"
#include "tests/support/goldens.h"

namespace tessera {
namespace {

using nlohmann::json;

Dtype dtype_named(const std::string& name) {
  for (const Dtype d : {bool_, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16,
                        float32, float64, bfloat16, complex64}) {
    if (to_string(d) == name) return d;
  }
  throw std::runtime_error("no dtype " + name);
}

template <class T>
HostTensor from_json(const json& values, const Shape& shape) {
  HostTensor t(shape, dtype_of<T>);
  T* out = reinterpret_cast<T*>(t.mutable_data());
  for (const json& v : values) {
    if constexpr (std::is_integral_v<T>)
      *out++ = v.get<T>();
    else
      *out++ = static_cast<T>(v.is_string() ? std::stod(v.get<std::string>()) : v.get<double>());
  }
  return t;
}

array golden_array(const json& c) {
  const auto sizes = c["shape"].get<std::vector<ShapeElem>>();
  const Shape shape(sizes.begin(), sizes.end());
  const Dtype dtype = dtype_named(c["dtype"]);
  if (c["values"] == "arange") {
    return reshape(arange(0.0, double(num_elements(shape)), dtype), shape);
  }
  if (dtype == bool_) return astype(array(from_json<std::int32_t>(c["values"], shape)), bool_);
  if (dtype == float64) return array(from_json<double>(c["values"], shape));
  if (dtype == uint64) return array(from_json<std::uint64_t>(c["values"], shape));
  if (is_integer(dtype)) return astype(array(from_json<std::int64_t>(c["values"], shape)), dtype);
  return astype(array(from_json<double>(c["values"], shape)), dtype);
}

TEST(Print, EqualsMlx) {
  const json file = testing::read_json(testing::goldens() / "print.json");
  ASSERT_EQ(file["cases"].size(), 40u);
  for (const json& c : file["cases"]) {
    std::ostringstream out;
    out << golden_array(c);
    EXPECT_EQ(out.str(), c["text"].get<std::string>()) << c["id"];
  }
}

TEST(Print, EvaluatesWhatItPrintsAndReadsViewsInOrder) {
  const array a = transpose(reshape(arange(0, 6), {2, 3})) * 10;
  std::ostringstream out;
  out << a;
  EXPECT_EQ(out.str(), "array([[0, 30],\n       [10, 40],\n       [20, 50]], dtype=int32)");
  EXPECT_TRUE(a.is_available());
}

TEST(Print, ComplexNumbersShowBothParts) {
  std::ostringstream out;
  out << array({complex64_t(1, -2), complex64_t(0, 0.5f)});
  EXPECT_EQ(out.str(), "array([1-2j, 0+0.5j], dtype=complex64)");
}

}  // namespace
}  // namespace tessera
