// Options that several commands share: which model, on what, and how to sample.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "tessera/backend/registry.h"
#include "tessera/models/load.h"
#include "tessera/text/generate.h"

namespace tessera::cli {

/// Refuses whole numbers below `least`.
CLI::Validator at_least(std::int64_t least);

/// MODEL and where to run it.
struct ModelOptions {
  std::string model;
  std::string backend = "auto";
  int threads = 0;
  bool fast = false;

  void add_to(CLI::App& command);
};

/// A model, loaded, with its backend current in this thread while it lives.
class OpenModel {
 public:
  /// Shows progress on a terminal.   errors  as load; Interrupted
  explicit OpenModel(const ModelOptions& options);

  const LanguageModel& model() const { return *loaded_.model; }
  const LoadedModel& loaded() const { return loaded_; }
  /// errors  not_found when the folder has none
  const Tokenizer& tokenizer() const;
  /// Of the host, that the backend uses; 0 where it does not say.
  int threads() const;
  double load_seconds() const { return load_seconds_; }

 private:
  BackendPtr backend_;
  BackendScope scope_;
  LoadedModel loaded_;
  double load_seconds_ = 0;
};

/// Sampling and where an answer ends.
struct SamplingFlags {
  GenerateOptions options;

  /// errors  (when the command runs) UsageError through check()
  void add_to(CLI::App& command);
  void check() const;
};

}  // namespace tessera::cli
