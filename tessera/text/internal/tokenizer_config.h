// The small JSON files beside a tokenizer that name the special tokens.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tessera/text/internal/tokenizer_pipeline.h"

namespace tessera::text {

/// Reads tokenizer_config.json, special_tokens_map.json and generation_config.json of a folder, as
/// far as they exist: fills parts.special and, where the tokenizer has no template of its own
/// (has_template), the begin and end tokens that add_bos_token and add_eos_token ask for.
/// errors  bad_format naming file and field
void read_tokenizer_configs(const std::filesystem::path& folder, bool has_template,
                            TokenizerParts& parts);

/// A whole file.   errors  not_found, io
std::string read_text_file(const std::filesystem::path& path);

/// A JSON document of many megabytes, in linear time.
/// errors  bad_format naming `file` for broken JSON or nesting past 64 levels
nlohmann::json parse_large_json(std::string_view text, const std::string& file);

}  // namespace tessera::text
