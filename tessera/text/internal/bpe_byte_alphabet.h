// The alphabet of byte-level vocabularies: every byte has a printable character, so that tokens can
// be stored as text. Printable Latin-1 bytes stand for themselves, the other 68 take U+0100 and on.
// Source: GPT-2 (Radford et al. 2019), bytes_to_unicode.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tessera::text {

/// The characters for these bytes, as UTF-8.
void append_byte_alphabet(std::string& out, std::string_view bytes);

/// The bytes behind such characters; nullopt when one is not of the alphabet.
std::optional<std::string> bytes_from_alphabet(std::string_view characters);

}  // namespace tessera::text
