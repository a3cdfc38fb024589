// The program's commands. Each file of that name adds its command to the parser; what it runs is a
// callback that throws: Error for what failed, UsageError for a wrong command line.
#pragma once

#include <CLI/CLI.hpp>
#include <stdexcept>

namespace tessera::cli {

/// What the program returns; docs/cli.md lists them.
enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,
  kUsage = 2,
  kInterrupted = 130,
};

/// The command line asks for something that makes no sense.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What was to be done was done, and its outcome is bad; the output says so already.
struct CommandFailed {};

/// Ctrl-C ended the command.
struct Interrupted {};

void add_pull(CLI::App& app);
void add_list(CLI::App& app);
void add_generate(CLI::App& app);
void add_chat(CLI::App& app);
void add_tokenize(CLI::App& app);
void add_inspect(CLI::App& app);
void add_info(CLI::App& app);
void add_bench(CLI::App& app);
void add_conformance(CLI::App& app);

}  // namespace tessera::cli
