// HttpClient: GET requests over libcurl.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace tessera {

struct HttpRequest {
  std::string url;
  /// Sent to the url's own host and port only, never to where a redirect leads.
  std::string bearer_token;
  /// Ask for the bytes from here on.
  std::uint64_t offset = 0;
  std::stop_token stop_token;
  /// Sees the response (headers complete, redirects followed) before its body; false leaves the
  /// body. Without it, any status comes with its body.
  std::function<bool(const struct HttpResponse&)> on_headers;
  /// Takes the body piece by piece; false ends the transfer.
  std::function<bool(std::span<const char>)> on_data;
};

struct HttpResponse {
  int status = 0;
  /// Of "Content-Range: bytes FIRST-LAST/SIZE".
  std::optional<std::uint64_t> range_first;
  /// The target of "Link: <...>; rel="next"", else empty.
  std::string next_link;
  /// Of "Retry-After", else 0.
  int retry_after_seconds = 0;
  /// Why the transfer broke off, in libcurl's words; empty when it came to its end or a callback
  /// ended it. status is 0 when there was no answer at all.
  std::string failure;
  /// The failure may pass: a connection that was refused, dropped or silent, not a wrong address.
  bool transient = false;
};

/// One connection kept between requests. Not for two threads at once.
class HttpClient {
 public:
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// errors  cancelled; what the callbacks throw. A failed transfer is no error but in the answer.
  HttpResponse get(const HttpRequest& request);

 private:
  struct Transfer;
  static std::size_t write_header(char* data, std::size_t size, std::size_t count, void* transfer);
  static std::size_t write_body(char* data, std::size_t size, std::size_t count, void* transfer);
  void* curl_;
};

/// Percent-encodes all but letters, digits, "-._~" and, with keep_slashes, "/".
std::string percent_encode(std::string_view text, bool keep_slashes = false);

/// "scheme://host:port" of an address, in lower case; empty when it has none.
std::string origin_of(std::string_view url);

}  // namespace tessera
