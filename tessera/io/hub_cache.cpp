#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/quote.h"
#include "tessera/io/hub.h"
#include "tessera/io/internal/environment.h"
#include "tessera/io/internal/hub_files.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// Model files lie this deep at most: org/repository/folder/file.
constexpr int kDeepest = 4;

/// The GGUF models directly in a folder; of a split one its first part.
std::vector<fs::path> gguf_models(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    const fs::path& path = it->path();
    if (path.extension() != ".gguf" || hub::is_later_gguf_part(path.filename().string())) continue;
    if (it->is_regular_file(ignored)) found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

fs::path model_at(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored) || is_there(path / "config.json")) return path;
  const std::vector<fs::path> models = gguf_models(path);
  if (models.empty()) return path;
  if (models.size() == 1) return models[0];
  std::string names;
  for (const fs::path& model : models) names += "\n  " + model.string();
  fail(ErrorCode::invalid_argument, path.string(), "holds {} models, name one of them:{}",
       models.size(), names);
}

/// Whether a name joined to the models folder stays inside it.
bool stays_inside(const fs::path& name) {
  return !name.empty() && name.is_relative() &&
         std::find(name.begin(), name.end(), "..") == name.end();
}

void collect(const fs::path& folder, const fs::path& name, int depth,
             std::vector<std::string>& models) {
  if (depth > 0 && is_there(folder / "config.json")) {
    models.push_back(name.string());
    return;
  }
  const std::vector<fs::path> files = gguf_models(folder);
  if (depth > 0 && files.size() == 1) {
    models.push_back(name.string());
  } else {
    for (const fs::path& file : files) models.push_back((name / file.filename()).string());
  }
  if (depth == kDeepest) return;
  std::error_code ignored;
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    if (!it->is_directory(ignored)) continue;
    collect(it->path(), name / it->path().filename(), depth + 1, models);
  }
}

}  // namespace

fs::path cache_folder() {
  if (const std::string own = environment("TESSERA_CACHE"); !own.empty()) return own;
  if (const std::string xdg = environment("XDG_CACHE_HOME"); !xdg.empty()) {
    return fs::path(xdg) / "tessera";
  }
  const std::string home = environment("HOME");
  if (home.empty()) {
    fail(ErrorCode::not_found, "cache_folder",
         "none of TESSERA_CACHE, XDG_CACHE_HOME and HOME is set; set TESSERA_CACHE to a folder");
  }
  return fs::path(home) / ".cache" / "tessera";
}

fs::path resolve_model(const std::string& name_or_path) {
  const fs::path given(name_or_path);
  if (name_or_path.empty() || name_or_path.find('\0') != std::string::npos) {
    fail(ErrorCode::invalid_argument, "model", "{} is neither a path nor a name",
         quote(name_or_path));
  }
  if (is_there(given)) return model_at(given);
  const fs::path models = cache_folder() / "models";
  if (stays_inside(given)) {
    for (const char* ending : {"", ".gguf"}) {
      fs::path path = models / given;
      path += ending;
      if (is_there(path)) return model_at(path);
    }
  }
  fail(ErrorCode::not_found, name_or_path,
       "no such file or folder, here or in {}; 'tessera pull ORG/REPOSITORY', or pull_model(), "
       "fetches a model of the hub",
       models.string());
}

std::vector<std::string> cached_models() {
  std::vector<std::string> models;
  collect(cache_folder() / "models", {}, 0, models);
  std::sort(models.begin(), models.end());
  return models;
}

}  // namespace tessera
