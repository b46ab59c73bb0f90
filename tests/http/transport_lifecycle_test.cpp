// Starting, listening, draining.
#include <catch2/catch.hpp>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <list>
#include <thread>

#include "transport_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
namespace fs = std::filesystem;

namespace {

std::string complaint(const std::function<void()>& of) {
  try {
    of();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return {};
}

std::size_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::size_t pages = 0;
  statm >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Clients in a process of their own, so that their memory is not counted. Each makes one request and stays connected.
class crowd {
 public:
  crowd(std::uint16_t port, int count) {
    if (::pipe(leash_) != 0) throw std::runtime_error("no pipe");
    child_ = ::fork();
    if (child_ != 0) {
      ::close(leash_[0]);
      return;
    }
    ::close(leash_[1]);
    std::vector<client> callers;
    for (int i = 0; i < count; ++i) {
      callers.emplace_back(port);
      callers.back().ask(get("/echo"));
    }
    char byte = 0;
    [[maybe_unused]] const auto ended = ::read(leash_[0], &byte, 1);  // until the parent closes its end
    ::_exit(0);
  }
  ~crowd() {
    ::close(leash_[1]);
    ::waitpid(child_, nullptr, 0);
  }
  crowd(const crowd&) = delete;
  crowd& operator=(const crowd&) = delete;

 private:
  int leash_[2] = {-1, -1};
  pid_t child_ = -1;
};

}  // namespace

TEST_CASE("port 0 takes a free port and reports it") {
  const auto one = listen_tcp("127.0.0.1:0");
  CHECK(one.port() != 0);
  CHECK(one.address() == "127.0.0.1:" + std::to_string(one.port()));
  const auto another = listen_tcp("[::1]:0");
  CHECK(another.address() == "[::1]:" + std::to_string(another.port()));
}

TEST_CASE("an address that cannot be bound ends the start with one line") {
  const auto taken = listen_tcp("127.0.0.1:0");
  struct row {
    std::string address;
    std::string why;
  };
  const row rows[] = {
      {taken.address(), "Address already in use"},
      {"127.0.0.1", "not an ADDRESS:PORT"},
      {"127.0.0.1:", "not an ADDRESS:PORT"},
      {":8443", "not an ADDRESS:PORT"},
      {"127.0.0.1:http", "not a port number"},
      {"127.0.0.1:65536", "not a port number"},
      {"::1:8443", "an IPv6 address stands in brackets"},
      {"192.0.2.1:0", "Cannot assign requested address"},
  };
  for (const auto& r : rows)
    CHECK(complaint([&] { listen_tcp(r.address); }) == "cannot listen on " + r.address + ": " + r.why);
}

TEST_CASE("the operator socket is accessible to its owner only, and is removed with the server") {
  fs::path path;
  {
    test_server server;
    path = server.config.data_dir / "operator.sock";
    struct stat what{};
    REQUIRE(::lstat(path.c_str(), &what) == 0);
    CHECK(S_ISSOCK(what.st_mode));
    CHECK((what.st_mode & 0777) == 0600);
    const auto got = server.connect_operator().ask(get("/operator/keys"));
    REQUIRE(got);
    CHECK(got->body == "operator /operator/keys");
    CHECK(got->header("strict-transport-security").empty());
    server.running->stop();
    CHECK_FALSE(fs::exists(path));
  }
}

TEST_CASE("a socket that a crash left behind is replaced; one in use is not") {
  temporary_directory directory;
  const auto path = directory.path() / "operator.sock";
  {
    auto crashed = listen_unix(path);
    crashed.remove_on_close({});  // closes without removing, as a crash does
  }
  REQUIRE(fs::exists(path));
  const auto running = listen_unix(path);
  CHECK(complaint([&] { listen_unix(path); }) ==
        "cannot listen on " + path.string() + ": another gateway runs in this data directory");
  std::ofstream{directory.path() / "file"} << "precious";
  CHECK(complaint([&] { listen_unix(directory.path() / "file"); }).find("the path is taken by something else") !=
        std::string::npos);
  CHECK(complaint([&] { listen_unix(directory.path() / std::string(120, 'x')); }).find("at most 107 bytes") !=
        std::string::npos);
}

TEST_CASE("the operator listener on TCP serves its own routes over plain HTTP") {
  test_server server;
  const auto got = client::plain(server.operator_port).ask(get("/metrics"));
  REQUIRE(got);
  CHECK(got->body == "metrics /metrics");
}

TEST_CASE("draining refuses new connections, closes idle ones, and lets requests finish") {
  test_server server;
  auto idle = server.connect();
  REQUIRE(idle.ask(get("/echo")));
  auto busy = server.connect();
  REQUIRE(busy.send(get("/wait")));
  REQUIRE(eventually([] { return waiting == 1; }));

  auto drained = std::async(std::launch::async, [&] { server.running->drain(2 * tests::hang_timeout); });
  CHECK(idle.ends());
  CHECK(eventually([&] { return client::plain(server.running->port()).fd() < 0; }));
  CHECK(drained.wait_for(50ms) == std::future_status::timeout);
  CHECK(server.shared->draining);

  gate = true;
  const auto got = busy.receive();
  REQUIRE(got);
  CHECK(got->status == 200);
  CHECK(got->header("connection") == "close");
  CHECK(busy.ends());
  CHECK(drained.wait_for(tests::hang_timeout) == std::future_status::ready);
  CHECK(server.running->connections() == 0);
}

TEST_CASE(
    "draining closes no connection right after an answer: a client that sends requests gets Connection: close and "
    "loses none of them") {
  test_server server;
  std::list<client> at_work;
  for (int i = 0; i < 16; ++i) at_work.push_back(server.connect());
  for (auto& each : at_work) REQUIRE(each.ask(get("/echo")));
  auto drained = std::async(std::launch::async, [&] { server.running->drain(2 * tests::hang_timeout); });
  std::size_t unanswered = 0;
  while (!at_work.empty())
    at_work.remove_if([&](client& each) {
      const auto got = each.ask(get("/echo"));
      if (!got) ++unanswered;
      return !got || got->header("connection") == "close";
    });
  CHECK(unanswered == 0);
  CHECK(drained.wait_for(tests::hang_timeout) == std::future_status::ready);
}

TEST_CASE("operators may connect while clients' requests are finished, and do not delay the end") {
  test_server server;
  auto busy = server.connect();
  REQUIRE(busy.send(get("/wait")));
  REQUIRE(eventually([] { return waiting == 1; }));
  auto idle_operator = server.connect_operator();
  REQUIRE(idle_operator.ask(get("/operator/keys")));

  auto clients = std::async(std::launch::async, [&] { server.running->drain_clients(2 * tests::hang_timeout); });
  REQUIRE(eventually([&] { return client{server.running->port()}.fd() < 0; }));
  const auto probed = client::plain(server.operator_port).ask(get("/readyz"));
  REQUIRE(probed);
  CHECK(probed->status == 200);
  CHECK(probed->header("connection") == "close");
  const auto asked = server.connect_operator().ask(get("/operator/keys"));
  REQUIRE(asked);
  CHECK(asked->status == 200);

  gate = true;
  REQUIRE(busy.receive());
  REQUIRE(clients.wait_for(tests::hang_timeout) == std::future_status::ready);
  CHECK(client::plain(server.operator_port).ask(get("/readyz")));
  auto under_way = client::plain(server.operator_port);
  gate = false;
  REQUIRE(under_way.send(get("/stream/gated?3x1000")));
  REQUIRE(eventually([] { return waiting == 1; }));

  auto all = std::async(std::launch::async, [&] { server.running->drain(2 * tests::hang_timeout); });
  CHECK(idle_operator.ends());
  CHECK(eventually([&] { return client::plain(server.operator_port).fd() < 0; }));
  CHECK(all.wait_for(50ms) == std::future_status::timeout);
  gate = true;
  const auto finished = under_way.receive_all();
  CHECK(finished.in_order);
  CHECK(finished.bytes.ends_with("c\r\n0\r\n\r\n"));
  CHECK(all.wait_for(tests::hang_timeout) == std::future_status::ready);
  CHECK(server.running->connections() == 0);
}

TEST_CASE("draining waits for a request that has partly arrived") {
  test_server server;
  auto caller = server.connect();
  // The answer shows that a part of the request has arrived.
  const auto begun =
      caller.ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  REQUIRE(begun);
  REQUIRE(begun->status == 100);
  auto drained = std::async(std::launch::async, [&] { server.running->drain(2 * tests::hang_timeout); });
  REQUIRE(eventually([&] { return server.shared->draining.load(); }));
  const auto got = caller.ask("hello");
  REQUIRE(got);
  CHECK(got->status == 200);
  CHECK(drained.wait_for(tests::hang_timeout) == std::future_status::ready);
}

TEST_CASE("draining has a time limit, whatever a request waits for") {
  test_server server;
  auto busy = server.connect();
  REQUIRE(busy.send(get("/wait")));
  REQUIRE(eventually([] { return waiting == 1; }));
  server.running->drain(100ms);  // the gate stays closed
  CHECK_FALSE(busy.receive());
}

TEST_CASE("without descriptors connections wait, and are served once descriptors are free") {
  test_server server;
  REQUIRE(server.connect().ask(get("/echo")));  // opens everything that is opened once
  REQUIRE(eventually([&] { return server.running->connections() == 0; }));
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const int next = ::dup(0);
  ::close(next);
  const rlimit one_more{static_cast<rlim_t>(next) + 1, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &one_more);  // the caller's own socket takes the last one
  auto calling = std::async(std::launch::async, [&] { return server.connect().ask(get("/echo")); });
  CHECK(calling.wait_for(50ms) == std::future_status::timeout);
  ::setrlimit(RLIMIT_NOFILE, &before);
  const auto got = calling.get();
  REQUIRE(got);
  CHECK(got->status == 200);
}

TEST_CASE("listeners that no server took close by themselves") {
  temporary_directory directory;
  settings config;
  config.listen = "127.0.0.1:0";
  config.data_dir = directory.path();
  std::string address;
  {
    const auto sockets = open_listeners(config);
    address = sockets.public_tls.address();
    CHECK_FALSE(sockets.operator_tcp);
    CHECK(fs::exists(directory.path() / "operator.sock"));
  }
  CHECK_FALSE(fs::exists(directory.path() / "operator.sock"));
  CHECK_NOTHROW(listen_tcp(address));
}

TEST_CASE("a thousand idle connections cost little memory") {
  constexpr int count = 1000;
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 8192);
  ::setrlimit(RLIMIT_NOFILE, &files);
  REQUIRE(files.rlim_cur >= 1100);

  test_server server;
  {
    auto warm = server.connect();
    REQUIRE(warm.ask(get("/echo")));
  }
  REQUIRE(eventually([&] { return server.running->connections() == 0; }));
  const auto before = resident_bytes();
  const crowd idle{server.running->port(), count};
  REQUIRE(eventually([&] { return server.meters.requests("/echo", 200).Value() == count + 1; }));
  const auto each = (resident_bytes() - before) / count;
  INFO("resident bytes for each connection: " << each);
#ifndef GATEWAY_SANITIZE  // the sanitizer's own memory is many times as much
  CHECK(each < 32 * 1024);
#endif
  CHECK(server.connect().ask(get("/echo"))->status == 200);
}
