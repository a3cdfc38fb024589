#include "tessera/cli/inspect_file.h"

#include <array>
#include <fstream>
#include <iterator>

#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/json.h"
#include "tessera/io/gguf.h"
#include "tessera/io/safetensors.h"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json to_json(const GgufArray& array);

Json to_json(const GgufValue& value) {
  return std::visit(
      [](const auto& v) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, GgufArray>) {
          return to_json(v);
        } else {
          return v;
        }
      },
      value);
}

Json to_json(const GgufArray& array) {
  Json list = Json::array();
  std::visit(
      [&](const auto& values) {
        for (const auto& value : values) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, GgufArray>) {
            list.push_back(to_json(value));
          } else {
            list.push_back(value);
          }
        }
      },
      array.elements);
  return list;
}

InspectedFile inspect_gguf(const fs::path& path) {
  const GgufFile file = load_gguf(path);
  InspectedFile out{.path = path, .format = fmt::format("GGUF version {}", file.version)};
  for (const auto& [name, tensor] : file.tensors) {
    const std::string_view type =
        std::visit([](const auto& kind) { return to_string(kind); }, tensor.type);
    out.tensors.push_back({name, std::string(type), tensor.shape, tensor.nbytes});
  }
  for (const auto& [key, value] : file.metadata) out.metadata[key] = to_json(value);
  return out;
}

void add_config(const fs::path& path, Json& metadata) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return;
  const std::string text(std::istreambuf_iterator<char>(file), {});
  metadata["config.json"] = parse_json(text, path.string());
}

InspectedFile inspect_safetensors(const fs::path& path) {
  const SafetensorsFile file = load_safetensors(path);
  InspectedFile out{.path = path, .format = "safetensors"};
  for (const auto& [name, tensor] : file.tensors) {
    out.tensors.push_back({name, tensor.format_dtype, tensor.format_shape, tensor.data.nbytes()});
  }
  for (const auto& [key, value] : file.metadata) out.metadata[key] = value;
  if (fs::is_directory(path)) add_config(path / "config.json", out.metadata);
  return out;
}

/// By the first bytes, for names lie.
bool begins_as_gguf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> magic{};
  file.read(magic.data(), magic.size());
  return file && std::string_view(magic.data(), magic.size()) == "GGUF";
}

}  // namespace

InspectedFile inspect_file(const fs::path& path) {
  if (fs::is_directory(path)) return inspect_safetensors(path);
  if (path.extension() == ".gguf" || begins_as_gguf(path)) return inspect_gguf(path);
  if (path.extension() == ".safetensors" || path.string().ends_with(".safetensors.index.json")) {
    return inspect_safetensors(path);
  }
  fail(ErrorCode::bad_format, path.string(), "is neither a GGUF nor a safetensors file");
}

}  // namespace tessera::cli
