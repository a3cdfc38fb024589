// parse_json(): a small JSON document out of an untrusted file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tessera {

/// errors  bad_format naming `file` for broken JSON, nesting past 64 levels or a repeated key
nlohmann::json parse_json(std::string_view text, const std::string& file);

}  // namespace tessera
