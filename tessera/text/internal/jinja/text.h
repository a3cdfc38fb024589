// Text: a UTF-8 string that remembers which of its bytes came from the conversation.
//
//   Text prompt("<|im_start|>user\n");            // words of the template
//   prompt.append(Text(content, true));           // words of a message
//   for (Text::Run run : prompt.user_runs()) ...  // the bytes no control token may be read from
//
// Every string of the template interpreter is a Text, so the origin survives slicing, joining,
// trimming and replacing. An operation that cannot say where a byte came from marks its whole
// result as from the user if any of its input was.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::jinja {

class Text {
 public:
  /// Bytes [begin, end) that came from the user.
  struct Run {
    std::size_t begin;
    std::size_t end;
    bool operator==(const Run&) const = default;
  };

  Text() = default;
  explicit Text(std::string bytes, bool from_user = false);

  const std::string& bytes() const { return bytes_; }
  std::string_view view() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  bool has_user() const { return !runs_.empty(); }
  bool user_at(std::size_t byte) const;
  /// Ascending, disjoint, never touching, never empty.
  std::span<const Run> user_runs() const { return runs_; }

  void append(std::string_view bytes, bool from_user = false);
  void append(const Text& other) { append(other, 0, other.size()); }
  /// Appends bytes [begin, end) of `other` with their origin.
  void append(const Text& other, std::size_t begin, std::size_t end);
  Text slice(std::size_t begin, std::size_t end) const;
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }

  /// Calls fn(piece, from_user) over maximal pieces of one origin, in order.
  template <class Fn>
  void for_each_piece(Fn fn) const {
    std::size_t at = 0;
    for (const Run& run : runs_) {
      if (at < run.begin) fn(view().substr(at, run.begin - at), false);
      fn(view().substr(run.begin, run.end - run.begin), true);
      at = run.end;
    }
    if (at < size()) fn(view().substr(at), false);
  }

 private:
  void mark(std::size_t begin, std::size_t end);

  std::string bytes_;
  std::vector<Run> runs_;
};

}  // namespace tessera::jinja
