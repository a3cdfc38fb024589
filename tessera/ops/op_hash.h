// A number that changes with the op table: what a module built elsewhere must agree on, because an
// OpId is a position in ops.def and attributes cross the boundary as structs.
#pragma once

#include <cstdint>
#include <string_view>

#include "tessera/ops/ops.h"

namespace tessera {

/// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv), folded over what it is fed.
class Fingerprint {
 public:
  constexpr void add(std::string_view text) {
    for (const char c : text) mix(static_cast<unsigned char>(c));
    mix(0);
  }
  constexpr void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) mix(number >> shift & 0xff);
  }
  constexpr std::uint64_t value() const { return value_; }

 private:
  constexpr void mix(std::uint64_t byte) { value_ = (value_ ^ byte) * 0x100000001b3u; }
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

/// Over every row of ops.def in order: name, required or optional, size and alignment of the
/// attributes.
constexpr std::uint64_t op_table_hash() {
  Fingerprint f;
#define TESSERA_OP(Name, kind)              \
  f.add(std::string_view(#Name ":" #kind)); \
  f.add(std::uint64_t{sizeof(Name)});       \
  f.add(std::uint64_t{alignof(Name)});
#include "tessera/ops/ops.def"
#undef TESSERA_OP
  return f.value();
}

}  // namespace tessera
