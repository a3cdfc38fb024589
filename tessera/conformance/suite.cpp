#include "tessera/conformance/suite.h"

#include <cstdlib>
#include <exception>
#include <optional>

#include "tessera/backend/registry.h"
#include "tessera/conformance/internal/adapters.h"
#include "tessera/conformance/internal/behaviour.h"
#include "tessera/conformance/internal/draw.h"
#include "tessera/conformance/internal/golden.h"
#include "tessera/conformance/internal/lowerings.h"
#include "tessera/core/internal/fail.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/op_table.h"

namespace tessera::conformance {

std::string_view to_string(Mode mode) {
  return mode == Mode::native ? "native" : "lowered";
}

std::filesystem::path default_data() {
  if (const char* given = std::getenv("TESSERA_CONFORMANCE_DATA"); given != nullptr && *given) {
    return given;
  }
  const std::filesystem::path installed = TESSERA_CONFORMANCE_INSTALLED;
  std::error_code ignored;
  if (std::filesystem::exists(installed, ignored)) return installed;
  return TESSERA_CONFORMANCE_SOURCE;
}

namespace {

struct Case {
  std::string id;
  std::function<std::string()> run;
};

/// What the case says is wrong; an exception is wrong too.
std::string run_guarded(const Case& c) {
  try {
    return c.run();
  } catch (const NotSo& e) {
    return e.what;
  } catch (const std::exception& e) {
    return fmt::format("threw: {}", e.what());
  }
}

}  // namespace

struct Suite::State {
  std::map<std::string, std::vector<GoldenCase>> golden;
  std::map<std::string, std::vector<Case>> cases;  // borrow from golden
  std::map<std::string, std::vector<std::string>> ids;

  void run(const std::string& group, const BackendPtr& backend, const RunOptions& options,
           Summary& summary) const;
};

Suite::Suite(const std::filesystem::path& data) : state_(std::make_unique<State>()) {
  state_->golden = load_golden_cases(data);
  for (const auto& [op, golden] : state_->golden) {
    for (const GoldenCase& c : golden) {
      state_->cases[op].push_back({c.id, [&c] { return check(c); }});
    }
  }
  for (const auto& [group, list] : behaviours()) {
    for (const Behaviour& b : list) {
      const std::string name = "behaviour/" + group;
      state_->cases[name].push_back({name + "/" + b.name, [run = b.run] {
                                       run();
                                       return std::string{};
                                     }});
    }
  }
  for (const RandomCase& c : random_cases()) {
    const std::string name = "random/" + c.name;
    for (int n = 0; n < kRandomCases; ++n) {
      state_->cases[name].push_back(
          {fmt::format("{}/{}", name, n), [c, n] { return run_random(c, n); }});
    }
  }
  for (const auto& [group, cases] : state_->cases) {
    for (const Case& c : cases) state_->ids[group].push_back(c.id);
  }
}

Suite::~Suite() = default;
Suite::Suite(Suite&&) noexcept = default;

const std::map<std::string, std::vector<std::string>>& Suite::groups() const {
  return state_->ids;
}

std::vector<std::pair<std::string, std::vector<std::string>>> Suite::lowerings() const {
  Lowerings found;
  for (const auto& [op, golden] : state_->golden) {
    for (const GoldenCase& c : golden) {
      if (!c.must_fail() && has_adapter(op)) found.add(call_op(c));
    }
  }
  const auto name = [](OpId id) {
    return std::string(op_table()[static_cast<std::size_t>(id)]->name);
  };
  std::vector<std::pair<std::string, std::vector<std::string>>> out;
  for (const auto& [op, calls] : found.calls()) {
    out.push_back({name(op), {}});
    for (const OpId called : calls) out.back().second.push_back(name(called));
  }
  return out;
}

void Suite::State::run(const std::string& group, const BackendPtr& backend,
                       const RunOptions& options, Summary& summary) const {
  const BackendScope on(backend);
  for (const Mode mode : options.modes) {
    std::optional<LoweredScope> lowered;
    if (mode == Mode::lowered) lowered.emplace();
    for (const Case& c : cases.at(group)) {
      if (options.stop_token.stop_requested()) return;
      if (c.id.find(options.filter) == std::string::npos) continue;
      Result result{c.id, mode, run_guarded(c)};
      if (options.on_result) options.on_result(result);
      if (result.passed())
        ++summary.passed;
      else
        summary.failures.push_back(std::move(result));
    }
  }
}

Summary Suite::run(const BackendPtr& backend, const RunOptions& options) const {
  Summary summary;
  for (const auto& [group, cases] : state_->cases) state_->run(group, backend, options, summary);
  return summary;
}

Summary Suite::run_group(const std::string& group, const BackendPtr& backend,
                         const RunOptions& options) const {
  Summary summary;
  state_->run(group, backend, options, summary);
  return summary;
}

}  // namespace tessera::conformance
