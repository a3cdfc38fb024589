#include "tessera/text/internal/jinja/text.h"

#include <algorithm>
#include <utility>

namespace tessera::jinja {

Text::Text(std::string bytes, bool from_user) : bytes_(std::move(bytes)) {
  if (from_user) mark(0, bytes_.size());
}

bool Text::user_at(std::size_t byte) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), byte,
                       [](std::size_t position, const Run& run) { return position < run.end; });
  return after != runs_.end() && after->begin <= byte;
}

void Text::append(std::string_view bytes, bool from_user) {
  const std::size_t begin = size();
  bytes_.append(bytes);
  if (from_user) mark(begin, size());
}

void Text::append(const Text& other, std::size_t begin, std::size_t end) {
  const std::size_t base = size();
  // Taken by index: `other` may be this very string.
  const auto first =
      std::upper_bound(other.runs_.begin(), other.runs_.end(), begin,
                       [](std::size_t position, const Run& run) { return position < run.end; });
  const std::size_t first_run = first - other.runs_.begin();
  const std::size_t run_count = other.runs_.size();
  bytes_.append(other.bytes_, begin, end - begin);
  for (std::size_t i = first_run; i < run_count; ++i) {
    const Run run = other.runs_[i];
    if (run.begin >= end) break;
    mark(base + std::max(run.begin, begin) - begin, base + std::min(run.end, end) - begin);
  }
}

Text Text::slice(std::size_t begin, std::size_t end) const {
  Text part;
  part.append(*this, begin, end);
  return part;
}

void Text::mark(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  if (!runs_.empty() && runs_.back().end == begin) {
    runs_.back().end = end;
  } else {
    runs_.push_back({begin, end});
  }
}

}  // namespace tessera::jinja
