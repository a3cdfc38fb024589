#include "tessera/ir/attribute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera {

std::string attribute_text(bool value) {
  return value ? "true" : "false";
}
std::string attribute_text(std::int64_t value) {
  return fmt::format("{}", value);
}
std::string attribute_text(double value) {
  return fmt::format("{:g}", value);
}
std::string attribute_text(Dtype value) {
  return std::string(to_string(value));
}
std::string attribute_text(const Shape& value) {
  return to_string(value);
}
std::string attribute_text(const InlineVector<int, 6>& value) {
  return fmt::format("[{}]", fmt::join(value.begin(), value.end(), ", "));
}
std::string attribute_text(const QuantGroups& value) {
  return fmt::format("{}, {}, {}", to_string(value.mode), value.bits, value.group_size);
}

}  // namespace tessera
