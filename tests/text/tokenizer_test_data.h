// The corpus and the goldens of tools/oracles/tokenizer_parity.py, and where vocabularies are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::testing {

/// tests/goldens/tokenizer.
std::filesystem::path tokenizer_goldens();
/// Model files: TESSERA_CACHE or ~/.cache/tessera, then models/.
std::filesystem::path model_folder();
/// Vocabularies out of packages: TESSERA_TEST_VOCABS, by default vocabs/ beside models/.
std::filesystem::path vocab_folder();
/// Small shared files: TESSERA_TEST_DATA, by default the build's TESSERA_SHARED_DATA.
std::filesystem::path shared_data();

std::string read_file(const std::filesystem::path& path);
nlohmann::json read_json(const std::filesystem::path& path);

const std::vector<std::string>& tokenizer_corpus();

/// FNV-1a, as the script spells it: eight hexadecimal digits.
std::string fnv1a(std::string_view bytes);
std::string hash_ids(std::span<const std::int32_t> ids);

}  // namespace tessera::testing
