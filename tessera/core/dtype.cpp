#include "tessera/core/dtype.h"

namespace tessera {

std::string_view to_string(Dtype dtype) {
  switch (dtype.val()) {
    case Dtype::Val::bool_: return "bool";
    case Dtype::Val::uint8: return "uint8";
    case Dtype::Val::uint16: return "uint16";
    case Dtype::Val::uint32: return "uint32";
    case Dtype::Val::uint64: return "uint64";
    case Dtype::Val::int8: return "int8";
    case Dtype::Val::int16: return "int16";
    case Dtype::Val::int32: return "int32";
    case Dtype::Val::int64: return "int64";
    case Dtype::Val::float16: return "float16";
    case Dtype::Val::float32: return "float32";
    case Dtype::Val::float64: return "float64";
    case Dtype::Val::bfloat16: return "bfloat16";
    case Dtype::Val::complex64: return "complex64";
  }
  return "unknown";
}

bool issubdtype(Dtype dtype, Dtype::Category category) {
  using C = Dtype::Category;
  C leaf = C::floating;
  switch (dtype.val()) {
    case Dtype::Val::bool_: leaf = C::boolean; break;
    case Dtype::Val::uint8:
    case Dtype::Val::uint16:
    case Dtype::Val::uint32:
    case Dtype::Val::uint64: leaf = C::unsignedinteger; break;
    case Dtype::Val::int8:
    case Dtype::Val::int16:
    case Dtype::Val::int32:
    case Dtype::Val::int64: leaf = C::signedinteger; break;
    case Dtype::Val::complex64: leaf = C::complexfloating; break;
    default: break;
  }
  if (category == leaf || category == C::generic) return true;
  const bool integer = leaf == C::unsignedinteger || leaf == C::signedinteger;
  const bool inexact = leaf == C::floating || leaf == C::complexfloating;
  return (category == C::integer && integer) || (category == C::inexact && inexact) ||
         (category == C::number && (integer || inexact));
}

Dtype promote_types(Dtype a, Dtype b) {
  if (a == b) return a;
  if (a == complex64 || b == complex64) return complex64;
  if (a == bool_) return b;
  if (b == bool_) return a;
  const bool a_float = is_floating(a);
  const bool b_float = is_floating(b);
  if (a_float != b_float) return a_float ? a : b;
  if (a_float) {
    if (a == float64 || b == float64) return float64;
    return float32;  // two different types of at most 32 bits: float32 is the least that holds both
  }
  const bool a_signed = issubdtype(a, Dtype::Category::signedinteger);
  const bool b_signed = issubdtype(b, Dtype::Category::signedinteger);
  if (a_signed == b_signed) return a.size() > b.size() ? a : b;
  const Dtype s = a_signed ? a : b;
  const Dtype u = a_signed ? b : a;
  if (s.size() > u.size()) return s;
  switch (u.size()) {
    case 1: return int16;
    case 2: return int32;
    case 4: return int64;
    default: return float32;  // no integer holds both; MLX takes float32
  }
}

}  // namespace tessera
