// Dtypes: MLX's set, with its names, kinds and promotion rules.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>

#include "tessera/core/half.h"

namespace tessera {

using complex64_t = std::complex<float>;

/// An element type. Compare with ==; switch over val().
class Dtype {
 public:
  enum class Val : std::uint8_t {
    bool_,
    uint8,
    uint16,
    uint32,
    uint64,
    int8,
    int16,
    int32,
    int64,
    float16,
    float32,
    float64,
    bfloat16,
    complex64,
  };
  /// Categories for issubdtype, leaves first.
  enum class Category : std::uint8_t {
    unsignedinteger,
    signedinteger,
    floating,
    complexfloating,
    boolean,
    integer,
    inexact,
    number,
    generic,
  };

  constexpr Dtype(Val val, std::uint8_t size) : val_(val), size_(size) {}
  constexpr Val val() const { return val_; }
  constexpr operator Val() const { return val_; }  // NOLINT: lets switch (dtype) work as in MLX
  /// Bytes of one element.
  constexpr std::uint8_t size() const { return size_; }
  friend constexpr bool operator==(Dtype a, Dtype b) { return a.val_ == b.val_; }

 private:
  Val val_;
  std::uint8_t size_;
};

inline constexpr Dtype bool_{Dtype::Val::bool_, 1};
inline constexpr Dtype uint8{Dtype::Val::uint8, 1};
inline constexpr Dtype uint16{Dtype::Val::uint16, 2};
inline constexpr Dtype uint32{Dtype::Val::uint32, 4};
inline constexpr Dtype uint64{Dtype::Val::uint64, 8};
inline constexpr Dtype int8{Dtype::Val::int8, 1};
inline constexpr Dtype int16{Dtype::Val::int16, 2};
inline constexpr Dtype int32{Dtype::Val::int32, 4};
inline constexpr Dtype int64{Dtype::Val::int64, 8};
inline constexpr Dtype float16{Dtype::Val::float16, 2};
inline constexpr Dtype float32{Dtype::Val::float32, 4};
inline constexpr Dtype float64{Dtype::Val::float64, 8};
inline constexpr Dtype bfloat16{Dtype::Val::bfloat16, 2};
inline constexpr Dtype complex64{Dtype::Val::complex64, 8};

/// "float32", "bool" (without the underscore).
std::string_view to_string(Dtype dtype);

/// The smallest dtype that holds both, by MLX's table: int + float16 is float16,
/// float16 + bfloat16 is float32, uint32 + int32 is int64, uint64 + signed is float32.
Dtype promote_types(Dtype a, Dtype b);

bool issubdtype(Dtype dtype, Dtype::Category category);
inline bool is_floating(Dtype dtype) {
  return issubdtype(dtype, Dtype::Category::floating);
}
inline bool is_integer(Dtype dtype) {
  return issubdtype(dtype, Dtype::Category::integer);
}

/// dtype_of<T>: the dtype of a C++ element type.
template <class T>
struct DtypeOf;
// clang-format off
template <> struct DtypeOf<bool> { static constexpr Dtype value = bool_; };
template <> struct DtypeOf<std::uint8_t> { static constexpr Dtype value = uint8; };
template <> struct DtypeOf<std::uint16_t> { static constexpr Dtype value = uint16; };
template <> struct DtypeOf<std::uint32_t> { static constexpr Dtype value = uint32; };
template <> struct DtypeOf<std::uint64_t> { static constexpr Dtype value = uint64; };
template <> struct DtypeOf<std::int8_t> { static constexpr Dtype value = int8; };
template <> struct DtypeOf<std::int16_t> { static constexpr Dtype value = int16; };
template <> struct DtypeOf<std::int32_t> { static constexpr Dtype value = int32; };
template <> struct DtypeOf<std::int64_t> { static constexpr Dtype value = int64; };
template <> struct DtypeOf<float16_t> { static constexpr Dtype value = float16; };
template <> struct DtypeOf<float> { static constexpr Dtype value = float32; };
template <> struct DtypeOf<double> { static constexpr Dtype value = float64; };
template <> struct DtypeOf<bfloat16_t> { static constexpr Dtype value = bfloat16; };
template <> struct DtypeOf<complex64_t> { static constexpr Dtype value = complex64; };
// clang-format on
template <class T>
inline constexpr Dtype dtype_of = DtypeOf<T>::value;

}  // namespace tessera
