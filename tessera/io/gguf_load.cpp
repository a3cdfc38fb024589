// load_gguf() and parse_gguf(): whole files, and split ones put together from their parts.
//
// A split model is N files "NAME-00001-of-0000N.gguf", each complete in itself. Part i holds
// split.no = i - 1 and split.count = N; split.tensors.count is the number over all parts.
#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/quote.h"
#include "tessera/io/gguf.h"
#include "tessera/io/internal/gguf_parser.h"
#include "tessera/io/mapped_file.h"

namespace tessera {
namespace {

constexpr std::string_view kCountKey = "split.count";
constexpr std::string_view kNumberKey = "split.no";
constexpr std::string_view kTensorsKey = "split.tensors.count";
constexpr std::uint64_t kMaxParts = 65535;  // split.count is a 16-bit value

std::uint64_t part_count(const GgufFile& file) {
  const std::uint64_t count = file.get_uint(kCountKey).value_or(1);
  if (count > kMaxParts) {
    fail(ErrorCode::bad_format, file.path.string(), "{} is {}, the limit is {}", kCountKey, count,
         kMaxParts);
  }
  return count;
}

std::string part_suffix(std::uint64_t number, std::uint64_t count) {
  return fmt::format("-{:05}-of-{:05}.gguf", number, count);
}

GgufFile load_part(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_gguf_part(file.data(), file.size(), path);
}

void check_part(const GgufFile& part, std::uint64_t number, std::uint64_t count) {
  const auto stored_count = part.get_uint(kCountKey).value_or(0);
  const auto stored_number = part.get_uint(kNumberKey).value_or(0) + 1;
  if (stored_count != count || stored_number != number) {
    fail(ErrorCode::bad_format, part.path.string(), "says it is part {} of {}, expected {} of {}",
         stored_number, stored_count, number, count);
  }
}

void take_tensors(GgufFile& whole, GgufFile&& part) {
  whole.tensors.merge(part.tensors);
  if (!part.tensors.empty()) {  // merge() leaves behind what the target already has
    fail(ErrorCode::bad_format, part.path.string(), "tensor {} was in an earlier part already",
         quote(part.tensors.begin()->first));
  }
}

/// Adds parts 2 to `count` to the first.
void add_parts(GgufFile& whole, std::uint64_t count) {
  const std::string name = whole.path.filename().string();
  const std::string suffix = part_suffix(1, count);
  if (!name.ends_with(suffix)) {
    fail(ErrorCode::bad_format, whole.path.string(),
         "is split into {} parts, so its name must end in {}", count, suffix);
  }
  const std::string stem = name.substr(0, name.size() - suffix.size());
  for (std::uint64_t number = 2; number <= count; ++number) {
    GgufFile part = load_part(whole.path.parent_path() / (stem + part_suffix(number, count)));
    check_part(part, number, count);
    take_tensors(whole, std::move(part));
  }
  const auto expected = whole.get_uint(kTensorsKey);
  if (expected && *expected != whole.tensors.size()) {
    fail(ErrorCode::bad_format, whole.path.string(), "{} is {} but the {} parts hold {} tensors",
         kTensorsKey, *expected, count, whole.tensors.size());
  }
}

}  // namespace

GgufFile load_gguf(const std::filesystem::path& path) {
  GgufFile file = load_part(path);
  const std::uint64_t count = part_count(file);
  if (count <= 1) return file;
  const std::uint64_t number = file.get_uint(kNumberKey).value_or(0);
  if (number != 0) {
    fail(ErrorCode::invalid_argument, path.string(),
         "is part {} of {}; open the first part, whose name ends in {}", number + 1, count,
         part_suffix(1, count));
  }
  add_parts(file, count);
  return file;
}

GgufFile parse_gguf(std::shared_ptr<const std::byte> bytes, std::size_t size,
                    const std::filesystem::path& name) {
  GgufFile file = parse_gguf_part(bytes, size, name);
  if (const std::uint64_t count = part_count(file); count > 1) {
    fail(ErrorCode::bad_format, name.string(),
         "is one of {} parts, and the others cannot be found from memory; use load_gguf", count);
  }
  return file;
}

}  // namespace tessera
