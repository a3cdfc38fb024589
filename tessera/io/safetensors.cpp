#include "tessera/io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/quote.h"
#include "tessera/io/internal/byte_reader.h"
#include "tessera/io/internal/safetensors_dtype.h"
#include "tessera/io/internal/safetensors_header.h"
#include "tessera/io/internal/share_aligned.h"

namespace tessera {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the reference implementation's limit

/// An entry with its dtype known and its sizes in range.
struct Placed {
  std::string name;
  const SafetensorsDtype* dtype;
  Shape shape;
  std::uint64_t begin;  // in the data section
  std::uint64_t end;
};

std::string_view read_header_text(ByteReader& reader) {
  const auto length = reader.read<std::uint64_t>();
  if (length > kMaxHeaderBytes) {
    fail(ErrorCode::bad_format, reader.file(),
         "claims a header of {} bytes in a file of {}; the limit is {}", length,
         reader.position() + reader.remaining(), kMaxHeaderBytes);
  }
  const auto bytes = reader.take(length);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Shape checked_shape(const std::vector<std::uint64_t>& sizes, const std::string& tensor,
                    const std::string& file) {
  Shape shape;
  for (const std::uint64_t size : sizes) {
    if (size > INT64_MAX) {
      fail(ErrorCode::bad_format, file, "tensor {} has a dimension of size {}", tensor, size);
    }
    shape.push_back(static_cast<ShapeElem>(size));
  }
  return shape;
}

/// Bits of the elements, or nullopt past 2^63 - 1 bits.
std::optional<std::uint64_t> bits_of(const Shape& shape, int bits) {
  try {
    std::int64_t total = 0;
    if (!__builtin_mul_overflow(num_elements(shape), std::int64_t{bits}, &total)) return total;
  } catch (const Error&) {
    // num_elements() refused the product; the caller's message names the tensor as well.
  }
  return std::nullopt;
}

/// The declared shape must need exactly the bytes that the offsets cover.
void check_size(const Placed& placed, const std::string& tensor, const std::string& file) {
  const std::uint64_t covered = placed.end - placed.begin;
  const auto bits = bits_of(placed.shape, placed.dtype->bits);
  if (!bits) {
    fail(ErrorCode::bad_format, file,
         "tensor {} of {} {} needs more than 2^63 - 1 bits, but its data_offsets cover {} bytes",
         tensor, placed.dtype->name, to_string(placed.shape), covered);
  }
  if (*bits % 8 != 0) {
    fail(ErrorCode::bad_format, file, "tensor {} of {} {} does not fill whole bytes", tensor,
         placed.dtype->name, to_string(placed.shape));
  }
  if (*bits / 8 != covered) {
    fail(ErrorCode::bad_format, file,
         "tensor {} of {} {} needs {} bytes, but its data_offsets cover {}", tensor,
         placed.dtype->name, to_string(placed.shape), *bits / 8, covered);
  }
}

/// data_start and file_size are in bytes from the start of the file.
Placed place(SafetensorsEntry&& entry, std::uint64_t data_start, std::uint64_t file_size,
             const std::string& file) {
  const std::string tensor = quote(entry.name);
  const auto* dtype = find_safetensors_dtype(entry.dtype);
  if (!dtype) {
    fail(ErrorCode::bad_format, file, "tensor {} has the unknown dtype {}", tensor,
         quote(entry.dtype));
  }
  const Placed placed{std::move(entry.name), dtype, checked_shape(entry.shape, tensor, file),
                      entry.begin, entry.end};
  if (placed.begin > placed.end) {
    fail(ErrorCode::bad_format, file, "tensor {} has reversed data_offsets {} to {}", tensor,
         placed.begin, placed.end);
  }
  check_size(placed, tensor, file);
  if (placed.end > file_size - data_start) {
    std::uint64_t end = 0;
    if (__builtin_add_overflow(data_start, placed.end, &end)) end = UINT64_MAX;
    fail(ErrorCode::bad_format, file, "file ends at byte {}, tensor {} needs up to {}", file_size,
         tensor, end);
  }
  return placed;
}

/// Sorts by offset; the tensors must cover the data section without holes or overlaps.
void check_cover(std::vector<Placed>& all, std::uint64_t data_bytes, const std::string& file) {
  std::ranges::sort(all, {}, [](const Placed& p) { return std::pair(p.begin, p.end); });
  std::uint64_t covered = 0;
  for (const Placed& placed : all) {
    if (placed.begin != covered) {
      fail(ErrorCode::bad_format, file, "tensor {} starts at data byte {}, which {} (expected {})",
           quote(placed.name), placed.begin,
           placed.begin < covered ? "overlaps the tensor before it" : "leaves a hole", covered);
    }
    covered = placed.end;
  }
  if (covered != data_bytes) {
    fail(ErrorCode::bad_format, file, "holds {} bytes of data, but its tensors cover only {}",
         data_bytes, covered);
  }
}

SafetensorsTensor view(const Placed& placed, const std::shared_ptr<const std::byte>& bytes,
                       std::uint64_t data_start) {
  const Dtype dtype = placed.dtype->dtype;
  const std::uint64_t size = placed.end - placed.begin;
  const Shape shape =
      placed.dtype->bits % 8 == 0 ? placed.shape : Shape{static_cast<ShapeElem>(size)};
  auto data = share_aligned(bytes, data_start + placed.begin, size, dtype.size());
  return {HostTensor(shape, dtype, std::move(data)), std::string(placed.dtype->name), placed.shape};
}

}  // namespace

const SafetensorsTensor* SafetensorsFile::find(std::string_view name) const {
  const auto at = tensors.find(name);
  return at == tensors.end() ? nullptr : &at->second;
}

const HostTensor& SafetensorsFile::tensor(std::string_view name) const {
  const SafetensorsTensor* found = find(name);
  if (!found) fail(ErrorCode::not_found, path.string(), "missing tensor {}", quote(name));
  return found->data;
}

SafetensorsFile parse_safetensors(std::shared_ptr<const std::byte> bytes, std::size_t size,
                                  const std::filesystem::path& name) {
  ByteReader reader({bytes.get(), size}, name.string());
  SafetensorsHeader header = read_safetensors_header(read_header_text(reader), reader.file());
  const std::uint64_t data_start = reader.position();

  std::vector<Placed> all;
  for (SafetensorsEntry& entry : header.entries) {
    all.push_back(place(std::move(entry), data_start, size, reader.file()));
  }
  check_cover(all, size - data_start, reader.file());

  SafetensorsFile file{name, {}, std::move(header.metadata)};
  for (const Placed& placed : all) file.tensors[placed.name] = view(placed, bytes, data_start);
  return file;
}

SafetensorsFile parse_safetensors(std::span<const std::byte> bytes,
                                  const std::filesystem::path& name) {
  const std::shared_ptr<std::byte> copy = allocate_host(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.get(), bytes.data(), bytes.size());
  return parse_safetensors(copy, bytes.size(), name);
}

}  // namespace tessera
