// GGUF files (versions 2 and 3): metadata and memory-mapped tensors. Nothing in a file is trusted
// before it is checked against the file's size.
//
//   GgufFile file = load_gguf("model.gguf");
//   auto heads = file.get_uint("llama.attention.head_count");
//   const GgufTensor& w = file.tensor("blk.0.attn_q.weight");
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "tessera/core/dtype.h"
#include "tessera/core/quant_type.h"
#include "tessera/core/shape.h"

namespace tessera {

/// A metadata value. Integers of every width widen to 64 bits, float32 to double.
struct GgufValue;
using GgufArray = std::vector<GgufValue>;
struct GgufValue {
  std::variant<std::uint64_t, std::int64_t, double, bool, std::string, GgufArray> value;
};

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

class GgufFile {
 public:
  std::filesystem::path path;
  std::uint32_t version = 3;
  /// In file order; of all parts when the file is split.
  std::vector<GgufTensor> tensors;
  std::map<std::string, GgufValue, std::less<>> metadata;

  /// nullptr when there is none of that name.
  const GgufTensor* find(std::string_view name) const;
  /// errors  not_found "missing tensor NAME"
  const GgufTensor& tensor(std::string_view name) const;

  /// Metadata by type; nullopt when the key is absent.   errors  bad_format for another type
  std::optional<std::uint64_t> get_uint(std::string_view key) const;
  std::optional<double> get_float(std::string_view key) const;
  std::optional<bool> get_bool(std::string_view key) const;
  std::optional<std::string> get_string(std::string_view key) const;
  /// nullptr when absent.
  const GgufArray* get_array(std::string_view key) const;

  /// Fills the name index; load_gguf has done it.
  void index_tensors();

 private:
  std::unordered_map<std::string, std::size_t> by_name_;
};

/// Opens and checks a file; a first part "-00001-of-0000N.gguf" brings the other parts in.
/// Bytes are mapped, not read.   errors  io, bad_format naming file, tensor and fault
GgufFile load_gguf(const std::filesystem::path& path);

/// The same from memory, for tests and fuzzing. `bytes` must stay alive with the result.
GgufFile parse_gguf(std::shared_ptr<const std::byte> bytes, std::size_t size,
                    const std::filesystem::path& name);

}  // namespace tessera
