// Bodies that are produced while they are sent.
#include <catch2/catch.hpp>

#include <sys/socket.h>

#include <future>

#include "transport_fixture.hpp"

using namespace gateway;
using namespace gateway::http::testing;

namespace {

std::string get_1_0(std::string_view target) {
  return "GET " + std::string{target} + " HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
}

std::string body_of(const std::string& response) {
  const auto end = response.find("\r\n\r\n");
  return end == response.npos ? std::string{} : response.substr(end + 4);
}

std::string chunk(std::string_view size, std::size_t count, char letter) {
  return std::string{size} + "\r\n" + std::string(count, letter) + "\r\n";
}

double answered(test_server& server) { return server.meters.requests("/echo", 200).Value(); }

}  // namespace

TEST_CASE("a streamed body is sent in chunks, and the connection is kept") {
  test_server server;
  auto caller = server.connect();
  REQUIRE(caller.send(get("/stream?3x1000") + get("/echo", "Connection: close\r\n")));
  const auto got = caller.receive_all();
  CHECK(got.in_order);
  const auto head = got.bytes.substr(0, got.bytes.find("\r\n\r\n"));
  CHECK(head.starts_with("HTTP/1.1 200 OK\r\nRequest-Id: req_"));
  CHECK(head.find("Transfer-Encoding: chunked") != head.npos);
  CHECK(head.find("Content-Length") == head.npos);
  CHECK(head.find("Connection") == head.npos);
  const auto whole = chunk("3e8", 1000, 'a') + chunk("3e8", 1000, 'b') + chunk("3e8", 1000, 'c') + "0\r\n\r\n";
  CHECK(body_of(got.bytes).starts_with(whole + "HTTP/1.1 200 OK\r\n"));
  CHECK(answered(server) == 2);
  CHECK(eventually([] { return streams == 0; }));
}

TEST_CASE("an empty chunk does not end the body, and a large one is sent in pieces") {
  test_server server;
  auto caller = server.connect();
  REQUIRE(caller.send(get("/stream?2x0", "Connection: close\r\n")));
  CHECK(body_of(caller.receive_all().bytes) == "0\r\n\r\n");
  CHECK(chunks_made == 2);
  auto another = server.connect();
  REQUIRE(another.send(get("/stream?1x100000", "Connection: close\r\n")));
  CHECK(body_of(another.receive_all().bytes) == chunk("10000", 65536, 'a') + chunk("86a0", 34464, 'a') + "0\r\n\r\n");
}

TEST_CASE("a chunk for which no memory is left is not sent, and its connection is reset") {
  test_server server{[](settings& s) { s.http.body_bytes = 16 * 1024; }};  // a budget of 4 MiB
  auto caller = server.connect();
  REQUIRE(caller.send(get("/stream?1x10000000", "Connection: close\r\n")));
  const auto got = caller.receive_all();
  CHECK_FALSE(got.in_order);
  CHECK(body_of(got.bytes).empty());
  // Its memory is given back.
  auto another = server.connect();
  REQUIRE(another.send(get("/stream?2x3000000", "Connection: close\r\n")));
  CHECK(body_of(another.receive_all().bytes).ends_with("0\r\n\r\n"));
}

TEST_CASE("a client of HTTP/1.0 gets a streamed body up to the end of the connection") {
  test_server server;
  for (const bool secure : {true, false}) {
    auto caller = secure ? server.connect() : server.connect_operator();
    REQUIRE(caller.send(get_1_0("/stream?2x10")));
    const auto got = caller.receive_all();
    CHECK(got.in_order);
    CHECK(body_of(got.bytes) == "aaaaaaaaaabbbbbbbbbb");
    CHECK(got.bytes.find("Transfer-Encoding") == got.bytes.npos);
    CHECK(got.bytes.find("\r\nConnection: close\r\n") != got.bytes.npos);
  }
}

TEST_CASE("a HEAD gets the header of a streamed response, and nothing is produced") {
  test_server server;
  auto caller = server.connect();
  const auto got = [&] {
    caller.send("HEAD /stream?3x1000 HTTP/1.1\r\nHost: h\r\n\r\n");
    return caller.receive(true);
  }();
  REQUIRE(got);
  CHECK(got->header("transfer-encoding") == "chunked");
  CHECK(chunks_made == 0);
  CHECK(caller.ask(get("/echo"))->status == 200);
}

TEST_CASE("a producer that throws breaks the connection: no client sees the body's end") {
  test_server server;
  for (const bool secure : {true, false}) {
    for (const bool old : {true, false}) {
      auto caller = secure ? server.connect() : client::plain(server.operator_port);
      const std::string target = "/stream/throws?2x100000";
      REQUIRE(caller.send(old ? get_1_0(target) : get(target)));
      const auto got = caller.receive_all();
      INFO(secure << old);
      CHECK_FALSE(got.in_order);
      CHECK(body_of(got.bytes).find("\r\n0\r\n\r\n") == got.bytes.npos);
    }
  }
  CHECK(answered(server) == 4);
  CHECK(eventually([&] { return server.running->connections() == 0; }));
  CHECK(streams == 0);
}

TEST_CASE("nothing is produced for a client that does not read, and one that never reads is disconnected") {
  test_server server([](settings& s) { s.http.request_timeout = 400ms; });
  auto caller = client::plain(server.operator_port);
  const int small = 64 * 1024;
  ::setsockopt(caller.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  REQUIRE(caller.send(get("/stream?2000x65536")));
  REQUIRE(eventually([] { return chunks_made > 1; }));
  REQUIRE(eventually([&] { return streams == 0; }));
  CHECK(chunks_made < 500);
  CHECK_FALSE(caller.receive_all().in_order);
  CHECK(answered(server) == 1);
}

TEST_CASE("a body may take longer than a response's time limit, if no part of it does") {
  test_server server([](settings& s) { s.http.request_timeout = 1s; });
  auto caller = server.connect();
  REQUIRE(caller.send(get("/stream/slow?24x65536", "Connection: close\r\n")));
  const auto got = caller.receive_all();
  CHECK(got.in_order);
  CHECK(got.bytes.ends_with("\r\n0\r\n\r\n"));
}

TEST_CASE("a client that leaves ends the stream, and others are served meanwhile") {
  test_server server([](settings& s) { s.http_threads = 1; });
  {
    auto caller = server.connect();
    REQUIRE(caller.send(get("/stream?1000000x65536")));
    REQUIRE(eventually([] { return chunks_made > 0; }));
    auto beside = server.connect();
    CHECK(beside.ask(get("/echo"))->status == 200);
    CHECK(server.meters.requests_in_flight.Value() == 1);
  }
  CHECK(eventually([] { return streams == 0; }));
  CHECK(eventually([&] { return server.running->connections() == 0; }));
  CHECK(server.meters.requests_in_flight.Value() == 0);
}

TEST_CASE("draining lets a stream end, and cuts it off at the time limit") {
  SECTION("that ends in time") {
    test_server server;
    auto caller = server.connect();
    REQUIRE(caller.send(get("/stream/gated?2x10")));
    REQUIRE(eventually([] { return waiting == 1; }));
    auto drained = std::async(std::launch::async, [&] { server.running->drain(2 * tests::hang_timeout); });
    REQUIRE(eventually([&] { return server.shared->draining.load(); }));
    gate = true;
    CHECK(caller.receive_all().bytes.ends_with("0\r\n\r\n"));
    CHECK(drained.wait_for(tests::hang_timeout) == std::future_status::ready);
  }
  SECTION("whose client does not read") {
    test_server server;
    auto caller = client::plain(server.operator_port);
    REQUIRE(caller.send(get_1_0("/stream?1000000x65536")));
    REQUIRE(eventually([] { return chunks_made > 1; }));
    server.running->drain(50ms);
    CHECK(streams == 0);
    CHECK_FALSE(caller.receive_all().in_order);
  }
  SECTION("whose client reads on and on") {
    test_server server;
    auto caller = server.connect();
    REQUIRE(caller.send(get("/stream?1000000x65536")));
    auto reading = std::async(std::launch::async, [&] { return caller.receive_all().in_order; });
    REQUIRE(eventually([] { return chunks_made > 1; }));
    server.running->drain(50ms);
    CHECK(streams == 0);
    CHECK_FALSE(reading.get());
  }
}

TEST_CASE("a stream whose chunk cannot be requested is cut off") {
  test_server server;  // without a router
  auto caller = server.connect();
  REQUIRE(caller.send(get("/stream/asks?3x10")));
  const auto got = caller.receive_all();
  CHECK_FALSE(got.in_order);
  CHECK(body_of(got.bytes).empty());
}
