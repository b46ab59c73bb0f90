// Who may call, and the order in which a request is checked: docs/served/signing.md.
#include <catch2/catch.hpp>

#include "merchant.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

gateway_process& shared() { return shared_gateway(store_kind::sqlite); }

constexpr std::string_view target = "/v1/payment_intents";

/// A signed create with replaceable parts, so that a row can break one.
struct forgery {
  std::string name;
  std::string key_id;
  std::string at = timestamp();
  std::string secret;
  std::string signed_method = "POST";
  std::string signed_path{target};
  std::string signed_body;
  std::string signature;  ///< replaces the right one
};

reply send(api& merchant, const forgery& forged, const std::string& body) {
  const auto signature = forged.signature.empty() ? signature_of(forged.secret, forged.signed_method,
                                                                 forged.signed_path, forged.at, forged.signed_body)
                                                  : forged.signature;
  return merchant.post(
      std::string{target}, body,
      {new_uuid(),
       {{"X-Service-Key-Id", forged.key_id}, {"X-Service-Timestamp", forged.at}, {"X-Service-Signature", signature}}});
}

std::string unhex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

}  // namespace

TEST_CASE("a request with an invalid signature is 401 and changes nothing") {
  const auto account = new_merchant(shared());
  const auto stranger = new_merchant(shared());
  api merchant{shared(), account.test};
  const auto id = new_payment_id();
  const auto body = server_payment(id).text();
  forgery honest{"", account.test.key_id, timestamp(), account.test.secret, "POST", std::string{target}, body, ""};

  const auto spoiled = [&](std::string name, auto spoil) {
    auto copy = honest;
    copy.name = std::move(name);
    spoil(copy);
    return copy;
  };
  const auto right = signature_of(account.test.secret, "POST", target, honest.at, body);
  auto upper = right, truncated = right.substr(0, 63);
  for (auto& c : upper) c = static_cast<char>(std::toupper(c));

  const std::vector<forgery> rows{
      spoiled("no key id", [](auto& f) { f.key_id = ""; }),
      spoiled("no timestamp", [](auto& f) { f.at = ""; }),
      spoiled("an unknown key", [](auto& f) { f.key_id = "mk_test_0123456789abcdef"; }),
      spoiled("a key of no known kind", [](auto& f) { f.key_id = "sk_123"; }),
      spoiled("another merchant's key id", [&](auto& f) { f.key_id = stranger.test.key_id; }),
      spoiled("a wrong secret", [&](auto& f) { f.secret = stranger.test.secret; }),
      spoiled("the secret's bytes instead of its text", [&](auto& f) { f.secret = unhex(account.test.secret); }),
      spoiled("another method signed", [](auto& f) { f.signed_method = "GET"; }),
      spoiled("another path signed", [](auto& f) { f.signed_path = "/v1/payment_intents/pay_1/void"; }),
      spoiled("another body signed", [](auto& f) { f.signed_body += ' '; }),
      spoiled("upper-case digits", [&](auto& f) { f.signature = upper; }),
      spoiled("a digit too few", [&](auto& f) { f.signature = truncated; }),
      spoiled("no hex at all", [](auto& f) { f.signature = "signature"; }),
      spoiled("five minutes and more behind", [](auto& f) { f.at = timestamp(-310s); }),
      spoiled("five minutes and more ahead", [](auto& f) { f.at = timestamp(310s); }),
      spoiled("fractional seconds", [](auto& f) { f.at.insert(19, ".000"); }),
      spoiled("an offset instead of Z", [](auto& f) { f.at.replace(19, 1, "+00:00"); }),
      spoiled("unix time", [](auto& f) { f.at = std::to_string(std::time(nullptr)); }),
      spoiled("a date that does not exist", [](auto& f) { f.at.replace(5, 5, "02-30"); }),
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CHECK(summary_of(send(merchant, row, body)) == "401 unauthorized");
  }
  CHECK(summary_of(merchant.view(id)) == "404 payment_not_found");

  CHECK(summary_of(send(merchant, honest, body)) == "200 authorized");
}

TEST_CASE("an unsigned request is 401") {
  auto client = shared().connect();
  CHECK(summary_of(client.send({"GET", "/v1/payment_intents/pay_1", {}, {}})) == "401 unauthorized");
  api merchant{shared(), new_merchant(shared()).test};
  CHECK(summary_of(merchant.get("/v1/payment_intents/pay_1", {"", {{"X-Service-Signature", ""}}})) ==
        "401 unauthorized");
}

TEST_CASE("clocks may differ by almost five minutes in either direction") {
  const auto account = new_merchant(shared());
  api merchant{shared(), account.test};
  for (const auto skew : {-290s, 290s}) {
    const auto body = server_payment(new_payment_id()).text();
    forgery honest{"", account.test.key_id, timestamp(skew), account.test.secret, "POST", std::string{target}, body,
                   ""};
    CHECK(summary_of(send(merchant, honest, body)) == "200 authorized");
  }
}

TEST_CASE("the answer to a stale timestamp carries the server's time") {
  const auto account = new_merchant(shared());
  api merchant{shared(), account.test};
  forgery stale{"", account.test.key_id, timestamp(-3600s), account.test.secret, "POST", std::string{target}, "{}", ""};
  const auto description = json::parse(send(merchant, stale, "{}").body)["error_description"].text();
  CAPTURE(description);
  CHECK(description.find(timestamp().substr(0, 14)) != std::string::npos);
}

TEST_CASE("an unknown key and a wrong signature get the same answer") {
  const auto account = new_merchant(shared());
  api merchant{shared(), account.test};
  forgery unknown{"", "mk_test_0123456789abcdef", timestamp(), "secret", "POST", std::string{target}, "{}", ""};
  auto wrong = unknown;
  wrong.key_id = account.test.key_id;
  CHECK(send(merchant, unknown, "{}").body == send(merchant, wrong, "{}").body);
}

TEST_CASE("an unknown platform key is PLATFORM_KEY_INVALID") {
  api platform{shared(), {"mk_platform_0a1b2c3d", random_hex(32)}};
  CHECK(summary_of(platform.create(server_payment(new_payment_id()))) == "401 PLATFORM_KEY_INVALID");
}

TEST_CASE("the query is not signed, and cannot change a merchant key's environment") {
  api merchant{shared(), new_merchant(shared()).test};
  const auto id = new_payment_id();
  CHECK(summary_of(merchant.post("/v1/payment_intents?environment=live", server_payment(id).text())) ==
        "200 authorized");
  CHECK(summary_of(merchant.get("/v1/payment_intents/" + id + "?environment=nonsense&environment=")) ==
        "200 authorized");
}

TEST_CASE("a revoked key stops working at once") {
  const auto account = new_merchant(shared());
  const auto second = mint_key(shared(), account.id);
  api merchant{shared(), second};
  const auto id = new_payment_id();
  REQUIRE(summary_of(merchant.create(server_payment(id))) == "200 authorized");
  shared().ctl({"key", "revoke", second.key_id});
  CHECK(summary_of(merchant.view(id)) == "401 unauthorized");
  CHECK(summary_of(merchant.capture(id)) == "401 unauthorized");
  api first{shared(), account.test};
  CHECK(summary_of(first.view(id)) == "200 authorized");
}

TEST_CASE("each operation needs its scope") {
  const auto account = new_merchant(shared());
  const auto with = [&](const std::string& scopes) {
    return api{shared(), mint_key(shared(), account.id, "test", scopes)};
  };
  auto writer = with("payments:write"), reader = with("payments:read"), refunder = with("refunds:write"),
       all = with("*");
  const auto id = new_payment_id();

  for (auto* without : {&reader, &refunder}) {
    CHECK(summary_of(without->create(server_payment(id))) == "403 forbidden");
    CHECK(summary_of(without->capture(id)) == "403 forbidden");
    CHECK(summary_of(without->refund(id)) == "403 forbidden");
    CHECK(summary_of(without->void_payment(id)) == "403 forbidden");
  }
  CHECK(summary_of(writer.create(server_payment(id))) == "200 authorized");
  for (auto* without : {&writer, &refunder}) {
    CHECK(summary_of(without->view(id)) == "403 forbidden");
    CHECK(summary_of(without->timeline(id)) == "403 forbidden");
  }
  CHECK(summary_of(reader.view(id)) == "200 authorized");
  CHECK(reader.timeline(id).status == 200);
  CHECK(summary_of(all.capture(id)) == "200 captured");
  CHECK(summary_of(all.view(id)) == "200 captured");
  CHECK(summary_of(writer.refund(id)) == "200 refunded");
}

TEST_CASE("of several faults the first in the contract's order is answered") {
  const auto account = new_merchant(shared());
  api merchant{shared(), account.test};
  api reader{shared(), mint_key(shared(), account.id, "test", "payments:read")};
  const std::string broken = "{";
  const call keyless{"", {}}, badly_keyed{"not-a-uuid", {}};
  call untyped_keyless = keyless;
  untyped_keyless.content_type = "text/plain";

  // Order: headers and signature, scope, Idempotency-Key, JSON and fields, idempotency, business rules.
  CHECK(summary_of(reader.post(std::string{target}, broken, {"", {{"X-Service-Signature", std::string(64, '0')}}})) ==
        "401 unauthorized");
  CHECK(summary_of(reader.post(std::string{target}, broken, keyless)) == "403 forbidden");
  CHECK(summary_of(merchant.post(std::string{target}, broken, keyless)) == "400 idempotency_key_required");
  CHECK(summary_of(merchant.post(std::string{target}, broken, untyped_keyless)) == "400 idempotency_key_required");
  CHECK(summary_of(merchant.post(std::string{target}, broken, badly_keyed)) == "400 idempotency_key_invalid");

  const auto used = new_uuid();
  REQUIRE(summary_of(merchant.create(server_payment(new_payment_id()), {used, {}})) == "200 authorized");
  CHECK(summary_of(merchant.post(std::string{target}, broken, {used, {}})) == "400 invalid_request");
  CHECK(summary_of(merchant.post(std::string{target}, server_payment("pay_bad id").text(), {used, {}})) ==
        "400 invalid_request");
  CHECK(summary_of(merchant.capture("pay_unknown", {used, {}})) == "409 IDEMPOTENCY_KEY_REUSED");
  CHECK(summary_of(merchant.capture("nothing", {used, {}})) == "409 IDEMPOTENCY_KEY_REUSED");
  CHECK(summary_of(merchant.capture("pay_unknown")) == "404 payment_not_found");
  CHECK(summary_of(merchant.capture("nothing")) == "404 payment_not_found");
}

TEST_CASE("an Idempotency-Key must be a UUID") {
  api merchant{shared(), new_merchant(shared()).test};
  for (const auto* key : {"1", "0b6f3c1e54a44f1b9d2c8e7a6b5c4d3e", "0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3",
                          "0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e0", "{0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e}",
                          "gb6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e"}) {
    CAPTURE(key);
    CHECK(summary_of(merchant.create(server_payment(new_payment_id()), {key, {}})) == "400 idempotency_key_invalid");
  }
}
