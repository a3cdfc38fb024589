#include <gtest/gtest.h>

#include "tessera/io/gguf.h"
#include "tests/io/file_builder.h"

namespace tessera {
namespace {

class SplitGguf : public testing::Test {
 protected:
  /// A part with one tensor of one value; numbers count from 0, as in split.no.
  static GgufBuilder part(std::uint16_t number, std::uint16_t count, const std::string& tensor,
                          float value) {
    return {.pairs = {gguf_pair("split.no", 2, bytes_of(number)),
                      gguf_pair("split.count", 2, bytes_of(count)),
                      gguf_pair("split.tensors.count", 5, bytes_of(std::int32_t{count}))},
            .tensors = {GgufTensorEntry{tensor, {1}}.encode()},
            .data = bytes_of(value)};
  }

  static float value(const GgufFile& file, std::string_view name) {
    return to_host_tensor(file.tensor(name)).values<float>()[0];
  }

  void expect_refused(ErrorCode code, const std::vector<std::string>& parts) {
    expect_error([&] { load_gguf(first_); }, code, parts);
  }

  TempFolder folder_;
  std::filesystem::path first_ = folder_.write("m-00001-of-00003.gguf", part(0, 3, "a", 1).build());
  std::filesystem::path second_ =
      folder_.write("m-00002-of-00003.gguf", part(1, 3, "b", 2).build());
  std::filesystem::path third_ = folder_.write("m-00003-of-00003.gguf", part(2, 3, "c", 3).build());
};

TEST_F(SplitGguf, TheFirstPartBringsTheOthers) {
  const GgufFile file = load_gguf(first_);
  EXPECT_EQ(file.tensors.size(), 3u);
  EXPECT_EQ(value(file, "a"), 1.0f);
  EXPECT_EQ(value(file, "b"), 2.0f);
  EXPECT_EQ(value(file, "c"), 3.0f);
}

TEST_F(SplitGguf, ALaterPartPointsToTheFirst) {
  expect_error([&] { load_gguf(second_); }, ErrorCode::invalid_argument,
               {"part 2 of 3", "-00001-of-00003.gguf"});
}

TEST_F(SplitGguf, AMissingPartIsNamed) {
  std::filesystem::remove(third_);
  expect_refused(ErrorCode::not_found, {"m-00003-of-00003.gguf", "No such file"});
}

TEST_F(SplitGguf, AShortPartIsNamed) {
  std::filesystem::resize_file(second_, std::filesystem::file_size(second_) - 1);
  expect_refused(ErrorCode::bad_format, {"m-00002-of-00003.gguf", "file ends at byte", "\"b\""});
}

TEST_F(SplitGguf, PartsOfAnotherModelAreRefused) {
  folder_.write("m-00002-of-00003.gguf", part(2, 3, "b", 2).build());
  expect_refused(ErrorCode::bad_format, {"part 3 of 3, expected 2 of 3"});
  folder_.write("m-00002-of-00003.gguf", part(1, 4, "b", 2).build());
  expect_refused(ErrorCode::bad_format, {"part 2 of 4, expected 2 of 3"});
  folder_.write("m-00002-of-00003.gguf",
                GgufBuilder{.tensors = {GgufTensorEntry{"b", {0}}.encode()}}.build());
  expect_refused(ErrorCode::bad_format, {"expected 2 of 3"});
}

TEST_F(SplitGguf, ATensorInTwoPartsIsRefused) {
  folder_.write("m-00003-of-00003.gguf", part(2, 3, "a", 3).build());
  expect_refused(ErrorCode::bad_format, {"m-00003-of-00003.gguf", "\"a\"", "earlier part"});
}

TEST_F(SplitGguf, TheTensorCountMustAgree) {
  GgufBuilder lying = part(0, 3, "a", 1);
  lying.pairs.back() = gguf_pair("split.tensors.count", 5, bytes_of(std::int32_t{4}));
  folder_.write("m-00001-of-00003.gguf", lying.build());
  expect_refused(ErrorCode::bad_format, {"split.tensors.count is 4", "hold 3 tensors"});
}

TEST_F(SplitGguf, ARenamedPartIsRefused) {
  std::filesystem::rename(first_, folder_.path() / "m.gguf");
  first_ = folder_.path() / "m.gguf";
  expect_refused(ErrorCode::bad_format, {"3 parts", "-00001-of-00003.gguf"});
}

TEST_F(SplitGguf, AbsurdCountsAreRefused) {
  GgufBuilder lying = part(0, 3, "a", 1);
  lying.pairs[1] = gguf_pair("split.count", 10, bytes_of(UINT64_MAX));
  folder_.write("m-00001-of-00003.gguf", lying.build());
  expect_refused(ErrorCode::bad_format, {"split.count is 18446744073709551615"});
}

TEST_F(SplitGguf, PartsInMemoryAreRefused) {
  const std::string file = part(0, 3, "a", 1).build();
  expect_error([&] { parse_gguf(share(file), file.size(), "memory"); }, ErrorCode::bad_format,
               {"one of 3 parts", "load_gguf"});
}

}  // namespace
}  // namespace tessera
