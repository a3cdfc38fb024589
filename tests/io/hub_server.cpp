#include "tests/io/hub_server.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>
#include <stdexcept>

#include "tessera/io/internal/http.h"

namespace tessera {

HubServer::HubServer(const std::filesystem::path& root) {
  int to_child[2];
  int from_child[2];
  if (::pipe(to_child) != 0 || ::pipe(from_child) != 0) throw std::runtime_error("no pipe");
  child_ = ::fork();
  if (child_ == 0) {
    ::dup2(to_child[0], STDIN_FILENO);
    ::dup2(from_child[1], STDOUT_FILENO);
    for (const int fd : {to_child[0], to_child[1], from_child[0], from_child[1]}) ::close(fd);
    ::execl(TESSERA_PYTHON, TESSERA_PYTHON, TESSERA_HUB_SERVER, root.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(to_child[0]);
  ::close(from_child[1]);
  input_ = to_child[1];
  output_ = from_child[0];
  std::string line;
  for (char c = 0; ::read(output_, &c, 1) == 1 && c != '\n';) line += c;
  if (std::sscanf(line.c_str(), "%d %d", &port_, &content_port_) != 2) {
    throw std::runtime_error("the test hub did not start");
  }
}

HubServer::~HubServer() {
  ::close(input_);  // which ends it
  ::close(output_);
  ::waitpid(child_, nullptr, 0);
}

std::vector<nlohmann::json> HubServer::log() const {
  std::string text;
  HttpClient http;
  HttpRequest request;
  request.url = endpoint() + "/log";
  request.on_data = [&](std::span<const char> bytes) {
    text.append(bytes.data(), bytes.size());
    return true;
  };
  http.get(request);
  std::vector<nlohmann::json> entries;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    entries.push_back(nlohmann::json::parse(line));
  }
  return entries;
}

}  // namespace tessera
