// The names every template can use: range, dict, namespace, joiner, cycler, raise_exception and
// strftime_now.
#pragma once

#include "tessera/text/internal/jinja/frame.h"

namespace tessera::jinja {

void define_globals(Frame& frame);

}  // namespace tessera::jinja
