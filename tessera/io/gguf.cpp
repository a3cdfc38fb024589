#include "tessera/io/gguf.h"

#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/quote.h"

namespace tessera {
namespace {

std::string_view kind_of(const GgufArray& array) {
  constexpr std::string_view kNames[] = {"an array of unsigned integers",
                                         "an array of signed integers",
                                         "an array of floats",
                                         "an array of bools",
                                         "an array of strings",
                                         "an array of arrays"};
  return kNames[array.elements.index()];
}

std::string_view kind_of(const GgufValue& value) {
  if (const auto* array = std::get_if<GgufArray>(&value)) return kind_of(*array);
  constexpr std::string_view kNames[] = {"an unsigned integer", "a signed integer", "a float",
                                         "a bool", "a string"};
  return kNames[value.index()];
}

const GgufValue* find_value(const GgufFile& file, std::string_view key) {
  const auto at = file.metadata.find(key);
  return at == file.metadata.end() ? nullptr : &at->second;
}

[[noreturn]] void fail_kind(const GgufFile& file, std::string_view key, std::string_view wanted) {
  fail(ErrorCode::bad_format, file.path.string(), "metadata key {} should be {} but is {}",
       quote(key), wanted, kind_of(*find_value(file, key)));
}

template <class T>
const T* find_as(const GgufFile& file, std::string_view key, std::string_view wanted) {
  const GgufValue* value = find_value(file, key);
  if (!value) return nullptr;
  const T* typed = std::get_if<T>(value);
  if (!typed) fail_kind(file, key, wanted);
  return typed;
}

template <class T>
std::optional<T> get_as(const GgufFile& file, std::string_view key, std::string_view wanted) {
  const T* value = find_as<T>(file, key, wanted);
  return value ? std::optional<T>(*value) : std::nullopt;
}

template <class T>
const std::vector<T>* find_elements(const GgufFile& file, std::string_view key,
                                    std::string_view wanted) {
  const GgufArray* array = file.get_array(key);
  if (!array) return nullptr;
  const auto* elements = std::get_if<std::vector<T>>(&array->elements);
  if (!elements) fail_kind(file, key, wanted);
  return elements;
}

}  // namespace

const GgufTensor* GgufFile::find(std::string_view name) const {
  const auto at = tensors.find(name);
  return at == tensors.end() ? nullptr : &at->second;
}

const GgufTensor& GgufFile::tensor(std::string_view name) const {
  const GgufTensor* found = find(name);
  if (!found) fail(ErrorCode::not_found, path.string(), "missing tensor {}", quote(name));
  return *found;
}

std::optional<std::uint64_t> GgufFile::get_uint(std::string_view key) const {
  const GgufValue* value = find_value(*this, key);
  if (!value) return std::nullopt;
  if (const auto* number = std::get_if<std::uint64_t>(value)) return *number;
  const auto* number = std::get_if<std::int64_t>(value);
  if (!number || *number < 0) fail_kind(*this, key, "an integer of at least 0");
  return static_cast<std::uint64_t>(*number);
}

std::optional<std::int64_t> GgufFile::get_int(std::string_view key) const {
  const GgufValue* value = find_value(*this, key);
  if (!value) return std::nullopt;
  if (const auto* number = std::get_if<std::int64_t>(value)) return *number;
  const auto* number = std::get_if<std::uint64_t>(value);
  if (!number || *number > INT64_MAX) fail_kind(*this, key, "an integer below 2^63");
  return static_cast<std::int64_t>(*number);
}

std::optional<double> GgufFile::get_float(std::string_view key) const {
  return get_as<double>(*this, key, "a float");
}

std::optional<bool> GgufFile::get_bool(std::string_view key) const {
  return get_as<bool>(*this, key, "a bool");
}

std::optional<std::string> GgufFile::get_string(std::string_view key) const {
  return get_as<std::string>(*this, key, "a string");
}

const GgufArray* GgufFile::get_array(std::string_view key) const {
  return find_as<GgufArray>(*this, key, "an array");
}

const std::vector<std::string>* GgufFile::get_strings(std::string_view key) const {
  return find_elements<std::string>(*this, key, "an array of strings");
}

const std::vector<double>* GgufFile::get_floats(std::string_view key) const {
  return find_elements<double>(*this, key, "an array of floats");
}

const std::vector<bool>* GgufFile::get_bools(std::string_view key) const {
  return find_elements<bool>(*this, key, "an array of bools");
}

std::optional<std::vector<std::int64_t>> GgufFile::get_ints(std::string_view key) const {
  const GgufArray* array = get_array(key);
  if (!array) return std::nullopt;
  if (const auto* values = std::get_if<std::vector<std::int64_t>>(&array->elements)) return *values;
  const auto* values = std::get_if<std::vector<std::uint64_t>>(&array->elements);
  if (!values) fail_kind(*this, key, "an array of integers");
  for (const std::uint64_t value : *values) {
    if (value > INT64_MAX) {
      fail(ErrorCode::bad_format, path.string(), "metadata key {} holds {}, which is past 2^63 - 1",
           quote(key), value);
    }
  }
  return std::vector<std::int64_t>(values->begin(), values->end());
}

HostTensor to_host_tensor(const GgufTensor& tensor) {
  if (const auto* dtype = std::get_if<Dtype>(&tensor.type)) {
    return {tensor.shape, *dtype, tensor.data};
  }
  HostTensor expanded(tensor.shape, float32);
  dequantize_row(std::get<QuantType>(tensor.type), tensor.data.get(),
                 reinterpret_cast<float*>(expanded.mutable_data()), expanded.size());
  return expanded;
}

}  // namespace tessera
