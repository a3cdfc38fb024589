#include "tessera/io/internal/gguf_parser.h"

#include <algorithm>
#include <bit>

#include "tessera/core/internal/quote.h"
#include "tessera/io/internal/byte_reader.h"
#include "tessera/io/internal/ggml_type.h"
#include "tessera/io/internal/gguf_metadata.h"
#include "tessera/io/internal/share_aligned.h"

namespace tessera {
namespace {

constexpr std::uint32_t kMaxDims = 4;
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint64_t kMinAlignment = 8;  // the format asks for a multiple of 8

// The least that a metadata pair and a tensor entry occupy: what a count is checked against.
constexpr std::uint64_t kMinPairBytes = 8 + 4 + 1;
constexpr std::uint64_t kMinTensorBytes = 8 + 4 + 4 + 8;

struct Header {
  std::uint32_t version;
  std::uint64_t tensor_count;
  std::uint64_t pair_count;
};

/// A tensor as listed, its offset counted from the start of the data section.
struct TensorInfo {
  GgufTensor tensor;
  std::uint64_t offset;
};

void check_count(const ByteReader& reader, const char* things, std::uint64_t count,
                 std::uint64_t min_bytes) {
  if (count > reader.remaining() / min_bytes) {
    fail(ErrorCode::bad_format, reader.file(),
         "claims {} {}, but only {} bytes are left in the file", count, things, reader.remaining());
  }
}

void check_version(const ByteReader& reader, std::uint32_t version) {
  if (version == 2 || version == 3) return;
  if ((version & 0xffff) == 0 && version != 0) {
    fail(ErrorCode::bad_format, reader.file(),
         "is a big-endian GGUF file; convert it to little-endian (gguf-convert-endian)");
  }
  fail(ErrorCode::bad_format, reader.file(),
       "has GGUF version {}; versions 2 and 3 can be read, convert the model anew", version);
}

Header read_header(ByteReader& reader) {
  const auto magic = reader.read<std::uint32_t>();
  constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF"
  if (magic != kMagic) {
    fail(ErrorCode::bad_format, reader.file(),
         "is not a GGUF file: it begins with the bytes {:02x} {:02x} {:02x} {:02x}", magic & 255,
         magic >> 8 & 255, magic >> 16 & 255, magic >> 24);
  }
  Header header{};
  header.version = reader.read<std::uint32_t>();
  check_version(reader, header.version);
  header.tensor_count = reader.read<std::uint64_t>();
  header.pair_count = reader.read<std::uint64_t>();
  check_count(reader, "metadata pairs", header.pair_count, kMinPairBytes);
  check_count(reader, "tensors", header.tensor_count, kMinTensorBytes);
  return header;
}

std::uint64_t alignment_of(const ByteReader& reader, const GgufFile& file) {
  const auto alignment = file.get_uint("general.alignment").value_or(kDefaultAlignment);
  if (!std::has_single_bit(alignment) || alignment < kMinAlignment || alignment > UINT32_MAX) {
    fail(ErrorCode::bad_format, reader.file(),
         "general.alignment is {}, which is not a power of two of at least {}", alignment,
         kMinAlignment);
  }
  return alignment;
}

Shape read_shape(ByteReader& reader) {
  const auto rank = reader.read<std::uint32_t>();
  if (rank > kMaxDims) {
    fail(ErrorCode::bad_format, reader.file(), "{} claims {} dimensions, the format allows {}",
         reader.item(), rank, kMaxDims);
  }
  Shape shape(rank);
  for (std::size_t axis = rank; axis-- > 0;) {  // the file lists the innermost first
    const auto size = reader.read<std::uint64_t>();
    if (size > INT64_MAX) {
      fail(ErrorCode::bad_format, reader.file(), "{} has a dimension of size {}", reader.item(),
           size);
    }
    shape[axis] = static_cast<ShapeElem>(size);
  }
  return shape;
}

StoredType read_type(ByteReader& reader) {
  const auto id = reader.read<std::uint32_t>();
  const GgmlType type = ggml_type(id);
  if (type.type) return *type.type;
  if (type.name.empty()) {
    fail(ErrorCode::bad_format, reader.file(), "{} has unknown type {}", reader.item(), id);
  }
  fail(ErrorCode::unsupported_dtype, reader.file(),
       "{} has type {} ({}), which cannot be read; use a file in Q4_0 to Q8_0, Q2_K to Q6_K, F16, "
       "BF16 or F32",
       reader.item(), id, type.name);
}

std::uint64_t bytes_of(const ByteReader& reader, const Shape& shape, const StoredType& type) {
  const auto* packed = std::get_if<QuantType>(&type);
  const std::int64_t row = shape.empty() ? 1 : shape.back();
  if (packed && row % block_size(*packed) != 0) {
    fail(ErrorCode::bad_format, reader.file(),
         "{} packs rows of {} elements as {}, whose blocks hold {}", reader.item(), row,
         to_string(*packed), block_size(*packed));
  }
  try {
    const std::int64_t count = num_elements(shape);
    const std::int64_t units = packed ? count / block_size(*packed) : count;
    const std::int64_t unit_bytes = packed ? block_bytes(*packed) : std::get<Dtype>(type).size();
    std::int64_t bytes = 0;
    if (!__builtin_mul_overflow(units, unit_bytes, &bytes)) return bytes;
  } catch (const Error&) {
    // num_elements() refused the product; the message below names the tensor as well.
  }
  fail(ErrorCode::bad_format, reader.file(), "{} of shape {} needs more than 2^63 - 1 bytes",
       reader.item(), to_string(shape));
}

TensorInfo read_tensor_info(ByteReader& reader, std::uint64_t index, std::uint64_t count) {
  TensorInfo info;
  reader.set_item(fmt::format("tensor {} of {}", index + 1, count));
  info.tensor.name = reader.read_string();
  reader.set_item("tensor " + quote(info.tensor.name));
  info.tensor.shape = read_shape(reader);
  info.tensor.type = read_type(reader);
  info.offset = reader.read<std::uint64_t>();
  info.tensor.nbytes = bytes_of(reader, info.tensor.shape, info.tensor.type);
  return info;
}

/// Every tensor inside the file, on the alignment, and apart from the others. Empty tensors occupy
/// nothing, so their offsets do not matter.
void check_placement(const ByteReader& reader, const std::vector<TensorInfo>& infos,
                     std::uint64_t data_start, std::uint64_t file_size, std::uint64_t alignment) {
  std::vector<const TensorInfo*> by_offset;
  for (const TensorInfo& info : infos) {
    const auto& [tensor, offset] = info;
    if (tensor.nbytes == 0) continue;
    if (offset % alignment != 0) {
      fail(ErrorCode::bad_format, reader.file(),
           "tensor {} starts at data offset {}, which is not a multiple of {}", quote(tensor.name),
           offset, alignment);
    }
    std::uint64_t end = 0;
    if (__builtin_add_overflow(offset, tensor.nbytes, &end) ||
        __builtin_add_overflow(end, data_start, &end)) {
      end = UINT64_MAX;
    }
    if (end > file_size) {
      fail(ErrorCode::bad_format, reader.file(), "file ends at byte {}, tensor {} needs up to {}",
           file_size, quote(tensor.name), end);
    }
    by_offset.push_back(&info);
  }
  std::ranges::sort(by_offset, {}, &TensorInfo::offset);
  for (std::size_t i = 1; i < by_offset.size(); ++i) {
    const TensorInfo& before = *by_offset[i - 1];
    const TensorInfo& after = *by_offset[i];
    if (before.offset + before.tensor.nbytes > after.offset) {
      fail(ErrorCode::bad_format, reader.file(),
           "tensors {} and {} overlap: data bytes {} to {} and {} to {}", quote(before.tensor.name),
           quote(after.tensor.name), before.offset, before.offset + before.tensor.nbytes,
           after.offset, after.offset + after.tensor.nbytes);
    }
  }
}

std::size_t memory_alignment(const StoredType& type) {
  const auto* dtype = std::get_if<Dtype>(&type);
  return dtype ? dtype->size() : 1;  // packed blocks are read by bytes
}

}  // namespace

GgufFile parse_gguf_part(const std::shared_ptr<const std::byte>& bytes, std::size_t size,
                         const std::filesystem::path& name) {
  ByteReader reader({bytes.get(), size}, name.string());
  const Header header = read_header(reader);
  GgufFile file;
  file.path = name;
  file.version = header.version;
  file.metadata = read_gguf_metadata(reader, header.pair_count);

  std::vector<TensorInfo> infos;
  for (std::uint64_t i = 0; i < header.tensor_count; ++i) {
    infos.push_back(read_tensor_info(reader, i, header.tensor_count));
  }
  const std::uint64_t alignment = alignment_of(reader, file);
  const std::uint64_t data_start = (reader.position() + alignment - 1) & ~(alignment - 1);
  check_placement(reader, infos, data_start, size, alignment);

  for (auto& [tensor, offset] : infos) {
    tensor.data = share_aligned(bytes, tensor.nbytes == 0 ? 0 : data_start + offset, tensor.nbytes,
                                memory_alignment(tensor.type));
    const auto [at, fresh] = file.tensors.try_emplace(tensor.name);
    if (!fresh) {
      fail(ErrorCode::bad_format, reader.file(), "two tensors are named {}", quote(tensor.name));
    }
    at->second = std::move(tensor);
  }
  return file;
}

}  // namespace tessera
