#include "tessera/models/weights.h"

#include "tessera/core/internal/fail.h"

namespace tessera::models {

nn::Weight WeightSource::get(std::string_view name) const {
  std::optional<nn::Weight> w = find(name);
  if (!w) fail(ErrorCode::not_found, file(), "missing tensor {}, which the config asks for", name);
  return *std::move(w);
}

nn::Weight WeightSource::get(std::string_view name, const Shape& shape) const {
  nn::Weight w = get(name);
  if (w.shape != shape) {
    fail(ErrorCode::shape_mismatch, file(), "tensor {} is {}, the config asks for {}", name,
         to_string(w.shape), to_string(shape));
  }
  return w;
}

namespace {

class SafetensorsWeights final : public WeightSource {
 public:
  SafetensorsWeights(std::shared_ptr<const SafetensorsFile> file, std::string path,
                     BackendPtr backend, MlxQuantization quantization)
      : file_(std::move(file)),
        path_(std::move(path)),
        backend_(std::move(backend)),
        quantization_(std::move(quantization)) {}

  std::optional<nn::Weight> find(std::string_view name) const override {
    const SafetensorsTensor* t = file_->find(name);
    if (!t) return std::nullopt;
    if (t->data.dtype() == uint32) return quantized(name, t->data);
    if (!is_floating(t->data.dtype())) {
      fail(ErrorCode::bad_format, path_, "tensor {} is {}, weights must be floating", name,
           t->format_dtype);
    }
    return nn::Weight(array(t->data, backend_));
  }
  std::string file() const override { return path_; }

 private:
  nn::Weight quantized(std::string_view name, const HostTensor& codes) const {
    constexpr std::string_view kWeight = ".weight";
    const std::string layer(name.ends_with(kWeight) ? name.substr(0, name.size() - kWeight.size())
                                                    : name);
    const std::optional<QuantGroups> format = quantization_.groups_of(layer);
    const SafetensorsTensor* scales = file_->find(layer + ".scales");
    if (!format || !scales) {
      fail(ErrorCode::bad_format, path_, "tensor {} is uint32, but {}", name,
           format ? layer + ".scales is missing" : "config.json has no \"quantization\"");
    }
    const SafetensorsTensor* biases = file_->find(layer + ".biases");
    try {
      return nn::upload_quantized(
          {*format, codes, scales->data, biases ? std::optional(biases->data) : std::nullopt},
          backend_);
    } catch (const Error& e) {
      fail(ErrorCode::bad_format, path_, "tensor {} is not as \"quantization\" says: {}", name,
           e.what());
    }
  }

  std::shared_ptr<const SafetensorsFile> file_;
  std::string path_;
  BackendPtr backend_;
  MlxQuantization quantization_;
};

class GgufWeights final : public WeightSource {
 public:
  GgufWeights(std::shared_ptr<const GgufFile> file, Rename rename, BackendPtr backend)
      : file_(std::move(file)), rename_(std::move(rename)), backend_(std::move(backend)) {}

  std::optional<nn::Weight> find(std::string_view name) const override {
    const std::string own = rename_(name);
    const GgufTensor* t = own.empty() ? nullptr : file_->find(own);
    if (!t) return std::nullopt;
    if (const Dtype* dtype = std::get_if<Dtype>(&t->type)) {
      return nn::Weight(array(HostTensor(t->shape, *dtype, t->data), backend_));
    }
    const QuantType type = std::get<QuantType>(t->type);
    Shape packed = t->shape;
    packed.back() = row_bytes(type, t->shape.back());
    return nn::Weight(array(HostTensor(packed, uint8, t->data), backend_), type, t->shape);
  }
  std::string file() const override { return file_->path.filename().string(); }

 private:
  std::shared_ptr<const GgufFile> file_;
  Rename rename_;
  BackendPtr backend_;
};

}  // namespace

std::unique_ptr<WeightSource> weights_of(std::shared_ptr<const SafetensorsFile> file,
                                         std::string path, BackendPtr backend,
                                         MlxQuantization quantization) {
  return std::make_unique<SafetensorsWeights>(std::move(file), std::move(path), std::move(backend),
                                              std::move(quantization));
}

std::unique_ptr<WeightSource> weights_of(std::shared_ptr<const GgufFile> file, Rename rename,
                                         BackendPtr backend) {
  return std::make_unique<GgufWeights>(std::move(file), std::move(rename), std::move(backend));
}

}  // namespace tessera::models
