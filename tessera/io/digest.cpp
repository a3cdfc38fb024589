#include "tessera/io/internal/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "tessera/core/internal/fail.h"
#include "tessera/core/progress.h"
#include "tessera/io/mapped_file.h"

namespace tessera {
namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

class Hasher {
 public:
  explicit Hasher(const EVP_MD* algorithm) : context_(EVP_MD_CTX_new()) {
    check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), algorithm, nullptr) == 1);
  }

  void update(const void* data, std::size_t size) {
    check(EVP_DigestUpdate(context_.get(), data, size) == 1);
  }

  std::string finish() {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    check(EVP_DigestFinal_ex(context_.get(), bytes, &size) == 1);
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
  }

 private:
  static void check(bool good) {
    if (!good) fail(ErrorCode::internal, "digest", "libcrypto refuses to compute a checksum");
  }

  std::unique_ptr<EVP_MD_CTX, FreeContext> context_;
};

}  // namespace

std::string file_digest(const std::filesystem::path& path, DigestKind kind,
                        const std::stop_token& stop_token) {
  const MappedFile file(path);
  file.advise(MapHint::sequential);
  Hasher hasher(kind == DigestKind::sha256 ? EVP_sha256() : EVP_sha1());
  if (kind == DigestKind::git_object) {
    const std::string header = fmt::format("blob {}", file.size());
    hasher.update(header.c_str(), header.size() + 1);
  }
  constexpr std::size_t kStep = std::size_t{16} << 20;
  for (std::span<const std::byte> rest = file.bytes(); !rest.empty();) {
    throw_if_stopped(stop_token, path.string());
    const std::size_t step = std::min(kStep, rest.size());
    hasher.update(rest.data(), step);
    rest = rest.subspan(step);
  }
  return hasher.finish();
}

}  // namespace tessera
