// LineEditor: one line from the user, with editing and history where the build has libedit.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace tessera::cli {

enum class LineEnd { entered, interrupted, end_of_input };

struct Line {
  std::string text;
  LineEnd end = LineEnd::entered;
};

class LineEditor {
 public:
  /// history: where lines are kept between runs; empty keeps none. Without a terminal it neither
  /// prompts nor keeps a history.
  explicit LineEditor(std::filesystem::path history);
  ~LineEditor();

  /// Ctrl-C (interrupt.h must be catching it) gives `interrupted`, Ctrl-D in an empty line
  /// `end_of_input`.
  Line read(const std::string& prompt);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::cli
