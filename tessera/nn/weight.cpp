#include "tessera/nn/weight.h"

#include "tessera/ops/creation.h"
#include "tessera/ops/quantize.h"
#include "tessera/ops/quantized.h"

namespace tessera::nn {

Weight::Weight(array codes, Groups parts) : data(std::move(codes)), groups(std::move(parts)) {
  constexpr const char* kOp = "nn::Weight";
  const std::vector<array> in =
      detail::quantized_inputs(kOp, data, groups->scales, groups->biases, groups->format);
  shape = detail::quantized_shape(kOp, in, groups->format);
}

array Weight::dense(Dtype dtype) const {
  if (packed) return dequantize(data, *packed, shape.back(), dtype);
  if (!groups) return astype(data, dtype);
  const QuantGroups& format = groups->format;
  const auto widened = [&](const array& a) {
    return format.has_integer_codes() ? astype(a, promote_types(a.dtype(), dtype)) : a;
  };
  std::optional<array> biases;
  if (groups->biases) biases = widened(*groups->biases);
  return dequantize(data, widened(groups->scales), biases, format.group_size, format.bits,
                    std::string(to_string(format.mode)), std::nullopt, dtype);
}

std::size_t Weight::nbytes() const {
  std::size_t bytes = data.nbytes();
  if (groups) bytes += groups->scales.nbytes();
  if (groups && groups->biases) bytes += groups->biases->nbytes();
  return bytes;
}

Weight upload_quantized(const QuantizedMatrix& matrix, const BackendPtr& backend) {
  std::optional<array> biases;
  if (matrix.biases) biases = array(*matrix.biases, backend);
  return Weight(array(matrix.codes, backend),
                {matrix.format, array(matrix.scales, backend), std::move(biases)});
}

Weight quantized(const array& values, const QuantGroups& format) {
  const std::vector<array> parts =
      quantize(values, format.group_size, format.bits, std::string(to_string(format.mode)));
  std::optional<array> biases;
  if (parts.size() > 2) biases = parts[2];
  return Weight(parts[0], {format, parts[1], std::move(biases)});
}

}  // namespace tessera::nn
