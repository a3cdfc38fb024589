#include "tests/text/tokenizer_test_data.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tessera::testing {
namespace {

std::filesystem::path from_environment(const char* name, const std::filesystem::path& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::filesystem::path(value) : otherwise;
}

std::filesystem::path cache_folder() {
  const char* home = std::getenv("HOME");
  return from_environment("TESSERA_CACHE",
                          std::filesystem::path(home == nullptr ? "." : home) / ".cache/tessera");
}

}  // namespace

std::filesystem::path tokenizer_goldens() {
  return std::filesystem::path(TESSERA_GOLDENS) / "tokenizer";
}
std::filesystem::path model_folder() {
  return cache_folder() / "models";
}
std::filesystem::path vocab_folder() {
  return from_environment("TESSERA_TEST_VOCABS", cache_folder() / "vocabs");
}
std::filesystem::path shared_data() {
  return from_environment("TESSERA_TEST_DATA", TESSERA_SHARED_DATA);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path.string());
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

nlohmann::json read_json(const std::filesystem::path& path) {
  return nlohmann::json::parse(read_file(path));
}

const std::vector<std::string>& tokenizer_corpus() {
  static const std::vector<std::string> corpus = [] {
    std::vector<std::string> texts;
    std::istringstream lines(read_file(tokenizer_goldens() / "corpus.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      texts.push_back(nlohmann::json::parse(line).get<std::string>());
    }
    return texts;
  }();
  return corpus;
}

std::string fnv1a(std::string_view bytes) {
  std::uint32_t value = 0x811C9DC5;
  for (const char c : bytes) value = (value ^ static_cast<unsigned char>(c)) * 0x01000193;
  return fmt::format("{:08x}", value);
}

std::string hash_ids(std::span<const std::int32_t> ids) {
  std::string bytes;
  for (const std::int32_t id : ids) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(id >> shift & 0xFF);
  }
  return fnv1a(bytes);
}

}  // namespace tessera::testing
