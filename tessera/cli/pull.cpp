#include <memory>

#include "tessera/cli/commands.h"
#include "tessera/cli/interrupt.h"
#include "tessera/cli/output.h"
#include "tessera/cli/progress_bar.h"
#include "tessera/io/hub.h"

namespace tessera::cli {
namespace {

constexpr const char* kPullExamples = R"(Examples:
  tessera pull HuggingFaceTB/SmolLM2-135M-Instruct
  tessera pull org/repository-GGUF --include '*Q4_K_M*'
  HF_TOKEN=... tessera pull org/gated-model --revision v1.0

Environment: TESSERA_CACHE (where models are kept), HF_ENDPOINT (another hub), HF_TOKEN (access),
TESSERA_OFFLINE=1 (never use the network).)";

struct Pull {
  std::string name;
  PullOptions options;

  void run() {
    catch_interrupts(SecondInterrupt::ends_program);
    InterruptToken interrupt;
    ProgressBar bar;
    options.progress = bar.callback();
    options.stop_token = interrupt.token();
    const std::filesystem::path folder = pull_model(name, options);
    bar.clear();
    emit("{}\n", folder.string());
  }
};

}  // namespace

void add_pull(CLI::App& app) {
  CLI::App* command = app.add_subcommand("pull", "Fetch a model from the hub into the cache");
  command->footer(kPullExamples);
  const auto pull = std::make_shared<Pull>();
  command->add_option("NAME", pull->name, "org/repository on the hub")->required();
  command
      ->add_option("--include", pull->options.include,
                   "Only files that match this shell pattern; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--revision", pull->options.revision, "Branch, tag or commit")
      ->capture_default_str();
  command->add_option("--endpoint", pull->options.endpoint, "Address of the hub");
  command->callback([pull] { pull->run(); });
}

}  // namespace tessera::cli
