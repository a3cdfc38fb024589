#include "tessera/conformance/internal/behaviour.h"

#include <cstring>

#include "tessera/core/error.h"

namespace tessera::conformance {

void expect_equal(const array& got, const HostTensor& want, std::string_view what) {
  const HostTensor& host = got.to_host();
  expect(host.dtype() == want.dtype() && host.shape() == want.shape(), "{}: gave {} {}, not {} {}",
         what, to_string(host.dtype()), to_string(host.shape()), to_string(want.dtype()),
         to_string(want.shape()));
  const std::size_t width = want.dtype().size();
  for (std::size_t at = 0; at < want.nbytes(); at += width) {
    expect(std::memcmp(host.data() + at, want.data() + at, width) == 0,
           "{}: element {} has other bits", what, at / width);
  }
}

void expect_refused(const std::function<void()>& call, const std::vector<std::string>& words) {
  try {
    call();
  } catch (const Error& e) {
    for (const std::string& word : words) {
      expect(std::string_view(e.what()).find(word) != std::string_view::npos,
             "the error does not speak of \"{}\": {}", word, e.what());
    }
    return;
  }
  throw NotSo{fmt::format("nothing was refused; an error about \"{}\" was due", words.front())};
}

const Behaviours& behaviours() {
  static const Behaviours all = {
      {"lifetime", lifetime_behaviours()},  {"transfer", transfer_behaviours()},
      {"errors", error_behaviours()},       {"threads", thread_behaviours()},
      {"shapes", shape_behaviours()},       {"sharing", sharing_behaviours()},
      {"gradients", gradient_behaviours()},
  };
  return all;
}

}  // namespace tessera::conformance
