// load_safetensors(): files, sharded models and folders.
#include <set>

#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/json.h"
#include "tessera/core/internal/quote.h"
#include "tessera/io/mapped_file.h"
#include "tessera/io/safetensors.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".safetensors";
constexpr std::string_view kIndexExtension = ".safetensors.index.json";
constexpr std::size_t kMaxIndexBytes = 100'000'000;

SafetensorsFile load_one(const fs::path& path) {
  const MappedFile file(path);
  return parse_safetensors(file.data(), file.size(), path);
}

/// Shard file -> the tensors the index places there. A shard must be a plain file name: an index
/// comes with a download and must not reach out of its folder.
std::map<std::string, std::set<std::string>> read_index(const fs::path& path) {
  const MappedFile file(path);
  if (file.size() > kMaxIndexBytes) {
    fail(ErrorCode::bad_format, path.string(), "is {} bytes long, the limit is {}", file.size(),
         kMaxIndexBytes);
  }
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.size());
  const nlohmann::json index = parse_json(text, path.string());
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object()) {
    fail(ErrorCode::bad_format, path.string(), "has no \"weight_map\" object");
  }
  std::map<std::string, std::set<std::string>> shards;
  for (const auto& [tensor, shard] : index["weight_map"].items()) {
    if (!shard.is_string()) {
      fail(ErrorCode::bad_format, path.string(), "the file of tensor {} is not a string",
           quote(tensor));
    }
    const std::string& name = shard.get_ref<const std::string&>();
    if (!name.ends_with(kExtension) || name.find_first_of("/\\:") != std::string::npos ||
        name.find('\0') != std::string::npos) {
      fail(ErrorCode::bad_format, path.string(),
           "places tensor {} in {}; expected the name of a .safetensors file in the same folder",
           quote(tensor), quote(name));
    }
    shards[name].insert(tensor);
  }
  return shards;
}

SafetensorsFile load_sharded(const fs::path& path) {
  SafetensorsFile whole{path, {}, {}};
  for (const auto& [name, tensors] : read_index(path)) {
    SafetensorsFile shard = load_one(path.parent_path() / name);
    for (const std::string& tensor : tensors) {
      auto node = shard.tensors.extract(tensor);
      if (node.empty()) {
        fail(ErrorCode::not_found, path.string(),
             "missing tensor {}: the index places it in {}, which does not have it", quote(tensor),
             quote(name));
      }
      whole.tensors.insert(std::move(node));
    }
    whole.metadata.merge(shard.metadata);
  }
  return whole;
}

/// The file or index to load from a folder.
fs::path find_in_folder(const fs::path& folder) {
  for (const char* name : {"model.safetensors.index.json", "model.safetensors"}) {
    if (fs::exists(folder / name)) return folder / name;
  }
  std::set<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == kExtension) found.insert(entry.path());
  }
  if (found.empty()) {
    fail(ErrorCode::not_found, folder.string(), "holds no .safetensors file");
  }
  if (found.size() > 1) {
    fail(ErrorCode::invalid_argument, folder.string(),
         "holds {} .safetensors files and no model.safetensors.index.json; name one of them, such "
         "as {}",
         found.size(), quote(found.begin()->filename().string()));
  }
  return *found.begin();
}

SafetensorsFile load_file(const fs::path& path) {
  const bool is_index = path.filename().string().ends_with(kIndexExtension);
  return is_index ? load_sharded(path) : load_one(path);
}

}  // namespace

SafetensorsFile load_safetensors(const fs::path& path) {
  try {
    return load_file(fs::is_directory(path) ? find_in_folder(path) : path);
  } catch (const fs::filesystem_error& e) {
    fail(ErrorCode::io, path.string(), "cannot examine: {}", e.code().message());
  }
}

}  // namespace tessera
