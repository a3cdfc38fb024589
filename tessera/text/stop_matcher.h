// StopMatcher: holds back streamed text that may be the beginning of a stop string.
//
//   StopMatcher stops({"\nUser:", "<end>"});
//   for (...) { send(stops.push(text)); if (stops.finished()) break; }
//   send(stops.finish());
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The text up to the stop string that begins first comes out, each byte once; neither a stop
/// string nor any part of one that then completes ever does. Pieces may cut characters anywhere.
class StopMatcher {
 public:
  /// errors  invalid_argument (where "stop") for an empty stop string
  explicit StopMatcher(std::vector<std::string> stops);

  /// Takes the next piece; returns what can be sent now. After a match it returns nothing.
  std::string push(std::string_view text);
  /// The text has ended: returns what was held back.
  std::string finish();

  /// Whether a stop string was met.
  bool finished() const { return matched_ >= 0; }
  /// Which one, as an index into the list; -1 for none.
  int matched() const { return matched_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  int matched_ = -1;
};

}  // namespace tessera
