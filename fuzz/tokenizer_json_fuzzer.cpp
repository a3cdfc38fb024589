// Any bytes are a tokenizer.json or an Error; what loads encodes and decodes anything without harm.
// Input: the JSON, then after the last zero byte a text to encode.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "input.h"
#include "tessera/core/error.h"
#include "tessera/text/stream_decoder.h"
#include "tessera/text/tokenizer.h"

namespace {

/// What encode() gives decodes the same at once and token by token.
void round_trip(const tessera::Tokenizer& tokenizer, std::string_view text) {
  for (const bool parse : {false, true}) {
    const std::vector<std::int32_t> ids =
        tokenizer.encode(text, {.add_special_tokens = true, .parse_special = parse});
    tessera::StreamDecoder stream(tokenizer);
    std::string joined;
    for (const std::int32_t id : ids) {
      tessera::require(id >= 0);
      joined += stream.push(id);
    }
    joined += stream.finish();
    tessera::require(joined == tokenizer.decode(ids));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::shared_ptr<const std::byte> copy = tessera::exact_copy(data, size);
  const std::string_view input(reinterpret_cast<const char*>(copy.get()), size);
  const std::size_t zero = input.rfind('\0');
  const std::string_view json = input.substr(0, std::min(zero, input.size()));
  const std::string_view text = zero == input.npos
                                    ? std::string_view("a \xF0\x9F\x98\xB8 1\n\n<s>\xFF")
                                    : input.substr(zero + 1);
  try {
    const auto tokenizer = tessera::parse_tokenizer_json(json, "fuzz");
    round_trip(*tokenizer, text);
    try {
      std::string back;
      for (const std::int32_t id : tokenizer->encode_bytes(text))
        back += tokenizer->token_bytes(id);
    } catch (const tessera::Error& e) {
      tessera::require_readable(e);
    }
  } catch (const tessera::Error& e) {
    tessera::require_readable(e);
  }
  return 0;
}
