// The hub of tests/support/hub_server.py as a child process, gone with its object.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/io/file_builder.h"

namespace tessera {

class HubServer {
 public:
  /// Serves root/<org>/<repository>/<files>.
  explicit HubServer(const std::filesystem::path& root);
  ~HubServer();
  HubServer(const HubServer&) = delete;
  HubServer& operator=(const HubServer&) = delete;

  std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// The port that files are redirected to.
  int content_port() const { return content_port_; }
  /// The requests so far: {"port", "path", "range", "authorization"}.
  std::vector<nlohmann::json> log() const;

 private:
  int input_ = -1;
  int output_ = -1;
  int child_ = -1;
  int port_ = 0;
  int content_port_ = 0;
};

}  // namespace tessera
