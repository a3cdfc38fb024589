// Runtime: what one rendering carries along: its budget, the line it is at, and the clock.
//
// Chat templates come with downloaded models, so a rendering has to end whatever the template
// says: each step and each byte looked at or made is charged here, and a budget overrun is an
// Error like any other.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tessera/text/internal/jinja/template_error.h"

namespace tessera::jinja {

class Object;

struct Limits {
  std::int64_t work = std::int64_t{1} << 30;        ///< bytes looked at, and 64 for each step
  std::int64_t allocation = std::int64_t{1} << 28;  ///< bytes of strings and containers made
  int depth = 400;                                  ///< nested evaluations, macro calls included
};

class Runtime {
 public:
  explicit Runtime(Limits limits = {}, std::function<std::tm()> clock = {})
      : limits_(limits), clock_(std::move(clock)) {}
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// errors  bad_format when the budget is used up
  void work(std::size_t bytes) {
    work_ += static_cast<std::int64_t>(bytes);
    if (work_ > limits_.work) over_budget("work");
  }
  void step() { work(64); }
  void allocate(std::size_t bytes) {
    work(bytes);
    allocation_ += static_cast<std::int64_t>(bytes);
    if (allocation_ > limits_.allocation) over_budget("memory");
  }

  /// Counts one level of nested evaluation for its lifetime.
  class Level {
   public:
    explicit Level(Runtime& runtime) : runtime_(runtime) {
      if (++runtime_.depth_ > runtime_.limits_.depth) {
        --runtime_.depth_;
        runtime_.too_deep();
      }
    }
    ~Level() { --runtime_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Runtime& runtime_;
  };

  void at_line(int line) { line_ = line; }
  int line() const { return line_; }

  /// Local time, for strftime_now.
  std::tm now() const;

  /// Objects that can refer back to what holds them; the runtime empties them when it ends, so
  /// that no cycle outlives the rendering.
  template <class T>
  std::shared_ptr<T> own(std::shared_ptr<T> object) {
    allocate(kOwnedBytes);
    cleanups_.push_back([object] { object->clear(); });
    return object;
  }

  /// Throws: the template is at fault (or does not fit the conversation) on the current line.
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    template_error(line_, format, std::forward<Args>(args)...);
  }
  /// Throws what raise_exception says, word for word: the template does not take the conversation.
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  // What an object that lives until the end is charged, its frame included.
  static constexpr std::size_t kOwnedBytes = 256;

  [[noreturn]] void over_budget(const char* what) const;
  [[noreturn]] void too_deep() const;

  Limits limits_;
  std::function<std::tm()> clock_;
  std::int64_t work_ = 0;
  std::int64_t allocation_ = 0;
  int depth_ = 0;
  int line_ = 1;
  std::vector<std::function<void()>> cleanups_;
};

}  // namespace tessera::jinja
