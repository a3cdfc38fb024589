// Printing arrays the way MLX does.
#include <fmt/format.h>

#include <ostream>

#include "tessera/ir/array.h"
#include "tessera/ops/creation.h"

namespace tessera {

namespace {

// Axes longer than twice this show so many of their first and last entries.
constexpr ShapeElem kEdge = 3;

template <class T>
std::string element(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "True" : "False";
  } else if constexpr (std::is_same_v<T, complex64_t>) {
    return fmt::format("{:g}{:+g}j", value.real(), value.imag());
  } else if constexpr (std::is_integral_v<T>) {
    return fmt::format("{}", value);
  } else {
    return fmt::format("{:g}", static_cast<double>(value));
  }
}

template <class T>
void print_axis(std::string& out, const T* data, const Shape& shape, std::size_t axis,
                std::int64_t stride, int indent) {
  if (axis == shape.size()) {
    out += element(*data);
    return;
  }
  const ShapeElem n = shape[axis];
  const std::int64_t step = n == 0 ? 0 : stride / n;
  const bool last = axis + 1 == shape.size();
  out += '[';
  for (ShapeElem i = 0; i < n; ++i) {
    if (i > 0) out += last ? ", " : ",\n" + std::string(indent + 1, ' ');
    if (n > 2 * kEdge && i == kEdge) {
      out += "...";
      i = n - kEdge - 1;
      continue;
    }
    print_axis(out, data + i * step, shape, axis + 1, step, indent + 1);
  }
  out += ']';
}

template <class T>
std::string print(const array& a) {
  std::string out = "array(";
  print_axis(out, a.data<T>(), a.shape(), 0, a.size(), 6);
  return out + fmt::format(", dtype={})", to_string(a.dtype()));
}

std::string to_text(const array& a) {
  switch (a.dtype()) {
    case Dtype::Val::bool_: return print<bool>(a);
    case Dtype::Val::uint8: return print<std::uint8_t>(a);
    case Dtype::Val::uint16: return print<std::uint16_t>(a);
    case Dtype::Val::uint32: return print<std::uint32_t>(a);
    case Dtype::Val::uint64: return print<std::uint64_t>(a);
    case Dtype::Val::int8: return print<std::int8_t>(a);
    case Dtype::Val::int16: return print<std::int16_t>(a);
    case Dtype::Val::int32: return print<std::int32_t>(a);
    case Dtype::Val::int64: return print<std::int64_t>(a);
    case Dtype::Val::float16: return print<float16_t>(a);
    case Dtype::Val::float32: return print<float>(a);
    case Dtype::Val::float64: return print<double>(a);
    case Dtype::Val::bfloat16: return print<bfloat16_t>(a);
    case Dtype::Val::complex64: return print<complex64_t>(a);
  }
  return "array()";
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const array& a) {
  return out << to_text(a);
}

}  // namespace tessera
