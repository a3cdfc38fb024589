#include "tessera/io/internal/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <exception>

#include "tessera/core/internal/fail.h"
#include "tessera/core/progress.h"

namespace tessera {
namespace {

constexpr long kConnectSeconds = 30;
constexpr long kSilentSeconds = 60;  // without a byte

/// libcurl counts its users, but its first initialisation must not run in two threads.
void initialise_once() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) {
    fail(ErrorCode::internal, "http", "libcurl does not start: {}", curl_easy_strerror(code));
  }
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

void read_header(std::string_view line, HttpResponse& response) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = lower(line.substr(0, colon));
  const std::string_view value = trim(line.substr(colon + 1));
  if (name == "content-range" && value.starts_with("bytes ")) {
    response.range_first = number<std::uint64_t>(value.substr(6));
  } else if (name == "retry-after") {
    response.retry_after_seconds = std::clamp(number<int>(value).value_or(0), 0, 60);
  } else if (name == "link") {
    const std::size_t rel = value.find("rel=\"next\"");
    const std::size_t open = value.rfind('<', rel);
    const std::size_t close = value.find('>', open);
    if (rel != std::string_view::npos && open != std::string_view::npos && close < rel) {
      response.next_link = value.substr(open + 1, close - open - 1);
    }
  }
}

bool may_pass(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return true;
    default: return false;
  }
}

}  // namespace

struct HttpClient::Transfer {
  const HttpRequest& request;
  HttpResponse response;
  bool headers_seen = false;
  bool ended_by_callback = false;
  std::exception_ptr thrown;

  bool follow_redirect() const { return response.status >= 300 && response.status < 400; }
};

HttpClient::HttpClient() {
  initialise_once();
  curl_ = curl_easy_init();
  if (curl_ == nullptr) fail(ErrorCode::out_of_memory, "http", "libcurl gives no handle");
}

HttpClient::~HttpClient() {
  curl_easy_cleanup(curl_);
}

std::size_t HttpClient::write_header(char* data, std::size_t size, std::size_t count,
                                     void* pointer) {
  Transfer& transfer = *static_cast<Transfer*>(pointer);
  const std::string_view line(data, size * count);
  if (line.starts_with("HTTP/")) {  // of the first answer, and of each one after a redirect
    transfer.response = {};
    const std::size_t space = std::min(line.find(' '), line.size() - 1);
    transfer.response.status = number<int>(line.substr(space + 1)).value_or(0);
  } else {
    read_header(line, transfer.response);
  }
  return line.size();
}

std::size_t HttpClient::write_body(char* data, std::size_t size, std::size_t count, void* pointer) {
  Transfer& transfer = *static_cast<Transfer*>(pointer);
  const std::size_t bytes = size * count;
  if (transfer.follow_redirect()) return bytes;
  try {
    if (!transfer.headers_seen) {
      transfer.headers_seen = true;
      if (transfer.request.on_headers && !transfer.request.on_headers(transfer.response)) {
        transfer.ended_by_callback = true;
        return 0;
      }
    }
    if (transfer.request.on_data && !transfer.request.on_data({data, bytes})) {
      transfer.ended_by_callback = true;
      return 0;
    }
  } catch (...) {  // must not pass through libcurl, which is C
    transfer.thrown = std::current_exception();
    return 0;
  }
  return bytes;
}

HttpResponse HttpClient::get(const HttpRequest& request) {
  throw_if_stopped(request.stop_token, request.url);
  Transfer transfer{.request = request, .response = {}, .thrown = nullptr};
  CURL* curl = curl_;
  curl_easy_reset(curl);
  char reason[CURL_ERROR_SIZE] = {};
  const std::string range = fmt::format("{}-", request.offset);
  const auto set = [curl](CURLoption option, auto value) {
    const CURLcode code = curl_easy_setopt(curl, option, value);
    if (code != CURLE_OK) {
      fail(ErrorCode::internal, "http", "libcurl lacks option {}: {}", static_cast<int>(option),
           curl_easy_strerror(code));
    }
  };
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_USERAGENT, "tessera/" TESSERA_VERSION);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, 10L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  // What began encrypted stays so.
  set(CURLOPT_REDIR_PROTOCOLS_STR, request.url.starts_with("http:") ? "http,https" : "https");
  set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
  set(CURLOPT_ERRORBUFFER, reason);
  if (request.offset > 0) set(CURLOPT_RANGE, range.c_str());
  if (!request.bearer_token.empty()) {  // libcurl drops it when a redirect leaves the host or port
    set(CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    set(CURLOPT_XOAUTH2_BEARER, request.bearer_token.c_str());
  }
  set(CURLOPT_HEADERFUNCTION, &HttpClient::write_header);
  set(CURLOPT_HEADERDATA, &transfer);
  set(CURLOPT_WRITEFUNCTION, &HttpClient::write_body);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFODATA, &transfer);
  curl_xferinfo_callback stop = [](void* pointer, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<Transfer*>(pointer)->request.stop_token.stop_requested() ? 1 : 0;
  };
  set(CURLOPT_XFERINFOFUNCTION, stop);

  const CURLcode code = curl_easy_perform(curl);
  if (transfer.thrown) std::rethrow_exception(transfer.thrown);
  throw_if_stopped(request.stop_token, request.url);
  if (code == CURLE_OK && !transfer.headers_seen && request.on_headers) {
    request.on_headers(transfer.response);  // an answer without a body
  }
  if (code != CURLE_OK && !transfer.ended_by_callback) {
    transfer.response.failure = reason[0] != '\0' ? reason : curl_easy_strerror(code);
    transfer.response.transient = may_pass(code);
  }
  return transfer.response;
}

std::string percent_encode(std::string_view text, bool keep_slashes) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' || (keep_slashes && c == '/');
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

std::string origin_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  return lower(url.substr(0, std::min(url.find_first_of("/?#", scheme + 3), url.size())));
}

}  // namespace tessera
