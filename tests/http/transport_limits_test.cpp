// Limits on clients, in size and in time.
#include <catch2/catch.hpp>

#include <sys/socket.h>

#include <cstring>
#include <memory>

#include <openssl/ssl.h>

#include "http/server/request_reader.hpp"
#include "transport_fixture.hpp"

using namespace gateway;
using namespace gateway::http::testing;

namespace {

std::string header_block(std::size_t bytes) {
  const std::string start = "GET /echo HTTP/1.1\r\nHost: h\r\nX-Filler: ";
  return start + std::string(bytes - start.size() - 4, 'f') + "\r\n\r\n";
}

std::string error_body(std::string_view code, std::string_view message) {
  return R"({"error":")" + std::string{code} + R"(","message":")" + std::string{message} +
         R"(","docs_url":"/docs/errors#)" + std::string{code} + R"("})";
}

}  // namespace

TEST_CASE("a header block may have exactly as many bytes as the limit") {
  test_server server;
  auto caller = server.connect();
  CHECK(caller.ask(header_block(16 * 1024))->status == 200);
  const auto got = caller.ask(header_block(16 * 1024 + 1));
  REQUIRE(got);
  CHECK(got->status == 431);
  CHECK(got->header("connection") == "close");
  CHECK(got->header("content-type") == "application/json");
  CHECK(got->body == error_body("headers_too_large", "The header block of the request is too large."));
  CHECK(caller.ends());
}

TEST_CASE("a header block without an end is refused at the limit") {
  test_server server;
  auto caller = server.connect();
  const auto got = caller.ask("GET /" + std::string(20'000, 'a'));
  REQUIRE(got);
  CHECK(got->status == 431);
}

TEST_CASE("a body may have exactly as many bytes as the limit") {
  test_server server([](settings& s) { s.http.body_bytes = 1000; });
  auto caller = server.connect();
  CHECK(caller.ask(post("/echo", std::string(1000, 'b')))->status == 200);
  const auto got = caller.ask(post("/echo", std::string(1001, 'b')));
  REQUIRE(got);
  CHECK(got->status == 413);
  CHECK(got->body == error_body("body_too_large", "The body of the request is too large."));
  CHECK(caller.ends());
}

TEST_CASE("a chunked body has the same limit") {
  test_server server([](settings& s) { s.http.body_bytes = 1000; });
  const std::string head = "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string half = "1f4\r\n" + std::string(500, 'b') + "\r\n";
  CHECK(server.connect().ask(head + half + half + "0\r\n\r\n")->status == 200);
  CHECK(server.connect().ask(head + half + half + "1\r\nb\r\n0\r\n\r\n")->status == 413);
  CHECK(server.connect().ask(head + "ffffffffffffffff\r\n")->status == 413);
}

TEST_CASE("the frames of a chunked body may take as much as its data, and 16 KiB") {
  test_server server([](settings& s) { s.http.body_bytes = 100'000; });
  const std::string head = "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto chunks_of = [&](std::string_view chunk, std::size_t count) {
    auto request = head;
    while (count-- > 0) request += chunk;
    return server.connect().ask(request + "0\r\n\r\n");
  };
  // Of six bytes one is data, so each chunk adds four excess frame bytes. The end takes five.
  const std::size_t bytewise = (16'384 - 5) / 4;
  CHECK(chunks_of("1\r\nx\r\n", bytewise)->status == 200);
  CHECK(chunks_of("1\r\nx\r\n", bytewise + 1)->status == 400);
  const auto refused = chunks_of("1\r\nx\r\n", 2 * bytewise);
  REQUIRE(refused);
  CHECK(refused->status == 400);
  CHECK(refused->body == error_body("bad_request", "The chunks of the request's body are too small."));
  CHECK(chunks_of("5\r\nhello\r\n", 20'000)->status == 200);
  CHECK(chunks_of("5;" + std::string(100, 'e') + "\r\nhello\r\n", 1'000)->status == 400);
}

TEST_CASE("concurrent requests share one budget, and give it back") {
  const http_limits limits;
  http::buffer_budget budget{100'000};
  const auto head = std::string{"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 90000\r\n\r\n"};
  // Feeds a header and 89,999 bytes of a body of 90,000 while the reader has space; false if it has none.
  const auto fill = [&](http::request_reader& reader) {
    auto left = head + std::string(89'999, 'b');
    while (!left.empty()) {
      const auto space = reader.free_space();
      if (space.empty()) return false;
      const auto count = std::min(space.size(), left.size());
      std::memcpy(space.data(), left.data(), count);
      left.erase(0, count);
      REQUIRE(reader.received(count) == http::request_reader::state::partial);
    }
    return true;
  };
  {
    http::request_reader first{limits, &budget};
    CHECK(fill(first));
    {
      http::request_reader second{limits, &budget};
      CHECK_FALSE(fill(second));
      CHECK(http::row_of(second.why().code).status == 503);
      CHECK(second.why().code == http::error_code::overloaded);
      CHECK_FALSE(second.keep_alive());
    }

    const auto space = first.free_space();
    space[0] = 'b';
    CHECK(first.received(1) == http::request_reader::state::whole);
    CHECK(first.next() == http::request_reader::state::partial);
    CHECK(budget.left() == 100'000);
    http::request_reader third{limits, &budget};
    CHECK(fill(third));
    CHECK(budget.left() < 100'000);
  }
  CHECK(budget.left() == 100'000);
}

TEST_CASE("a large request without room is a 503, and a small one is served") {
  test_server server([](settings& s) {
    s.http_threads = 1;
    s.http.request_timeout = 5min;
  });
  std::vector<client> holding;
  const auto most = std::string(1'000'000, 'b');
  auto beside = server.connect();
  for (int i = 0; i < 140; ++i) {
    holding.push_back(server.connect());
    holding.back().send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1048576\r\n\r\n" + most);
    // One after the other: if many grew at once, the refused ones would free as much memory as the others hold.
    REQUIRE(beside.ask(get("/echo")));
  }
  std::optional<http::testing::reply> refused;
  // Bytes of earlier requests may still be on their way, and refused requests have freed memory. So some of these are
  // admitted, and hold that memory without an answer. Each sends few bytes, so that the answer is not lost.
  for (int i = 0; i < 50 && !refused; ++i) {
    holding.push_back(server.connect());
    holding.back().patience(1s);
    refused = holding.back().ask("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 900000\r\n\r\n" +
                                 std::string(300'000, 'b'));
  }
  REQUIRE(refused);
  CHECK(refused->status == 503);
  CHECK(refused->header("retry-after") == "1");
  CHECK(refused->header("connection") == "close");
  CHECK(server.connect().ask(get("/echo"))->status == 200);
  holding.clear();
  CHECK(eventually([&] { return server.connect().ask(post("/echo", most))->status == 200; }));
}

TEST_CASE("a client that is still sending its large body sees the 413") {
  test_server server;
  auto caller = server.connect();
  REQUIRE(caller.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n"));
  for (int i = 0; i < 10; ++i) caller.send(std::string(16'000, 'b'));
  const auto got = caller.receive();
  REQUIRE(got);
  CHECK(got->status == 413);
}

TEST_CASE("a client that reads only once its large body is sent sees the 413") {
  test_server server;
  for (const std::size_t size : {1'048'577, 3'000'000, 20'000'000}) {
    CAPTURE(size);
    auto caller = server.connect();
    REQUIRE(caller.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n"));
    const std::string part(16'000, 'b');
    bool sent = true;
    for (std::size_t left = size; sent && left > 0; left -= std::min(left, part.size()))
      sent = caller.send(part.substr(0, std::min(left, part.size())));
    CHECK(sent);
    const auto got = caller.receive();
    REQUIRE(got);
    CHECK(got->status == 413);
  }
}

TEST_CASE("a request that does not arrive completely in time is a 408") {
  test_server server([](settings& s) { s.http.request_timeout = 200ms; });
  const char* const beginnings[] = {"G", "GET /echo HTTP/1.1\r\nHost: h\r\n",
                                    "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhal",
                                    "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal"};
  for (const auto* beginning : beginnings) {
    INFO(beginning);
    auto caller = server.connect();
    CHECK(caller.ask(get("/echo"))->status == 200);
    const auto got = caller.ask(beginning);
    REQUIRE(got);
    CHECK(got->status == 408);
    CHECK(got->header("connection") == "close");
    CHECK(got->body == error_body("request_timeout", "The request did not arrive in time."));
    CHECK(caller.ends());
  }
}

TEST_CASE("sending a byte now and then does not extend the time") {
  test_server server([](settings& s) { s.http.request_timeout = 300ms; });
  auto caller = server.connect();
  const auto begun = std::chrono::steady_clock::now();
  const auto drip = [&] { return !caller.send("G") || std::chrono::steady_clock::now() - begun > 400ms; };
  REQUIRE(eventually(drip));
  const auto got = caller.receive();
  REQUIRE(got);
  CHECK(got->status == 408);
}

TEST_CASE("an idle connection is closed without an answer") {
  test_server server([](settings& s) { s.http.idle_timeout = 500ms; });
  auto fresh = server.connect();
  auto used = server.connect();
  REQUIRE(used.ask(get("/echo")));
  CHECK(fresh.ends());
  CHECK(used.ends());
  CHECK(eventually([&] { return server.running->connections() == 0; }));
}

TEST_CASE("a request that is being answered is not idle") {
  test_server server([](settings& s) {
    s.http.idle_timeout = 300ms;
    s.http.request_timeout = 300ms;
  });
  auto caller = server.connect();
  REQUIRE(caller.send(get("/wait")));
  REQUIRE(eventually([] { return waiting == 1; }));
  auto other = server.connect();
  CHECK(other.ends());  // this much time has passed
  gate = true;
  CHECK(caller.receive()->status == 200);
}

TEST_CASE("a client that does not read its answer is disconnected") {
  test_server server([](settings& s) { s.http.request_timeout = 200ms; });
  auto caller = server.connect();
  REQUIRE(caller.send(get("/large")));
  CHECK(eventually([&] { return server.running->connections() == 0; }));
}

namespace {

/// The first bytes that a client sends.
std::string client_hello() {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  const std::unique_ptr<SSL, decltype(&SSL_free)> connection{SSL_new(context.get()), SSL_free};
  auto* const out = BIO_new(BIO_s_mem());
  SSL_set_bio(connection.get(), BIO_new(BIO_s_mem()), out);
  SSL_connect(connection.get());
  char bytes[4096];
  const auto size = BIO_read(out, bytes, sizeof bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

/// A connection with a request under way, until the gate opens.
client busy_one(test_server& server) {
  const int before = waiting;
  auto made = server.connect();
  REQUIRE(made.send(get("/wait")));
  REQUIRE(eventually([&] { return waiting == before + 1; }));
  return made;
}

}  // namespace

TEST_CASE("connections past the limit are closed at once, and counted, while all others have requests under way") {
  test_server server([](settings& s) { s.http.connections = 3; });
  auto a = busy_one(server), b = busy_one(server);
  {
    auto c = busy_one(server);
    CHECK_FALSE(server.connect().handshake_done());
    CHECK(server.meters.connections_refused.Value() == 1);
    CHECK(server.connect_operator().ask(get("/healthz"))->status == 200);  // operators get in all the same
    gate = true;
    CHECK(c.receive()->status == 200);
  }
  CHECK(eventually([&] { return server.connect().handshake_done(); }));
  CHECK(a.receive()->status == 200);
  CHECK(b.receive()->status == 200);
  CHECK(a.ask(get("/echo"))->status == 200);
}

TEST_CASE("connections are limited by address") {
  test_server server([](settings& s) { s.http.connections_per_address = 2; });
  auto a = busy_one(server), b = busy_one(server);
  CHECK_FALSE(server.connect().handshake_done());
  CHECK(server.meters.connections_refused.Value() == 1);
}

TEST_CASE("at a limit the connection that has been idle longest makes room for a new one") {
  for (const bool by_address : {false, true}) {
    CAPTURE(by_address);
    test_server server([&](settings& s) { (by_address ? s.http.connections_per_address : s.http.connections) = 3; });
    auto busy = busy_one(server);
    auto first = server.connect(), second = server.connect();
    REQUIRE(first.ask(get("/echo"))->status == 200);
    REQUIRE(second.ask(get("/echo"))->status == 200);
    REQUIRE(first.ask(get("/echo"))->status == 200);  // the second has been idle for longer now
    auto third = server.connect();
    CHECK(third.ask(get("/echo"))->status == 200);
    CHECK(second.ends());
    CHECK(first.ask(get("/echo"))->status == 200);
    auto fourth = server.connect();
    CHECK(fourth.ask(get("/echo"))->status == 200);
    CHECK(third.ends());
    gate = true;
    CHECK(busy.receive()->status == 200);
    CHECK(first.ask(get("/echo"))->status == 200);
    CHECK(server.meters.connections_refused.Value() == 0);
    CHECK(server.meters.connections_evicted.Value() == 2);
  }
}

TEST_CASE("at a limit unfinished handshakes make room first, oldest first") {
  test_server server([](settings& s) { s.http.connections = 3; });
  auto idle = server.connect();
  REQUIRE(idle.ask(get("/echo"))->status == 200);
  auto oldest = client::plain(server.running->port());
  REQUIRE(eventually([&] { return server.running->connections() == 2; }));
  auto younger = client::plain(server.running->port());
  REQUIRE(eventually([&] { return server.running->connections() == 3; }));
  std::this_thread::sleep_for(connection_limits::silence_patience);
  auto first = server.connect();
  CHECK(first.ask(get("/echo"))->status == 200);
  CHECK(oldest.ends());
  auto second = server.connect();
  CHECK(second.ask(get("/echo"))->status == 200);
  CHECK(younger.ends());
  CHECK(idle.ask(get("/echo"))->status == 200);
}

TEST_CASE("at a limit a handshake that has begun outlasts silent and idle connections") {
  test_server server([](settings& s) { s.http.connections = 3; });
  auto idle = server.connect();
  REQUIRE(idle.ask(get("/echo"))->status == 200);
  const auto began = std::chrono::steady_clock::now();
  auto speaking = client::plain(server.running->port());
  REQUIRE(speaking.send(client_hello()));
  char answered = 0;
  REQUIRE(::recv(speaking.fd(), &answered, 1, 0) == 1);
  auto silent = client::plain(server.running->port());
  REQUIRE(eventually([&] { return server.running->connections() == 3; }));
  std::this_thread::sleep_for(connection_limits::silence_patience);
  auto first = server.connect();
  CHECK(first.ask(get("/echo"))->status == 200);
  CHECK(silent.ends());
  auto second = server.connect();
  CHECK(second.ask(get("/echo"))->status == 200);
  CHECK(server.meters.connections_evicted.Value() == 2);
  // On a slow machine the handshake takes too long by now.
  if (std::chrono::steady_clock::now() - began < connection_limits::handshake_patience) CHECK(idle.ends());
}

TEST_CASE("at a limit a connection that has just been accepted does not make room for the next") {
  for (const bool by_address : {false, true}) {
    CAPTURE(by_address);
    test_server server([&](settings& s) { (by_address ? s.http.connections_per_address : s.http.connections) = 3; });
    std::vector<client> idle;
    for (int i = 0; i < 3; ++i) {
      idle.push_back(server.connect());
      REQUIRE(idle.back().ask(get("/echo"))->status == 200);
    }
    const auto began = std::chrono::steady_clock::now();
    auto silent = client::plain(server.running->port());
    REQUIRE(eventually([&] { return server.meters.connections_evicted.Value() == 1; }));
    auto next = server.connect();
    CHECK(next.ask(get("/echo"))->status == 200);
    // On a slow machine the first has been silent for too long by now.
    if (std::chrono::steady_clock::now() - began < connection_limits::silence_patience) CHECK(idle[1].ends());
    CHECK(server.meters.connections_evicted.Value() == 2);
  }
}

TEST_CASE("many idle connections keep no client out, and the limit holds") {
  test_server server([](settings& s) { s.http.connections = 20; });
  std::vector<client> crowd;
  for (int i = 0; i < 200; ++i) {
    crowd.push_back(i % 2 == 0 ? server.connect() : client::plain(server.running->port()));
    if (i % 10 == 0) CHECK(server.connect().ask(get("/echo"))->status == 200);
  }
  CHECK(eventually([&] { return server.running->connections() <= 20; }));
  CHECK(server.meters.connections_refused.Value() == 0);
}

TEST_CASE("few connections are spread evenly over the threads") {
  test_server server([](settings& s) { s.http_threads = 2; });
  std::vector<client> callers;
  for (int i = 0; i < 8; ++i) callers.push_back(server.connect());
  for (auto& caller : callers) REQUIRE(caller.send(get("/wait")));
  CHECK(eventually([] { return waiting == 8; }));
  gate = true;
  for (auto& caller : callers) CHECK(caller.receive()->status == 200);
}
