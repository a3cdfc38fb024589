// Every layer: the parameters it starts with, what it computes and what it changes, as in MLX.
#include <gtest/gtest.h>

#include <functional>

#include "tessera/nn/nn.h"
#include "tessera/ops/ops.h"
#include "tests/nn/golden_file.h"
#include "tests/ops/expect.h"

namespace tessera::nn {
namespace {

using testing::expect_close;
using testing::GoldenFile;
using Inputs = std::vector<array>;

struct LayerCase {
  std::function<std::unique_ptr<Module>()> make;
  std::function<std::vector<array>(Module& layer, const Inputs& in)> call;
  bool training = true;
};

std::vector<array> as_list(const array& a) {
  return {a};
}
std::vector<array> as_list(const std::pair<array, array>& pair) {
  return {pair.first, pair.second};
}

// A layer of type L that `make` gives; `call` gets it and its inputs.
template <class Make, class Call>
LayerCase layer(Make make, Call call, bool training = true) {
  using L = std::invoke_result_t<Make>;
  return {[=] { return std::make_unique<L>(make()); },
          [=](Module& m, const Inputs& in) { return as_list(call(dynamic_cast<L&>(m), in)); },
          training};
}
// Called with all its inputs, in turn.
template <class Make>
LayerCase layer(Make make, bool training = true) {
  return layer(
      make,
      [](auto& m, const Inputs& in) {
        using L = decltype(m);
        if constexpr (std::is_invocable_v<L, array, array, array, array>) {
          if (in.size() == 4) return m(in[0], in[1], in[2], in[3]);
        }
        if constexpr (std::is_invocable_v<L, array, array, array>) {
          if (in.size() == 3) return m(in[0], in[1], in[2]);
        }
        if constexpr (std::is_invocable_v<L, array, array>) {
          if (in.size() == 2) return m(in[0], in[1]);
        }
        if constexpr (std::is_invocable_v<L, array>) return m(in[0]);
        throw std::logic_error("no such call");
      },
      training);
}

const array& causal() {
  static const array mask = MultiHeadAttention::create_additive_causal_mask(3);
  return mask;
}

std::map<std::string, LayerCase> linear_cases() {
  return {
      {"linear", layer([] { return Linear(8, 5); })},
      {"linear_no_bias", layer([] { return Linear(8, 5, false); })},
      {"bilinear", layer([] { return Bilinear(8, 3, 5); })},
      {"bilinear_no_bias", layer([] { return Bilinear(8, 3, 5, false); })},
      {"embedding", layer([] { return Embedding(10, 8); },
                          [](Embedding& m, const Inputs& in) { return m(in[0]); })},
      {"embedding_as_linear",
       layer([] { return Embedding(10, 8); },
             [](Embedding& m, const Inputs& in) { return m.as_linear(in[0]); })},
      {"sequential", layer([] {
         return Sequential{Linear(8, 6), relu, LayerNorm(6), Linear(6, 2)};
       })},
      {"prelu", layer([] { return PReLU(8); })},
      {"gelu_module", layer([] { return GELU("fast"); })},
  };
}

std::map<std::string, LayerCase> quantized_cases() {
  const auto embedding_call = [](QuantizedEmbedding& m, const Inputs& in) {
    return m(in[0], float32);
  };
  const auto as_linear_call = [](QuantizedEmbedding& m, const Inputs& in) {
    return m.as_linear(in[0]);
  };
  const auto affine_table = [] { return QuantizedEmbedding(6, 64, 32, 4); };
  const auto float_table = [] {
    return QuantizedEmbedding(6, 64, std::nullopt, std::nullopt, "mxfp8");
  };
  return {
      {"quantized_linear_affine", layer([] { return QuantizedLinear(64, 5, true, 32, 4); })},
      {"quantized_linear_mxfp8",
       layer([] { return QuantizedLinear(64, 5, true, std::nullopt, std::nullopt, "mxfp8"); })},
      {"quantized_embedding_affine", layer(affine_table, embedding_call)},
      {"quantized_embedding_mxfp8", layer(float_table, embedding_call)},
      {"quantized_as_linear_affine", layer(affine_table, as_linear_call)},
      {"quantized_as_linear_mxfp8", layer(float_table, as_linear_call)},
      {"quantized_net", layer([] {
         Sequential net{Linear(64, 32), relu, Linear(32, 4)};
         quantize(net,
                  {.group_size = 32, .bits = 8, .predicate = [](const std::string& path, Module&) {
                     return path == "layers.0";
                   }});
         return net;
       })},
  };
}

std::map<std::string, LayerCase> convolution_cases() {
  return {
      {"conv1d", layer([] {
         return Conv1d(4, 6, 3, {.stride = 2, .padding = 1, .dilation = 2, .groups = 2});
       })},
      {"conv1d_no_bias", layer([] { return Conv1d(4, 6, 3, {.bias = false}); })},
      {"conv2d", layer([] {
         return Conv2d(4, 6, {3, 2}, {.stride = {2, 1}, .padding = {1, 0}, .groups = 2});
       })},
      {"conv2d_square", layer([] { return Conv2d(3, 5, 3, {.padding = 1}); })},
      {"conv3d", layer([] {
         return Conv3d(2, 3, {2, 3, 2}, {.stride = {1, 2, 1}, .padding = 1});
       })},
      {"conv_transpose1d", layer([] {
         return ConvTranspose1d(4, 3, 3, {.stride = 2, .padding = 1, .output_padding = 1});
       })},
      {"conv_transpose2d", layer([] {
         return ConvTranspose2d(3, 2, {3, 2},
                                {.stride = 2, .padding = {1, 0}, .output_padding = {1, 0}});
       })},
      {"conv_transpose3d",
       layer([] { return ConvTranspose3d(2, 2, 2, {.stride = 2, .bias = false}); })},
      {"max_pool1d", layer([] { return MaxPool1d(2); })},
      {"max_pool2d", layer([] {
         return MaxPool2d({3, 2}, Spatial<2>{2, 1}, {1, 0});
       })},
      {"max_pool3d", layer([] { return MaxPool3d(2, Spatial<3>(1)); })},
      {"avg_pool1d", layer([] { return AvgPool1d(3, Spatial<1>(2), 1); })},
      {"avg_pool2d", layer([] { return AvgPool2d(2); })},
      {"avg_pool3d", layer([] {
         return AvgPool3d({1, 2, 3}, Spatial<3>(2));
       })},
      {"upsample_nearest", layer([] { return Upsample(2); })},
      {"upsample_linear", layer([] {
         return Upsample({1.5, 2.0}, {.mode = "linear", .align_corners = true});
       })},
      {"upsample_cubic", layer([] { return Upsample(0.5, {.mode = "cubic", .antialias = true}); })},
  };
}

std::map<std::string, LayerCase> norm_cases() {
  std::map<std::string, LayerCase> out{
      {"rms_norm", layer([] { return RMSNorm(8); })},
      {"layer_norm", layer([] { return LayerNorm(8); })},
      {"layer_norm_no_bias", layer([] { return LayerNorm(8, 1e-5f, true, false); })},
      {"layer_norm_plain", layer([] { return LayerNorm(8, 1e-3f, false); })},
      {"group_norm", layer([] { return GroupNorm(4, 8); })},
      {"group_norm_pytorch", layer([] { return GroupNorm(2, 8, 1e-5f, true, true); })},
      {"group_norm_plain", layer([] { return GroupNorm(4, 8, 1e-5f, false); })},
      {"instance_norm", layer([] { return InstanceNorm(8, 1e-5f, true); })},
      {"instance_norm_plain", layer([] { return InstanceNorm(8); })},
      {"batch_norm_twice", layer([] { return BatchNorm(8); },
                                 [](BatchNorm& m, const Inputs& in) {
                                   const array first = m(in[0]);
                                   return std::pair(first, m(in[1]));
                                 })},
  };
  for (const bool training : {true, false}) {
    const std::string mode = training ? "train" : "eval";
    out["batch_norm_" + mode] = layer([] { return BatchNorm(8); }, training);
    out["batch_norm_plain_" + mode] =
        layer([] { return BatchNorm(8, {.momentum = 0.3, .affine = false}); }, training);
    out["batch_norm_untracked_" + mode] =
        layer([] { return BatchNorm(8, {.track_running_stats = false}); }, training);
  }
  return out;
}

std::map<std::string, LayerCase> sequence_cases() {
  std::map<std::string, LayerCase> out{
      {"rnn", layer([] { return RNN(8, 5); })},
      {"rnn_hidden", layer([] { return RNN(8, 5, false, relu); })},
      {"gru", layer([] { return GRU(8, 5); })},
      {"gru_hidden", layer([] { return GRU(8, 5); })},
      {"gru_no_bias", layer([] { return GRU(8, 5, false); })},
      {"lstm", layer([] { return LSTM(8, 5); })},
      {"lstm_hidden", layer([] { return LSTM(8, 5, false); })},
      {"attention", layer([] { return MultiHeadAttention(8, 2); })},
      {"attention_mask", layer([] { return MultiHeadAttention(8, 2, {.bias = true}); })},
      {"attention_dims", layer([] {
         return MultiHeadAttention(8, 2,
                                   {.query_input_dims = 4,
                                    .key_input_dims = 6,
                                    .value_dims = 12,
                                    .value_output_dims = 10});
       })},
      {"transformer",
       layer([] { return Transformer(8, 2, 1, 1, {.mlp_dims = 12, .activation = nn::GELU()}); },
             [](Transformer& m, const Inputs& in) {
               return m(in[0], in[1], std::nullopt, causal());
             })},
      {"transformer_dropout",
       layer([] { return TransformerEncoder(1, 8, 2, {.mlp_dims = 12, .dropout = 0.3}); })},
      {"rope", layer([] { return RoPE(6); })},
      {"rope_traditional", layer([] { return RoPE(8, true, 100.0f, 0.5f); },
                                 [](RoPE& m, const Inputs& in) { return m(in[0], 3); })},
      {"sinusoidal", layer([] { return SinusoidalPositionalEncoding(8); })},
      {"sinusoidal_options", layer([] {
         return SinusoidalPositionalEncoding(
             6,
             {.min_freq = 0.01, .max_freq = 2, .scale = 1, .cos_first = true, .full_turns = true});
       })},
      {"sinusoidal_two", layer([] { return SinusoidalPositionalEncoding(2); })},
      {"alibi", layer([] { return ALiBi(); })},
      {"alibi_six_heads", layer([] { return ALiBi(); },
                                [](ALiBi& m, const Inputs& in) { return m(in[0], 2, in[1]); })},
      {"dropout", layer([] { return Dropout(0.4); })},
      {"dropout_eval", layer([] { return Dropout(0.4); }, false)},
      {"dropout2d", layer([] { return Dropout2d(0.4); })},
      {"dropout2d_one", layer([] { return Dropout2d(); })},
      {"dropout3d", layer([] { return Dropout3d(0.2); })},
  };
  for (const bool first : {true, false}) {
    const std::string end = first ? "" : "_norm_last";
    out["encoder" + end] =
        layer([=] { return TransformerEncoder(2, 8, 2, {.mlp_dims = 12, .norm_first = first}); });
    out["decoder" + end] =
        layer([=] { return TransformerDecoder(1, 8, 2, {.norm_first = first}); },
              [](TransformerDecoder& m, const Inputs& in) { return m(in[0], in[1], causal()); });
  }
  return out;
}

const std::map<std::string, LayerCase>& all_cases() {
  static const std::map<std::string, LayerCase> cases = [] {
    std::map<std::string, LayerCase> all;
    for (auto part :
         {linear_cases(), quantized_cases(), convolution_cases(), norm_cases(), sequence_cases()}) {
      all.merge(part);
    }
    return all;
  }();
  return cases;
}

class Layers : public ::testing::TestWithParam<std::string> {
 protected:
  static const GoldenFile& golden() {
    static const GoldenFile file("layers");
    return file;
  }
  static Inputs inputs_of(const std::string& name) {
    Inputs in;
    while (golden().has(name + "/in." + std::to_string(in.size()))) {
      in.push_back(golden().get(name + "/in." + std::to_string(in.size())));
    }
    return in;
  }
};

TEST_P(Layers, AreThoseOfMlx) {
  const std::string& name = GetParam();
  const LayerCase& c = all_cases().at(name);
  random::seed(7);
  const std::unique_ptr<Module> module = c.make();
  const bool quantized = name.starts_with("quantized");
  expect_close(module->parameters(), golden().below(name + "/init."), 1e-6f, name + " starts with");

  const Parameters before = golden().below(name + "/param.");
  module->load_weights(before);
  module->train(c.training);
  random::seed(11);
  const std::vector<array> out = c.call(*module, inputs_of(name));
  for (std::size_t i = 0; i < out.size(); ++i) {
    expect_close(out[i], golden().get(name + "/out." + std::to_string(i)),
                 quantized ? 3e-6f : 2e-6f, name);
  }
  Parameters want = golden().below(name + "/after.");
  for (const auto& [key, value] : before) want.emplace(key, value);
  expect_close(module->parameters(), want, 2e-6f, name + " leaves");
}

TEST_P(Layers, HaveTheGradientsOfMlx) {
  const std::string& name = GetParam();
  const LayerCase& c = all_cases().at(name);
  const std::unique_ptr<Module> module = c.make();
  module->load_weights(golden().below(name + "/param."));
  module->train(c.training);
  const Inputs inputs = inputs_of(name);
  // sum(out * weight) for the golden's weights.
  const auto loss = [&](const Inputs& in) {
    random::seed(11);
    array total(0.0f);
    const std::vector<array> out = c.call(*module, in);
    for (std::size_t i = 0; i < out.size(); ++i) {
      total = total + sum(out[i] * golden().get(name + "/weight." + std::to_string(i)));
    }
    return total;
  };
  const float tolerance = name.starts_with("quantized") ? 1e-5f : 5e-6f;
  Parameters got;
  if (!module->trainable_parameters().empty()) {
    got = value_and_grad(*module, [&] { return loss(inputs); })().second;
    module->load_weights(golden().below(name + "/param."));
  }
  std::vector<int> floating;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (is_floating(inputs[i].dtype())) floating.push_back(static_cast<int>(i));
  }
  if (!floating.empty()) {
    const Arrays by_inputs = grad(ScalarFn(loss), floating)(inputs);
    for (std::size_t i = 0; i < floating.size(); ++i) {
      got.emplace("in." + std::to_string(floating[i]), by_inputs[i]);
    }
  }
  const Parameters want = golden().below(name + "/grad.");
  ASSERT_EQ(got.size(), want.size());
  // Beside the largest of all: some are zero but for rounding (a bias that softmax cancels).
  float largest = 0;
  for (const auto& [key, value] : want) {
    largest = std::max(largest, max(abs(value)).item<float>());
  }
  for (const auto& [key, value] : want) {
    ASSERT_EQ(got.at(key).shape(), value.shape()) << name << " " << key;
    EXPECT_LE(testing::max_difference(got.at(key), value.to_host()), tolerance * largest)
        << name << " " << key;
  }
}

INSTANTIATE_TEST_SUITE_P(, Layers, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& [name, c] : all_cases()) names.push_back(name);
                           return names;
                         }()),
                         [](const auto& info) { return info.param; });

TEST(LayerGoldens, AllHaveATest) {
  for (const std::string& name : GoldenFile("layers").cases()) {
    EXPECT_TRUE(all_cases().contains(name)) << name;
  }
}

TEST(AlibiSlopes, AreGeometric) {
  const array slopes = ALiBi::create_alibi_slope(8);
  EXPECT_EQ(testing::values<float>(slopes),
            (std::vector<float>{0.5f, 0.25f, 0.125f, 0.0625f, 0.03125f, 0.015625f, 0.0078125f,
                                0.00390625f}));
}

TEST(CausalMask, IsTheDtypesLowestNumberAboveTheDiagonal) {
  for (const Dtype dtype : {float16, bfloat16, float32}) {
    const array mask = MultiHeadAttention::create_additive_causal_mask(2, dtype);
    EXPECT_EQ(mask.dtype(), dtype);
    const std::vector<float> v = testing::values<float>(astype(mask, float32));
    EXPECT_EQ(v[0], 0);
    EXPECT_LT(v[1], -6e4f);
    EXPECT_TRUE(std::isfinite(v[1]));
    EXPECT_EQ(v[2], 0);
  }
  EXPECT_REFUSED(MultiHeadAttention::create_additive_causal_mask(2, int32), "floating");
}

TEST(DropoutLayer, KeepsTheMeanAndDropsWholeChannels) {
  random::seed(3);
  const array kept = Dropout(0.25)(ones({100, 100}));
  EXPECT_NEAR(mean(kept).item<float>(), 1.0f, 0.03f);
  const array channels = Dropout2d(0.5)(ones({1, 3, 3, 40}));
  const array lowest = min(channels, {1, 2}), highest = max(channels, {1, 2});
  EXPECT_TRUE(all(lowest == highest).item<bool>());
}

TEST(LayerRefusals, NameBadSizesAndInputs) {
  EXPECT_REFUSED(Linear(0, 3), "features");
  EXPECT_REFUSED(Embedding(3, -1), "features");
  EXPECT_REFUSED(Bilinear(0, 2, 2), "features");
  EXPECT_REFUSED(Bilinear(3, 2, 2)(zeros({4, 3}), zeros({5, 2})), "[5, 2]");
  EXPECT_REFUSED(Conv2d(4, 2, 3, {.groups = 3}), "groups");
  EXPECT_REFUSED((Conv2d(4, 2, {3, 3, 3})), "values");
  EXPECT_REFUSED(RMSNorm(4, 0.0f), "eps");
  EXPECT_REFUSED(LayerNorm(0), "features");
  EXPECT_REFUSED(GroupNorm(3, 4), "groups");
  EXPECT_REFUSED(InstanceNorm(4)(zeros({2, 4})), "[2, 4]");
  EXPECT_REFUSED(BatchNorm(4)(zeros({1, 4})), "single value");
  EXPECT_REFUSED(BatchNorm(4)(zeros({4})), "axes");
  EXPECT_REFUSED(Dropout(1.0), "[0, 1)");
  EXPECT_REFUSED(Dropout2d()(zeros({4, 4})), "axes");
  EXPECT_REFUSED(RNN(3, 0), "hidden");
  EXPECT_REFUSED(GRU(3, 2)(zeros({2, 4})), "[2, 4]");
  EXPECT_REFUSED(LSTM(3, 2)(zeros({0, 3})), "step");
  EXPECT_REFUSED(MultiHeadAttention(7, 2), "heads");
  EXPECT_REFUSED(MultiHeadAttention(8, 2)(zeros({3, 8}), zeros({3, 8}), zeros({3, 8})), "[3, 8]");
  EXPECT_REFUSED(SinusoidalPositionalEncoding(3), "even");
  EXPECT_REFUSED(ALiBi()(zeros({3, 3})), "[3, 3]");
  EXPECT_REFUSED(ALiBi::create_alibi_slope(0), "heads");
  EXPECT_REFUSED(Upsample(2, {.mode = "smooth"}), "smooth");
  EXPECT_REFUSED(Upsample(2, {.antialias = true}), "antialias");
  EXPECT_REFUSED(QuantizedLinear(10, 3), "64");
}

}  // namespace
}  // namespace tessera::nn
