// Request signing, against the published vectors and rule by rule.
#include <fstream>
#include <iterator>

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "gateway/base/crypto.hpp"
#include "gateway/directory/key_uses.hpp"
#include "http/access/authentication.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

const boost::json::object& vectors() {
  static const auto document = [] {
    std::ifstream file{GATEWAY_TEST_DATA "/signing.json"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    return boost::json::parse(text).as_object();
  }();
  return document;
}

std::string text_of(const boost::json::value& row, std::string_view name) {
  return std::string{row.as_object().at(name).as_string()};
}
std::string secret() { return std::string{vectors().at("secret").as_string()}; }

constexpr std::string_view test_key = "mk_test_0123456789abcdef";

/// Strings that own what a request only views.
struct signed_request {
  std::string method, path, timestamp, body, signature;
  std::string key{test_key};

  request view() const {
    request in;
    in.method = method;
    in.path = path;
    in.body = body;
    in.key_id = key;
    in.timestamp = timestamp;
    in.signature = signature;
    return in;
  }
};

signed_request from_vector(const boost::json::value& row) {
  auto target = text_of(row, "target");
  return {text_of(row, "method"), target.substr(0, target.find('?')), text_of(row, "timestamp"), text_of(row, "body"),
          text_of(row, "signature")};
}

signed_request freshly_signed(std::string_view key_secret, std::string body = "{}") {
  signed_request made{"POST", "/v1/payment_intents", "2026-11-20T09:30:00Z", std::move(body), {}};
  const auto hash = crypto::hex(crypto::sha256(made.body));
  made.signature =
      crypto::hex(crypto::hmac_sha256(key_secret, canonical_request(made.method, made.path, made.timestamp, hash)));
  return made;
}

void publish(directory& keys, std::string_view id, bool revoked = false) {
  api_key key{key_id{std::string{id}},
              merchant_id{"merch_1"},
              environment::test,
              *parse_scopes("payments:write"),
              secret(),
              revoked};
  keys.publish(std::make_shared<const api_key>(std::move(key)));
}

const directory& with_test_key() {
  static directory keys;
  static const bool once = (publish(keys, test_key), true);
  (void)once;
  return keys;
}

time_point at(std::string_view text) { return *parse_seconds(text); }
const time_point signing_time = at("2026-11-20T09:30:00Z");

rejection rejection_of(const request& in, const directory& keys = with_test_key(), time_point now = signing_time) {
  std::string hash;
  const auto result = authenticate(in, keys, now, hash);
  REQUIRE(std::holds_alternative<rejection>(result));
  return std::get<rejection>(result);
}

}  // namespace

TEST_CASE("every published vector is accepted, and names the signer and the body's hash") {
  for (const auto& row : vectors().at("requests").as_array()) {
    INFO(text_of(row, "name"));
    const auto made = from_vector(row);
    CHECK(canonical_request(made.method, made.path, made.timestamp, text_of(row, "body_sha256")) ==
          text_of(row, "canonical"));
    std::string hash;
    const auto result = authenticate(made.view(), with_test_key(), at(made.timestamp), hash);
    REQUIRE(std::holds_alternative<caller>(result));
    const auto& who = std::get<merchant_key>(std::get<caller>(result));
    CHECK(who.merchant.value == "merch_1");
    CHECK(who.env == environment::test);
    CHECK(who.id.value == test_key);
    CHECK(who.scopes == *parse_scopes("payments:write"));
    CHECK(hash == text_of(row, "body_sha256"));
  }
}

TEST_CASE("every rejected vector is rejected") {
  for (const auto& row : vectors().at("rejected").as_array()) {
    INFO(text_of(row, "name"));
    CHECK(rejection_of(from_vector(row).view()).code == error_code::unauthorized);
  }
}

TEST_CASE("the clock may be five minutes off either way, and not a second more") {
  const auto made = freshly_signed(secret());
  struct {
    std::chrono::milliseconds off;
    bool accepted;
  } const rows[] = {{std::chrono::seconds{0}, true},
                    {std::chrono::seconds{300}, true},
                    {std::chrono::milliseconds{300'999}, true},  // the header leaves out what is below a second
                    {std::chrono::seconds{-300}, true},
                    {std::chrono::seconds{301}, false},
                    {std::chrono::seconds{-301}, false}};
  for (const auto& row : rows) {
    INFO(row.off.count());
    std::string hash;
    CHECK(std::holds_alternative<caller>(authenticate(made.view(), with_test_key(), signing_time + row.off, hash)) ==
          row.accepted);
  }
}

TEST_CASE("the answer to a stale timestamp carries the gateway's time") {
  const auto made = freshly_signed(secret());
  CHECK(rejection_of(made.view(), with_test_key(), at("2026-11-20T10:00:07Z")).message.find("2026-11-20T10:00:07Z") !=
        std::string::npos);
}

TEST_CASE("a missing or repeated header is refused, and a missing one is named") {
  const auto made = freshly_signed(secret());
  auto in = made.view();
  SECTION("key") {
    in.key_id.reset();
    CHECK(rejection_of(in).message.find("X-Service-Key-Id") != std::string::npos);
  }
  SECTION("timestamp") {
    in.timestamp.reset();
    CHECK(rejection_of(in).message.find("X-Service-Timestamp") != std::string::npos);
  }
  SECTION("signature") {
    in.signature = "";
    CHECK(rejection_of(in).message.find("X-Service-Signature") != std::string::npos);
  }
  SECTION("repeated") {
    in.repeated = true;
    CHECK(rejection_of(in).code == error_code::unauthorized);
  }
}

TEST_CASE("an unknown key, a revoked key and a wrong signature get the same answer") {
  directory keys;
  publish(keys, test_key);
  publish(keys, "mk_test_revoked000000000", true);
  auto wrong = freshly_signed("another secret");
  auto unknown = freshly_signed(secret());
  unknown.key = "mk_test_ffffffffffffffff";
  auto revoked = freshly_signed(secret());
  revoked.key = "mk_test_revoked000000000";
  auto endless = freshly_signed(secret());
  endless.key = std::string(5000, 'k');

  const auto expected = rejection_of(wrong.view(), keys);
  for (const auto* made : {&unknown, &revoked, &endless}) {
    const auto got = rejection_of(made->view(), keys);
    CHECK(got.code == expected.code);
    CHECK(got.message == expected.message);
  }
  CHECK(expected.code == error_code::unauthorized);
}

TEST_CASE("the placeholder secret of unknown keys signs nothing") {
  auto made = freshly_signed(std::string(64, '0'));
  made.key = "mk_test_ffffffffffffffff";
  CHECK(rejection_of(made.view()).code == error_code::unauthorized);
}

TEST_CASE("an unknown platform key is PLATFORM_KEY_INVALID; a stale one is unauthorized") {
  auto made = freshly_signed(secret());
  made.key = "mk_platform_0123abcd";
  CHECK(rejection_of(made.view()).code == error_code::platform_key_invalid);
  CHECK(rejection_of(made.view(), with_test_key(), signing_time + std::chrono::hours{1}).code ==
        error_code::unauthorized);
}

TEST_CASE(
    "a platform's key signs for its platform; only a valid signature is answered that the platform is suspended") {
  constexpr std::string_view id = "mk_platform_0123abcd";
  const auto with = [&](bool revoked, bool suspended) {
    auto keys = std::make_unique<directory>();
    keys->publish(std::make_shared<const platform_key>(platform_key{key_id{std::string{id}}, platform_id{"plat_1"},
                                                                    *parse_scopes("payments:write"), secret(), revoked,
                                                                    suspended}));
    return keys;
  };
  auto right = freshly_signed(secret());
  right.key = id;
  auto wrong = freshly_signed("another secret");
  wrong.key = id;

  const auto usable = with(false, false);
  std::string hash;
  const auto known = authenticate(right.view(), *usable, signing_time, hash);
  const auto& who = std::get<platform_caller>(std::get<caller>(known));
  CHECK(who.id.value == id);
  CHECK(who.platform.value == "plat_1");
  CHECK(who.scopes == *parse_scopes("payments:write"));
  CHECK(rejection_of(wrong.view(), *usable).code == error_code::platform_key_invalid);

  const auto suspended = with(false, true);
  CHECK(rejection_of(right.view(), *suspended).code == error_code::platform_suspended);
  CHECK(rejection_of(wrong.view(), *suspended).code == error_code::platform_key_invalid);

  for (const bool of_suspended : {false, true}) {
    const auto revoked = with(true, of_suspended);
    CHECK(rejection_of(right.view(), *revoked).code == error_code::platform_key_invalid);
  }
  // A merchant's key is not searched among platforms' keys, and a platform's not among merchants'.
  right.key = test_key;
  CHECK(rejection_of(right.view(), *usable).code == error_code::unauthorized);
}

TEST_CASE("only a request that a usable key has signed is a use of it, once a day") {
  directory keys;
  publish(keys, test_key);
  publish(keys, "mk_test_00000000000000aa", true);
  keys.publish(std::make_shared<const platform_key>(
      platform_key{key_id{"mk_platform_0123abcd"}, platform_id{"plat_1"}, *parse_scopes("*"), secret(), false, true}));
  const auto send = [&](std::string_view key, std::string_view signed_with) {
    auto made = freshly_signed(signed_with);
    made.key = key;
    std::string hash;
    return std::holds_alternative<caller>(authenticate(made.view(), keys, signing_time, hash));
  };
  CHECK_FALSE(send(test_key, "another secret"));
  CHECK_FALSE(send("mk_test_00000000000000aa", secret()));
  CHECK_FALSE(send("mk_platform_0123abcd", secret()));
  CHECK(keys.uses().size() == 0);
  CHECK(send(test_key, secret()));
  CHECK(send(test_key, secret()));
  const auto uses = keys.uses().take();
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].id.value == test_key);
  CHECK(uses[0].owner == "merch_1");
  CHECK(uses[0].day == number_of_day(signing_time));
  CHECK(send(test_key, secret()));
  CHECK(keys.uses().size() == 0);
}

TEST_CASE("a wrong signature causes a key look-up, whether its key is known or not, and the body is hashed once") {
  auto wrong = freshly_signed("another secret");
  const auto looked_for = [&](std::string key) {
    wrong.key = std::move(key);
    return key_to_look_for(wrong.view(), with_test_key(), signing_time);
  };
  CHECK(looked_for("mk_test_absent0123456789") == key_id{"mk_test_absent0123456789"});
  const auto instead = looked_for(std::string{test_key});
  REQUIRE(instead);
  CHECK(instead->value.size() == test_key.size());
  CHECK_FALSE(with_test_key().find_key(*instead));
  CHECK_FALSE(looked_for("mk_platform_0123abcd"));

  wrong.key = test_key;
  std::string hash{"as if it had been computed before"};
  authenticate(wrong.view(), with_test_key(), signing_time, hash);
  CHECK(hash == "as if it had been computed before");
}
