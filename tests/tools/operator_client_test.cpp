// The operator socket's client, against a socket that the test answers.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "operator_client.hpp"

using namespace gateway::ctl;
using Catch::Contains;

namespace {

class temporary_directory {
 public:
  temporary_directory() {
    std::string name = "/tmp/gatewayctl-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary directory");
    path = name;
  }
  ~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

/// Answers one connection with fixed bytes and records what it received.
class canned_gateway {
 public:
  canned_gateway(const std::filesystem::path& data_dir, std::string answer)
      : listener_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, (data_dir / "operator.sock").c_str(), sizeof address.sun_path - 1);
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || ::listen(listener_, 1) != 0)
      throw std::runtime_error("cannot listen");
    thread_ = std::thread{[this, answer = std::move(answer)] { serve(answer); }};
  }
  ~canned_gateway() {
    join();
    ::close(listener_);
  }

  std::string received() {
    join();
    return received_;
  }

 private:
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  void serve(const std::string& answer) {
    const int client = ::accept(listener_, nullptr, nullptr);
    char bytes[4096];
    while (!received_.ends_with('}')) {
      const auto count = ::read(client, bytes, sizeof bytes);
      if (count <= 0) break;
      received_.append(bytes, static_cast<std::size_t>(count));
    }
    if (::send(client, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) received_ += " [not answered]";
    ::close(client);
  }

  int listener_;
  std::string received_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("a call is one POST of JSON, answered with status and body") {
  const temporary_directory directory;
  canned_gateway there{
      directory.path,
      "HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"error\":\"x\"}"};
  const auto answer = post(directory.path, "/operator/merchants", R"({"name":"Shop"})");
  CHECK(answer.status == 409);
  CHECK(answer.body == R"({"error":"x"})");
  CHECK_THAT(there.received(), Catch::StartsWith("POST /operator/merchants HTTP/1.1\r\n") &&
                                   Contains("Content-Type: application/json\r\n") &&
                                   Contains("Content-Length: 15\r\n") &&
                                   Catch::EndsWith("\r\n\r\n{\"name\":\"Shop\"}"));
}

TEST_CASE("without a running gateway the operator gets a message that says so") {
  const temporary_directory directory;
  CHECK_THROWS_WITH(post(directory.path, "/operator/merchants", "{}"),
                    Contains("no gateway is running") && Contains(directory.path.string()));
  {
    const canned_gateway gone{directory.path, ""};
    CHECK_THROWS_AS(post(directory.path, "/x", "{}"), no_answer);
  }
  // A gateway that was killed leaves its socket behind.
  CHECK_THROWS_WITH(post(directory.path, "/operator/merchants", "{}"), Contains("no gateway is running"));
}

TEST_CASE("a truncated answer leaves the outcome unknown, and the message says so") {
  const temporary_directory directory;
  const canned_gateway there{directory.path, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"};
  CHECK_THROWS_WITH(post(directory.path, "/operator/merchants", "{}"), Contains("may or may not have taken effect"));
}

TEST_CASE("an answer may be chunked, or end with the connection") {
  const temporary_directory directory;
  for (const std::string answer :
       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n{\"a\":1}"}) {
    const canned_gateway there{directory.path, answer};
    const auto received = post(directory.path, "/operator/merchants", "{}");
    CHECK(received.status == 200);
    CHECK(received.body == R"({"a":1})");
    std::filesystem::remove(directory.path / "operator.sock");
  }
}

TEST_CASE("a missing answer, a truncated one and one that is not HTTP have different messages") {
  struct row {
    std::string answer, words;
  };
  const row rows[] = {{"", "end of stream"},
                      {"HTTP/1.1 200 OK\r\nContent-Le", "partial message"},
                      {"HTTP/1.1 200 OK\r\nContent-Length: 67108865\r\n\r\n", "body limit exceeded"},
                      {"SSH-2.0-OpenSSH_9.2\r\n", "bad version"}};
  const temporary_directory directory;
  for (const auto& r : rows) {
    const canned_gateway there{directory.path, r.answer};
    CHECK_THROWS_WITH(post(directory.path, "/operator/merchants", "{}"), Catch::EndsWith("taken effect: " + r.words));
    std::filesystem::remove(directory.path / "operator.sock");
  }
}

TEST_CASE("a data directory whose socket path is too long is an error, not a crash") {
  CHECK_THROWS_AS(post(std::filesystem::path{"/tmp"} / std::string(200, 'x'), "/operator/merchants", "{}"), no_answer);
}
