// The behaviour of one connection, over real sockets and TLS.
#include <catch2/catch.hpp>

#include <regex>
#include <set>
#include <thread>

#include "transport_fixture.hpp"

using namespace gateway;
using namespace gateway::http::testing;

TEST_CASE("a response has an id, is not stored by caches, and does not name the server software") {
  test_server server;
  auto caller = server.connect();
  const auto got = caller.ask(get("/echo"));
  REQUIRE(got);
  CHECK(got->status == 200);
  CHECK(std::regex_match(got->header("request-id"), std::regex{"req_[0-9a-f]{32}"}));
  CHECK(got->header("cache-control") == "no-store");
  CHECK(got->header("content-type") == "text/plain");
  CHECK(got->header("strict-transport-security") == "max-age=31536000");
  CHECK(got->header("server").empty());
  CHECK(got->header("connection").empty());
}

TEST_CASE("a connection is kept, and every request on it has an id of its own") {
  test_server server;
  auto caller = server.connect();
  std::set<std::string> ids;
  for (int i = 0; i < 20; ++i) {
    const auto got = caller.ask(post("/echo", "number " + std::to_string(i)));
    REQUIRE(got);
    CHECK(got->body == "POST /echo\nbody=number " + std::to_string(i));
    ids.insert(got->header("request-id"));
  }
  CHECK(ids.size() == 20);
  CHECK(server.running->connections() == 1);
}

TEST_CASE("pipelined requests are answered in order") {
  test_server server;
  auto caller = server.connect();
  std::string together;
  for (int i = 0; i < 50; ++i) {
    const auto number = std::to_string(i);
    together += i % 2 == 0 ? get("/echo?n=" + number) : post("/echo", std::string(200, 'b') + number);
  }
  REQUIRE(caller.send(together));
  for (int i = 0; i < 50; ++i) {
    const auto got = caller.receive();
    REQUIRE(got);
    const auto number = std::to_string(i);
    CHECK(got->body == (i % 2 == 0 ? "GET /echo\nquery=n=" + number + "\nbody="
                                   : "POST /echo\nbody=" + std::string(200, 'b') + number));
  }
}

TEST_CASE("a request may arrive byte by byte") {
  test_server server;
  auto caller = server.connect();
  for (const char byte : post("/echo?a=b", "hello")) REQUIRE(caller.send({&byte, 1}));
  const auto got = caller.receive();
  REQUIRE(got);
  CHECK(got->body == "POST /echo\nquery=a=b\nbody=hello");
}

TEST_CASE("the routes get the headers that they read") {
  test_server server;
  auto caller = server.connect();
  const auto got = caller.ask(get("/echo",
                                  "X-Service-Key-Id: mk_test_1\r\nx-service-timestamp: T\r\nX-SERVICE-SIGNATURE: s\r\n"
                                  "Service-Merchant: merch_1\r\nIdempotency-Key:  k \r\n"
                                  "Content-Type: application/json\r\nCookie: c=1\r\n"));
  REQUIRE(got);
  CHECK(got->body ==
        "GET /echo\nkey_id=mk_test_1\ntimestamp=T\nsignature=s\nservice_merchant=merch_1\nidempotency_key=k\n"
        "content_type=application/json\ncookie=c=1\nbody=");
  const auto twice = caller.ask(get("/echo", "Idempotency-Key: a\r\nIdempotency-Key: b\r\n"));
  REQUIRE(twice);
  CHECK(twice->body.find("\nrepeated_idempotency_key\n") != std::string::npos);
  CHECK(twice->body.find("\nrepeated\n") == std::string::npos);
  for (const auto* name : {"X-Service-Key-Id", "X-Service-Timestamp", "X-Service-Signature", "Service-Merchant"}) {
    CAPTURE(name);
    const auto other = caller.ask(get("/echo", std::string{name} + ": a\r\n" + name + ": a\r\n"));
    REQUIRE(other);
    CHECK(other->body.find("\nrepeated\n") != std::string::npos);
  }
}

TEST_CASE("a caller's trace is passed on where nothing is recorded, and an invalid header counts as absent") {
  test_server server;
  auto caller = server.connect();
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const auto reported = [&](const std::string& headers) {
    const auto got = caller.ask(get("/echo", headers));
    REQUIRE(got);
    CHECK(got->status == 200);
    return got->body;
  };
  CHECK(reported("traceparent: " + trace + "\r\n") == "GET /echo\ntrace=" + trace + "\nbody=");
  CHECK(reported("TraceParent:  " + trace + " \r\ntracestate: a=b\r\n") == "GET /echo\ntrace=" + trace + "\nbody=");
  CHECK(reported("traceparent: 00-4BF92F\r\n") == "GET /echo\nbody=");
  CHECK(reported("traceparent:\r\n") == "GET /echo\nbody=");
  // Two are ambiguous.
  const auto line = "traceparent: " + trace + "\r\n";
  CHECK(reported(line + line) == "GET /echo\nbody=");
  CHECK(reported(line + line + line) == "GET /echo\nbody=");
  CHECK(reported({}) == "GET /echo\nbody=");
}

TEST_CASE("a body may be as large as the limit, and its memory is given back") {
  test_server server;
  auto caller = server.connect();
  const std::string body(1 << 20, 'm');
  for (int round = 0; round < 2; ++round) {
    const auto got = caller.ask(post("/echo", body));
    REQUIRE(got);
    CHECK(got->body.size() == body.size() + std::string{"POST /echo\nbody="}.size());
    CHECK(caller.ask(get("/echo"))->status == 200);
  }
}

TEST_CASE("a chunked body is assembled, and its trailers are not headers") {
  test_server server;
  auto caller = server.connect();
  const std::string head = "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nIdempotency-Key: k\r\n\r\n";
  const std::string chunks = "5;name=value\r\nhello\r\n1\r\n \r\n5\r\nthere\r\n0\r\n";
  const auto got = caller.ask(head + chunks + "X-Service-Key-Id: forged\r\n\r\n" + get("/echo"));
  REQUIRE(got);
  CHECK(got->body == "POST /echo\nidempotency_key=k\nbody=hello there");
  CHECK(caller.receive()->body == "GET /echo\nbody=");

  REQUIRE(caller.send(head));
  std::string expected;
  for (int i = 0; i < 300; ++i) {  // larger than any buffer's initial size
    const std::string part(1000, static_cast<char>('a' + i % 26));
    expected += part;
    REQUIRE(caller.send("3e8\r\n" + part + "\r\n"));
  }
  REQUIRE(caller.send("0\r\n\r\n"));
  const auto large = caller.receive();
  REQUIRE(large);
  CHECK(large->body == "POST /echo\nidempotency_key=k\nbody=" + expected);
}

TEST_CASE("a chunked body may be empty, have trailers, and arrive byte by byte") {
  test_server server;
  const std::string head = "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const auto* body : {"0\r\n\r\n", "0\r\nX: y\r\n\r\n", "1\r\nx\r\n0\r\n\r\n", "00;a=b\r\n\r\n"}) {
    INFO(body);
    auto caller = server.connect();
    REQUIRE(caller.send(head));
    for (const char* byte = body; *byte != '\0'; ++byte) {
      REQUIRE(caller.send({byte, 1}));
      std::this_thread::sleep_for(2ms);  // so that each byte is read on its own
    }
    const auto got = caller.receive();
    REQUIRE(got);
    CHECK(got->body == (*body == '1' ? "POST /echo\nbody=x" : "POST /echo\nbody="));
    CHECK(caller.ask(get("/echo"))->status == 200);
  }
}

TEST_CASE("a client that waits for 100 Continue gets it, unless its body is too large") {
  test_server server;
  auto caller = server.connect();
  REQUIRE(caller.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"));
  const auto go_on = caller.receive();
  REQUIRE(go_on);
  CHECK(go_on->status == 100);
  const auto got = caller.ask("hello");
  REQUIRE(got);
  CHECK(got->body == "POST /echo\nbody=hello");
  const auto refused =
      caller.ask("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 9999999\r\nExpect: 100-continue\r\n\r\n");
  REQUIRE(refused);
  CHECK(refused->status == 413);
}

TEST_CASE("the client decides whether the connection is kept") {
  test_server server;
  struct row {
    const char* request;
    bool stays;
    const char* connection;
  };
  const row rows[] = {
      {"GET /echo HTTP/1.1\r\nHost: h\r\n\r\n", true, ""},
      {"GET /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", false, "close"},
      {"GET /echo HTTP/1.0\r\n\r\n", false, "close"},
      {"GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true, "keep-alive"},
  };
  for (const auto& r : rows) {
    INFO(r.request);
    auto caller = server.connect();
    const auto got = caller.ask(r.request);
    REQUIRE(got);
    CHECK(got->header("connection") == r.connection);
    if (r.stays)
      CHECK(caller.ask(get("/echo"))->status == 200);
    else
      CHECK(caller.ends());
  }
}

TEST_CASE("HEAD is a method like others, but its answer has no body") {
  test_server server;
  auto caller = server.connect();
  REQUIRE(caller.send("HEAD /echo HTTP/1.1\r\nHost: h\r\n\r\n"));
  const auto got = caller.receive(true);
  REQUIRE(got);
  CHECK(got->header("content-length") == "16");
  CHECK(caller.ask(get("/echo"))->status == 200);
}

TEST_CASE("only the path of a target in absolute form is used") {
  test_server server;
  auto caller = server.connect();
  CHECK(caller.ask(get("https://localhost/echo?x"))->body == "GET /echo\nquery=x\nbody=");
  CHECK(caller.ask(get("https://localhost"))->body == "GET /\nbody=");
  CHECK(caller.ask(get("/echo?"))->body == "GET /echo\nquery=\nbody=");
  CHECK(caller.ask(get("/a%2Fb"))->body == "GET /a%2Fb\nbody=");
}

TEST_CASE("a handler that throws is a 500 of the usual shape, and the connection is kept") {
  test_server server;
  auto caller = server.connect();
  const auto got = caller.ask(get("/throw"));
  REQUIRE(got);
  CHECK(got->status == 500);
  CHECK(got->body == R"({"error":"internal_error","message":"The gateway could not answer this request.",)"
                     R"("docs_url":"/docs/errors#internal_error"})");
  CHECK(caller.ask(get("/echo"))->status == 200);
}

TEST_CASE("a large answer reaches a client that reads slowly") {
  test_server server;
  auto caller = server.connect();
  const auto got = caller.ask(get("/large"));
  REQUIRE(got);
  CHECK(got->body.size() == large_body);
  CHECK(caller.ask(get("/echo"))->status == 200);
}

TEST_CASE("requests are counted by route and status, and in flight only while they are") {
  test_server server;
  auto caller = server.connect();
  for (int i = 0; i < 3; ++i) REQUIRE(caller.ask(get("/echo")));
  REQUIRE(caller.ask(get("/throw")));
  CHECK(server.meters.requests("/echo", 200).Value() == 3);
  CHECK(server.meters.requests("unmatched", 500).Value() == 1);
  CHECK(server.meters.connections.Value() == 1);
  REQUIRE(caller.send(get("/wait")));
  CHECK(eventually([&] { return server.meters.requests_in_flight.Value() == 1; }));
  gate = true;
  REQUIRE(caller.receive());
  CHECK(server.meters.requests_in_flight.Value() == 0);
}
