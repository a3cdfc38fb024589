// Downloads, from a hub on this machine that misbehaves on request (tests/support/hub_server.py).
#include <gtest/gtest.h>

#include <future>

#include "tessera/io/hub.h"
#include "tests/io/file_builder.h"
#include "tests/io/hub_server.h"
#include "tests/support/environment.h"

namespace tessera {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Pull : public ::testing::Test {
 protected:
  Pull() : cache_("TESSERA_CACHE", folder_.path().string() + "/cache") {
    for (std::size_t i = 0; i < 300'000; ++i) weights_ += static_cast<char>(i * 7919 >> 4);
    remote("config.json", R"({"model_type": "llama"})");
    remote("model.safetensors", weights_);
    remote("additional_chat_templates/tool use.jinja", "{{ messages }}");
    server_.emplace(folder_.path() / "hub");
  }

  void remote(const std::string& path, const std::string& content) const {
    const std::filesystem::path file = folder_.path() / "hub/org/model" / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
  }

  PullOptions options(const std::string& revision = "main") const {
    PullOptions options;
    options.revision = revision;
    options.endpoint = server_->endpoint();
    return options;
  }

  std::filesystem::path local() const { return folder_.path() / "cache/models/org/model"; }

  void expect_complete() const {
    EXPECT_EQ(read(local() / "config.json"), R"({"model_type": "llama"})");
    EXPECT_EQ(read(local() / "model.safetensors"), weights_);
    EXPECT_EQ(read(local() / "additional_chat_templates/tool use.jinja"), "{{ messages }}");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(local())) {
      EXPECT_NE(entry.path().extension(), ".part") << entry.path();
    }
  }

  int requests_for(const std::string& file) const {
    int count = 0;
    for (const auto& request : server_->log()) {
      const std::string path = request["path"];
      count += path.starts_with("/content/") && path.ends_with("/" + file) ? 1 : 0;
    }
    return count;
  }

  TempFolder folder_;
  ScopedEnvironment cache_;
  ScopedEnvironment no_token_{"HF_TOKEN", ""};
  ScopedEnvironment online_{"TESSERA_OFFLINE", ""};
  std::string weights_;
  std::optional<HubServer> server_;
};

TEST_F(Pull, BringsAModelWithProgress) {
  PullOptions with_progress = options();
  std::uint64_t done = 0;
  with_progress.progress = [&](const Progress& progress) {
    if (progress.stage != "model.safetensors") return;
    EXPECT_EQ(progress.unit, "bytes");
    EXPECT_EQ(progress.total, weights_.size());
    EXPECT_GE(progress.done, done);
    done = progress.done;
  };
  EXPECT_EQ(pull_model("org/model", with_progress), local());
  EXPECT_EQ(done, weights_.size());
  expect_complete();
  EXPECT_EQ(cached_models(), std::vector<std::string>{"org/model"});
}

TEST_F(Pull, FollowsAListInPages) {
  pull_model("org/model", options("paged"));
  expect_complete();
}

TEST_F(Pull, DoesNotFetchAgainWhatIsThere) {
  pull_model("org/model", options());
  pull_model("org/model", options());
  EXPECT_EQ(requests_for("model.safetensors"), 1);
}

TEST_F(Pull, FetchesWhatChangedOnTheHubAlthoughTheSizeDidNot) {
  pull_model("org/model", options());
  remote("config.json", R"({"model_type": "qwen2"})");
  pull_model("org/model", options());
  EXPECT_EQ(read(local() / "config.json"), R"({"model_type": "qwen2"})");
  EXPECT_EQ(requests_for("model.safetensors"), 1);
}

TEST_F(Pull, GoesOnAfterDroppedConnections) {
  remote("config.json", "{");  // one byte cannot be halved
  remote("additional_chat_templates/tool use.jinja", "{");
  pull_model("org/model", options("drops"));
  EXPECT_EQ(read(local() / "model.safetensors"), weights_);
  EXPECT_GT(requests_for("model.safetensors"), 3);
}

TEST_F(Pull, StartsAgainWhereTheServerKnowsNoRanges) {
  pull_model("org/model", options("no-ranges"));
  expect_complete();
}

TEST_F(Pull, ResumesWhatAnEarlierCallLeft) {
  PullOptions stopping = options();
  std::stop_source stop;
  stopping.stop_token = stop.get_token();
  stopping.revision = "stalls";
  stopping.progress = [&](const Progress& progress) {
    if (progress.stage == "model.safetensors" && progress.done >= weights_.size() / 2) {
      stop.request_stop();
    }
  };
  remote("config.json", "");  // of an empty file no half is missing
  remote("additional_chat_templates/tool use.jinja", "");
  expect_error([&] { pull_model("org/model", stopping); }, ErrorCode::cancelled, {});
  EXPECT_FALSE(std::filesystem::exists(local() / "model.safetensors"));

  pull_model("org/model", options());
  EXPECT_EQ(read(local() / "model.safetensors"), weights_);
  const std::string range = server_->log().back().at("range");
  EXPECT_EQ(range, "bytes=" + std::to_string(weights_.size() / 2) + "-");
}

TEST_F(Pull, ThrowsAwayAPartThatDoesNotFit) {
  std::filesystem::create_directories(local());
  pull_model("org/model", options());
  std::filesystem::remove(local() / "model.safetensors");
  const std::string digest =
      nlohmann::json::parse(read(local() / ".tessera-pull.json")).at("files").back().at("digest");
  const auto part = local() / ("model.safetensors." + digest.substr(0, 12) + ".part");
  std::ofstream(part, std::ios::binary) << std::string(weights_.size() + 5, 'x');
  pull_model("org/model", options());
  expect_complete();
}

TEST_F(Pull, RefusesContentThatIsNotWhatWasAnnounced) {
  expect_error([&] { pull_model("org/model", options("corrupt")); }, ErrorCode::bad_format,
               {"checksum"});
  expect_error([&] { pull_model("org/model", options("short")); }, ErrorCode::bad_format,
               {"were announced"});
  expect_error([&] { pull_model("org/model", options("long")); }, ErrorCode::bad_format,
               {"more than"});
  EXPECT_FALSE(std::filesystem::exists(local() / "config.json"));
  pull_model("org/model", options());
  expect_complete();
}

TEST_F(Pull, TriesAgainWhenTheServerIsBusy) {
  pull_model("org/model", options("busy"));
  expect_complete();
}

TEST_F(Pull, GivesUpOnAServerThatStaysBroken) {
  expect_error([&] { pull_model("org/model", options("broken")); }, ErrorCode::io, {"HTTP 500"});
}

TEST_F(Pull, NamesWhatIsNotThere) {
  expect_error([&] { pull_model("org/model", options("no-such")); }, ErrorCode::not_found,
               {"HTTP 404", "org/model", "no-such"});
  expect_error([&] { pull_model("org/other", options()); }, ErrorCode::not_found, {"org/other"});
  expect_error([&] { pull_model("../model", options()); }, ErrorCode::invalid_argument, {});
}

TEST_F(Pull, SendsItsTokenToTheHubAndNowhereElse) {
  expect_error([&] { pull_model("org/model", options("private")); }, ErrorCode::io,
               {"HTTP 401", "HF_TOKEN"});
  PullOptions with_token = options("private");
  with_token.token = "secret";
  pull_model("org/model", with_token);
  expect_complete();
  int with = 0;
  for (const auto& request : server_->log()) {
    const bool elsewhere = request["port"] == server_->content_port();
    const bool has_token = !request["authorization"].is_null();
    EXPECT_FALSE(elsewhere && has_token) << request;
    with += has_token ? 1 : 0;
  }
  EXPECT_EQ(with, 4);  // the list and three files
}

TEST_F(Pull, TakesTokenAndEndpointFromTheEnvironment) {
  const ScopedEnvironment token("HF_TOKEN", "secret");
  const ScopedEnvironment endpoint("HF_ENDPOINT", server_->endpoint() + "/");
  pull_model("org/model", {.revision = "private"});
  expect_complete();
}

TEST_F(Pull, WritesNothingOutsideItsFolder) {
  expect_error([&] { pull_model("org/model", options("escapes")); }, ErrorCode::bad_format,
               {"../escaped.json"});
  EXPECT_FALSE(std::filesystem::exists(local()));
}

TEST_F(Pull, DoesNotFollowAListToAnotherHost) {
  expect_error([&] { pull_model("org/model", options("moved-pages")); }, ErrorCode::bad_format,
               {"another host"});
}

TEST_F(Pull, NobodyListeningIsAnError) {
  PullOptions nowhere = options();
  nowhere.endpoint = "http://127.0.0.1:1";
  expect_error([&] { pull_model("org/model", nowhere); }, ErrorCode::io, {"127.0.0.1:1"});
  nowhere.endpoint = "file:///etc";
  expect_error([&] { pull_model("org/model", nowhere); }, ErrorCode::invalid_argument, {"https"});
}

TEST_F(Pull, OfflineOnlyACompleteModelWillDo) {
  const ScopedEnvironment offline("TESSERA_OFFLINE", "1");
  expect_error([&] { pull_model("org/model", options()); }, ErrorCode::not_found,
               {"TESSERA_OFFLINE"});
  {
    const ScopedEnvironment online("TESSERA_OFFLINE", "0");
    pull_model("org/model", options());
  }
  const std::size_t requests = server_->log().size();
  EXPECT_EQ(pull_model("org/model", options()), local());
  EXPECT_EQ(server_->log().size(), requests);
  std::filesystem::resize_file(local() / "model.safetensors", 10);
  expect_error([&] { pull_model("org/model", options()); }, ErrorCode::not_found, {});
}

TEST_F(Pull, TwoAtOnceFetchEachFileOnce) {
  const auto pull = [&] { return pull_model("org/model", options()); };
  auto first = std::async(std::launch::async, pull);
  auto second = std::async(std::launch::async, pull);
  EXPECT_EQ(first.get(), local());
  EXPECT_EQ(second.get(), local());
  expect_complete();
  EXPECT_EQ(requests_for("model.safetensors"), 1);
}

}  // namespace
}  // namespace tessera
