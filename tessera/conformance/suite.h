// The conformance suite: what a backend must get right so that everything above it runs, checked
// against numbers that come from Python MLX (tests/goldens/ops, made by tools/oracles).
//
//   const conformance::Suite suite;
//   const auto summary = suite.run(make_backend("mine"));
//   for (const conformance::Result& r : summary.failures) std::puts(r.failure.c_str());
//
// Link tessera::conformance. conformance/gtest.h makes GoogleTest tests of it; `tessera
// conformance` runs it from a shell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/backend/backend.h"

namespace tessera::conformance {

/// native: ops run as the backend offers them. lowered: every optional op runs through its lowering
/// instead, although the backend may have a kernel, so that only required ops reach the backend.
enum class Mode { native, lowered };
std::string_view to_string(Mode mode);

struct Result {
  std::string id;  ///< of the case: "softmax/f16/3x1025"
  Mode mode;
  std::string failure;  ///< what was wrong, in words; empty when it passed

  bool passed() const { return failure.empty(); }
};

struct Summary {
  std::int64_t passed = 0;
  std::vector<Result> failures;
};

struct RunOptions {
  std::vector<Mode> modes = {Mode::native, Mode::lowered};
  /// Only cases whose id contains this.
  std::string filter = {};
  /// Called after each case, in the calling thread.
  std::function<void(const Result&)> on_result = {};
  /// Ends the run after the case at hand.
  std::stop_token stop_token = {};
};

/// Where the golden cases are: $TESSERA_CONFORMANCE_DATA if it is set, else the folder they were
/// installed to, else the source tree's.
std::filesystem::path default_data();

class Suite {
 public:
  /// errors  not_found, io, bad_format for the golden files
  explicit Suite(const std::filesystem::path& data = default_data());
  ~Suite();
  Suite(Suite&&) noexcept;

  /// The ids of all cases, by group: an op's name ("softmax") with its golden cases; groups that
  /// begin with "behaviour/", which hold a backend to the contract's rules on lifetime, errors,
  /// threads and memory; and "random/" groups, whose cases draw shapes, dtypes, layouts and
  /// options and compare with a plain reference in double.
  const std::map<std::string, std::vector<std::string>>& groups() const;

  /// By name, in the order of ops.def: every op that a case reaches, on its own or in a lowering,
  /// with the ops that its lowering calls in some case (none for a required op). Evaluates nothing.
  std::vector<std::pair<std::string, std::vector<std::string>>> lowerings() const;

  /// Runs the cases on the backend. A case that throws has failed; the run goes on.
  Summary run(const BackendPtr& backend, const RunOptions& options = {}) const;

  /// Runs one group.   errors  std::out_of_range for a group that is none
  Summary run_group(const std::string& group, const BackendPtr& backend,
                    const RunOptions& options = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::conformance
