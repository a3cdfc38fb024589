#include "tessera/graph/draw.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "tessera/graph/internal/graph_view.h"

namespace tessera {

using graph::Box;
using graph::GraphView;

namespace {

std::string number(const GraphView& view, const Box::Arrow& arrow) {
  const bool several = view.boxes[static_cast<std::size_t>(arrow.box)].results.size() > 1;
  return several ? fmt::format("%{}.{}", arrow.box, arrow.result) : fmt::format("%{}", arrow.box);
}

std::string numbers(const GraphView& view, const std::vector<Box::Arrow>& arrows) {
  std::string text;
  for (const Box::Arrow& arrow : arrows) {
    text += (text.empty() ? "" : ", ") + number(view, arrow);
  }
  return text;
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

const char* fill_of(Box::Kind kind) {
  switch (kind) {
    case Box::Kind::input: return "#f1f5f9";
    case Box::Kind::op: return "#dbeafe";
    case Box::Kind::fused: break;
  }
  return "#dcfce7";
}

}  // namespace

void print_graph(std::ostream& out, const std::vector<array>& outputs) {
  const GraphView view = graph::view_of(outputs);
  for (std::size_t i = 0; i < view.boxes.size(); ++i) {
    const Box& box = view.boxes[i];
    const std::string given = numbers(view, box.inputs);
    const std::string detail = box.detail.empty() ? "" : " {" + box.detail + "}";
    out << fmt::format("%{} = {}({}){}  {}\n", i, box.title, given, detail, joined(box.results));
  }
  out << "return " << numbers(view, view.outputs) << "\n";
}

void export_to_dot(std::ostream& out, const std::vector<array>& outputs) {
  const GraphView view = graph::view_of(outputs);
  out << "digraph {\n  node [shape=box, style=filled, fontname=\"sans-serif\"];\n";
  for (std::size_t i = 0; i < view.boxes.size(); ++i) {
    const Box& box = view.boxes[i];
    const std::string detail = box.detail.empty() ? "" : "\\n" + box.detail;
    out << fmt::format("  n{} [label=\"{}{}\\n{}\", fillcolor=\"{}\"];\n", i, box.title, detail,
                       joined(box.results), fill_of(box.kind));
    for (const Box::Arrow& arrow : box.inputs) out << fmt::format("  n{} -> n{};\n", arrow.box, i);
  }
  for (std::size_t i = 0; i < view.outputs.size(); ++i) {
    out << fmt::format("  out{} [label=\"output {}\", shape=plaintext, style=\"\"];\n", i, i);
    out << fmt::format("  n{} -> out{};\n", view.outputs[i].box, i);
  }
  out << "}\n";
}

namespace {

constexpr int kBoxHeight = 54, kLayerGap = 42, kBoxGap = 24, kMargin = 20;
constexpr int kCharacter = 7;         // width at the size below
constexpr std::size_t kLongest = 44;  // characters of a line; the rest is left out

struct Placed {
  std::vector<std::string> lines;
  int layer = 0, width = 0, x = 0, y = 0;
  double wish = 0;  // where its inputs would have it
};

std::string shortened(const std::string& text) {
  return text.size() <= kLongest ? text : text.substr(0, kLongest - 3) + "...";
}

// Each box one layer below its lowest input; within a layer in the order of their inputs' places.
std::vector<Placed> layout(const GraphView& view, int* width, int* height) {
  std::vector<Placed> places(view.boxes.size());
  std::vector<std::vector<std::size_t>> layers;
  for (std::size_t i = 0; i < view.boxes.size(); ++i) {
    const Box& box = view.boxes[i];
    Placed& p = places[i];
    p.lines = {box.title, shortened(box.detail), shortened(joined(box.results))};
    std::size_t longest = 8;
    for (const std::string& line : p.lines) longest = std::max(longest, line.size());
    p.width = static_cast<int>(longest) * kCharacter + 20;
    for (const Box::Arrow& arrow : box.inputs) {
      p.layer = std::max(p.layer, places[static_cast<std::size_t>(arrow.box)].layer + 1);
    }
    layers.resize(std::max(layers.size(), static_cast<std::size_t>(p.layer) + 1));
  }
  // An input stands just above its first user.
  for (std::size_t i = view.boxes.size(); i-- > 0;) {
    for (const Box::Arrow& arrow : view.boxes[i].inputs) {
      const auto from = static_cast<std::size_t>(arrow.box);
      if (view.boxes[from].kind == Box::Kind::input) places[from].layer = places[i].layer - 1;
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    layers[static_cast<std::size_t>(places[i].layer)].push_back(i);
  }
  *width = 0;
  int y = kMargin;
  for (auto& layer : layers) {
    for (const std::size_t i : layer) {
      const auto& inputs = view.boxes[i].inputs;
      double sum = 0;
      for (const Box::Arrow& arrow : inputs) {
        const Placed& from = places[static_cast<std::size_t>(arrow.box)];
        sum += from.x + from.width / 2.0;
      }
      places[i].wish = inputs.empty() ? 1e9 : sum / static_cast<double>(inputs.size());
    }
    std::stable_sort(layer.begin(), layer.end(),
                     [&](std::size_t a, std::size_t b) { return places[a].wish < places[b].wish; });
    int x = kMargin;
    for (const std::size_t i : layer) {
      Placed& p = places[i];
      if (p.wish < 1e9) x = std::max(x, static_cast<int>(p.wish) - p.width / 2);
      p.x = x;
      p.y = y;
      x += p.width + kBoxGap;
    }
    *width = std::max(*width, x);
    y += kBoxHeight + kLayerGap;
  }
  *width += kMargin - kBoxGap;
  *height = y;
  return places;
}

}  // namespace

void export_to_svg(std::ostream& out, const std::vector<array>& outputs) {
  const GraphView view = graph::view_of(outputs);
  int width = 0, height = 0;
  const std::vector<Placed> places = layout(view, &width, &height);
  out << fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"monospace\" font-size=\"11\" text-anchor=\"middle\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, height);
  for (std::size_t i = 0; i < view.boxes.size(); ++i) {
    const Placed& to = places[i];
    for (const Box::Arrow& arrow : view.boxes[i].inputs) {
      const Placed& from = places[static_cast<std::size_t>(arrow.box)];
      const int x1 = from.x + from.width / 2, y1 = from.y + kBoxHeight;
      const int x2 = to.x + to.width / 2, y2 = to.y;
      out << fmt::format(
          "<path d=\"M{} {} C{} {} {} {} {} {}\" fill=\"none\" stroke=\"#64748b\"/>\n", x1, y1, x1,
          y1 + kLayerGap / 2, x2, y2 - kLayerGap / 2, x2, y2);
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Placed& p = places[i];
    const bool is_output = std::any_of(view.outputs.begin(), view.outputs.end(),
                                       [&](const Box::Arrow& a) { return a.box == int(i); });
    out << fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{}\" stroke=\"{}\"/>\n",
        p.x, p.y, p.width, kBoxHeight, fill_of(view.boxes[i].kind),
        is_output ? "#e11d48" : "#475569");
    for (std::size_t line = 0; line < p.lines.size(); ++line) {
      out << fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", p.x + p.width / 2,
                         p.y + 16 + 15 * static_cast<int>(line),
                         line == 0 ? " font-weight=\"bold\"" : "", escaped(p.lines[line]));
    }
  }
  out << "</svg>\n";
}

}  // namespace tessera
