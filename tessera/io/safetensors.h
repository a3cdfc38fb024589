// safetensors: named arrays in one file, or in several with an index. Reading maps the bytes.
//
//   SafetensorsFile file = load_safetensors("model/");           // folder, index or single file
//   const HostTensor& w = file.tensor("model.embed_tokens.weight");
//   save_safetensors("adapter.safetensors", {{"lora_a", a}, {"lora_b", b}}, {{"format", "pt"}});
//
// source  https://github.com/huggingface/safetensors#format; what is legal follows its reference
//         implementation (0.8): data without holes, overlaps or trailing bytes, zero sizes allowed
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tessera/core/host_tensor.h"

namespace tessera {

struct SafetensorsTensor {
  /// Shares the file's memory, or is a copy where the file does not align the data to the dtype.
  /// A dtype without an array type (F8, F6 and F4 kinds) comes as its raw bytes: uint8 of the
  /// file's shape for F8, uint8 [bytes] for the sub-byte kinds.
  HostTensor data;
  /// The file's own name of the dtype ("F32", "F8_E4M3") and its own shape.
  std::string format_dtype;
  Shape format_shape;
};

struct SafetensorsFile {
  std::filesystem::path path;
  std::map<std::string, SafetensorsTensor, std::less<>> tensors;
  /// The "__metadata__" object; of all shards when there are several, an earlier one first.
  std::map<std::string, std::string, std::less<>> metadata;

  /// nullptr when there is none of that name.
  const SafetensorsTensor* find(std::string_view name) const;
  /// errors  not_found "missing tensor NAME"
  const HostTensor& tensor(std::string_view name) const;
};

/// Loads `path`: a file; an index ("*.safetensors.index.json") with the shards beside it, of which
/// the tensors that the index lists are taken; or a folder holding model.safetensors.index.json,
/// else model.safetensors, else a single *.safetensors.
/// errors  not_found, io, bad_format naming file, tensor, declared bytes and actual bytes
SafetensorsFile load_safetensors(const std::filesystem::path& path);

/// The same for one file in memory, which the tensors share. `name` is for messages.
SafetensorsFile parse_safetensors(std::shared_ptr<const std::byte> bytes, std::size_t size,
                                  const std::filesystem::path& name);
/// As above from a copy of `bytes`.
SafetensorsFile parse_safetensors(std::span<const std::byte> bytes,
                                  const std::filesystem::path& name);

/// Writes a file that appears whole or not at all: it is built beside `path` and renamed, and
/// replaces what was there. Wider dtypes come first, so that every tensor is aligned.
/// errors  io; invalid_argument for a name or text that is not UTF-8 or the name "__metadata__"
void save_safetensors(const std::filesystem::path& path,
                      const std::map<std::string, HostTensor, std::less<>>& tensors,
                      const std::map<std::string, std::string, std::less<>>& metadata = {});

}  // namespace tessera
