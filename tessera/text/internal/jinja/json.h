// JSON in and out: the conversation as values, and the tojson filter.
#pragma once

#include <string>
#include <string_view>

#include "tessera/text/internal/jinja/value.h"

namespace tessera::jinja {

/// Reads one JSON text. Every string and key is marked as from the user; integers beyond 64 bits
/// keep their digits; of a repeated key the last value counts, as in Python.
/// where   what the text is, for messages: "tools_json"
/// errors  bad_format with the byte offset; bad_format past kMaxValueDepth
Value read_json(Runtime& runtime, std::string_view json, const char* where);

/// The keyword arguments of Python's json.dumps.
struct JsonStyle {
  bool ensure_ascii = false;
  bool indented = false;
  Text indent;  ///< of one level, when indented
  Text item_separator{", "};
  Text key_separator{": "};
  bool sort_keys = false;
};

/// json.dumps(value): user text as a whole if any string in it is.
/// errors  bad_format for values without a JSON form ("Undefined is not JSON serializable")
Text write_json(Runtime& runtime, const Value& value, const JsonStyle& style);

}  // namespace tessera::jinja
