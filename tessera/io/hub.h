// The model cache folder and downloads into it.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tessera/core/progress.h"

namespace tessera {

/// $TESSERA_CACHE, else $XDG_CACHE_HOME/tessera, else ~/.cache/tessera.
std::filesystem::path cache_folder();

/// Where a name is on this machine: an existing path as it is; else a file or folder of that name
/// under cache_folder()/models ("SmolLM2-135M-Instruct.Q4_1.gguf", "org/repository").
/// errors  not_found, saying where it looked and how to get it
std::filesystem::path resolve_model(const std::string& name_or_path);

/// Models in the cache folder, by the names that resolve_model takes.
std::vector<std::string> cached_models();

struct PullOptions {
  /// Branch, tag or commit.
  std::string revision = "main";
  /// Only files whose names match one of these shell patterns; empty takes weights, configs and
  /// tokenizer files.
  std::vector<std::string> include;
  /// Base address of the hub; $HF_ENDPOINT, else https://huggingface.co.
  std::string endpoint;
  /// Sent as a bearer token; $HF_TOKEN when empty.
  std::string token;
  ProgressCallback progress;  ///< stage is the file's name, unit "bytes"
  std::stop_token stop_token;
};

/// Brings "org/repository" into the cache: resumes what an earlier call left unfinished, checks
/// sizes and SHA-256, and never leaves a half file under its final name. Returns the folder.
/// errors  not_found, io (with the HTTP status), bad_format for a checksum that differs, cancelled;
///         with $TESSERA_OFFLINE set: not_found unless it is complete already
std::filesystem::path pull_model(const std::string& name, const PullOptions& options = {});

}  // namespace tessera
