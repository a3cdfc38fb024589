#include "tessera/cli/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "tessera/core/internal/fail.h"

namespace tessera::cli {
namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

void check_written(bool good) {
  if (good) return;
  const int error = errno;
  if (error == EPIPE) throw OutputClosed{};
  fail(ErrorCode::io, "standard output", "cannot write: {}",
       std::generic_category().message(error));
}

}  // namespace

void put(std::string_view text) {
  check_written(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

void put_model_text(std::string_view text) {
  if (!is_terminal(Stream::output)) return put(text);
  std::string clean(text);
  std::erase_if(clean, [](char c) { return is_control(c) && c != '\n' && c != '\t'; });
  put(clean);
}

void flush_output() {
  check_written(std::fflush(stdout) == 0);
}

void put_json(const nlohmann::ordered_json& value) {
  put(value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  put("\n");
}

void put_note(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void print_error(std::string message) {
  // One line even where a library's message has several.
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  note("tessera: {}\n", printable(message));
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_control(c)) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, unit == 0 || value >= 100 ? 0 : 1, kUnits[unit]);
}

bool is_terminal(Stream stream) {
  return ::isatty(stream == Stream::output ? STDOUT_FILENO : STDERR_FILENO) == 1;
}

std::string_view escape(Style style, Stream stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (!is_terminal(stream) || (no_color != nullptr && *no_color != '\0') || term == nullptr ||
      std::string_view(term) == "dumb") {
    return "";
  }
  switch (style) {
    case Style::plain: return "\033[0m";
    case Style::bold: return "\033[1m";
    case Style::dim: return "\033[2m";
    case Style::green: return "\033[32m";
  }
  return "";
}

}  // namespace tessera::cli
