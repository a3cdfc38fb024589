// Graphs as text and pictures.
#include "tessera/graph/draw.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tessera/graph/compile.h"
#include "tessera/ops/ops.h"

namespace tessera {
namespace {

template <class Fn>
std::string drawn(Fn fn, const Arrays& outputs) {
  std::ostringstream out;
  fn(out, outputs);
  return out.str();
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(Draw, TextHasALineForEachOp) {
  const array x = ones({2, 3});
  x.eval();
  const array y = sum(exp(x), 1, true);
  EXPECT_EQ(drawn(print_graph, {y, x}),
            "%0 = input()  float32 [2, 3]\n"
            "%1 = exp(%0)  float32 [2, 3]\n"
            "%2 = sum(%1) {axes=[1], keepdims=true}  float32 [2, 1]\n"
            "return %2, %0\n");
  EXPECT_FALSE(y.is_available());
}

TEST(Draw, SharedArraysAreDrawnOnce) {
  const array x = ones({4});
  x.eval();
  const array e = exp(x);
  const std::string dot = drawn(export_to_dot, {e * e});
  EXPECT_EQ(count(dot, "label=\"exp"), 1u);
  EXPECT_EQ(count(dot, "n1 -> n2"), 2u);
}

TEST(Draw, FusedOpsSayWhatTheyAre) {
  const UnaryFn fun = compile(UnaryFn([](const array& x) { return tanh(exp(x)) * 2.0f; }));
  const array x = ones({64, 64});
  x.eval();
  EXPECT_NE(drawn(print_graph, {fun(x)}).find("fused(%0, %1) {exp, tanh, multiply}"),
            std::string::npos)
      << drawn(print_graph, {fun(x)});
}

TEST(Draw, SvgHoldsEveryBoxAndOutput) {
  const array x = ones({2, 3});
  x.eval();
  const std::string svg = drawn(export_to_svg, {matmul(x, transpose(x)), exp(x)});
  EXPECT_EQ(count(svg, "<rect "), 1u + 4u);
  EXPECT_EQ(count(svg, "#e11d48"), 2u);
  EXPECT_EQ(count(svg, "<path "), 4u);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

TEST(Draw, ADeepGraphIsNoTrouble) {
  array x = ones({1});
  for (int i = 0; i < 100'000; ++i) x = -x;
  EXPECT_EQ(count(drawn(print_graph, {x}), "negative"), 100'000u);
}

}  // namespace
}  // namespace tessera
