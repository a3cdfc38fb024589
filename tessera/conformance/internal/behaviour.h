// Checks that are not about one op's numbers: the contract's rules on lifetime, memory, errors and
// threads. Each runs on the thread's current backend.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/core/host_tensor.h"
#include "tessera/ir/array.h"

namespace tessera::conformance {

/// Thrown by a behaviour that does not hold.
struct NotSo {
  std::string what;
};

template <class... Args>
void expect(bool holds, fmt::format_string<Args...> otherwise, Args&&... args) {
  if (!holds) throw NotSo{fmt::format(otherwise, std::forward<Args>(args)...)};
}

/// Shape, dtype and every bit.
void expect_equal(const array& got, const HostTensor& want, std::string_view what);
/// The call throws Error, and its text has every one of the words.
void expect_refused(const std::function<void()>& call, const std::vector<std::string>& words);

struct Behaviour {
  std::string name;  ///< "memory is flat over 50 rounds"
  void (*run)();
};

/// By group, without the "behaviour/".
using Behaviours = std::map<std::string, std::vector<Behaviour>>;
const Behaviours& behaviours();

std::vector<Behaviour> lifetime_behaviours();
std::vector<Behaviour> transfer_behaviours();
std::vector<Behaviour> error_behaviours();
std::vector<Behaviour> thread_behaviours();
std::vector<Behaviour> shape_behaviours();
std::vector<Behaviour> sharing_behaviours();
std::vector<Behaviour> gradient_behaviours();

}  // namespace tessera::conformance
