#include "tessera/text/stop_matcher.h"

#include <gtest/gtest.h>

#include "tessera/core/error.h"

namespace tessera {
namespace {

struct Streamed {
  std::string text;
  bool stopped;
  bool operator==(const Streamed&) const = default;
};

Streamed stream(const std::vector<std::string>& stops, const std::vector<std::string>& pieces) {
  StopMatcher matcher(stops);
  std::string out;
  for (const std::string& piece : pieces) {
    out += matcher.push(piece);
    if (matcher.finished()) break;
  }
  out += matcher.finish();
  return {out, matcher.finished()};
}

TEST(StopMatcher, FindsAStopStringOverSeveralPieces) {
  EXPECT_EQ(stream({"beta gamma"}, {"alpha ", "be", "ta gam", "ma delta"}),
            (Streamed{"alpha ", true}));
  EXPECT_EQ(stream({"own fox"}, {"The quick br", "own", " fox"}), (Streamed{"The quick br", true}));
}

TEST(StopMatcher, KeepsWhatStandsBeforeTheStopInOnePiece) {
  EXPECT_EQ(stream({"\n"}, {"?", "\n"}), (Streamed{"?", true}));
  EXPECT_EQ(stream({"\n"}, {"?\nBob"}), (Streamed{"?", true}));
}

TEST(StopMatcher, FindsAStopThatBeginsInsideAFailedAttempt) {
  EXPECT_EQ(stream({"aab"}, {"aa", "ab"}), (Streamed{"a", true}));
}

TEST(StopMatcher, ReleasesHeldTextThatDidNotComplete) {
  EXPECT_EQ(stream({"beta gamma"}, {"be", "ta x"}), (Streamed{"beta x", false}));
  EXPECT_EQ(stream({"nope"}, {"no"}), (Streamed{"no", false}));
}

TEST(StopMatcher, TheEarliestStartWins) {
  EXPECT_EQ(stream({"b", "ab"}, {"xab"}), (Streamed{"x", true}));
  EXPECT_EQ(stream({"b", "ab"}, {"x", "a", "b"}), (Streamed{"x", true}));
  // "bc" is whole, but "abcd" began before it and may still complete.
  EXPECT_EQ(stream({"bc", "abcd"}, {"xabc", "d"}), (Streamed{"x", true}));
  EXPECT_EQ(stream({"bc", "abcd"}, {"xabc", "e"}), (Streamed{"xa", true}));
  EXPECT_EQ(stream({"bc", "abcd"}, {"xabc"}), (Streamed{"xa", true}));
}

TEST(StopMatcher, HoldsACharacterSplitOverPieces) {
  EXPECT_EQ(stream({"\xF0\x9F\x98\xB8"}, {"hi ", "\xF0\x9F", "\x98\xB8"}), (Streamed{"hi ", true}));
}

TEST(StopMatcher, GivesEachByteOnceAsSoonAsItIsSafe) {
  StopMatcher matcher({"stop"});
  EXPECT_EQ(matcher.push("a st"), "a ");
  EXPECT_EQ(matcher.push("a"), "sta");
  EXPECT_EQ(matcher.push("sto"), "");
  EXPECT_EQ(matcher.push("p tail"), "");
  EXPECT_TRUE(matcher.finished());
  EXPECT_EQ(matcher.matched(), 0);
  EXPECT_EQ(matcher.push("more"), "");
  EXPECT_EQ(matcher.finish(), "");
}

TEST(StopMatcher, AnyCutOfTheTextGivesTheSame) {
  const std::string text = "aabaabaaabab<end>tail";
  const std::vector<std::vector<std::string>> lists = {
      {"aaab"}, {"<end>"}, {"bab", "aabab"}, {"abaabaaab", "baaa"}, {"x", "y", "z", "w"}};
  for (const auto& stops : lists) {
    const Streamed whole = stream(stops, {text});
    for (std::size_t i = 0; i <= text.size(); ++i) {
      for (std::size_t j = i; j <= text.size(); ++j) {
        EXPECT_EQ(stream(stops, {text.substr(0, i), text.substr(i, j - i), text.substr(j)}), whole);
      }
    }
  }
}

TEST(StopMatcher, RefusesAnEmptyStopString) {
  try {
    const StopMatcher matcher({"a", ""});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_EQ(error.where(), "stop");
  }
}

TEST(StopMatcher, WithoutStopStringsPassesEverythingOn) {
  EXPECT_EQ(stream({}, {"a", "b"}), (Streamed{"ab", false}));
  EXPECT_EQ(stream({"a", "b", "c", "d"}, {"xyd"}), (Streamed{"xy", true}));
}

}  // namespace
}  // namespace tessera
