// Builds model files byte by byte, so that a test can lie in any field.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/core/error.h"
#include "tessera/core/host_tensor.h"

namespace tessera {

template <class... T>
std::string bytes_of(T... values) {
  std::string out;
  (out.append(reinterpret_cast<const char*>(&values), sizeof(values)), ...);
  return out;
}

/// `text` in memory of exactly its size, so that a sanitizer sees any step past it.
inline std::shared_ptr<const std::byte> share(const std::string& text) {
  const std::shared_ptr<std::byte[]> memory(new std::byte[text.size()]);
  std::memcpy(memory.get(), text.data(), text.size());
  return {memory, memory.get()};
}

/// A folder that goes with the test.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera-io-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// Runs `action`, which must throw an Error of `code` whose message holds every one of `parts`.
template <class Action>
void expect_error(Action action, ErrorCode code, const std::vector<std::string>& parts) {
  try {
    action();
    ADD_FAILURE() << "accepted; expected an error with \"" << (parts.empty() ? "" : parts[0])
                  << '"';
  } catch (const Error& e) {
    EXPECT_EQ(to_string(e.code()), to_string(code)) << e.what();
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos)
          << '"' << e.what() << "\" lacks \"" << part << '"';
    }
  }
}

// ---- safetensors ----

inline std::string safetensors(std::string_view header, const std::string& data = "") {
  return bytes_of(std::uint64_t{header.size()}) + std::string(header) + data;
}

/// One pair of the header, without braces around it.
inline std::string entry(std::string_view name, std::string_view shape, std::uint64_t begin,
                         std::uint64_t end, std::string_view dtype = "F32") {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", name, dtype,
                     shape, begin, end);
}

/// A header of such pairs.
inline std::string object(const std::vector<std::string>& pairs) {
  return fmt::format("{{{}}}", fmt::join(pairs, ","));
}

// ---- GGUF ----

inline std::string gguf_string(const std::string& text) {
  return bytes_of(std::uint64_t{text.size()}) + text;
}

/// A metadata pair; `value` is the encoded value behind its type number.
inline std::string gguf_pair(const std::string& key, std::uint32_t type, const std::string& value) {
  return gguf_string(key) + bytes_of(type) + value;
}

struct GgufTensorEntry {
  std::string name;
  std::vector<std::uint64_t> dims;  // innermost first, as in the file
  std::uint32_t type = 0;
  std::uint64_t offset = 0;

  std::string encode() const { return encode(static_cast<std::uint32_t>(dims.size())); }
  std::string encode(std::uint32_t claimed_dims) const {
    std::string out = gguf_string(name) + bytes_of(claimed_dims);
    for (std::uint64_t dim : dims) out += bytes_of(dim);
    return out + bytes_of(type, offset);
  }
};

struct GgufBuilder {
  std::uint32_t version = 3;
  std::vector<std::string> pairs = {gguf_pair("general.architecture", 8, gguf_string("llama"))};
  std::vector<std::string> tensors = {};
  std::string data = {};
  std::size_t alignment = 32;
  std::uint64_t claimed_tensors = UINT64_MAX;  // UINT64_MAX: the truth
  std::uint64_t claimed_pairs = UINT64_MAX;

  std::string build() const {
    std::string out = "GGUF" + bytes_of(version);
    out += bytes_of(claimed_tensors == UINT64_MAX ? tensors.size() : claimed_tensors);
    out += bytes_of(claimed_pairs == UINT64_MAX ? pairs.size() : claimed_pairs);
    for (const std::string& pair : pairs) out += pair;
    for (const std::string& tensor : tensors) out += tensor;
    out.append((alignment - out.size() % alignment) % alignment, '\0');
    return out + data;
  }
};

}  // namespace tessera
