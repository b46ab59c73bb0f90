// Bytes that are not HTTP, or can be read in two ways, are refused with one answer, and the connection is closed.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <random>

#include "http/server/request_reader.hpp"
#include "transport_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

using state = request_reader::state;

struct sample {
  const char* why;
  std::string bytes;
};

std::vector<sample> bad_requests() {
  const std::string host = "Host: h\r\n";
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  return {
      {"both lengths", "POST / HTTP/1.1\r\n" + host + "Content-Length: 5\r\n" + chunked + "\r\n0\r\n\r\n"},
      {"both lengths, the other way round",
       "POST / HTTP/1.1\r\n" + host + chunked + "Content-Length: 5\r\n\r\n0\r\n\r\n"},
      {"two lengths", "POST / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx"},
      {"the same length twice", "POST / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx"},
      {"a signed length", "POST / HTTP/1.1\r\n" + host + "Content-Length: +1\r\n\r\nx"},
      {"a length that overflows", "POST / HTTP/1.1\r\n" + host + "Content-Length: 99999999999999999999\r\n\r\n"},
      {"a line feed in a quoted chunk extension",
       "POST / HTTP/1.1\r\n" + host + chunked + "\r\n1;a=\"\nX\"\r\nx\r\n0\r\n\r\n"},
      {"a list of equal lengths", "POST / HTTP/1.1\r\n" + host + "Content-Length: 5, 5\r\n\r\nhello"},
      {"a negative length", "POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n"},
      {"another transfer encoding", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n"},
      {"two transfer encodings", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
      {"chunked twice",
       "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"a mangled transfer encoding", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"},
      {"chunks in HTTP/1.0", "POST / HTTP/1.0\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"a folded header", "GET / HTTP/1.1\r\n" + host + "X-A: b\r\n c\r\n\r\n"},
      {"a folded header with a tab", "GET / HTTP/1.1\r\n" + host + "X-A: b\r\n\tc\r\n\r\n"},
      {"white space before the first header", "GET / HTTP/1.1\r\n Host: h\r\n\r\n"},
      {"white space before the colon", "GET / HTTP/1.1\r\n" + host + "X-A : b\r\n\r\n"},
      {"bare line feeds", "GET / HTTP/1.1\nHost: h\n\n"},
      {"one bare line feed", "GET / HTTP/1.1\r\n" + host + "X-A: b\nX-B: c\r\n\r\n"},
      {"a bare carriage return", "GET / HTTP/1.1\r\n" + host + "X-A: b\rc\r\n\r\n"},
      {"a NUL in a header", "GET / HTTP/1.1\r\n" + host + "X-A: b" + std::string(1, '\0') + "c\r\n\r\n"},
      {"a control character in a header", "GET / HTTP/1.1\r\n" + host + "X-A: b\x01\r\n\r\n"},
      {"a control character in the target", "GET /\x01 HTTP/1.1\r\n" + host + "\r\n"},
      {"a header without a name", "GET / HTTP/1.1\r\n" + host + ": b\r\n\r\n"},
      {"a line that is no header", "GET / HTTP/1.1\r\n" + host + "nonsense\r\n\r\n"},
      {"no host", "GET / HTTP/1.1\r\n\r\n"},
      {"two hosts", "GET / HTTP/1.1\r\n" + host + host + "\r\n"},
      {"a host with a user", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"},
      {"a target without a host", "GET https:///x HTTP/1.1\r\n" + host + "\r\n"},
      {"a target with a user", "GET https://a@b/x HTTP/1.1\r\n" + host + "\r\n"},
      {"a query without a path", "GET ?x HTTP/1.1\r\n" + host + "\r\n"},
      {"an asterisk for a GET", "GET * HTTP/1.1\r\n" + host + "\r\n"},
      {"nine empty lines", "\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n" + host + "\r\n"},
      {"a folded trailer", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: a\r\n b\r\n\r\n"},
      {"no target", "GET HTTP/1.1\r\n" + host + "\r\n"},
      {"a relative target", "GET echo HTTP/1.1\r\n" + host + "\r\n"},
      {"two spaces", "GET  / HTTP/1.1\r\n" + host + "\r\n"},
      {"HTTP/2", "GET / HTTP/2.0\r\n" + host + "\r\n"},
      {"HTTP/0.9", "GET /\r\n\r\n"},
      {"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {"a chunk without a size", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n\r\nhello\r\n"},
      {"a chunk size that overflows",
       "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\n"},
      {"a chunk longer than its size",
       "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n"},
      {"an endless chunk line",
       "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n5;" + std::string(20'000, 'x')},
  };
}

/// Feeds at most `step` bytes at a time, until the reader accepts no more.
state feed(request_reader& reader, std::string_view bytes, std::size_t step) {
  auto now = state::partial;
  while (!bytes.empty() && now == state::partial) {
    const auto space = reader.free_space();
    const auto count = std::min({bytes.size(), step, space.size()});
    std::memcpy(space.data(), bytes.data(), count);
    bytes.remove_prefix(count);
    now = reader.received(count);
  }
  return now;
}

}  // namespace

TEST_CASE("anything but plain HTTP/1.1 is a 400, however its bytes are split") {
  const http_limits limits;
  for (const auto& bad : bad_requests()) {
    for (const std::size_t step : {1, 7, 100'000}) {
      INFO(bad.why << ", " << step << " bytes at a time");
      request_reader reader{limits};
      REQUIRE(feed(reader, bad.bytes, step) == state::rejected);
      CHECK(row_of(reader.why().code).status == 400);
      CHECK(reader.why().code == error_code::bad_request);
      CHECK_FALSE(reader.keep_alive());
    }
  }
}

TEST_CASE("a bad request is answered, and nothing after it is read") {
  test_server server;
  for (const auto& bad : bad_requests()) {
    INFO(bad.why);
    auto caller = server.connect();
    const auto got = caller.ask(bad.bytes + get("/echo"));
    REQUIRE(got);
    CHECK(got->status == 400);
    CHECK(got->body == R"({"error":"bad_request","message":"The request is not valid HTTP/1.1.",)"
                       R"("docs_url":"/docs/errors#bad_request"})");
    CHECK(got->header("connection") == "close");
    CHECK_FALSE(got->header("request-id").empty());
    CHECK(caller.ends());
  }
}

TEST_CASE("a reader gives the same request however its bytes are split") {
  const http_limits limits;
  const std::string body(5'000, 'b');
  const std::string two = "\r\n" +
                          post("/v1/x?y=z", body, "Idempotency-Key: abc\r\nContent-Type: application/json\r\n") +
                          "POST /chunks HTTP/1.1\r\nHost: h\r\nCookie: c\r\nTransfer-Encoding: chunked\r\n\r\n" +
                          "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n";
  std::mt19937 random{7};
  for (int round = 0; round < 300; ++round) {
    INFO("round " << round);
    request_reader reader{limits};
    std::string_view left = two;
    auto now = state::partial;
    const auto read_one = [&] {
      while (now == state::partial) {
        REQUIRE_FALSE(left.empty());
        const auto space = reader.free_space();
        REQUIRE_FALSE(space.empty());
        const auto count =
            std::min({left.size(), space.size(), std::size_t{1} + random() % (round < 100 ? 20 : 3'000)});
        std::memcpy(space.data(), left.data(), count);
        left.remove_prefix(count);
        now = reader.received(count);
      }
      REQUIRE(now == state::whole);
    };
    read_one();
    CHECK(reader.current().path == "/v1/x");
    CHECK(reader.current().query == "y=z");
    CHECK(reader.current().idempotency_key == "abc");
    CHECK(reader.current().content_type == "application/json");
    CHECK(reader.current().body == body);
    CHECK(reader.keep_alive());
    now = reader.next();
    read_one();
    CHECK(reader.current().method == "POST");
    CHECK(reader.current().path == "/chunks");
    CHECK(reader.current().cookie == "c");
    CHECK_FALSE(reader.current().idempotency_key);
    CHECK(reader.current().body == "abcdefg");
    CHECK(reader.next() == state::partial);
    CHECK(reader.empty());
    CHECK(reader.capacity() <= 2048);
  }
}

TEST_CASE("the end of a chunked body may arrive in the smallest pieces") {
  const http_limits limits;
  for (const auto* chunks :
       {"0\r\n\r\n", "00\r\n\r\n", "0;a=b\r\n\r\n", "0\r\nX-Trailer: y\r\n\r\n", "1\r\nx\r\n0\r\n\r\n"}) {
    for (std::size_t step = 1; step <= 7; ++step) {
      INFO(chunks << ", " << step << " bytes at a time");
      request_reader reader{limits};
      REQUIRE(feed(reader, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", 1'000) ==
              state::partial);
      REQUIRE(feed(reader, chunks, step) == state::whole);
      CHECK(reader.current().body == (chunks[0] == '1' ? "x" : ""));
    }
  }
}

TEST_CASE("chunks that are too small are refused however their bytes are split, and whatever follows them") {
  const http_limits limits;
  std::string bytes = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 4'097; ++i) bytes += "1\r\nx\r\n";
  bytes += "8000\r\n" + std::string(0x8000, 'x') + "\r\n0\r\n\r\n";
  for (const std::size_t step : {1, 5, 6, 7, 1'000, 1'000'000}) {
    INFO(step << " bytes at a time");
    request_reader reader{limits};
    CHECK(feed(reader, bytes, step) == state::rejected);
    CHECK(reader.why().message == "The chunks of the request's body are too small.");
  }
}

TEST_CASE("a header that is too large is refused as such however its bytes are split, whatever else is wrong with it") {
  http_limits limits;
  limits.header_bytes = 64;
  const auto bytes = "GET / HTTP/1.1\r\nHost: h\r\n folded" + std::string(64, 'x') + "\r\n\r\n";
  for (const std::size_t step : {1, 7, 1'000}) {
    INFO(step << " bytes at a time");
    request_reader reader{limits};
    REQUIRE(feed(reader, bytes, step) == state::rejected);
    CHECK(row_of(reader.why().code).status == 431);
  }
}

TEST_CASE("no bytes break the reader") {
  const http_limits limits;
  const auto samples = bad_requests();
  std::mt19937 random{11};
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = samples[random() % samples.size()].bytes;
    if (bytes.size() > 400) bytes.resize(400);
    for (auto changes = random() % 6; changes > 0; --changes) {
      const auto at = random() % bytes.size();
      switch (random() % 3) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes.insert(at, 1, "\r\n: 0chunked"[random() % 12]); break;
        default: bytes.erase(at, 1 + random() % 3);
      }
      if (bytes.empty()) bytes = "\r\n";
    }
    request_reader reader{limits};
    std::string_view left = bytes;
    auto now = state::partial;
    while (now != state::rejected && (now == state::whole || !left.empty())) {
      if (now == state::whole) {
        REQUIRE(reader.current().body.size() <= bytes.size());
        now = reader.next();
        continue;
      }
      const auto space = reader.free_space();
      REQUIRE_FALSE(space.empty());
      const auto count = std::min({left.size(), space.size(), std::size_t{1} + random() % 64});
      std::memcpy(space.data(), left.data(), count);
      left.remove_prefix(count);
      now = reader.received(count);
    }
  }
}
