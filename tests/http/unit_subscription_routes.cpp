// Subscriptions at the routes: the actor that each request asks, and the question. The bytes of bodies are in
// unit_subscriptions.cpp.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "http/codec/encode_subscription.hpp"
#include "http/html/forms.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

constexpr std::string_view platforms_key = "mk_platform_00000001";
constexpr std::string_view merchants_live_key = "mk_live_0000000000000001";
constexpr std::string_view checkout_text =
    R"({"subscription_id":"box-17","customer_ref":"reader-17","amount":1900,"currency":"EUR","interval":"month",)"
    R"("interval_count":0,"trial_period_days":730,"success_url":"https://shop.example/ok",)"
    R"("cancel_url":"https://shop.example/no","metadata":{"schedule":"s-7"}})";

const merchant_id shop{"merch_1"};
const merchant_id other_shop{"merch_2"};

entity_key box_key(const merchant_id& of = shop, environment env = environment::live) {
  return subscription_key(of, env, "box-17");
}

/// While the subscription is pending its checkout waits for the customer.
subscription_ptr box(subscription_status status = subscription_status::pending) {
  subscription s;
  s.key = box_key();
  s.platform = platform_id{"plat_1"};
  s.details.customer_ref = "reader-17";
  s.details.success_url = "https://shop.example/ok";
  s.details.cancel_url = "https://shop.example/no";
  s.checkout_session_id = "cs_1";
  s.hosted_url = "https://pay.example/sandbox/subscription/t";
  s.checkout_expires_at = noon + std::chrono::hours{1};
  s.state.status = status;
  s.state.amount = {1900, *currency::parse("EUR")};
  if (status != subscription_status::pending) {
    s.provider_subscription_id = "sub_1";
    s.activated = true;
  }
  return std::make_shared<const subscription>(std::move(s));
}

/// The sandbox's side. `made`: the subscription exists.
enrollment_ptr at_sandbox(bool made) {
  sandbox_enrollment row;
  row.what.newest.sequence = made ? 1 : 0;
  return std::make_shared<const sandbox_enrollment>(std::move(row));
}

struct subscriptions_fixture : gateway_fixture {
  subscriptions_fixture() {
    merchants.publish(std::make_shared<const platform_key>(platform_key{
        key_id{std::string{platforms_key}}, platform_id{"plat_1"}, *parse_scopes("*"), "secret", false, false}));
    merchants.publish(grant_update{{platform_id{"plat_1"}, shop},
                                   environment::live,
                                   {grant_state::active, *parse_scopes("payments:write payments:read"), 1}});
    merchants.publish(
        std::make_shared<const api_key>(api_key{key_id{std::string{merchants_live_key}}, shop, environment::live,
                                                *parse_scopes("payments:read"), "secret", false}));
    answer_with_box();
  }

  void answer_with_box(subscription_status status = subscription_status::pending, bool made = true) {
    scene.router = [=](const entity_request& asked) {
      if (asked.key.kind == entity_kind::enrollment) return entity_reply{at_sandbox(made)};
      return entity_reply{box(status)};
    };
  }

  /// The keys that the store knows under any id.
  void know(std::vector<entity_key> keys) {
    scene.subscription_keys = [this, keys = std::move(keys)](const find_subscription_keys& query) {
      asked_for = query;
      return subscription_keys_lookup{keys};
    };
  }

  response ask_operator(std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", path, body), handle_operator);
  }

  std::optional<find_subscription_keys> asked_for;
};

client_request by_platform(std::string method, std::string path, std::string_view body = {}) {
  client_request in;
  in.method = std::move(method);
  in.path = std::move(path);
  in.body = body;
  in.key = platforms_key;
  in.merchant = "merch_1";
  if (body.empty()) in.content_type.clear();
  return in;
}

client_request cancel(const std::string& id) { return by_platform("DELETE", "/v1/subscriptions/" + id); }

std::string reported(const response& out) { return std::to_string(out.sent_status()) + " " + code_in(out); }

}  // namespace

// ---- callers ------------------------------------------------------------------------------------

TEST_CASE_METHOD(subscriptions_fixture, "a checkout is sent to its subscription, for the platform that signed") {
  scene.router = [](const entity_request&) {
    const subscription_outcome opened{subscription_operation::open_checkout, {}, *box(), {}};
    const auto result = make_subscription_encoder("https://pay.example")->encode(opened);
    return entity_reply{finished{std::make_shared<const answer>(result), false}};
  };
  const auto out = by_platform("POST", "/v1/subscription_checkouts", checkout_text).send(*this);
  CHECK(out.sent_status() == 200);
  CHECK(out.route == "/v1/subscription_checkouts");
  REQUIRE(scene.seen.size() == 1);
  const auto& asked = scene.seen[0];
  CHECK(asked.key == box_key());
  REQUIRE(asked.write);
  CHECK(asked.write->key == command_key{shop, environment::live, "plat_1", "0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e"});
  CHECK(asked.admission);
  CHECK(asked.by);
  const auto* wanted = command_if<open_subscription_checkout>(asked.what);
  REQUIRE(wanted);
  CHECK(wanted->platform.value == "plat_1");
  CHECK(wanted->amount == money{1900, *currency::parse("EUR")});
  CHECK(wanted->every == billing_period{billing_interval::month, 1});
  CHECK(wanted->details.customer_ref == "reader-17");
  CHECK(wanted->details.trial_period_days == 730);
  CHECK(wanted->metadata == metadata_map{{"schedule", "s-7"}});
  CHECK(wanted->provider_customer_id.empty());
}

TEST_CASE_METHOD(subscriptions_fixture,
                 "callers that cannot have subscriptions are rejected, unless the key has a stored answer") {
  client_request in;
  in.path = "/v1/subscription_checkouts";
  in.body = checkout_text;
  CHECK(reported(in.send(*this)) == "422 platform_key_required");
  const auto body_hash = crypto::hex(crypto::sha256(in.body));
  const auto fingerprint = crypto::hex(crypto::sha256("POST\n" + in.path + "\n" + body_hash));
  for (const bool same : {true, false}) {
    scene.commands = [=](const find_command& what) {
      command_record record;
      record.key = what.key;
      record.fingerprint = same ? fingerprint : std::string(64, '0');
      record.result = answer{200, R"({"known":true})"};
      return command_lookup{record};
    };
    const auto out = in.send(*this);
    if (same) {
      CHECK(out.sent_body() == R"({"known":true})");
      CHECK(header(out, "Idempotent-Replayed") == "true");
    } else {
      CHECK(reported(out) == "409 IDEMPOTENCY_KEY_REUSED");
    }
  }
  in.body = R"({"subscription_id":"box-17"})";
  CHECK(reported(in.send(*this)) == "400 invalid_request");
  in.content_type = "text/plain";
  CHECK(reported(in.send(*this)) == "415 unsupported_media_type");
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(subscriptions_fixture, "a subscription is found by its caller's id and by the one in its events") {
  const auto strange = subscription_key(other_shop, environment::live, "strange");
  const auto in_test = box_key(shop, environment::test);
  struct {
    std::string id;
    std::vector<entity_key> known;
    std::string looked_up;  ///< the provider's id; empty if the store is not asked
    std::string asks;  ///< the subscription; empty if it is 404 at once
  } const rows[] = {
      {"box-17", {}, "", "box-17"},
      {"sub_merch_1_sub_1", {strange, in_test, box_key()}, "sub_1", "box-17"},
      // A caller may have chosen an id that looks like one from an event.
      {"sub_merch_1_sub_1", {strange, in_test}, "sub_1", "sub_merch_1_sub_1"},
      {"sub_merch_2_sub_1", {strange}, "", "sub_merch_2_sub_1"},
      {"sub_merch_1_", {}, "", "sub_merch_1_"},
      {"sub_merch_1_" + std::string(80, 'x'), {}, std::string(80, 'x'), ""},
      {"box%2017", {}, "", ""},
      {std::string(65, 'x'), {}, "", ""},
  };
  for (const auto& row : rows)
    for (const bool cancels : {false, true}) {
      CAPTURE(row.id, cancels);
      scene.seen.clear();
      asked_for.reset();
      know(row.known);
      auto in = cancel(row.id);
      if (!cancels) in.method = "GET";
      const auto out = in.send(*this);
      CHECK((asked_for ? asked_for->provider_id : "") == row.looked_up);
      if (row.asks.empty()) {
        CHECK(reported(out) == "404 subscription_not_found");
        CHECK(scene.seen.empty());
        continue;
      }
      REQUIRE(scene.seen.size() == 1);
      CHECK(scene.seen[0].key == subscription_key(shop, environment::live, row.asks));
      CHECK((command_if<cancel_subscription>(scene.seen[0].what) != nullptr) == cancels);
      CHECK((command_if<view_entity>(scene.seen[0].what) != nullptr) == !cancels);
      CHECK(scene.seen[0].write.has_value() == cancels);
      CHECK(scene.seen[0].by.has_value() == cancels);
      if (!cancels) CHECK(out.body == encode_subscription(*box()));
    }
}

TEST_CASE_METHOD(
    subscriptions_fixture,
    "subscriptions exist for platforms in live: other callers are rejected before any look-up, whatever the id") {
  bool looked = false;
  scene.subscription_keys = [&](const find_subscription_keys&) {
    looked = true;
    return subscription_keys_lookup{};
  };
  merchants.publish(grant_update{{platform_id{"plat_1"}, shop},
                                 environment::test,
                                 {grant_state::active, *parse_scopes("payments:write payments:read"), 2}});
  for (const auto* id : {"box-17", "sub_merch_1_sub_9", "a%20b"}) {
    CAPTURE(id);
    const auto path = std::string{"/v1/subscriptions/"} + id;
    for (const auto* method : {"GET", "DELETE"}) {
      CAPTURE(method);
      auto in = by_platform(method, path);
      in.query = "environment=test";
      CHECK(reported(in.send(*this)) == "422 test_customer_mappings_unavailable");
      client_request own;
      own.method = method;
      own.path = path;
      own.content_type.clear();
      own.body.clear();
      CHECK(reported(own.send(*this)) == "422 platform_key_required");
    }
    auto live = get(path);
    live.key = merchants_live_key;
    CHECK(reported(live.send(*this)) == "422 platform_key_required");
  }
  CHECK_FALSE(looked);
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(subscriptions_fixture, "a key used by another request is reported before an unknown id") {
  const auto in = cancel("a%20b");
  CHECK(reported(in.send(*this)) == "404 subscription_not_found");
  scene.commands = used_for_another;
  CHECK(reported(in.send(*this)) == "409 IDEMPOTENCY_KEY_REUSED");
  CHECK(scene.seen.empty());
}

TEST_CASE_METHOD(subscriptions_fixture, "each reason against a read or a cancel is answered") {
  auto without_key = cancel("box-17");
  without_key.idempotency.clear();
  CHECK(reported(without_key.send(*this)) == "400 idempotency_key_required");
  auto with_body = cancel("box-17");
  with_body.body = "{}";
  with_body.content_type = "application/json";
  CHECK(reported(with_body.send(*this)) == "400 invalid_request");
  const auto wrong_method = by_platform("PUT", "/v1/subscriptions/box-17").send(*this);
  CHECK(wrong_method.status == 405);
  CHECK(header(wrong_method, "Allow") == "GET, DELETE");

  auto cancels = cancel("box-17");
  cancels.key = merchants_live_key;
  cancels.merchant.clear();
  CHECK(reported(cancels.send(*this)) == "422 platform_key_required");
  CHECK(scene.seen.empty());

  scene.router = [](const entity_request&) { return entity_reply{problem::subscription_not_found}; };
  CHECK(reported(cancel("box-17").send(*this)) == "404 subscription_not_found");
  scene.subscription_keys = [](const find_subscription_keys&) -> caf::expected<subscription_keys_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  CHECK(reported(cancel("sub_merch_1_sub_1").send(*this)) == "503 store_unavailable");
}

// ---- the page -----------------------------------------------------------------------------------

namespace {

struct page_fixture : subscriptions_fixture {
  std::string token = crypto::sign_token("hosted key", "subscription\nmerch_1\nlive\nbox-17\ncs_1");
  std::string path = "/sandbox/subscription/" + token;

  response shown() { return run(unsigned_request("GET", path)); }
  response act(std::string_view action) {
    const std::string cookie(32, 'a');
    const auto jar = "__Host-checkout=" + cookie;
    const auto body = "csrf=" + csrf_token("hosted key", cookie, token) + "&action=" + std::string{action};
    auto post = unsigned_request("POST", path, body, "application/x-www-form-urlencoded");
    post.cookie = jar;
    return run(post);
  }
  std::size_t asked_of_sandbox() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        scene.seen, [](const entity_request& asked) { return asked.key.kind == entity_kind::enrollment; }));
  }
};

}  // namespace

TEST_CASE_METHOD(page_fixture, "a subscription's page is paid at the sandbox, and left pending by the other buttons") {
  const auto page = shown();
  CHECK(page.status == 200);
  CHECK(page.route == "/sandbox/subscription/{id}");
  for (const auto* button : {"value=\"pay\"", "value=\"decline\"", "value=\"cancel\""})
    CHECK(page.body.find(button) != std::string::npos);
  for (const auto* action : {"decline", "cancel"}) CHECK(header(act(action), "Location") == "https://shop.example/no");
  CHECK(asked_of_sandbox() == 0);

  CHECK(header(act("pay"), "Location") == "https://shop.example/ok");
  REQUIRE(asked_of_sandbox() == 1);
  CHECK(scene.seen.back().key == enrollment_key(shop, environment::live, "sub_1"));
  CHECK((command_if<pay_enrollment>(scene.seen.back().what) != nullptr));

  // A second click.
  answer_with_box(subscription_status::active);
  CHECK(header(act("pay"), "Location") == "https://shop.example/ok");
}

TEST_CASE_METHOD(page_fixture, "the page of a cycle that needs its customer has it approved or declined") {
  scene.router = [](const entity_request& asked) {
    if (asked.key.kind == entity_kind::enrollment) return entity_reply{std::make_shared<const sandbox_enrollment>()};
    auto due = *box();
    due.state.status = subscription_status::past_due;
    due.activated = true;
    due.provider_subscription_id = "sub_1";
    due.invoices = {{"in_1", {}, "https://pay.example/sandbox/subscription/t"}};
    return entity_reply{std::make_shared<const subscription>(due)};
  };
  const auto page = shown();
  CHECK(page.status == 200);
  CHECK(page.body.find("Confirm your payment") != std::string::npos);
  CHECK(header(act("cancel"), "Location") == "https://shop.example/no");
  CHECK(asked_of_sandbox() == 0);
  CHECK(header(act("decline"), "Location") == "https://shop.example/no");
  const auto* declined = command_if<approve_enrollment>(scene.seen.back().what);
  REQUIRE(declined);
  CHECK(declined->refuses);
  CHECK(header(act("pay"), "Location") == "https://shop.example/ok");
  const auto* approved = command_if<approve_enrollment>(scene.seen.back().what);
  REQUIRE(approved);
  CHECK_FALSE(approved->refuses);
}

TEST_CASE_METHOD(page_fixture, "a subscription's page that is forged, closed or stale says so") {
  CHECK(run(unsigned_request("POST", path, "action=pay", "application/x-www-form-urlencoded")).status == 403);
  CHECK(act("steal").status == 400);
  CHECK(scene.seen.empty());
  // A payment's link does not open a subscription's page, and a subscription's does not open a payment's.
  const auto of_payment = crypto::sign_token("hosted key", "merch_1\nlive\npay_1\ncs_1");
  CHECK(run(unsigned_request("GET", "/sandbox/subscription/" + of_payment)).status == 404);
  CHECK(run(unsigned_request("GET", "/sandbox/checkout/" + token)).status == 404);

  answer_with_box(subscription_status::active);
  const auto subscribed = shown();
  CHECK(subscribed.status == 200);
  CHECK(subscribed.body.find("You have subscribed") != std::string::npos);
  CHECK(subscribed.body.find("<form") == std::string::npos);
  CHECK(act("cancel").body.find("You have subscribed") != std::string::npos);
  answer_with_box(subscription_status::past_due);
  CHECK(shown().status == 410);
  answer_with_box(subscription_status::pending, false);  // closed at the sandbox, which the gateway does not know yet
  CHECK(act("pay").status == 410);
  scene.router = [](const entity_request&) {
    auto late = *box();
    late.checkout_expires_at = noon;
    return entity_reply{std::make_shared<const subscription>(std::move(late))};
  };
  CHECK(shown().status == 410);
  CHECK(act("pay").status == 410);
  scene.router = [](const entity_request&) {
    auto opened_anew = *box();
    opened_anew.checkout_session_id = "cs_2";
    return entity_reply{std::make_shared<const subscription>(std::move(opened_anew))};
  };
  CHECK(shown().status == 410);
  scene.router = [](const entity_request&) { return entity_reply{problem::subscription_not_found}; };
  CHECK(shown().status == 404);
  scene.router = [](const entity_request&) -> caf::result<entity_reply> { return make_error(actor_errc::overloaded); };
  CHECK(shown().status == 503);
  CHECK(act("pay").status == 503);
}

// ---- operators ----------------------------------------------------------------------------------

TEST_CASE_METHOD(subscriptions_fixture, "operators list a merchant's subscriptions, and see one") {
  find_subscriptions asked;
  scene.subscriptions = [&](const find_subscriptions& query) {
    asked = query;
    return subscriptions_lookup{{box(), box(subscription_status::active)}};
  };
  CHECK(ask_operator("/operator/subscriptions/list", R"({"merchant_id":"merch_1","limit":7})").body ==
        R"({"subscriptions":[{"subscription_id":"box-17","status":"pending","platform_id":"plat_1",)"
        R"("customer_ref":"reader-17"},{"subscription_id":"box-17","id":"sub_merch_1_sub_1","status":"active",)"
        R"("platform_id":"plat_1","customer_ref":"reader-17"}]})");
  CHECK(asked.merchant == shop);
  CHECK(asked.limit == 7);
  CHECK(ask_operator("/operator/subscriptions/list", R"({"merchant_id":"merch_9"})").status == 404);
  know({box_key()});
  CHECK(ask_operator("/operator/subscriptions/show", R"({"subscription_id":"box-17"})").body ==
        encode_subscription_details(*box()));
}

TEST_CASE_METHOD(subscriptions_fixture,
                 "operators name a subscription by either id, with the merchant if the id needs it") {
  answer_with_box(subscription_status::active);
  const auto show = [&](std::string_view body) {
    scene.seen.clear();
    asked_for.reset();
    return ask_operator("/operator/subscriptions/show", body);
  };
  know({box_key()});
  CHECK(show(R"({"subscription_id":"box-17"})").status == 200);
  CHECK(asked_for->id == "box-17");
  CHECK(show(R"({"subscription_id":"sub_merch_1_sub_1"})").status == 200);
  CHECK(asked_for->provider_id == "sub_1");
  CHECK(scene.seen.back().key == box_key());

  know({box_key(), box_key(other_shop)});
  const auto several = show(R"({"subscription_id":"box-17"})");
  CHECK(reported(several) == "409 conflict");
  CHECK(several.body.find("merch_1, merch_2") != std::string::npos);
  CHECK(scene.seen.empty());
  CHECK(show(R"({"subscription_id":"box-17","merchant_id":"merch_2"})").status == 200);
  CHECK_FALSE(asked_for);
  CHECK(scene.seen.back().key == box_key(other_shop));
  // An id from another merchant's event.
  CHECK(show(R"({"subscription_id":"sub_merch_1_sub_1","merchant_id":"merch_2"})").status == 200);
  CHECK(scene.seen.back().key == subscription_key(other_shop, environment::live, "sub_merch_1_sub_1"));

  know({});
  CHECK(reported(show(R"({"subscription_id":"box-17"})")) == "404 not_found");
  CHECK(reported(show(R"({"subscription_id":"sub_merch_1_sub_1"})")) == "404 not_found");
  CHECK(reported(show(R"({"subscription_id":"a b","merchant_id":"merch_1"})")) == "404 not_found");
}

TEST_CASE_METHOD(subscriptions_fixture,
                 "an operator's command moves the sandbox's side, and is answered with the subscription") {
  know({box_key()});
  answer_with_box(subscription_status::past_due);
  const std::pair<std::string, sandbox_move> rows[] = {
      {"paid", sandbox_move::cycle_paid},     {"failed", sandbox_move::cycle_failed},
      {"action", sandbox_move::cycle_action}, {"exhausted", sandbox_move::cycle_exhausted},
      {"update", sandbox_move::update},       {"expire", sandbox_move::expire},
      {"delete", sandbox_move::remove},
  };
  for (const auto& [word, move] : rows) {
    CAPTURE(word);
    scene.seen.clear();
    const auto body = R"({"subscription_id":"box-17","move":")" + word + R"(","repeat":100,"reorder":true})";
    const auto out = ask_operator("/operator/sandbox/subscription", body);
    CHECK(out.body == encode_subscription_for_operator(*box(subscription_status::past_due)));
    REQUIRE(scene.seen.size() == 3);
    CHECK(scene.seen[1].key == enrollment_key(shop, environment::live, "sub_1"));
    const auto* asked = command_if<move_enrollment>(scene.seen[1].what);
    REQUIRE(asked);
    CHECK(asked->to == move);
    CHECK(asked->how.repeat == 100);
    CHECK(asked->how.reorder);
    // The subscription after the move.
    CHECK(scene.seen[2].key == box_key());
    CHECK((command_if<view_entity>(scene.seen[2].what) != nullptr));
  }
}

TEST_CASE_METHOD(subscriptions_fixture, "a subscription that has ended is not moved, and the answer says so") {
  know({box_key()});
  for (const auto status : {subscription_status::canceled, subscription_status::incomplete_expired}) {
    answer_with_box(status);
    for (const std::string move : {"paid", "failed", "exhausted", "update", "expire", "delete"}) {
      CAPTURE(move);
      scene.seen.clear();
      const auto out =
          ask_operator("/operator/sandbox/subscription", R"({"subscription_id":"box-17","move":")" + move + "\"}");
      CHECK(reported(out) == "409 conflict");
      CHECK(out.body.find("has ended, as " + std::string{to_string(status)}) != std::string::npos);
      CHECK(scene.seen.size() == 1);  // it was read
    }
  }
}

TEST_CASE_METHOD(subscriptions_fixture, "a checkout that waits for its customer can only be ended") {
  know({box_key()});
  CHECK(reported(ask_operator("/operator/sandbox/subscription", R"({"subscription_id":"box-17","move":"paid"})")) ==
        "409 conflict");
  CHECK(scene.seen.size() == 1);
  scene.seen.clear();
  CHECK(ask_operator("/operator/sandbox/subscription", R"({"subscription_id":"box-17","move":"expire"})").status ==
        200);
  REQUIRE(scene.seen.size() == 2);
  CHECK(scene.seen[1].key == box_key());
  CHECK((command_if<expire_subscription_checkout>(scene.seen[1].what) != nullptr));

  scene.router = [](const entity_request&) {
    subscription never_opened;
    never_opened.state.status = subscription_status::failed;
    return entity_reply{std::make_shared<const subscription>(std::move(never_opened))};
  };
  CHECK(reported(ask_operator("/operator/sandbox/subscription", R"({"subscription_id":"box-17","move":"expire"})")) ==
        "409 conflict");
}

TEST_CASE_METHOD(subscriptions_fixture, "operators' mistakes about subscriptions are named") {
  const std::tuple<std::string_view, std::string_view, std::string_view> rows[] = {
      {"/operator/subscriptions/list", "{}", "merchant_id"},
      {"/operator/subscriptions/list", R"({"merchant_id":"merch_1","limit":10001})", "limit"},
      {"/operator/subscriptions/show", "{}", "subscription_id"},
      {"/operator/sandbox/subscription", R"({"move":"paid"})", "subscription_id"},
      {"/operator/sandbox/subscription", R"({"subscription_id":"box-17"})", "move"},
      {"/operator/sandbox/subscription", R"({"subscription_id":"box-17","move":"lost"})", "move"},
      {"/operator/sandbox/subscription", R"({"subscription_id":"box-17","move":"paid","repeat":0})", "repeat"},
      {"/operator/sandbox/subscription", R"({"subscription_id":"box-17","move":"paid","repeat":101})", "repeat"},
      {"/operator/sandbox/subscription", R"({"subscription_id":"box-17","move":"paid","reorder":1})", "reorder"},
  };
  for (const auto& [path, body, field] : rows) {
    CAPTURE(body);
    const auto out = ask_operator(path, body);
    CHECK(out.status == 400);
    CHECK(out.body.find(field) != std::string::npos);
  }
  CHECK(scene.seen.empty());
}
