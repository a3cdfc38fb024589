// In the place of line_editor_libedit.cpp where the build has no libedit.
#include <unistd.h>

#include "tessera/cli/interrupt.h"
#include "tessera/cli/line_input.h"
#include "tessera/cli/output.h"

namespace tessera::cli {

struct LineEditor::State {};

LineEditor::LineEditor(std::filesystem::path) {}
LineEditor::~LineEditor() = default;

Line LineEditor::read(const std::string& prompt) {
  if (::isatty(STDIN_FILENO) == 1) {
    put(prompt);
    flush_output();
  }
  return read_plain_line();
}

}  // namespace tessera::cli
