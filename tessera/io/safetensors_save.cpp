// save_safetensors().
#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/quote.h"
#include "tessera/io/internal/atomic_file.h"
#include "tessera/io/internal/safetensors_dtype.h"
#include "tessera/io/safetensors.h"

namespace tessera {
namespace {

constexpr std::size_t kMaxHeaderBytes = 100'000'000;
constexpr std::string_view kMetadata = "__metadata__";

using NamedTensor = std::pair<const std::string, HostTensor>;

/// By falling element size, then by name: behind a header of whole 8-byte words every tensor is
/// then aligned to its dtype.
std::vector<const NamedTensor*> file_order(
    const std::map<std::string, HostTensor, std::less<>>& tensors) {
  std::vector<const NamedTensor*> order;
  for (const NamedTensor& named : tensors) order.push_back(&named);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const NamedTensor* named) { return named->second.dtype().size(); });
  return order;
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump();
}

std::string header_text(const std::vector<const NamedTensor*>& order,
                        const std::map<std::string, std::string, std::less<>>& metadata) {
  std::string text = "{";
  if (!metadata.empty()) {
    text += fmt::format("\"{}\":{}", kMetadata, nlohmann::json(metadata).dump());
  }
  std::uint64_t offset = 0;
  for (const NamedTensor* named : order) {
    const auto& [name, tensor] = *named;
    const std::uint64_t end = offset + tensor.nbytes();
    text +=
        fmt::format(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                    text.size() > 1 ? "," : "", json_string(name), safetensors_name(tensor.dtype()),
                    fmt::join(tensor.shape(), ","), offset, end);
    offset = end;
  }
  text += '}';
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

}  // namespace

void save_safetensors(const std::filesystem::path& path,
                      const std::map<std::string, HostTensor, std::less<>>& tensors,
                      const std::map<std::string, std::string, std::less<>>& metadata) {
  if (tensors.contains(kMetadata)) {
    fail(ErrorCode::invalid_argument, path.string(), "a tensor cannot be named {}", kMetadata);
  }
  const auto order = file_order(tensors);
  std::string header;
  try {
    header = header_text(order, metadata);
  } catch (const nlohmann::json::type_error&) {
    fail(ErrorCode::invalid_argument, path.string(),
         "a tensor name or a metadata text is not valid UTF-8");
  }
  if (header.size() > kMaxHeaderBytes) {
    fail(ErrorCode::invalid_argument, path.string(), "the header needs {} bytes, the limit is {}",
         header.size(), kMaxHeaderBytes);
  }

  const std::uint64_t length = header.size();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(std::as_bytes(std::span(header)));
  for (const NamedTensor* named : order) {
    file.write({named->second.data(), named->second.nbytes()});
  }
  file.commit();
}

}  // namespace tessera
