#include "tessera/graph/internal/graph_view.h"

#include <fmt/format.h>

#include <unordered_map>

#include "tessera/ir/node.h"
#include "tessera/ops/fused.h"

namespace tessera::graph {

namespace {

std::string describe(const TensorSpec& spec) {
  return fmt::format("{} {}", to_string(spec.dtype), to_string(spec.shape));
}

std::string joined(std::string text, const std::string& more) {
  if (!text.empty()) text += ", ";
  return text += more;
}

// The attributes that say more than the defaults.
std::string attributes(const OpRef& op) {
  const auto own = op.info().attributes(op.get());
  const auto usual = op.info().attributes(nullptr);
  std::string text;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i].value != usual[i].value) {
      text = joined(text, fmt::format("{}={}", own[i].name, own[i].value));
    }
  }
  return text;
}

Box box_of(const array& a) {
  Box box;
  const Node* node = a.is_available() ? nullptr : a.state().node.get();
  if (!node) {
    box.title = "input";
    box.results.push_back(describe({a.shape(), a.dtype()}));
    return box;
  }
  box.kind = node->info.id == OpId::Fused ? Box::Kind::fused : Box::Kind::op;
  box.title = node->info.name;
  if (box.kind == Box::Kind::fused) {
    for (const auto& step : node->op().as<Fused>().program->steps) {
      box.detail = joined(box.detail, std::string(step.op.info->name));
    }
  } else {
    box.detail = attributes(node->op());
  }
  if (node->outputs) {
    for (const TensorSpec& spec : node->outputs->specs) box.results.push_back(describe(spec));
  } else {
    box.results.push_back(describe({a.shape(), a.dtype()}));
  }
  return box;
}

// What stands for an array's box: its node, or the array itself.
const void* key_of(const array& a) {
  return a.is_available() || !a.state().node ? a.id() : a.state().node.get();
}

}  // namespace

GraphView view_of(const std::vector<array>& outputs) {
  GraphView view;
  std::unordered_map<const void*, int> numbers;
  struct Visit {
    array at;
    std::size_t next_input = 0;
  };
  static const std::vector<array> none;
  const auto inputs_of = [](const array& a) -> const std::vector<array>& {
    return a.is_available() || !a.state().node ? none : a.state().node->inputs;
  };
  const auto arrow_to = [&](const array& a) {
    return Box::Arrow{numbers.at(key_of(a)), static_cast<int>(a.state().output)};
  };
  for (const array& output : outputs) {
    std::vector<Visit> stack{{output}};
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (numbers.contains(key_of(top.at))) {
        stack.pop_back();
      } else if (const auto& inputs = inputs_of(top.at); top.next_input < inputs.size()) {
        const array& input = inputs[top.next_input++];
        if (!numbers.contains(key_of(input))) stack.push_back({input});  // may move `top`
      } else {
        Box box = box_of(top.at);
        for (const array& input : inputs) box.inputs.push_back(arrow_to(input));
        numbers.emplace(key_of(top.at), static_cast<int>(view.boxes.size()));
        view.boxes.push_back(std::move(box));
        stack.pop_back();
      }
    }
    view.outputs.push_back(arrow_to(output));
  }
  return view;
}

}  // namespace tessera::graph
