// StopMatcher: ends a stream of text at the first of several strings, however it is cut in pieces.
//
//   StopMatcher stops({"\nUser:"});
//   for (piece : stream) { emit(stops.push(piece)); if (stops.finished()) break; }
//   emit(stops.finish());
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// What push() and finish() return, joined, is the text before the stop string that starts first
/// (all of it when none comes). Text that may still turn out to begin one is held back.
class StopMatcher {
 public:
  /// errors  invalid_argument for an empty stop string
  explicit StopMatcher(std::vector<std::string> stops);

  /// The text that is now sure to belong to the answer.
  std::string push(std::string_view text);
  /// The text is over: what was held back. Nothing once a stop string was found.
  std::string finish();
  /// Whether a stop string was found.
  bool finished() const { return finished_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool finished_ = false;
};

}  // namespace tessera
