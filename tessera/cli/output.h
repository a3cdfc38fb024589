// Printing: results to standard output, all else to standard error.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tessera::cli {

/// Nobody reads standard output any more.
struct OutputClosed {};

/// Writes to standard output.   errors  OutputClosed; Error io when the disk is full and the like
void put(std::string_view text);
template <class... Args>
void emit(fmt::format_string<Args...> format, Args&&... args) {
  put(fmt::format(format, std::forward<Args>(args)...));
}
/// What a model wrote: on a terminal without the control characters that could steer it.
void put_model_text(std::string_view text);
void flush_output();
/// One value in one line.
void put_json(const nlohmann::ordered_json& value);

/// Writes to standard error; failures to do so are ignored.
void put_note(std::string_view text);
template <class... Args>
void note(fmt::format_string<Args...> format, Args&&... args) {
  put_note(fmt::format(format, std::forward<Args>(args)...));
}
/// "tessera: MESSAGE" in one line.
void print_error(std::string message);

/// Control characters as \xNN, so that a file's names and texts cannot steer a terminal.
std::string printable(std::string_view text);
/// "1.2 GB", in powers of ten.
std::string human_bytes(std::uint64_t bytes);

enum class Stream { output, error };
bool is_terminal(Stream stream);

enum class Style { plain, bold, dim, green };
/// The escape sequence of a style; empty where colour is not wanted: no terminal, NO_COLOR,
/// TERM=dumb.
std::string_view escape(Style style, Stream stream);

}  // namespace tessera::cli
