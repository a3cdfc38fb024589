// The Error of a template, at a line of it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "tessera/core/error.h"

namespace tessera::jinja {

/// Throws bad_format. Messages quote the template and the conversation, so they are cut to a
/// readable length and shown without control bytes.
[[noreturn]] void template_error(int line, std::string message);

template <class... Args>
[[noreturn]] void template_error(int line, fmt::format_string<Args...> format, Args&&... args) {
  template_error(line, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tessera::jinja
