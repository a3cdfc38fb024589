// In the place of hub_update.cpp where the build has no libcurl or libcrypto.
#include "tessera/core/internal/fail.h"
#include "tessera/io/internal/hub_update.h"

namespace tessera::hub {

void update_folder(const Repository& repository, const PullOptions&,
                   const std::filesystem::path& folder) {
  fail(ErrorCode::not_found, repository.name,
       "this build cannot download: build it where CMake finds libcurl 7.85 and libcrypto, or put "
       "the files into {}",
       folder.string());
}

}  // namespace tessera::hub
