// Characters from standard input that Ctrl-C can interrupt.
#pragma once

#include <string>

#include "tessera/cli/line_editor.h"

namespace tessera::cli {

enum class Input { byte, interrupted, end };

/// Waits for a byte or Ctrl-C.
Input read_byte(char& byte);

/// A line without editing.
Line read_plain_line();

}  // namespace tessera::cli
