#include "tessera/text/stop_matcher.h"

#include <algorithm>
#include <utility>

#include "tessera/core/internal/fail.h"

namespace tessera {
namespace {

/// Where the longest end of `text` that begins `stop` (and is shorter than it) starts;
/// text.size() when there is none.
std::size_t partial_start(std::string_view text, std::string_view stop) {
  const std::size_t longest = std::min(text.size(), stop.size() - 1);
  for (std::size_t size = longest; size > 0; --size) {
    if (text.ends_with(stop.substr(0, size))) return text.size() - size;
  }
  return text.size();
}

}  // namespace

StopMatcher::StopMatcher(std::vector<std::string> stops) : stops_(std::move(stops)) {
  for (const std::string& stop : stops_) {
    if (stop.empty()) fail(ErrorCode::invalid_argument, "stop", "a stop string cannot be empty");
  }
}

std::string StopMatcher::push(std::string_view text) {
  if (finished()) return {};
  held_ += text;
  std::size_t match = std::string::npos;
  std::size_t open = held_.size();
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    const std::size_t found = held_.find(stops_[i]);
    if (found < match) {
      match = found;
      matched_ = static_cast<int>(i);
    }
    open = std::min(open, partial_start(held_, stops_[i]));
  }
  if (match != std::string::npos && match <= open) {
    std::string out = held_.substr(0, match);
    held_.clear();
    return out;
  }
  // An unfinished stop string that begins before the match may still complete, and would win.
  matched_ = -1;
  std::string out = held_.substr(0, open);
  held_.erase(0, open);
  return out;
}

std::string StopMatcher::finish() {
  if (finished()) return {};
  // A match that waited for an earlier one to complete counts now.
  std::size_t match = held_.size();
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    const std::size_t found = held_.find(stops_[i]);
    if (found < match) {
      match = found;
      matched_ = static_cast<int>(i);
    }
  }
  std::string out = held_.substr(0, match);
  held_.clear();
  return out;
}

}  // namespace tessera
