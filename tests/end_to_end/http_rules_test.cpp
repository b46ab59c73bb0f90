// The rules for every request: docs/served/signing.md, "Requests".
#include <catch2/catch.hpp>

#include <regex>
#include <set>

#include "merchant.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

gateway_process& shared() { return shared_gateway(store_kind::sqlite); }

/// The bytes of a signed POST of JSON, for sending them in unusual ways.
std::string signed_bytes(api& merchant, const std::string& target, const std::string& body,
                         const std::string& further = {}) {
  std::string bytes = "POST " + target + " HTTP/1.1\r\nHost: gateway\r\n";
  for (const auto& [name, value] : merchant.signed_headers("POST", target, body, {}))
    bytes += name + ": " + value + "\r\n";
  return bytes + further + "\r\n";
}

}  // namespace

TEST_CASE("every answer carries a Request-Id of its own and forbids caching") {
  api merchant{shared(), new_merchant(shared()).test};
  std::set<std::string> seen;
  const std::vector<reply> answers{merchant.create(server_payment(new_payment_id())),
                                   merchant.view("pay_unknown"),
                                   merchant.get("/v1/nothing"),
                                   merchant.post("/v1/payment_intents", "{"),
                                   merchant.request("PUT", "/v1/payment_intents"),
                                   merchant.get("/healthz"),
                                   merchant.client().send({"GET", "/v1/payment_intents/pay_1", {}, {}})};
  for (const auto& answer : answers) {
    CAPTURE(answer.status, answer.body);
    const auto id = answer.header("Request-Id").value_or("");
    CHECK(std::regex_match(id, std::regex{"req_[A-Za-z0-9]+"}));
    CHECK(seen.insert(id).second);
    CHECK(answer.header("Cache-Control") == "no-store");
  }
}

TEST_CASE("one connection serves many requests, several at a time if the client pipelines them") {
  api merchant{shared(), new_merchant(shared()).test};
  auto& client = merchant.client();
  const auto one = std::string{"GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n"};
  client.push_raw(one + one + one);
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.send_raw("");
    REQUIRE(answer);
    CHECK(answer->status == 200);
  }
  CHECK(client.connected());
}

TEST_CASE("Connection: close is honoured") {
  auto client = shared().connect();
  const auto answer = client.send_raw("GET /healthz HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n");
  REQUIRE(answer);
  CHECK(answer->status == 200);
  CHECK_FALSE(client.connected());
}

TEST_CASE("TLS 1.2 and 1.3 are spoken, older versions are not") {
  CHECK(completes_handshake(shared().address(), "1.3"));
  CHECK(completes_handshake(shared().address(), "1.2"));
  CHECK_FALSE(completes_handshake(shared().address(), "1.1"));
}

TEST_CASE("an unknown path is 404, a known path with another method 405 with Allow, and neither needs a signature") {
  struct row {
    const char* method;
    const char* path;
    int status;
    const char* allow;
  };
  const auto at = GENERATE(values<row>({
      {"GET", "/", 404, ""},
      {"GET", "/v1", 404, ""},
      {"GET", "/v1/nothing", 404, ""},
      {"POST", "/v1/payment_intents/", 404, ""},
      {"POST", "/v1/payment_intents/pay_1/settle", 404, ""},
      {"GET", "/v2/payment_intents/pay_1", 404, ""},
      {"GET", "/operator/merchants", 404, ""},
      {"POST", "/operator/keys", 404, ""},
      {"GET", "/metrics", 404, ""},
      {"PUT", "/v1/payment_intents", 405, "POST"},
      {"DELETE", "/v1/payment_intents/pay_1", 405, "GET"},
      {"GET", "/v1/payment_intents/pay_1/capture", 405, "POST"},
      {"GET", "/v1/payment_intents/pay_1/refund", 405, "POST"},
      {"PATCH", "/v1/payment_intents/pay_1/void", 405, "POST"},
      {"POST", "/v1/payment_intents/pay_1/timeline", 405, "GET"},
      {"GET", "/v1/charges/saved", 405, "POST"},
      {"GET", "/v1/public/onboarding/exchange-setup-token", 405, "POST"},
      {"POST", "/healthz", 405, "GET"},
      {"DELETE", "/readyz", 405, "GET"},
  }));
  CAPTURE(at.method, at.path);
  auto client = shared().connect();
  const auto answer = client.send({at.method, at.path, {}, {}});
  CHECK(answer.status == at.status);
  if (at.status == 404) CHECK(summary_of(answer) == "404 not_found");
  if (at.status == 405) {
    CHECK(answer.header("Allow").value_or("").find(at.allow) != std::string::npos);
    CHECK(json::parse(answer.body)["error"].is_string());
    CHECK(json::parse(answer.body)["message"].is_string());
  }
}

TEST_CASE("a body must be declared as JSON") {
  api merchant{shared(), new_merchant(shared()).test};
  const auto create = [&](const std::string& type) {
    call how;
    how.content_type = type;
    return summary_of(merchant.create(server_payment(new_payment_id()), how));
  };
  CHECK(create("application/json") == "200 authorized");
  CHECK(create("application/json; charset=utf-8") == "200 authorized");
  CHECK(create("Application/JSON;charset=UTF-8") == "200 authorized");
  CHECK(create("") == "415 unsupported_media_type");
  CHECK(create("text/plain") == "415 unsupported_media_type");
  CHECK(create("application/x-www-form-urlencoded") == "415 unsupported_media_type");
  CHECK(create("application/jsonp") == "415 unsupported_media_type");
}

TEST_CASE("a call without a body needs no Content-Type") {
  api merchant{shared(), new_merchant(shared()).test};
  const auto id = new_payment_id();
  REQUIRE(summary_of(merchant.create(server_payment(id))) == "200 authorized");
  CHECK(summary_of(merchant.capture(id)) == "200 captured");
}

TEST_CASE("a body of exactly 1 MiB is read, one byte more is 413") {
  api merchant{shared(), new_merchant(shared()).test};
  auto body = server_payment(new_payment_id()).text();
  body.append((1 << 20) - body.size(), ' ');
  CHECK(summary_of(merchant.post("/v1/payment_intents", body)) == "200 authorized");

  body += ' ';
  const auto bytes =
      signed_bytes(merchant, "/v1/payment_intents", body, "Content-Length: " + std::to_string(body.size()) + "\r\n") +
      body;
  const auto answer = merchant.client().send_raw(bytes);
  REQUIRE(answer);
  CHECK(summary_of(*answer) == "413 body_too_large");
}

TEST_CASE("a body declared too large is refused before it is sent, and so is an endless chunked one") {
  auto client = shared().connect();
  const auto announced =
      client.send_raw("POST /v1/payment_intents HTTP/1.1\r\nHost: gateway\r\nContent-Length: 99999999999\r\n\r\n");
  REQUIRE(announced);
  CHECK(summary_of(*announced) == "413 body_too_large");

  const std::string block(0x10000, 'x');
  std::string chunks = "POST /v1/payment_intents HTTP/1.1\r\nHost: gateway\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 17; ++i) chunks += "10000\r\n" + block + "\r\n";
  const auto streamed = client.send_raw(chunks);
  REQUIRE(streamed);
  CHECK(summary_of(*streamed) == "413 body_too_large");
}

TEST_CASE("a chunked body is signed and read like any other") {
  api merchant{shared(), new_merchant(shared()).test};
  const auto body = server_payment(new_payment_id()).text();
  auto bytes = signed_bytes(merchant, "/v1/payment_intents", body, "Transfer-Encoding: chunked\r\n");
  for (const char c : body) bytes += std::string{"1\r\n"} + c + "\r\n";
  const auto answer = merchant.client().send_raw(bytes + "0\r\n\r\n");
  REQUIRE(answer);
  CHECK(summary_of(*answer) == "200 authorized");
}

TEST_CASE("a header block above 16 KiB is 431") {
  auto client = shared().connect();
  const auto request = [](std::size_t filler) {
    return "GET /healthz HTTP/1.1\r\nHost: gateway\r\nX-Filler: " + std::string(filler, 'x') + "\r\n\r\n";
  };
  const auto fits = client.send_raw(request(15'000));
  REQUIRE(fits);
  CHECK(fits->status == 200);
  const auto answer = client.send_raw(request(17'000));
  REQUIRE(answer);
  CHECK(answer->status == 431);
  CHECK(json::parse(answer->body)["error"].is_string());
}

TEST_CASE("bytes that are not HTTP are refused, and the connection ends") {
  for (const auto* bytes :
       {"\x16\x03\x01 what\r\n\r\n", "GET /healthz\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost gateway\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"}) {
    CAPTURE(bytes);
    auto client = shared().connect();
    const auto answer = client.send_raw(bytes);
    if (answer) CHECK(answer->status == 400);
    CHECK_FALSE(client.connected());
  }
  CHECK(shared().status_of("/healthz") == 200);
}

TEST_CASE("a request that stalls is answered 408, an idle connection is closed") {
  gateway_options options;
  options.arguments = {"--http-request-timeout=500ms", "--http-idle-timeout=700ms"};
  gateway_process gateway{options};
  auto client = gateway.connect();
  const auto stalled =
      client.send_raw("POST /v1/payment_intents HTTP/1.1\r\nHost: gateway\r\nContent-Length: 10\r\n\r\nhalf");
  REQUIRE(stalled);
  CHECK(summary_of(*stalled) == "408 request_timeout");

  client.connect();
  CHECK(client.closed_by_server(hang_timeout));
}

TEST_CASE("a connection beyond the limit of its address replaces the one that has been idle longest") {
  gateway_options options;
  options.arguments = {"--http-connections-per-address=3"};
  gateway_process gateway{options};
  const auto served = [&](https_client& client) {
    try {
      return client.send({"GET", "/healthz", {}, {}}).status == 200;
    } catch (const connection_failed&) {
      return false;
    }
  };
  std::vector<https_client> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(gateway.connect());
    CHECK(served(clients.back()));
  }
  auto late = gateway.connect();
  CHECK(served(late));
  CHECK(clients[0].closed_by_server(hang_timeout));
  CHECK(served(clients[1]));
  CHECK(served(clients[2]));
  CHECK(served(late));
}

TEST_CASE("alive and ready answer 200 over TLS") {
  CHECK(shared().status_of("/healthz") == 200);
  CHECK(shared().status_of("/readyz") == 200);
}

TEST_CASE("the documentation and the OpenAPI document are served without authentication") {
  const auto client = [] { return shared().connect(); };
  for (const auto* target :
       {"/docs", "/docs/signing", "/docs/reference?x=1", "/docs/reference-payments", "/docs/errors"}) {
    CAPTURE(target);
    const auto page = client().send({"GET", target, {}, {}});
    CHECK(page.status == 200);
    CHECK(page.header("Content-Type") == "text/html; charset=utf-8");
    CHECK(page.header("Content-Security-Policy").value_or("").starts_with("default-src 'none'; script-src 'self'; "));
    CHECK(page.body.find("</html>") != std::string::npos);
  }
  const auto script = client().send({"GET", "/docs/samples.js", {}, {}});
  CHECK(script.status == 200);
  CHECK(script.header("Content-Type") == "text/javascript; charset=utf-8");
  CHECK(script.header("X-Content-Type-Options") == "nosniff");
  for (const auto* other : {"/docs/search?q=a", "/docs/nothing", "/portal/sign-in", "/connect/authorize?client_id=x"}) {
    CAPTURE(other);
    const auto page = client().send({"GET", other, {}, {}});
    CHECK(page.header("Content-Security-Policy").value_or("").find("script-src 'none'") != std::string::npos);
    CHECK(page.body.find("<script") == std::string::npos);
  }
  for (const auto* target :
       {"/docs/nothing", "/docs/index", "/docs/..%2f", "/docs/errors/x", "/docs/reference-nothing", "/docs/other.js"})
    CHECK(client().send({"GET", target, {}, {}}).status == 404);
  CHECK(client().send({"POST", "/docs/errors", {}, {}}).status == 405);
  const auto document = client().send({"GET", "/openapi.json", {}, {}});
  CHECK(document.status == 200);
  CHECK(document.header("Content-Type") == "application/json");
  CHECK(json::parse(document.body)["openapi"].text().starts_with("3.1"));
}

TEST_CASE("the documentation of errors explains every code that an answer links to") {
  api merchant{shared(), new_merchant(shared()).test};
  const auto page = merchant.client().send({"GET", "/docs/errors", {}, {}});
  CHECK(page.status == 200);
  CHECK(page.header("Content-Type").value_or("").find("text/html") == 0);
  for (const auto* code :
       {"merchant_not_charge_capable", "ROUTING_NO_ELIGIBLE_PROVIDER", "platform_key_required", "wallet_not_available",
        "provider_operation_unsupported", "IDEMPOTENCY_KEY_REUSED", "invalid_request", "unauthorized"}) {
    CAPTURE(code);
    CHECK(page.body.find("id=\"" + std::string{code} + '"') != std::string::npos);
  }

  const auto refused = merchant.post(
      "/v1/charges/saved",
      R"({"payment_id":"pay_1","amount":1,"currency":"HKD","customer_ref":"c","payment_method_id":"pm_1"})");
  CHECK(json::parse(refused.body)["error.docs_url"] == shared().base_url() + "/docs/errors#platform_key_required");
}
