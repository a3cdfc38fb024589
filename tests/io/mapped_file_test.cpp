#include "tessera/io/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "tests/io/file_builder.h"

namespace tessera {
namespace {

TEST(MappedFile, ShowsTheBytesAndOutlivesItsObject) {
  const TempFolder folder;
  const auto path = folder.write("x", "hello");
  std::shared_ptr<const std::byte> tail;
  {
    const MappedFile file(path);
    EXPECT_EQ(file.size(), 5u);
    EXPECT_EQ(std::memcmp(file.bytes().data(), "hello", 5), 0);
    tail = file.share(1);
  }
  std::filesystem::remove(path);
  EXPECT_EQ(std::memcmp(tail.get(), "ello", 4), 0);
}

TEST(MappedFile, AnEmptyFileIsEmpty) {
  const TempFolder folder;
  const MappedFile file(folder.write("x", ""));
  EXPECT_EQ(file.size(), 0u);
  EXPECT_TRUE(file.bytes().empty());
  file.advise(MapHint::will_need);
}

TEST(MappedFile, HintsChangeNoByte) {
  const TempFolder folder;
  std::string content;
  for (int i = 0; i < 20000; ++i) content += static_cast<char>(i * 7);
  const MappedFile file(folder.write("x", content));
  for (const MapHint hint : {MapHint::normal, MapHint::sequential, MapHint::random,
                             MapHint::will_need, MapHint::dont_need}) {
    file.advise(hint);
    file.advise(hint, 5000, 100);
    file.advise(hint, 19999, SIZE_MAX);
    file.advise(hint, 20000);
    EXPECT_EQ(std::memcmp(file.bytes().data(), content.data(), content.size()), 0);
  }
}

TEST(MappedFile, ErrorsNameTheCause) {
  const TempFolder folder;
  expect_error([&] { MappedFile(folder.path() / "none"); }, ErrorCode::not_found,
               {"none: cannot open", "No such file"});
  expect_error([&] { MappedFile(folder.write("x", "y") / "z"); }, ErrorCode::not_found,
               {"Not a directory"});
  expect_error([&] { MappedFile(folder.path()); }, ErrorCode::io, {"is a directory"});
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_error([&] { MappedFile{pipe}; }, ErrorCode::io, {"not a regular file"});
}

TEST(MappedFile, AFileThatMayNotBeReadSaysSo) {
  if (::geteuid() == 0) GTEST_SKIP() << "permissions do not bind the superuser";
  const TempFolder folder;
  const auto secret = folder.write("secret", "x");
  ASSERT_EQ(::chmod(secret.c_str(), 0), 0);
  expect_error([&] { MappedFile{secret}; }, ErrorCode::io, {"Permission denied"});
}

}  // namespace
}  // namespace tessera
