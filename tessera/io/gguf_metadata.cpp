#include "tessera/io/internal/gguf_metadata.h"

#include "tessera/core/internal/quote.h"

namespace tessera {
namespace {

// Value type numbers of the format.
enum : std::uint32_t {
  kUint8 = 0,
  kInt8 = 1,
  kUint16 = 2,
  kInt16 = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
};

constexpr int kMaxArrayDepth = 8;
constexpr std::size_t kMaxKeyBytes = 65535;  // the format's own limit

[[noreturn]] void fail_type(const ByteReader& reader, std::uint32_t type) {
  fail(ErrorCode::bad_format, reader.file(), "{} has unknown value type {}", reader.item(), type);
}

bool read_bool(ByteReader& reader) {
  const auto value = reader.read<std::uint8_t>();
  if (value > 1) {
    fail(ErrorCode::bad_format, reader.file(), "{} is a bool with the value {}", reader.item(),
         value);
  }
  return value == 1;
}

template <class Stored, class Wide>
std::vector<Wide> read_numbers(ByteReader& reader, std::uint64_t count) {
  std::uint64_t size = 0;
  if (__builtin_mul_overflow(count, sizeof(Stored), &size)) size = UINT64_MAX;
  const auto bytes = reader.take(size);
  std::vector<Wide> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    Stored value;
    std::memcpy(&value, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = value;
  }
  return values;
}

// The vectors below grow as elements are found, for `count` may be a lie.
std::vector<bool> read_bools(ByteReader& reader, std::uint64_t count) {
  std::vector<bool> values;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(read_bool(reader));
  return values;
}

std::vector<std::string> read_strings(ByteReader& reader, std::uint64_t count) {
  std::vector<std::string> values;
  for (std::uint64_t i = 0; i < count; ++i) values.emplace_back(reader.read_string());
  return values;
}

GgufArray read_array(ByteReader& reader, int depth);

std::vector<GgufArray> read_arrays(ByteReader& reader, std::uint64_t count, int depth) {
  if (depth > kMaxArrayDepth) {
    fail(ErrorCode::bad_format, reader.file(), "{} nests arrays more than {} deep", reader.item(),
         kMaxArrayDepth);
  }
  std::vector<GgufArray> values;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(read_array(reader, depth));
  return values;
}

GgufArray read_array(ByteReader& reader, int depth) {
  const auto type = reader.read<std::uint32_t>();
  const auto count = reader.read<std::uint64_t>();
  switch (type) {
    case kUint8: return {read_numbers<std::uint8_t, std::uint64_t>(reader, count)};
    case kInt8: return {read_numbers<std::int8_t, std::int64_t>(reader, count)};
    case kUint16: return {read_numbers<std::uint16_t, std::uint64_t>(reader, count)};
    case kInt16: return {read_numbers<std::int16_t, std::int64_t>(reader, count)};
    case kUint32: return {read_numbers<std::uint32_t, std::uint64_t>(reader, count)};
    case kInt32: return {read_numbers<std::int32_t, std::int64_t>(reader, count)};
    case kFloat32: return {read_numbers<float, double>(reader, count)};
    case kBool: return {read_bools(reader, count)};
    case kString: return {read_strings(reader, count)};
    case kArray: return {read_arrays(reader, count, depth + 1)};
    case kUint64: return {read_numbers<std::uint64_t, std::uint64_t>(reader, count)};
    case kInt64: return {read_numbers<std::int64_t, std::int64_t>(reader, count)};
    case kFloat64: return {read_numbers<double, double>(reader, count)};
    default: fail_type(reader, type);
  }
}

GgufValue read_value(ByteReader& reader, std::uint32_t type) {
  switch (type) {
    case kUint8: return std::uint64_t{reader.read<std::uint8_t>()};
    case kInt8: return std::int64_t{reader.read<std::int8_t>()};
    case kUint16: return std::uint64_t{reader.read<std::uint16_t>()};
    case kInt16: return std::int64_t{reader.read<std::int16_t>()};
    case kUint32: return std::uint64_t{reader.read<std::uint32_t>()};
    case kInt32: return std::int64_t{reader.read<std::int32_t>()};
    case kFloat32: return double{reader.read<float>()};
    case kBool: return read_bool(reader);
    case kString: return std::string(reader.read_string());
    case kArray: return read_array(reader, 1);
    case kUint64: return reader.read<std::uint64_t>();
    case kInt64: return reader.read<std::int64_t>();
    case kFloat64: return reader.read<double>();
    default: fail_type(reader, type);
  }
}

}  // namespace

std::map<std::string, GgufValue, std::less<>> read_gguf_metadata(ByteReader& reader,
                                                                 std::uint64_t count) {
  std::map<std::string, GgufValue, std::less<>> metadata;
  for (std::uint64_t i = 0; i < count; ++i) {
    reader.set_item(fmt::format("metadata key {} of {}", i + 1, count));
    std::string key(reader.read_string());
    if (key.size() > kMaxKeyBytes) {
      fail(ErrorCode::bad_format, reader.file(), "{} is {} bytes long, the limit is {}",
           reader.item(), key.size(), kMaxKeyBytes);
    }
    reader.set_item("metadata key " + quote(key));
    const auto type = reader.read<std::uint32_t>();
    GgufValue value = read_value(reader, type);
    if (!metadata.try_emplace(std::move(key), std::move(value)).second) {
      fail(ErrorCode::bad_format, reader.file(), "{} appears twice", reader.item());
    }
  }
  return metadata;
}

}  // namespace tessera
