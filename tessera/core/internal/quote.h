// quote(): a name out of an untrusted file, made fit for an error message.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// In double quotes, cut to 100 bytes, with control and non-ASCII bytes as \xNN: names may be of
/// any length and need not be valid UTF-8, messages must be both short and valid.
std::string quote(std::string_view name);

}  // namespace tessera
