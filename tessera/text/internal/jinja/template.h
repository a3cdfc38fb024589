// Template: a parsed template that can be run any number of times, from several threads.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "tessera/text/internal/jinja/ast.h"
#include "tessera/text/internal/jinja/runtime.h"

namespace tessera::jinja {

class Template {
 public:
  /// errors  bad_format with the line of a syntax error
  explicit Template(std::string_view source);

  /// What the template writes with these names defined, later ones over earlier ones.
  /// errors  bad_format with the line when it fails; invalid_argument from raise_exception
  Text render(Runtime& runtime, std::vector<std::pair<std::string, Value>> context) const;

 private:
  Block block_;
};

}  // namespace tessera::jinja
