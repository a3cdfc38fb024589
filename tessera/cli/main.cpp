// tessera: language models at the shell.
#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "tessera/cli/commands.h"
#include "tessera/cli/output.h"
#include "tessera/core/error.h"

namespace tessera::cli {
namespace {

int fail_with(ExitCode code, const std::string& message) {
  print_error(message);
  return code;
}

// CLI11's own words, but for a command that does not exist, and where to read on.
std::string explain(const CLI::ParseError& error, const CLI::App& app, int argc, char** argv) {
  const std::vector<const CLI::App*> commands = app.get_subcommands({});
  const auto given = std::find_if(commands.begin(), commands.end(),
                                  [](const CLI::App* command) { return command->parsed(); });
  std::string help = "tessera --help";
  std::string message = error.what();
  if (given != commands.end()) {
    help = "tessera " + (*given)->get_name() + " --help";
  } else if (argc > 1 && argv[1][0] != '-') {
    message = std::string(argv[1]) + ": no such command";
  }
  return message + "; see '" + help + "'";
}

int run(int argc, char** argv) {
  CLI::App app{"Runs language models on this machine.", "tessera"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "tessera " TESSERA_VERSION);
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong command line, 130 interrupted.\n"
      "'tessera COMMAND --help' has examples.");
  // In the order of a first visit.
  add_pull(app);
  add_list(app);
  add_generate(app);
  add_chat(app);
  add_tokenize(app);
  add_inspect(app);
  add_info(app);
  add_bench(app);
#if TESSERA_CONFORMANCE
  add_conformance(app);
#endif
  try {
    app.parse(argc, argv);  // runs the command's callback
    flush_output();
    return kSuccess;
  } catch (const CLI::Success& e) {  // --help, --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return fail_with(kUsage, explain(e, app, argc, argv));
  } catch (const UsageError& e) {
    return fail_with(kUsage, e.what());
  } catch (const CommandFailed&) {
    return kFailure;
  } catch (const Interrupted&) {
    return kInterrupted;
  } catch (const OutputClosed&) {
    return kSuccess;  // whoever reads has enough
  } catch (const Error& e) {
    if (e.code() == ErrorCode::cancelled) return kInterrupted;
    return fail_with(kFailure, e.what());
  } catch (const std::bad_alloc&) {
    return fail_with(kFailure, "out of memory");
  } catch (const std::exception& e) {
    return fail_with(kFailure, e.what());
  }
}

}  // namespace
}  // namespace tessera::cli

int main(int argc, char** argv) {
  // The line editor reads characters in this encoding; where none is set, in UTF-8.
  std::setlocale(LC_CTYPE, "");
  if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen where it is written to
  return tessera::cli::run(argc, argv);
}
