// GGUF files (versions 2 and 3): metadata and memory-mapped tensors. Nothing in a file is trusted
// before it is checked against the file's size.
//
//   GgufFile file = load_gguf("model.gguf");
//   auto heads = file.get_uint("llama.attention.head_count");
//   const auto* tokens = file.get_strings("tokenizer.ggml.tokens");
//   const GgufTensor& w = file.tensor("blk.0.attn_q.weight");
//
// source  https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/core/dtype.h"
#include "tessera/core/host_tensor.h"
#include "tessera/core/quant_type.h"
#include "tessera/core/shape.h"

namespace tessera {

/// A metadata array, all of one kind. Integers of every width widen to 64 bits, float32 to double.
struct GgufArray {
  std::variant<std::vector<std::uint64_t>, std::vector<std::int64_t>, std::vector<double>,
               std::vector<bool>, std::vector<std::string>, std::vector<GgufArray>>
      elements;

  std::size_t size() const {
    return std::visit([](const auto& values) { return values.size(); }, elements);
  }
};

/// A metadata value, widened as in GgufArray.
using GgufValue = std::variant<std::uint64_t, std::int64_t, double, bool, std::string, GgufArray>;

/// One tensor. Its bytes stay mapped as long as any copy of `data` lives.
struct GgufTensor {
  std::string name;
  /// Row-major, outermost first: the reverse of the file's order. A matrix is [N, K].
  Shape shape;
  /// How the elements are stored: a plain dtype or a packed format.
  std::variant<Dtype, QuantType> type = float32;
  std::shared_ptr<const std::byte> data;
  std::uint64_t nbytes = 0;
};

struct GgufFile {
  std::filesystem::path path;
  std::uint32_t version = 3;
  /// Of all parts when the file is split.
  std::map<std::string, GgufTensor, std::less<>> tensors;
  /// Of the first part when the file is split.
  std::map<std::string, GgufValue, std::less<>> metadata;

  /// nullptr when there is none of that name.
  const GgufTensor* find(std::string_view name) const;
  /// errors  not_found "missing tensor NAME"
  const GgufTensor& tensor(std::string_view name) const;

  /// Metadata by type; nullopt when the key is absent.   errors  bad_format for another type
  std::optional<std::uint64_t> get_uint(std::string_view key) const;  ///< any integer >= 0
  std::optional<std::int64_t> get_int(std::string_view key) const;    ///< any integer < 2^63
  std::optional<double> get_float(std::string_view key) const;
  std::optional<bool> get_bool(std::string_view key) const;
  std::optional<std::string> get_string(std::string_view key) const;

  /// Arrays by element type; nullptr or nullopt when the key is absent.
  /// errors  bad_format for a value that is no array or one of another type
  const GgufArray* get_array(std::string_view key) const;
  const std::vector<std::string>* get_strings(std::string_view key) const;
  const std::vector<double>* get_floats(std::string_view key) const;
  const std::vector<bool>* get_bools(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> get_ints(std::string_view key) const;  ///< each < 2^63
};

/// Opens and checks a file; a first part "-00001-of-0000N.gguf" brings the other parts in.
/// Bytes are mapped, not read.
/// errors  not_found, io, bad_format naming file, tensor and fault; unsupported_dtype for a packed
///         format outside QuantType
GgufFile load_gguf(const std::filesystem::path& path);

/// The same for one unsplit file in memory, which the tensors share. `name` is for messages.
GgufFile parse_gguf(std::shared_ptr<const std::byte> bytes, std::size_t size,
                    const std::filesystem::path& name);

/// The elements in their own dtype, sharing the file's memory; a packed tensor is expanded to a
/// float32 copy.
HostTensor to_host_tensor(const GgufTensor& tensor);

}  // namespace tessera
