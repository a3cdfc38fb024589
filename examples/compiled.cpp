// compile: a layer norm written op by op, traced and fused. Prints both graphs, checks that they
// give the same bits, and says what each reads and writes.
//
//   compiled [BEFORE.svg AFTER.svg]        pictures of the graphs, too
#include <cstring>
#include <fstream>
#include <iostream>

#include "tessera/tessera.h"

using tessera::array;
using tessera::Arrays;

namespace {

Arrays layer_norm(const Arrays& in) {
  const array centred = in[0] - tessera::mean(in[0], -1, true);
  const array variance = tessera::mean(tessera::square(centred), -1, true);
  return {centred * tessera::rsqrt(variance + 1e-5f) * in[1] + in[2]};
}

std::uint64_t moved_bytes(const tessera::ArraysFn& fun, const Arrays& inputs) {
  const std::uint64_t before = tessera::current_backend()->memory().moved_bytes;
  tessera::eval(fun(inputs));
  return tessera::current_backend()->memory().moved_bytes - before;
}

}  // namespace

int main(int argc, char** argv) {
  const Arrays inputs{tessera::random::normal({512, 1024}), tessera::random::normal({1024}),
                      tessera::random::normal({1024})};
  tessera::eval(inputs);
  const tessera::ArraysFn fast = tessera::compile(layer_norm);

  const Arrays before = layer_norm(inputs);
  const Arrays after = fast(inputs);
  tessera::print_graph(std::cout, before);
  std::cout << '\n';
  tessera::print_graph(std::cout, after);
  if (argc > 2) {
    std::ofstream before_file(argv[1]), after_file(argv[2]);
    tessera::export_to_svg(before_file, before);
    tessera::export_to_svg(after_file, after);
  }

  const bool same =
      std::memcmp(before[0].data<float>(), after[0].data<float>(), before[0].nbytes()) == 0;
  std::cout << '\n'
            << moved_bytes(layer_norm, inputs) << " bytes moved op by op, "
            << moved_bytes(fast, inputs) << " compiled\n"
            << (same ? "the same bits" : "different bits") << '\n';
  return same ? 0 : 1;
}
