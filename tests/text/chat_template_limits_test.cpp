// Hostile templates end in an Error: no crash, no hang, no memory in proportion to what they ask.
#include <gtest/gtest.h>

#include <string>

#include "tessera/core/error.h"
#include "tessera/text/chat_template.h"

namespace tessera {
namespace {

std::string repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

void expect_refused(const std::string& source, const std::string& context = "{}") {
  try {
    ChatTemplate(source).render_json(context);
    FAIL() << "accepted: " << source.substr(0, 200);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_format) << error.what();
  }
}

TEST(ChatTemplateLimits, LoopsWithoutEndUseUpTheBudget) {
  expect_refused(
      "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{{ c }}"
      "{% endfor %}{% endfor %}{% endfor %}");
  expect_refused("{% for a in range(99999) recursive %}{{ loop(range(99999)) }}{% endfor %}");
  expect_refused("{{ range(100001) }}");
}

TEST(ChatTemplateLimits, RecursionIsBounded) {
  expect_refused("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}");
  expect_refused(
      "{% macro a(x) %}{{ b(x + 1) }}{% endmacro %}{% macro b(x) %}{% if x %}{{ a(x) }}{% endif "
      "%}{% endmacro %}{{ a(1) }}");
  expect_refused("{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}");
  expect_refused("{% macro m() %}{% call m() %}{% endcall %}{% endmacro %}{{ m() }}");
}

TEST(ChatTemplateLimits, NestedSyntaxIsBounded) {
  for (int n : {1000, 100000}) {
    expect_refused("{{ " + repeat("(", n) + "1" + repeat(")", n) + " }}");
    expect_refused("{{ " + repeat("[", n) + repeat("]", n) + " }}");
    expect_refused("{{ " + repeat("not ", n) + "1 }}");
    expect_refused("{{ " + repeat("-", n) + "1 }}");
    expect_refused("{{ 1" + repeat(" + 1", n) + " }}");
    expect_refused("{{ 1" + repeat(" or 1", n) + " }}");
    expect_refused("{{ x" + repeat(".x", n) + " }}");
    expect_refused("{{ x" + repeat("|e", n) + " }}");
    expect_refused("{{ x" + repeat(" if x else x", n) + " }}");
    expect_refused("{{ x" + repeat(" is x is x", n) + " }}");
    expect_refused(repeat("{% if 1 %}", n) + repeat("{% endif %}", n));
    expect_refused(repeat("{% for x in y %}", n));
    expect_refused("{% set " + repeat("(", n) + "x" + repeat(")", n) + " = 1 %}");
    expect_refused("{% filter e" + repeat("|e", n) + " %}{% endfilter %}");
  }
}

TEST(ChatTemplateLimits, StringsAndListsCannotGrowWithoutEnd) {
  expect_refused("{{ 'a' * 1000000000000 }}");
  expect_refused("{{ 'abc' * 9223372036854775807 }}");
  expect_refused("{{ [1, 2] * 9223372036854775807 }}");
  expect_refused("{{ ([1] * 100000) * 100000 }}");
  expect_refused(
      "{% set ns = namespace(s='ab') %}{% for i in range(90000) %}{% set ns.s = ns.s ~ ns.s %}"
      "{% endfor %}");
  expect_refused(
      "{% set ns = namespace(l=[1]) %}{% for i in range(90000) %}{% set ns.l = ns.l + ns.l %}"
      "{% endfor %}");
  expect_refused("{{ 'a' | center(9999999999) }}");
  expect_refused("{{ 'a'.ljust(9999999999) }}");
  expect_refused("{{ '%9999999999d' % 1 }}");
  expect_refused("{{ '%*d' % (9999999999, 1) }}");
  expect_refused("{{ '{:9999999999}'.format(1) }}");
  expect_refused("{{ ('a' * 100000) | replace('', 'b' * 100000) }}");
  expect_refused("{{ ('a\\n' * 100000) | indent(100000) }}");
  expect_refused("{{ 'x' | indent(99999999999, true) }}");
  expect_refused("{{ [1] | batch(99999999999, 0) | list }}");
  expect_refused("{{ [] | slice(99999999999) | list }}");
  expect_refused("{{ [[1]] | tojson(indent=9999999999) }}");
}

TEST(ChatTemplateLimits, SharedNestingCannotMultiplyTheWork) {
  const std::string doubled =
      "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}"
      "{% endfor %}";
  expect_refused(doubled + "{{ ns.x }}");
  expect_refused(doubled + "{{ ns.x | tojson }}");
  expect_refused(doubled + "{% set a = ns.x %}" + doubled + "{{ a == ns.x }}");
}

TEST(ChatTemplateLimits, NestedValuesAreBounded) {
  for (const char* wrap : {"[ns.x]", "(ns.x,)", "{'k': ns.x}", "[ns.x] | select", "cycler(ns.x)",
                           "joiner(ns.x)", "{'k': ns.x}.values()", "[ns.x].count"}) {
    SCOPED_TRACE(wrap);
    expect_refused(
        std::string("{% set ns = namespace(x=1) %}{% for i in range(90000) %}{% set ns.x = ") +
        wrap + " %}{% endfor %}");
  }
}

TEST(ChatTemplateLimits, CyclesThroughNamespacesMacrosAndLoopsAreLetGo) {
  const std::string source =
      "{% set ns = namespace() %}{% set ns.me = ns %}{% set ns.list = [ns] %}"
      "{% for i in range(500) %}{% macro m() %}{{ ns }}{% endmacro %}{% set ns.m = m %}"
      "{% set inner = namespace(outer=ns, before=ns.last) %}{% set ns.last = inner %}"
      "{% set ns.loop = loop %}{% endfor %}done";
  EXPECT_EQ(ChatTemplate(source).render_json("{}"), "done");
  expect_refused("{% set ns = namespace() %}{% set ns.me = ns %}{{ ns }}");
  expect_refused("{% set ns = namespace() %}{% set ns.me = [ns] %}{{ ns.me }}");
}

TEST(ChatTemplateLimits, SearchingIsLinear) {
  // Each of these is quadratic with a naive search.
  const std::string text = "{% set t = 'a' * 1000000 %}{% set n = 'a' * 500000 ~ 'b' %}";
  EXPECT_EQ(ChatTemplate(text + "{{ n in t }}{{ t.find(n) }}{{ t.rfind('b' ~ n) }}{{ t.count(n) }}"
                                "{{ t.split(n) | length }}{{ t.replace(n, '') | length }}")
                .render_json("{}"),
            "False-1-1011000000");
}

TEST(ChatTemplateLimits, IntegersDoNotWrap) {
  expect_refused("{{ 9223372036854775807 + 1 }}");
  expect_refused("{{ -9223372036854775807 - 2 }}");
  expect_refused("{{ 9223372036854775807 * 2 }}");
  expect_refused("{{ 2 ** 64 }}");
  expect_refused("{{ (-9223372036854775807 - 1) // -1 }}");
  expect_refused("{{ 99999999999999999999 }}");
  EXPECT_EQ(
      ChatTemplate("{{ (-9223372036854775807 - 1) % -1 }}{{ [1,2][9223372036854775807:] }}"
                   "{{ 'abc'[::-9223372036854775807] }}{{ [1][-9223372036854775807] is defined }}")
          .render_json("{}"),
      "0[]cFalse");
}

TEST(ChatTemplateLimits, NothingOfThePythonInterpreterIsReachable) {
  for (const char* name : {"__class__", "__init__", "__globals__", "_private", "mro"}) {
    EXPECT_EQ(ChatTemplate(std::string("{{ ''.") + name + " is defined }}{{ range." + name +
                           " is defined }}")
                  .render_json("{}"),
              "FalseFalse");
  }
  expect_refused("{% include 'x' %}");
  expect_refused("{% import 'x' as y %}");
  expect_refused("{% extends 'x' %}");
  expect_refused("{% set ns = namespace() %}{% set ns.__x = 1 %}");
}

}  // namespace
}  // namespace tessera
