#include "tessera/text/stop_matcher.h"

#include <algorithm>

#include "tessera/core/internal/fail.h"

namespace tessera {

StopMatcher::StopMatcher(std::vector<std::string> stops) : stops_(std::move(stops)) {
  for (const std::string& stop : stops_) {
    if (stop.empty()) fail(ErrorCode::invalid_argument, "stop", "a stop string is empty");
  }
}

std::string StopMatcher::push(std::string_view text) {
  if (finished_) return "";
  held_ += text;
  // Where a whole stop string begins, and where one may have begun that the text does not finish.
  std::size_t found = std::string::npos;
  std::size_t open = held_.size();
  for (const std::string& stop : stops_) {
    found = std::min(found, held_.find(stop));
    const std::size_t longest = std::min(stop.size() - 1, held_.size());
    for (std::size_t n = longest; n > 0; --n) {
      if (std::string_view(held_).substr(held_.size() - n) == std::string_view(stop).substr(0, n)) {
        open = std::min(open, held_.size() - n);
        break;
      }
    }
  }
  if (found != std::string::npos && found <= open) {
    finished_ = true;
    std::string out = held_.substr(0, found);
    held_.clear();
    return out;
  }
  // A stop that began before the one found decides first: wait for it.
  std::string out = held_.substr(0, open);
  held_.erase(0, open);
  return out;
}

std::string StopMatcher::finish() {
  if (finished_) return "";
  std::string out = std::move(held_);
  held_.clear();
  // The text is over, so a stop string that waited behind an unfinished earlier one counts now.
  std::size_t found = std::string::npos;
  for (const std::string& stop : stops_) found = std::min(found, out.find(stop));
  if (found != std::string::npos) {
    finished_ = true;
    out.resize(found);
  }
  return out;
}

}  // namespace tessera
