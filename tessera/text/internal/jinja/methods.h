// Methods of the built-in types: "text".split(), dict.items(), list.index().
#pragma once

#include <string>
#include <string_view>

#include "tessera/text/internal/jinja/value.h"

namespace tessera::jinja {

struct Arguments;

using MethodFunction = Value (*)(Runtime& runtime, const Value& self, const Arguments& arguments);

/// Null when the value's type has no such method.
MethodFunction find_method(const Value& value, std::string_view name);
/// Whether the name is a method that Python has and the sandbox forbids: list.append, dict.update.
bool changes_container(const Value& value, std::string_view name);
/// The method as a callable value.
Value bind_method(const Value& self, std::string name, MethodFunction function);

/// A function of the template's global names.
Value make_function(std::string name,
                    Value (*function)(Runtime& runtime, const Arguments& arguments));

MethodFunction find_string_method(std::string_view name);

}  // namespace tessera::jinja
