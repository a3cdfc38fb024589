// ProgressBar: how far long work has come, on a terminal; nothing elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "tessera/core/progress.h"

namespace tessera::cli {

/// One line of standard error, gone when the bar is.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const Progress& progress);
  /// Takes the line away.
  void clear();
  /// For ...Options::progress; the bar must live as long.
  ProgressCallback callback() {
    return [this](const Progress& progress) { show(progress); };
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool on_terminal_;
  bool drawn_ = false;
  std::string stage_;
  std::uint64_t begun_at_ = 0;  // of the stage, when it was first seen: a download may resume
  Clock::time_point begin_, last_;
};

}  // namespace tessera::cli
