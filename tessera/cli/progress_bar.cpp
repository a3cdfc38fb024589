#include "tessera/cli/progress_bar.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "tessera/cli/output.h"

namespace tessera::cli {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr std::size_t kBarWidth = 24;

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string amount(std::uint64_t value, std::string_view unit) {
  return unit == "bytes" ? human_bytes(value) : fmt::format("{} {}", value, unit);
}

}  // namespace

ProgressBar::ProgressBar() : on_terminal_(is_terminal(Stream::error)) {}

void ProgressBar::show(const Progress& progress) {
  if (!on_terminal_) return;
  const auto now = Clock::now();
  const bool is_new = stage_ != progress.stage;
  if (is_new) {
    stage_ = progress.stage;
    begun_at_ = progress.done;
    begin_ = now;
  }
  const bool done = progress.total > 0 && progress.done >= progress.total;
  if (!is_new && !done && now - last_ < kInterval) return;
  last_ = now;

  std::string line = printable(stage_) + "  ";
  if (progress.total > 0) {
    const double part =
        std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(progress.total));
    const auto full = static_cast<std::size_t>(part * kBarWidth);
    line += fmt::format("[{}{}] {:3.0f}%  ", std::string(full, '#'),
                        std::string(kBarWidth - full, ' '), 100 * part);
  }
  line += amount(progress.done, progress.unit);
  if (progress.total > 0) line += " of " + amount(progress.total, progress.unit);
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  if (seconds > 0.5 && progress.done >= begun_at_) {
    const double rate = static_cast<double>(progress.done - begun_at_) / seconds;
    line += ", " + amount(static_cast<std::uint64_t>(rate), progress.unit) + "/s";
  }
  line.resize(std::min(line.size(), terminal_width() - 1));
  note("\r\033[K{}", line);
  drawn_ = true;
}

void ProgressBar::clear() {
  if (drawn_) put_note("\r\033[K");
  drawn_ = false;
  stage_.clear();
}

}  // namespace tessera::cli
