#include "tessera/io/internal/hub_fetch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "tessera/core/internal/fail.h"
#include "tessera/io/internal/digest.h"
#include "tessera/io/internal/part_file.h"

namespace tessera::hub {
namespace {

namespace fs = std::filesystem;

constexpr int kAttempts = 5;
constexpr std::size_t kLargestListing = std::size_t{32} << 20;  // bytes of one page
constexpr std::size_t kMostFiles = 100'000;

/// Sleeps, unless the token stops it.
void wait(std::chrono::milliseconds time, const std::stop_token& stop_token) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop_token, time, [] { return false; });
}

bool may_pass(const HttpResponse& response) {
  return response.transient || response.status == 429 || response.status >= 500;
}

[[noreturn]] void fail_response(const HttpResponse& response, const std::string& url,
                                const Repository& repository) {
  if (!response.failure.empty()) {
    fail(ErrorCode::io, url, "{}", response.failure);
  }
  switch (response.status) {
    case 401:
    case 403:
      fail(ErrorCode::io, url,
           "HTTP {}: the model does not exist, or it is not open to {}; look at {}/{}, accept its "
           "terms if it has any, and put an access token into HF_TOKEN",
           response.status, repository.token.empty() ? "everyone" : "this token",
           repository.endpoint, repository.name);
    case 404:
      fail(ErrorCode::not_found, url, "HTTP 404: no model {} with revision {} on this hub",
           repository.name, repository.revision);
    default: fail(ErrorCode::io, url, "HTTP {}", response.status);
  }
}

/// Tries again after failures that may pass, at growing intervals. `attempt` returns the answer;
/// progressed() tells whether it brought anything, which starts the count anew.
template <class Attempt, class Progressed>
HttpResponse with_retries(const std::stop_token& stop_token, Attempt attempt,
                          Progressed progressed) {
  for (int tries = 1;; ++tries) {
    HttpResponse response = attempt();
    if (!may_pass(response)) return response;
    if (progressed()) tries = 1;
    if (tries >= kAttempts) return response;
    const auto pause = std::chrono::milliseconds(200 << tries);
    wait(std::max(pause, std::chrono::milliseconds(1000 * response.retry_after_seconds)),
         stop_token);
  }
}

/// A page of JSON.
std::string get_text(HttpClient& http, HttpRequest& request, const Repository& repository,
                     HttpResponse& response) {
  std::string text;
  bool too_long = false;
  request.on_data = [&](std::span<const char> bytes) {
    too_long = text.size() + bytes.size() > kLargestListing;
    if (!too_long) text.append(bytes.data(), bytes.size());
    return !too_long;
  };
  response = with_retries(
      request.stop_token,
      [&] {
        text.clear();
        return http.get(request);
      },
      [] { return false; });
  if (too_long)
    fail(ErrorCode::bad_format, request.url, "a list of files past {} bytes", kLargestListing);
  if (!response.failure.empty() || response.status != 200) {
    fail_response(response, request.url, repository);
  }
  return text;
}

/// One request for what is missing of the file.
class Download {
 public:
  Download(const RemoteFile& file, PartFile& part, const ProgressCallback& progress)
      : file_(file), part_(part), progress_(progress) {}

  HttpResponse run(HttpClient& http, HttpRequest request) {
    const std::uint64_t before = part_.size();
    request.offset = before;
    request.on_headers = [&](const HttpResponse& response) {
      if (response.status == 200)
        part_.truncate(0);  // it sends the whole file
      else if (response.status != 206 || response.range_first != before)
        return false;
      return true;
    };
    request.on_data = [&](std::span<const char> bytes) {
      too_long_ = part_.size() + bytes.size() > file_.size;
      if (too_long_) return false;
      part_.append(bytes);
      report();
      return true;
    };
    HttpResponse response = http.get(request);
    progressed_ = part_.size() > before;
    return response;
  }

  void report() const {
    if (progress_) progress_({file_.path, part_.size(), file_.size, "bytes"});
  }

  bool too_long() const { return too_long_; }
  bool progressed() const { return progressed_; }

 private:
  const RemoteFile& file_;
  PartFile& part_;
  const ProgressCallback& progress_;
  bool too_long_ = false;
  bool progressed_ = false;
};

constexpr std::size_t kDigestDigits = 12;

/// Another version of the file has another digest, and so another part.
fs::path part_name(fs::path target, const std::string& digest) {
  target += '.';
  target += std::string_view(digest).substr(0, kDigestDigits);
  target += ".part";
  return target;
}

void check_space(const fs::path& folder, std::uint64_t missing) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (!error && space.available < missing) {
    fail(ErrorCode::io, folder.string(), "{} bytes are missing and the disk has room for {}",
         missing, space.available);
  }
}

/// Parts of other versions of the file, which nothing will go on with.
void remove_stale_parts(const fs::path& target) {
  const std::string pattern =
      part_name(target.filename(), std::string(kDigestDigits, '?')).string();
  std::error_code ignored;
  for (fs::directory_iterator it(target.parent_path(), ignored), end; it != end;
       it.increment(ignored)) {
    const std::string name = it->path().filename().string();
    const auto fits = [](char c, char wanted) { return wanted == '?' || c == wanted; };
    if (std::equal(name.begin(), name.end(), pattern.begin(), pattern.end(), fits)) {
      fs::remove(it->path(), ignored);
    }
  }
}

DigestKind kind_of(const RemoteFile& file) {
  return file.digest.size() == 64 ? DigestKind::sha256 : DigestKind::git_object;
}

}  // namespace

std::vector<RemoteFile> list_files(HttpClient& http, const Repository& repository,
                                   const std::stop_token& stop_token) {
  HttpRequest request;
  request.url =
      fmt::format("{}/api/models/{}/tree/{}?recursive=true", repository.endpoint,
                  percent_encode(repository.name, true), percent_encode(repository.revision));
  request.bearer_token = repository.token;
  request.stop_token = stop_token;
  std::vector<RemoteFile> files;
  while (true) {
    HttpResponse response;
    const std::string text = get_text(http, request, repository, response);
    const std::vector<RemoteFile> page = parse_tree(text, request.url);
    files.insert(files.end(), page.begin(), page.end());
    if (response.next_link.empty()) return files;
    if (files.size() > kMostFiles || page.empty()) {
      fail(ErrorCode::bad_format, request.url, "a list of files without an end");
    }
    if (origin_of(response.next_link) != origin_of(repository.endpoint)) {
      fail(ErrorCode::bad_format, request.url, "goes on at another host");
    }
    request.url = response.next_link;
  }
}

bool is_right(const fs::path& path, const RemoteFile& file, const std::stop_token& stop_token) {
  return file.has_size(path) && file_digest(path, kind_of(file), stop_token) == file.digest;
}

void fetch_file(HttpClient& http, const Repository& repository, const RemoteFile& file,
                const fs::path& target, const ProgressCallback& progress,
                const std::stop_token& stop_token) {
  const fs::path part_path = part_name(target, file.digest);
  PartFile part(part_path, stop_token);
  // Another process may have brought it while this one waited.
  if (is_right(target, file, stop_token)) return part.discard();
  if (part.size() > file.size) part.truncate(0);
  check_space(target.parent_path(), file.size - part.size());

  HttpRequest request;
  request.url =
      fmt::format("{}/{}/resolve/{}/{}", repository.endpoint, percent_encode(repository.name, true),
                  percent_encode(repository.revision), percent_encode(file.path, true));
  request.bearer_token = repository.token;
  request.stop_token = stop_token;
  Download download(file, part, progress);
  download.report();
  for (int restarts = 0; part.size() < file.size;) {
    const HttpResponse response = with_retries(
        stop_token, [&] { return download.run(http, request); },
        [&] { return download.progressed(); });
    if (download.too_long()) {
      part.truncate(0);
      fail(ErrorCode::bad_format, request.url, "sends more than the {} bytes that it announced",
           file.size);
    }
    const bool out_of_range = response.status == 416 || response.status == 206;
    if (out_of_range && !download.progressed() && part.size() > 0 && restarts < 2) {
      part.truncate(0);  // it cannot go on from there; once more from the beginning
      ++restarts;
      continue;
    }
    if (!response.failure.empty() || (response.status != 200 && response.status != 206)) {
      fail_response(response, request.url, repository);
    }
    if (part.size() < file.size) {
      fail(ErrorCode::bad_format, request.url, "has {} bytes where {} were announced", part.size(),
           file.size);
    }
  }
  const std::string digest = file_digest(part_path, kind_of(file), stop_token);
  if (digest != file.digest) {
    part.discard();
    fail(ErrorCode::bad_format, request.url,
         "the checksum is {} where {} was announced; the file was changed or damaged on its way, "
         "try again",
         digest, file.digest);
  }
  part.commit(target);
  remove_stale_parts(target);
}

}  // namespace tessera::hub
