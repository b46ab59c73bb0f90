// Serializes requests, and finds the header fields of an answer.
#include <catch2/catch.hpp>

#include <string>

#include "http/outbound/request_writer.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

std::string written(const http_request& what, std::string_view first_headers = {}) {
  const auto url = read_destination_url("https://api.example:8443/v1/refunds?expand=charge", false).url;
  return write_request(*url, first_headers, what);
}

}  // namespace

TEST_CASE("a request has its method, its target, its length if it has a body, and then its own headers") {
  http_request what;
  CHECK(written(what) == "GET /v1/refunds?expand=charge HTTP/1.1\r\nHost: api.example:8443\r\n\r\n");
  what.method = http_method::delete_;
  what.headers = {{"Idempotency-Key", "key 1"}, {"Stripe-Version", "2024-06-20"}};
  CHECK(written(what, "User-Agent: Gateway/1\r\n") ==
        "DELETE /v1/refunds?expand=charge HTTP/1.1\r\nHost: api.example:8443\r\nUser-Agent: Gateway/1\r\n"
        "Idempotency-Key: key 1\r\nStripe-Version: 2024-06-20\r\n\r\n");
  what.body = "why=x";
  CHECK(written(what).ends_with(
      "Content-Length: 5\r\nIdempotency-Key: key 1\r\nStripe-Version: 2024-06-20\r\n\r\nwhy=x"));
  what = {};
  what.method = http_method::post;
  CHECK(written(what) ==
        "POST /v1/refunds?expand=charge HTTP/1.1\r\nHost: api.example:8443\r\nContent-Length: 0\r\n\r\n");
}

TEST_CASE("a header that would end its line, or set the request's host or length, cannot be sent") {
  CHECK(can_be_sent({}));
  CHECK(can_be_sent({{"Idempotency-Key", "pay_1:\tcapture, \"1\""}, {"X-Empty", ""}, {"X_~`|!", "\xc3\xa9"}}));
  for (const std::string value :
       {"a\r\nX-Other: b", "a\rb", "a\nb", "a\r\n\r\nGET / HTTP/1.1", "\x01", "\x7f", "a\n"}) {
    INFO(value);
    CHECK_FALSE(can_be_sent({{"X-Value", value}}));
  }
  CHECK_FALSE(can_be_sent({{"X-Value", std::string{"a\0b", 3}}}));
  for (const std::string name :
       {"", " ", "X Y", "X:", "X: a\r\nY", "X\r\n", "X\n", "X\t", "(X)", "\xc3\xa9", "X\x7f"}) {
    INFO(name);
    CHECK_FALSE(can_be_sent({{"X-First", "1"}, {name, "a"}}));
  }
  for (const std::string name : {"Host", "host", "Content-Length", "CONTENT-LENGTH", "Transfer-Encoding"}) {
    INFO(name);
    CHECK_FALSE(can_be_sent({{name, "1"}}));
  }
}

TEST_CASE("a header field is found by its name in any case, and the first counts") {
  http_fields fields;
  CHECK_FALSE(fields.find("Request-Id"));
  CHECK_FALSE(fields.find(""));
  fields.add("Request-Id", "req_1");
  fields.add("X-Empty", "");
  fields.add("X-Colons", "a: b");
  fields.add("REQUEST-ID", "req_2");
  CHECK(fields.find("Request-Id") == "req_1");
  CHECK(fields.find("request-id") == "req_1");
  CHECK(fields.find("x-empty") == "");
  CHECK(fields.find("X-Colons") == "a: b");
  CHECK_FALSE(fields.find("Request"));
  CHECK_FALSE(fields.find("Request-Id:"));
  CHECK_FALSE(fields.find("req_1"));
}
