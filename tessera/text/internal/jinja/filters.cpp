#include "tessera/text/internal/jinja/filters.h"

namespace tessera::jinja {

FilterFunction find_filter(std::string_view name) {
  for (const auto table : {find_text_filter, find_sequence_filter, find_value_filter}) {
    if (const FilterFunction filter = table(name)) return filter;
  }
  return nullptr;
}

}  // namespace tessera::jinja
