// The model cache folder and downloads into it.
//
//   std::filesystem::path file = resolve_model("SmolLM2-135M-Instruct.Q4_1.gguf");
//   std::filesystem::path folder = pull_model("HuggingFaceTB/SmolLM2-135M-Instruct");
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "tessera/core/progress.h"

namespace tessera {

/// $TESSERA_CACHE, else $XDG_CACHE_HOME/tessera, else ~/.cache/tessera. Not created by this call.
/// errors  not_found when none of the three variables is set
std::filesystem::path cache_folder();

/// Where a name is on this machine: an existing path as it is; else a file or folder of that name
/// under cache_folder()/models ("SmolLM2-135M-Instruct.Q4_1.gguf", also without ".gguf";
/// "org/repository"). A folder that holds one GGUF model and no config.json stands for that model.
/// errors  not_found, saying where it looked and how to get it; invalid_argument for a folder of
///         several GGUF models, listing them
std::filesystem::path resolve_model(const std::string& name_or_path);

/// Models in the cache folder, sorted, by the names that resolve_model takes. Empty without a
/// cache.
std::vector<std::string> cached_models();

struct PullOptions {
  /// Branch, tag or commit.
  std::string revision = "main";
  /// Only files whose paths match one of these shell patterns, in which * also crosses folders.
  /// Empty takes configs, tokenizer files and safetensors, or the GGUF where there is just one.
  std::vector<std::string> include = {};
  /// Base address of the hub; when empty $HF_ENDPOINT, else https://huggingface.co.
  std::string endpoint = {};
  /// Sent to the endpoint, and to no other host, as a bearer token; when empty $HF_TOKEN.
  std::string token = {};
  ProgressCallback progress = {};  ///< stage is the file's path, unit "bytes"
  std::stop_token stop_token = {};
};

/// Brings "org/repository" into cache_folder()/models/org/repository: resumes what an earlier call
/// left unfinished, checks sizes and checksums (SHA-256, or the git object id of small files), and
/// never leaves a half file under its final name. Files that are there and right are not fetched
/// again. Processes that pull the same file wait for each other. Returns the folder.
/// errors  not_found; io, with the HTTP status; bad_format for a checksum that differs;
///         invalid_argument for a name that is none, or several GGUF models and no `include`;
///         cancelled; with $TESSERA_OFFLINE set: not_found unless an earlier pull was complete
std::filesystem::path pull_model(const std::string& name, const PullOptions& options = {});

}  // namespace tessera
