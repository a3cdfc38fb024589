#include "tessera/text/internal/bpe_byte_alphabet.h"

#include <array>

#include "tessera/text/internal/unicode_text.h"

namespace tessera::text {
namespace {

constexpr int kHighestCharacter = 0x143;

struct Alphabet {
  std::array<char32_t, 256> character{};
  std::array<int, kHighestCharacter + 1> byte{};

  constexpr Alphabet() {
    byte.fill(-1);
    char32_t next = 0x100;
    for (int b = 0; b < 256; ++b) {
      const bool printable = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xFF && b != 0xAD);
      character[b] = printable ? static_cast<char32_t>(b) : next++;
      byte[character[b]] = b;
    }
  }
};

constexpr Alphabet kAlphabet;

}  // namespace

void append_byte_alphabet(std::string& out, std::string_view bytes) {
  for (const char c : bytes) append_utf8(out, kAlphabet.character[static_cast<unsigned char>(c)]);
}

std::optional<std::string> bytes_from_alphabet(std::string_view characters) {
  std::string bytes;
  for (std::size_t at = 0; at < characters.size();) {
    const Utf8Step step = utf8_step(characters, at);
    if (!step.valid || step.code_point > kHighestCharacter) return std::nullopt;
    const int byte = kAlphabet.byte[step.code_point];
    if (byte < 0) return std::nullopt;
    bytes += static_cast<char>(byte);
    at += step.length;
  }
  return bytes;
}

}  // namespace tessera::text
