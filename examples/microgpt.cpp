// A GPT of 4,192 parameters learns how names are spelt, and makes some up.
//   microgpt names.txt [STEPS]
// tools/oracles/mlx_microgpt.py is the same program in Python with MLX: it starts from the same
// loss.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "tessera/nn/nn.h"
#include "tessera/nn/optimizers/optimizers.h"
#include "tessera/ops/ops.h"

namespace nn = tessera::nn;
namespace optim = tessera::optimizers;
using tessera::array;

constexpr int kVocabulary = 27;  // the letters, and what begins and ends a name
constexpr int kEnd = 26;
constexpr int kContext = 16, kWidth = 16, kHeads = 4, kBatch = 16;

array normalized(const array& x) {
  return tessera::fast::rms_norm(x, std::nullopt, 1e-5f);
}

struct MicroGpt : nn::Module {
  nn::Embedding tokens{kVocabulary, kWidth}, positions{kContext, kWidth};
  nn::MultiHeadAttention attention{kWidth, kHeads};
  nn::Linear up{kWidth, 4 * kWidth, false}, down{4 * kWidth, kWidth, false};
  nn::Linear head{kWidth, kVocabulary, false};

  // ids [B, T] -> logits [B, T, vocabulary]
  array operator()(const array& ids) const {
    const auto length = static_cast<int>(ids.shape(1));
    const array mask = nn::MultiHeadAttention::create_additive_causal_mask(length);
    array x = normalized(tokens(ids) + positions(tessera::arange(length)));
    const array y = normalized(x);
    x = x + attention(y, y, y, mask);
    return head(x + down(nn::relu2(up(normalized(x)))));
  }
  void visit(nn::Members& members) override {
    members("tokens", tokens);
    members("positions", positions);
    members("attention", attention);
    members("up", up);
    members("down", down);
    members("head", head);
  }
};

// Names as rows: the end mark, the letters, and end marks up to the context's length.
array rows_of(const std::vector<std::string>& names) {
  std::vector<int> ids;
  for (const std::string& name : names) {
    ids.resize(ids.size() + kContext + 1, kEnd);
    int* row = ids.data() + ids.size() - kContext;
    for (std::size_t i = 0; i < name.size() && i < kContext - 1; ++i) row[i] = name[i] - 'a';
  }
  const auto count = static_cast<tessera::ShapeElem>(names.size());
  return array(std::span<const int>(ids), {count, kContext + 1});
}

// The mean over the letters of each name and the end mark behind them.
array loss_of(const MicroGpt& model, const array& rows) {
  const array ids = tessera::slice(rows, {0, 0}, {rows.shape(0), kContext});
  const array next = tessera::slice(rows, {0, 1}, {rows.shape(0), kContext + 1});
  const array inside = ids != kEnd || tessera::arange(kContext) == 0;
  const array each = nn::losses::cross_entropy(model(ids), next);
  return tessera::sum(each * inside) / tessera::sum(inside);
}

std::string invented(const MicroGpt& model) {
  std::vector<int> ids{kEnd};
  while (static_cast<int>(ids.size()) < kContext) {
    const auto length = static_cast<tessera::ShapeElem>(ids.size());
    const array logits = model(array(std::span<const int>(ids), {1, length}));
    const array last = tessera::slice(logits, {0, length - 1, 0}, logits.shape());
    const array likely = last * 1.5f;  // a temperature of 2/3
    ids.push_back(static_cast<int>(tessera::random::categorical(likely).item<std::uint32_t>()));
    if (ids.back() == kEnd) break;
  }
  std::string name;
  for (const int id : ids) {
    if (id != kEnd) name += static_cast<char>('a' + id);
  }
  return name;
}

int main(int argc, char** argv) try {
  if (argc < 2) throw std::runtime_error("usage: microgpt names.txt [STEPS]");
  const int steps = argc > 2 ? std::stoi(argv[2]) : 1000;
  std::ifstream in(argv[1]);
  std::vector<std::string> names;
  for (std::string name; in >> name;) names.push_back(name);
  if (names.size() < kBatch) throw std::runtime_error("needs more names");
  const array rows = rows_of(names);

  tessera::random::seed(42);
  MicroGpt model;
  std::int64_t parameters = 0;
  for (const auto& [name, value] : model.parameters()) parameters += value.size();
  std::printf("%zu names, %lld parameters\n", names.size(), static_cast<long long>(parameters));

  optim::Adam optimizer(optim::linear_schedule(0.01, 0.0, steps),
                        {.betas = {0.85, 0.99}, .bias_correction = true});
  auto train = nn::value_and_grad(model, [&](const array& batch) { return loss_of(model, batch); });
  const auto count = static_cast<int>(names.size());
  for (int step = 0; step < steps; ++step) {
    const int first = step * kBatch % (count - kBatch + 1);
    const auto [loss, gradients] =
        train(tessera::slice(rows, {first, 0}, {first + kBatch, kContext + 1}));
    optimizer.update(model, gradients);
    tessera::eval(model.parameters(), optimizer.state(), loss);
    if (step % 200 == 0) std::printf("step %d  loss %.4f\n", step, loss.item<float>());
  }
  std::printf("loss over all names %.4f\n", loss_of(model, rows).item<float>());
  for (int i = 0; i < 10; ++i) std::printf("  %s\n", invented(model).c_str());
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
