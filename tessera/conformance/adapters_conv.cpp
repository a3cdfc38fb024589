// Convolutions and group normalisation.
#include "tessera/conformance/internal/adapters.h"

#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

array call_conv_general(const GoldenCase& c) {
  const nlohmann::json& a = c.attrs;
  return conv_general(c.input(0), c.input(1), a["stride"].get<std::vector<int>>(),
                      a["padding"][0].get<std::vector<int>>(),
                      a["padding"][1].get<std::vector<int>>(),
                      a["kernel_dilation"].get<std::vector<int>>(),
                      a["input_dilation"].get<std::vector<int>>(), a["groups"], a["flip"]);
}

// An attribute of one size per axis; MLX's default where the case leaves it out.
template <class Sizes>
Sizes sizes(const GoldenCase& c, const char* name, const Sizes& missing) {
  return c.attrs.contains(name) ? c.attrs[name].get<Sizes>() : missing;
}

// The functions of one rank; ones and zeros are its defaults.
template <class Sizes, class Conv>
Adapter plain(Conv fn, Sizes ones, Sizes zeros) {
  return [=](const GoldenCase& c) {
    return fn(c.input(0), c.input(1), sizes(c, "stride", ones), sizes(c, "padding", zeros),
              sizes(c, "dilation", ones), c.attrs.value("groups", 1));
  };
}
template <class Sizes, class Conv>
Adapter transposed(Conv fn, Sizes ones, Sizes zeros) {
  return [=](const GoldenCase& c) {
    return fn(c.input(0), c.input(1), sizes(c, "stride", ones), sizes(c, "padding", zeros),
              sizes(c, "dilation", ones), sizes(c, "output_padding", zeros),
              c.attrs.value("groups", 1));
  };
}

}  // namespace

void add_conv(Adapters& table) {
  using Two = std::pair<int, int>;
  using Three = std::tuple<int, int, int>;
  table.insert({
      {"conv_general", call_conv_general},
      {"conv1d", plain<int>(conv1d, 1, 0)},
      {"conv2d", plain<Two>(conv2d, {1, 1}, {0, 0})},
      {"conv3d", plain<Three>(conv3d, {1, 1, 1}, {0, 0, 0})},
      {"conv_transpose1d", transposed<int>(conv_transpose1d, 1, 0)},
      {"conv_transpose2d", transposed<Two>(conv_transpose2d, {1, 1}, {0, 0})},
      {"conv_transpose3d", transposed<Three>(conv_transpose3d, {1, 1, 1}, {0, 0, 0})},
      {"group_norm",
       [](const GoldenCase& c) {
         return group_norm(c.input(0), c.attrs["num_groups"], c.optional_input(1),
                           c.optional_input(2), c.attrs["eps"], c.attrs["pytorch_compatible"]);
       }},
  });
}

}  // namespace tessera::conformance
