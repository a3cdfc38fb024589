#include "tessera/models/registry.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "tessera/core/internal/fail.h"
#include "tessera/models/llama/decoder.h"

namespace tessera::models {

namespace {

constexpr ModelFamily kFamilies[] = {
    {is_llama_family, llama_from_json, llama_from_gguf},
};

const ModelFamily& family_of(std::string_view model_type, const std::string& file) {
  for (const ModelFamily& family : kFamilies) {
    if (family.covers(model_type)) return family;
  }
  fail(ErrorCode::bad_format, file, "architecture \"{}\" is not one this build knows", model_type);
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(ErrorCode::io, path.string(), "cannot be opened");
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) fail(ErrorCode::io, path.string(), "cannot be read");
  return text;
}

std::string model_type_of(const std::string& config, const std::string& file) try {
  return nlohmann::json::parse(config).at("model_type").get<std::string>();
} catch (const nlohmann::json::exception& e) {
  fail(ErrorCode::bad_format, file, "not a usable config: {}", e.what());
}

}  // namespace

std::span<const ModelFamily> families() {
  return kFamilies;
}

std::unique_ptr<LanguageModel> load_language_model(std::shared_ptr<const GgufFile> file,
                                                   const BackendPtr& backend,
                                                   const ModelOptions& options) {
  const std::string arch = file->get_string("general.architecture").value_or("");
  const ModelFamily& family = family_of(arch, file->path.filename().string());
  return family.from_gguf(std::move(file), backend, options);
}

std::unique_ptr<LanguageModel> load_language_model(const std::filesystem::path& path,
                                                   const BackendPtr& backend,
                                                   const ModelOptions& options) {
  if (!std::filesystem::exists(path)) {
    fail(ErrorCode::not_found, path.string(), "no such file or folder");
  }
  if (!std::filesystem::is_directory(path)) {
    if (path.extension() != ".gguf") {
      fail(ErrorCode::bad_format, path.string(),
           "is neither a .gguf file nor a folder with config.json and safetensors");
    }
    return load_language_model(std::make_shared<GgufFile>(load_gguf(path)), backend, options);
  }
  const std::filesystem::path config_path = path / "config.json";
  if (!std::filesystem::exists(config_path)) {
    fail(ErrorCode::not_found, path.string(),
         "is a folder without config.json; a model's has that file and its .safetensors");
  }
  const std::string config = read_text(config_path);
  const ModelFamily& family =
      family_of(model_type_of(config, config_path.string()), config_path.string());
  const auto file = std::make_shared<SafetensorsFile>(load_safetensors(path));
  const auto weights = weights_of(file, path.string(), backend,
                                  MlxQuantization::from_json(config, config_path.string()));
  return family.from_json(config, config_path.string(), *weights, options);
}

}  // namespace tessera::models
