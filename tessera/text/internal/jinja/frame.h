// Frame: one scope of names, inside of another.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "tessera/text/internal/jinja/value.h"

namespace tessera::jinja {

class Frame {
 public:
  explicit Frame(std::shared_ptr<Frame> outer) : outer_(std::move(outer)) {}

  void set(const std::string& name, Value value) { names_[name] = std::move(value); }

  /// Null when no scope has the name.
  const Value* find(const std::string& name) const {
    for (const Frame* frame = this; frame != nullptr; frame = frame->outer_.get()) {
      const auto found = frame->names_.find(name);
      if (found != frame->names_.end()) return &found->second;
    }
    return nullptr;
  }

 private:
  std::shared_ptr<Frame> outer_;
  std::unordered_map<std::string, Value> names_;
};

using FramePtr = std::shared_ptr<Frame>;

}  // namespace tessera::jinja
