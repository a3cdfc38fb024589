#include "tessera/io/internal/hub_files.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>

#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/json.h"
#include "tessera/core/internal/quote.h"

namespace tessera::hub {
namespace {

using nlohmann::json;

bool is_hexadecimal(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool matches(const std::string& path, const std::string& pattern, int flags = 0) {
  return ::fnmatch(pattern.c_str(), path.c_str(), flags) == 0;
}

template <std::size_t N>
bool matches_any(const std::string& path, const std::array<const char*, N>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const char* pattern) { return matches(path, pattern, FNM_PATHNAME); });
}

RemoteFile parse_file(const json& entry, const std::string& where) {
  RemoteFile file;
  try {
    file.path = entry.at("path").get<std::string>();
    const json& content = entry.contains("lfs") ? entry.at("lfs") : entry;
    file.size = content.at("size").get<std::uint64_t>();
    file.digest = content.at("oid").get<std::string>();
  } catch (const json::exception&) {
    fail(ErrorCode::bad_format, where, "lists a file without its path, size or oid");
  }
  // Older answers write "sha256:..." in front of the digits.
  if (file.digest.starts_with("sha256:")) file.digest.erase(0, 7);
  check_remote_path(file.path, where);
  const std::size_t digits = entry.contains("lfs") ? 64 : 40;
  if (file.digest.size() != digits || !is_hexadecimal(file.digest)) {
    fail(ErrorCode::bad_format, where, "gives {} a checksum that is none", quote(file.path));
  }
  return file;
}

std::string list(const std::vector<RemoteFile>& files) {
  std::string lines;
  for (const RemoteFile& file : files) {
    lines += fmt::format("\n  {} ({:.0f} MB)", file.path, static_cast<double>(file.size) / 1e6);
  }
  return lines;
}

/// What runs a model: its configuration, its tokenizer, its weights.
bool is_configuration(const std::string& path) {
  static constexpr std::array<const char*, 9> kPatterns = {
      "*.json",     "*.jinja",   "*.model",       "*.tiktoken",
      "merges.txt", "vocab.txt", "*/config.json", "additional_chat_templates/*.jinja",
      "LICENSE*"};
  return matches_any(path, kPatterns);
}

bool is_safetensors(const std::string& path) {
  return matches(path, "*.safetensors", FNM_PATHNAME) ||
         matches(path, "*/model*.safetensors", FNM_PATHNAME);
}

}  // namespace

bool RemoteFile::has_size(const std::filesystem::path& local) const {
  std::error_code error;
  return std::filesystem::is_regular_file(local, error) &&
         std::filesystem::file_size(local, error) == size && !error;
}

void check_remote_path(std::string_view path, const std::string& where) {
  const auto refuse = [&](const char* reason) {
    fail(ErrorCode::bad_format, where, "names a file {}, which {}", quote(path), reason);
  };
  if (path.empty() || path.size() > 1024) refuse("is empty or too long");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == ".." || part.size() > 200) {
      refuse("is no plain relative path");
    }
    if (part.ends_with(".part") || part == kManifestName)
      refuse("collides with a file of the cache");
    begin = end + 1;
  }
  for (const char c : path) {
    if (c == '\\' || c == ':' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      refuse("has a character that paths may not have");
    }
  }
}

void check_model_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/';
  };
  const bool plain =
      !name.empty() && name.size() <= 200 && std::all_of(name.begin(), name.end(), fits) &&
      std::count(name.begin(), name.end(), '/') <= 1 && !name.starts_with('/') &&
      !name.ends_with('/') && !name.starts_with('.') && !name.starts_with('-') &&
      name.find("..") == std::string_view::npos && name.find("/.") == std::string_view::npos;
  if (!plain) {
    fail(ErrorCode::invalid_argument, "pull_model",
         "{} is not a model's name on the hub; those look like org/repository", quote(name));
  }
}

bool is_later_gguf_part(std::string_view name) {
  constexpr std::string_view kPattern = "-00001-of-00001.gguf";
  if (name.size() < kPattern.size()) return false;
  name.remove_prefix(name.size() - kPattern.size());
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool digit = kPattern[i] == '0' || kPattern[i] == '1';
    if (digit ? name[i] < '0' || name[i] > '9' : name[i] != kPattern[i]) return false;
  }
  return name.substr(1, 5) != "00001";
}

std::vector<RemoteFile> parse_tree(std::string_view text, const std::string& where) {
  const json page = parse_json(text, where);
  if (!page.is_array()) fail(ErrorCode::bad_format, where, "is not a list of files");
  std::vector<RemoteFile> files;
  for (const json& entry : page) {
    if (!entry.is_object()) fail(ErrorCode::bad_format, where, "lists something that is no file");
    if (entry.value("type", json()) == "file") files.push_back(parse_file(entry, where));
  }
  return files;
}

std::vector<RemoteFile> choose_files(const std::vector<RemoteFile>& files,
                                     const std::vector<std::string>& include,
                                     const std::string& where) {
  std::vector<RemoteFile> chosen;
  if (!include.empty()) {
    for (const RemoteFile& file : files) {
      const auto fits = [&](const std::string& pattern) { return matches(file.path, pattern); };
      if (std::any_of(include.begin(), include.end(), fits)) chosen.push_back(file);
    }
    if (chosen.empty()) {
      fail(ErrorCode::not_found, where, "no file matches; there are:{}", list(files));
    }
    return chosen;
  }

  std::vector<RemoteFile> safetensors, gguf;
  // Some repositories hold the weights twice, in the shards of two naming schemes.
  const bool has_model = std::any_of(files.begin(), files.end(), [](const RemoteFile& file) {
    return matches(file.path, "model*.safetensors", FNM_PATHNAME);
  });
  for (const RemoteFile& file : files) {
    if (is_configuration(file.path)) chosen.push_back(file);
    if (is_safetensors(file.path) && !(has_model && file.path.starts_with("consolidated"))) {
      safetensors.push_back(file);
    }
    if (file.path.ends_with(".gguf")) gguf.push_back(file);
  }
  if (safetensors.empty()) {
    const auto models = std::count_if(gguf.begin(), gguf.end(), [](const RemoteFile& file) {
      return !is_later_gguf_part(file.path);
    });
    if (models == 0) {
      fail(ErrorCode::not_found, where, "holds neither safetensors nor GGUF files; there are:{}",
           list(files));
    }
    if (models > 1) {
      fail(ErrorCode::invalid_argument, where,
           "holds {} GGUF models; include only those you want, for example --include '*Q4_K_M*':{}",
           models, list(gguf));
    }
  }
  const std::vector<RemoteFile>& weights = safetensors.empty() ? gguf : safetensors;
  chosen.insert(chosen.end(), weights.begin(), weights.end());
  return chosen;
}

}  // namespace tessera::hub
