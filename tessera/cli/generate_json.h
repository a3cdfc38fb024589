// What generate prints with --json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

#include "tessera/cli/model_options.h"

namespace tessera::cli {

nlohmann::ordered_json to_json(const GenerateResult& result,
                               std::span<const std::int32_t> prompt_ids, const OpenModel& open,
                               bool logprobs);

}  // namespace tessera::cli
