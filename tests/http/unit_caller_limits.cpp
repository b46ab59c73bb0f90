// The limits per caller at the routes: which caller is counted and when, the 429 answer, and that it has no other
// effect.
#include <catch2/catch.hpp>

#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

caller_limits::clock::time_point limits_now{};

/// A gateway whose limits use a clock that the test moves.
struct limited_fixture : gateway_fixture {
  limited_fixture() {
    limits_now = caller_limits::clock::time_point{1'000h};
    scene.router = [](const entity_request&) {
      return entity_reply{finished{std::make_shared<const answer>(answer{200, "{}"}), false}};
    };
  }
  /// Each limit refills one request a second.
  void limit(std::size_t key_burst, std::size_t platform_burst, std::size_t address_burst, std::string exempt = {}) {
    config.rates = {key_burst != 0,     key_burst,     platform_burst != 0, platform_burst,
                    address_burst != 0, address_burst, std::move(exempt)};
    shared.limits = caller_limits{config, meters, [] { return limits_now; }};
  }
  void publish_platforms_key(std::string_view id) {
    merchants.publish(std::make_shared<const platform_key>(
        platform_key{key_id{std::string{id}}, platform_id{"plat_1"}, *parse_scopes("*"), "secret", false, false}));
  }
  /// A read; with a platform's key it must name a merchant.
  response read(std::string key = "mk_test_0000000000000001", std::optional<std::uint64_t> address = std::nullopt,
                std::string signature = {}) {
    auto in = get("/v1/payment_intents/pay_1/timeline");
    in.key = std::move(key);
    in.address_number = address;
    in.signature_override = std::move(signature);
    return in.send(*this);
  }
  response unsigned_get(std::string_view path, std::uint64_t address) {
    auto in = unsigned_request("GET", path);
    in.address_number = address;
    return run(in);
  }
};

constexpr std::string_view one_key = "mk_platform_00000001", other_key = "mk_platform_00000002";

}  // namespace

TEST_CASE_METHOD(gateway_fixture, "without limits no caller is limited") {
  CHECK_FALSE(shared.limits.number_of_address("192.0.2.1"));
  CHECK_FALSE(shared.limits.limit_signers());
  const auto out = client_request{}.send(*this);
  CHECK(header(out, "RateLimit").empty());
  CHECK(header(out, "RateLimit-Policy").empty());
}

TEST_CASE_METHOD(limited_fixture, "a key's requests past its burst are 429, and pass again after the refill") {
  limit(2, 0, 0);
  const auto first = client_request{}.send(*this);
  CHECK(first.sent_status() == 200);
  CHECK(header(first, "RateLimit-Policy") == R"("key";q=2;w=2)");
  CHECK(header(first, "RateLimit") == R"("key";r=1;t=1)");
  CHECK(first.stored->body == "{}");  // the stored result is the body and the status
  CHECK(client_request{}.send(*this).sent_status() == 200);
  scene.seen.clear();

  const auto limited = client_request{}.send(*this);
  CHECK(limited.sent_status() == 429);
  CHECK(code_in(limited) == "rate_limited");
  CHECK_FALSE(limited.stored);
  CHECK(header(limited, "Retry-After") == "1");
  CHECK(header(limited, "RateLimit-Policy") == R"("key";q=2;w=2)");
  CHECK(header(limited, "RateLimit") == R"("key";r=0;t=1)");
  CHECK(limited.route == "/v1/payment_intents");
  CHECK(scene.seen.empty());  // no actor was asked, so nothing is stored under the Idempotency-Key
  CHECK(meters.rate_limited("key").Value() == 1);

  limits_now += 1s;
  CHECK(client_request{}.send(*this).sent_status() == 200);
  CHECK(scene.seen.size() == 1);
}

TEST_CASE_METHOD(limited_fixture, "each key has a bucket of its own, also among keys of one merchant") {
  limit(1, 0, 0);
  publish_key("mk_test_0000000000000002", default_merchant_scopes);
  CHECK(read().status != 429);
  CHECK(read().status == 429);
  CHECK(read("mk_test_0000000000000002").status != 429);
}

TEST_CASE_METHOD(limited_fixture, "a caller who knows only a key's id takes nothing from its bucket") {
  limit(1, 0, 0);
  for (int i = 0; i < 20; ++i) CHECK(read("mk_test_0000000000000001", std::nullopt, "00").status == 401);
  const auto honest = read();
  CHECK(honest.status != 429);
  CHECK(header(honest, "RateLimit") == R"("key";r=0;t=1)");
}

TEST_CASE_METHOD(limited_fixture, "a key is counted before its request is checked") {
  limit(1, 0, 0);
  publish_key("mk_test_0000000000000001", "payments:read");
  CHECK(code_in(client_request{}.send(*this)) == "forbidden");
  CHECK(code_in(client_request{}.send(*this)) == "rate_limited");
}

TEST_CASE_METHOD(limited_fixture, "all keys of a platform share its limit in addition to their own") {
  limit(2, 3, 0);
  publish_platforms_key(one_key);
  publish_platforms_key(other_key);
  const auto first = read(std::string{one_key});
  CHECK(first.status == row_of(error_code::service_merchant_required).status);  // counted, though it names no merchant
  CHECK(header(first, "RateLimit-Policy") == R"("key";q=2;w=2, "platform";q=3;w=3)");
  CHECK(header(first, "RateLimit") == R"("key";r=1;t=1, "platform";r=2;t=2)");
  CHECK(read(std::string{one_key}).status != 429);

  const auto by_key = read(std::string{one_key});
  CHECK(by_key.status == 429);
  CHECK(header(by_key, "RateLimit") == R"("key";r=0;t=1)");

  // The platform's third request: the key's rejection has taken nothing from the platform.
  CHECK(read(std::string{other_key}).status != 429);
  const auto by_platform = read(std::string{other_key});
  CHECK(by_platform.status == 429);
  CHECK(header(by_platform, "RateLimit") == R"("platform";r=0;t=1)");
  CHECK(meters.rate_limited("key").Value() == 1);
  CHECK(meters.rate_limited("platform").Value() == 1);

  // The platform's rejection has taken nothing from the key either.
  limits_now += 1s;
  CHECK(header(read(std::string{other_key}), "RateLimit") == R"("key";r=1;t=1, "platform";r=0;t=1)");
  CHECK(read().status != 429);  // a merchant's own key is not a platform's
}

TEST_CASE_METHOD(limited_fixture, "the token endpoint answers a 429 in its own shape") {
  limit(1, 0, 0);
  publish_platforms_key(one_key);
  client_request in;
  in.path = "/v1/public/connect/token";
  in.key = one_key;
  in.send(*this);
  const auto out = in.send(*this);
  CHECK(out.status == 429);
  CHECK(out.body.starts_with(R"({"error":"rate_limited","error_description":")"));
  CHECK(header(out, "Retry-After") == "1");
}

TEST_CASE_METHOD(limited_fixture, "an address is limited before the signature is checked, whatever the request") {
  limit(0, 0, 2);
  CHECK(read("mk_test_0000000000000001", 7, "00").status == 401);
  CHECK(unsigned_get("/nothing/here", 7).status == 404);
  const auto forged = read("mk_test_0000000000000001", 7, "00");
  CHECK(forged.status == 429);
  CHECK(code_in(forged) == "rate_limited");
  CHECK(header(forged, "Retry-After") == "1");
  CHECK(header(forged, "RateLimit-Policy") == R"("address";q=2;w=2)");
  CHECK(header(forged, "RateLimit") == R"("address";r=0;t=1)");
  CHECK(read("mk_test_0000000000000001", 7).status == 429);
  CHECK(scene.seen.empty());
  CHECK(read("mk_test_0000000000000001", 8).status != 429);  // another address
  CHECK(read().status != 429);  // an exempt one
  CHECK(meters.rate_limited("address").Value() == 2);
  limits_now += 1s;
  CHECK(read("mk_test_0000000000000001", 7, "00").status == 401);
}

TEST_CASE_METHOD(limited_fixture,
                 "an answer describes the limits of the key and of the address, a 429 only the one that rejected it") {
  limit(2, 0, 9);
  const auto first = read("mk_test_0000000000000001", 7);
  CHECK(header(first, "RateLimit-Policy") == R"("key";q=2;w=2, "address";q=9;w=9)");
  CHECK(header(first, "RateLimit") == R"("key";r=1;t=1, "address";r=8;t=8)");
  read("mk_test_0000000000000001", 7);
  const auto limited = read("mk_test_0000000000000001", 7);
  CHECK(limited.status == 429);
  // The window must not end after Retry-After.
  CHECK(header(limited, "RateLimit") == R"("key";r=0;t=1)");
}

TEST_CASE_METHOD(limited_fixture, "health is never limited, but a notification path without a provider is") {
  limit(0, 0, 1);
  CHECK(unsigned_get("/docs/errors", 7).status == 200);
  CHECK(unsigned_get("/docs/errors", 7).status == 429);
  for (int i = 0; i < 3; ++i) {
    CHECK(unsigned_get("/healthz", 7).status == 200);
    CHECK(unsigned_get("/readyz", 7).status == 503);
  }
  // No provider is configured here, so none of these paths exists.
  for (const auto* path : {"/v1/public/providers/stripe/test/notifications", "/v1/public/providers//notifications",
                           "/v1/public/providers/notifications", "/v1/public/providers/x/y/z/notifications"}) {
    CAPTURE(path);
    CHECK(unsigned_get(path, 7).status == 429);
    auto post = unsigned_request("POST", path, "{}");
    post.address_number = 7;
    CHECK(run(post).status == 429);
  }
  CHECK(unsigned_get("/v1/public/providers/stripe/test/return", 7).status == 429);
}

TEST_CASE_METHOD(limited_fixture, "people get a page, and pages do not describe limits") {
  limit(0, 0, 1);
  const auto page = unsigned_get("/docs/errors", 7);
  CHECK(header(page, "RateLimit").empty());
  for (const auto* path :
       {"/portal/sign-in", "/docs/errors", "/checkout/returned", "/v1/public/pay/x", "/v1/public/accounts/x"}) {
    CAPTURE(path);
    const auto out = unsigned_get(path, 7);
    CHECK(out.status == 429);
    CHECK(out.content_type == "text/html; charset=utf-8");
    CHECK(header(out, "Retry-After") == "1");
    CHECK(out.body.find("Too many requests have come from your network.") != std::string::npos);
  }
  CHECK(unsigned_get("/sandbox/confirm", 7).content_type == "application/json");
}

TEST_CASE_METHOD(limited_fixture, "addresses of one /64 network count as one, and exempt networks are not counted") {
  limit(0, 0, 1, "10.0.0.0/8,2001:db8:1::/48");
  const auto number = [&](const char* address) { return shared.limits.number_of_address(address); };
  CHECK(number("192.0.2.1"));
  CHECK(number("192.0.2.1") == number("192.0.2.1"));
  CHECK(number("192.0.2.1") != number("192.0.2.2"));
  CHECK(number("2001:db8::1") == number("2001:db8::ffff:0:0:1"));
  CHECK(number("2001:db8::1") != number("2001:db8:0:1::1"));
  for (const auto* exempt : {"10.1.2.3", "::ffff:10.1.2.3", "2001:db8:1:2::3", ""}) CHECK_FALSE(number(exempt));
  // Each process has secret numbers of its own, so callers cannot tell which addresses share a place.
  CHECK(number("192.0.2.1") != caller_limits(config, meters).number_of_address("192.0.2.1"));
}

TEST_CASE_METHOD(limited_fixture, "the metrics have the number of counted callers") {
  limit(2, 2, 2);
  publish_platforms_key(one_key);
  read("mk_test_0000000000000001", 7);
  read(std::string{one_key}, 8);
  read(std::string{one_key}, 9);
  const auto text = [&] { return run(unsigned_request("GET", "/metrics"), handle_metrics).body; };
  const auto busy = text();
  for (const auto* line : {"{kind=\"key\"} 2\n", "{kind=\"platform\"} 1\n", "{kind=\"address\"} 3\n"}) {
    CAPTURE(line);
    CHECK(busy.find(std::string{"gateway_rate_limit_buckets"} + line) != std::string::npos);
  }
  limits_now += 1min;
  CHECK(text().find("gateway_rate_limit_buckets{kind=\"key\"} 0\n") != std::string::npos);
}
