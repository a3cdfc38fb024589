#include "tessera/text/internal/jinja/macro.h"

#include <algorithm>

#include "tessera/text/internal/jinja/interpreter.h"
#include "tessera/text/internal/jinja/print.h"

namespace tessera::jinja {

Value MacroObject::call(Runtime&, const Arguments& arguments) {
  return Value::string(interpreter_.run_macro(*definition_, frame_, arguments));
}

std::optional<Value> MacroObject::attribute(Runtime&, std::string_view name) {
  if (name == "name") return Value::string(definition_->name);
  if (name == "catch_kwargs") return Value(definition_->uses_kwargs);
  if (name == "catch_varargs") return Value(definition_->uses_varargs);
  if (name == "caller") return Value(definition_->uses_caller);
  if (name != "arguments") return std::nullopt;
  std::vector<Value> names;
  for (const Parameter& parameter : definition_->parameters) {
    names.push_back(Value::string(parameter.name));
  }
  return Value::tuple(std::move(names));
}

Text MacroObject::repr(Runtime&, int) const {
  return Text("<Macro " + quoted(definition_->name) + ">");
}

Text Interpreter::run_macro(const MacroDefinition& macro, const FramePtr& definition_frame,
                            const Arguments& arguments) {
  const Runtime::Level level(runtime_);
  const auto scope = std::make_shared<Frame>(definition_frame);
  std::vector<const std::pair<std::string, Value>*> named;
  for (const auto& entry : arguments.named) named.push_back(&entry);
  const auto take_named = [&named](std::string_view name) -> const Value* {
    const auto found = std::find_if(named.begin(), named.end(),
                                    [name](const auto* entry) { return entry->first == name; });
    if (found == named.end()) return nullptr;
    const Value* value = &(*found)->second;
    named.erase(found);
    return value;
  };

  const std::size_t count = macro.parameters.size();
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& name = macro.parameters[i].name;
    if (i < arguments.positional.size()) {
      scope->set(name, arguments.positional[i]);
    } else if (const Value* value = take_named(name)) {
      scope->set(name, *value);
    } else {
      missing.push_back(i);
    }
  }
  if (macro.uses_caller) {
    const Value* caller = take_named("caller");
    scope->set("caller", caller != nullptr ? *caller : Value::undefined("No caller defined"));
  }
  if (macro.uses_kwargs) {
    auto rest = std::make_shared<Dict>();
    for (const auto* entry : named) {
      rest->set(runtime_, Value::string(entry->first), entry->second);
    }
    scope->set("kwargs", Value(std::shared_ptr<const Dict>(std::move(rest))));
  } else if (!named.empty()) {
    runtime_.fail("macro '{}' has no argument '{}'", macro.name, named.front()->first);
  }
  if (macro.uses_varargs) {
    const std::size_t taken = std::min(count, arguments.positional.size());
    scope->set("varargs",
               Value::tuple({arguments.positional.begin() + static_cast<std::ptrdiff_t>(taken),
                             arguments.positional.end()}));
  } else if (arguments.positional.size() > count) {
    runtime_.fail("macro '{}' takes at most {} arguments, got {}", macro.name, count,
                  arguments.positional.size());
  }
  // Defaults come last: each may use the parameters before it.
  for (const std::size_t i : missing) {
    const Parameter& parameter = macro.parameters[i];
    scope->set(parameter.name,
               parameter.fallback
                   ? evaluate(*parameter.fallback, scope)
                   : Value::undefined("parameter '" + parameter.name + "' was not provided"));
  }
  const Value* outer = std::exchange(captured_, nullptr);
  Text out = run(macro.body, scope);
  captured_ = outer;
  return out;
}

}  // namespace tessera::jinja
