#include "tessera/conformance/suite.h"

#include <map>
#include <memory>

#include "tessera/backend/registry.h"
#include "tessera/cli/commands.h"
#include "tessera/cli/interrupt.h"
#include "tessera/cli/output.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;
using conformance::Mode;
using conformance::Result;

constexpr std::size_t kFailuresShown = 20;

struct Counts {
  int passed[2] = {};
  int failed[2] = {};
};

struct ConformanceOptions {
  std::string backend = "cpu";
  std::string data;
  std::string filter;
  bool required_only = false;
  bool json = false;
  bool lowerings = false;

  conformance::Suite suite() const;
  void run() const;
  void list_lowerings() const;
};

conformance::Suite ConformanceOptions::suite() const {
  return conformance::Suite(data.empty() ? conformance::default_data()
                                         : std::filesystem::path(data));
}

std::string cell(const Counts& c, Mode mode) {
  const int at = static_cast<int>(mode);
  if (c.passed[at] + c.failed[at] == 0) return "-";
  if (c.failed[at] == 0) return std::to_string(c.passed[at]);
  return fmt::format("{} of {} failed", c.failed[at], c.passed[at] + c.failed[at]);
}

void print_table(const std::map<std::string, Counts>& groups) {
  emit("{:<40}{:>20}{:>20}\n", "group", "native", "lowered");
  for (const auto& [group, counts] : groups) {
    emit("{:<40}{:>20}{:>20}\n", group, cell(counts, Mode::native), cell(counts, Mode::lowered));
  }
}

void ConformanceOptions::run() const {
  catch_interrupts(SecondInterrupt::ends_program);
  InterruptToken interrupt;
  const BackendPtr on = make_backend(backend);
  const conformance::Suite suite = this->suite();
  conformance::RunOptions options;
  options.filter = filter;
  options.stop_token = interrupt.token();
  if (required_only) options.modes = {Mode::lowered};

  std::map<std::string, Counts> groups;
  std::vector<Result> failures;
  std::int64_t passed = 0;
  for (const auto& [group, ids] : suite.groups()) {
    Counts counts;
    options.on_result = [&](const Result& r) {
      ++(r.passed() ? counts.passed : counts.failed)[static_cast<int>(r.mode)];
    };
    conformance::Summary summary = suite.run_group(group, on, options);
    if (interrupted()) throw Interrupted{};
    passed += summary.passed;
    if (summary.passed != 0 || !summary.failures.empty()) groups[group] = counts;
    std::move(summary.failures.begin(), summary.failures.end(), std::back_inserter(failures));
  }
  if (groups.empty()) throw UsageError("no case's name contains '" + filter + "'");

  if (json) {
    Json failed = Json::array();
    for (const Result& r : failures) {
      failed.push_back(
          {{"id", r.id}, {"mode", conformance::to_string(r.mode)}, {"failure", r.failure}});
    }
    put_json({{"backend", backend}, {"passed", passed}, {"failed", std::move(failed)}});
  } else {
    print_table(groups);
    for (std::size_t i = 0; i < failures.size() && i < kFailuresShown; ++i) {
      emit("{} ({}): {}\n", failures[i].id, conformance::to_string(failures[i].mode),
           printable(failures[i].failure));
    }
    if (failures.size() > kFailuresShown) {
      emit("and {} more; --json lists all\n", failures.size() - kFailuresShown);
    }
    emit("{} passed, {} failed\n", passed, failures.size());
  }
  flush_output();
  if (!failures.empty()) throw CommandFailed{};
}

void ConformanceOptions::list_lowerings() const {
  Json all = Json::object();
  for (const auto& [op, calls] : suite().lowerings()) all[op] = calls;
  if (json) return put_json(all);
  for (const auto& [op, calls] : all.items()) {
    if (calls.empty()) continue;
    std::string line;
    for (const Json& name : calls) line += " " + name.get<std::string>();
    emit("{:<24}{}\n", op, line);
  }
}

}  // namespace

void add_conformance(CLI::App& app) {
  CLI::App* command = app.add_subcommand("conformance", "Prove a backend against MLX's numbers");
  command->footer(
      R"(Each op's cases run twice: with the backend's kernels, and with every optional op
lowered to required ones.

Examples:
  tessera conformance
  tessera conformance --backend cpu --filter softmax
  tessera conformance --required-only --json)");
  const auto options = std::make_shared<ConformanceOptions>();
  command->add_option("--backend", options->backend, "A backend that 'info' lists")
      ->capture_default_str();
  command->add_flag("--required-only", options->required_only,
                    "Lower every optional op; no run with the backend's own");
  command->add_option("--filter", options->filter, "Only cases whose name contains this");
  command->add_option("--data", options->data, "The folder of golden cases, if not the installed");
  command->add_flag("--json", options->json, "One JSON object");
  command->add_flag("--lowerings", options->lowerings,
                    "Run nothing; list which ops each optional op is lowered to");
  command->callback([options] { options->lowerings ? options->list_lowerings() : options->run(); });
}

}  // namespace tessera::cli
