// What tests of single calls say: the values that came out, the call that was refused.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tessera/core/error.h"
#include "tessera/ir/array.h"

namespace tessera::testing {

template <class T>
std::vector<T> values(const array& a) {
  const auto v = a.to_host().values<T>();
  return {v.begin(), v.end()};
}

/// What the Error of a call says.
inline std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was refused";
}

}  // namespace tessera::testing

/// The call throws an Error whose message has the word.
#define EXPECT_REFUSED(call, word)                                                \
  do {                                                                            \
    const std::string message = ::tessera::testing::refusal([&] { call; });       \
    EXPECT_NE(message.find(word), std::string::npos) << #call << ": " << message; \
  } while (false)
