#include "tessera/text/internal/jinja/template.h"

#include "tessera/text/internal/jinja/globals.h"
#include "tessera/text/internal/jinja/interpreter.h"
#include "tessera/text/internal/jinja/parser.h"

namespace tessera::jinja {

Template::Template(std::string_view source) : block_(parse(source)) {}

Text Template::render(Runtime& runtime, std::vector<std::pair<std::string, Value>> context) const {
  const auto globals = std::make_shared<Frame>(nullptr);
  define_globals(*globals);
  const auto names = std::make_shared<Frame>(globals);
  for (auto& [name, value] : context) names->set(name, std::move(value));
  Interpreter interpreter(runtime);
  return interpreter.run(block_, names);
}

}  // namespace tessera::jinja
