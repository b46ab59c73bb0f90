// A platform's customers and their saved methods, in live: docs/served/platforms.md, section 6.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "destinations.hpp"
#include "hosted_page.hpp"
#include "platform.hpp"

using namespace gateway::e2e;

namespace {

constexpr auto all_scopes = live_platform::all_scopes;

struct connected : live_platform {
  using live_platform::live_platform;

  reply create(const object& body, const call& how = {}) {
    return platform.post("/v1/payment_intents", body.text(), as(how));
  }
  reply charge(const object& body, const call& how = {}) {
    return platform.post("/v1/charges/saved", body.text(), as(how));
  }
  reply by_ref(const std::string& ref) { return platform.get("/v1/customers/by_ref?ref=" + percent_encode(ref), as()); }
  reply capture(const std::string& id) { return platform.post("/v1/payment_intents/" + id + "/capture", {}, as()); }
  json payment(const std::string& id) { return json::parse(platform.get("/v1/payment_intents/" + id, as()).body); }
  std::vector<std::string> timeline(const std::string& id) {
    std::vector<std::string> lines;
    for (const auto& e :
         json::parse(platform.get("/v1/payment_intents/" + id + "/timeline", as()).body)["timeline"].items())
      lines.push_back(e["operation"].text() + " " + e["status"].text());
    return lines;
  }
  std::string customer_id(const std::string& ref) {
    return json::parse(by_ref(ref).body)["provider_customer_id"].text();
  }
  std::string methods(const std::string& ref) const {
    for (const auto& each : gateway.ctl({"customer", "list", "--merchant", shop.id})["customers"].items())
      if (each["customer_ref"] == ref) return each["methods"].dump();
    return "no such customer";
  }
};

object for_customer(object payment, const std::string& ref, const std::string& usage = "off_session") {
  return payment.set("customer_ref", ref).set("setup_future_usage", usage);
}

object charge_of(const std::string& id, const std::string& ref, const std::string& method) {
  return object{}
      .set("payment_id", id)
      .set("amount", 4200)
      .set("currency", "HKD")
      .set("customer_ref", ref)
      .set("payment_method_id", method);
}

/// `200 succeeded captured`, with the error's code if there is one.
std::string charged(const reply& answer) {
  const auto body = json::parse(answer.body);
  auto text = std::to_string(answer.status) + ' ' + body["status"].text() + ' ' + body["state"].text();
  if (body["error"].is_object()) text += ' ' + body["error.code"].text();
  return text;
}

}  // namespace

TEST_CASE("a create makes the customer, saves the approved method, and by_ref finds it") {
  connected c{shared_gateway(GENERATE(from_range(stores())))};
  const std::string ref = "Zoë/42 №1 " + new_uuid();
  CHECK(summary_of(c.by_ref(ref)) == "404 customer_not_found");
  const auto id = new_payment_id();
  CHECK(summary_of(c.create(for_customer(server_payment(id), ref))) == "200 authorized");
  const auto found = json::parse(c.by_ref(ref).body);
  CHECK(found["customer_ref"] == ref);
  CHECK(found["merchant_id"] == c.shop.id);
  CHECK(found["provider_customer_id"].text().starts_with("cus_"));
  CHECK(found.size() == 3);
  CHECK(c.methods(ref) == R"(["pm_card_visa"])");
  CHECK(summary_of(c.create(for_customer(server_payment(new_payment_id()), ref, "on_session"))) == "200 authorized");
  CHECK(c.customer_id(ref) == found["provider_customer_id"].text());
  // Whichever token it is saved under, it can be charged.
  CHECK(summary_of(c.create(for_customer(server_payment(new_payment_id(), "ctoken_card_visa"), ref))) ==
        "200 authorized");
  for (const auto* method : {"pm_card_visa", "ctoken_card_visa"})
    CHECK(charged(c.charge(charge_of(new_payment_id(), ref, method))) == "200 succeeded captured");
}

TEST_CASE("a declined payment saves nothing, but the customer stays; an open challenge saves once it is passed") {
  connected c{shared_gateway(GENERATE(from_range(stores())))};
  const auto ref = "ref-" + new_uuid();
  CHECK(summary_of(c.create(for_customer(server_payment(new_payment_id(), "pm_card_chargeDeclined"), ref))) ==
        "200 failed");
  CHECK(c.by_ref(ref).status == 200);
  CHECK(c.methods(ref) == "[]");
  const auto id = new_payment_id();
  const auto answer = c.create(for_customer(server_payment(id, "pm_card_authenticationRequired"), ref));
  REQUIRE(summary_of(answer) == "200 processing");
  CHECK(c.methods(ref) == "[]");
  hosted_page page{c.gateway, json::parse(answer.body)["provider.hosted_url"].text()};
  page.act("pay");
  CHECK(c.methods(ref) == R"(["pm_card_authenticationRequired"])");
}

TEST_CASE("a hosted page saves a method of its own, which can be charged afterwards and is named in the events") {
  connected c{shared_gateway(GENERATE(from_range(stores())))};
  webhook_receiver receiver;
  set_destination(c.gateway, c.shop, receiver.url(), "live");
  const auto ref = "ref-" + new_uuid();
  const auto id = new_payment_id();
  const std::string flow = GENERATE("redirect", "embedded");
  const auto answer = c.create(for_customer(redirect_payment(id).set("flow", flow), ref));
  REQUIRE(summary_of(answer) == "200 processing");
  CHECK(c.by_ref(ref).status == 200);
  hosted_page page{c.gateway, json::parse(answer.body)["provider.hosted_url"].text()};
  page.act("pay");
  REQUIRE(receiver.comes_to(1));
  const auto data = json::parse(receiver.posts().at(0).body)["data"];
  CHECK(data["customer_ref"] == ref);
  const auto method = data["payment_method_id"].text();
  CHECK(method.starts_with("pm_"));
  CHECK(c.methods(ref) == "[\"" + method + "\"]");
  CHECK(charged(c.charge(charge_of(new_payment_id(), ref, method))) == "200 succeeded captured");
  REQUIRE(receiver.comes_to(2));
  CHECK(json::parse(receiver.posts().at(1).body)["data.payment_method_id"] == method);
}

TEST_CASE("off session, without a method, the most recently saved one is charged") {
  connected c{shared_gateway(GENERATE(from_range(stores())))};
  const auto ref = "ref-" + new_uuid();
  const auto off = [&](const std::string& id) {
    return for_customer(server_payment(id).without("payment_method"), ref);
  };
  CHECK(summary_of(c.create(off(new_payment_id()))) == "400 server_flow_requires_payment_method");
  const call same{new_uuid(), {}};
  const auto id = new_payment_id();
  CHECK(summary_of(c.create(off(id), same)) == "400 server_flow_requires_payment_method");
  CHECK(summary_of(c.create(for_customer(server_payment(new_payment_id(), "pm_card_chargeDeclined"), ref))) ==
        "200 failed");
  CHECK(summary_of(c.create(off(id), same)) == "400 server_flow_requires_payment_method");
  CHECK(summary_of(c.create(for_customer(server_payment(new_payment_id(), "pm_card_visa"), ref))) == "200 authorized");
  CHECK(summary_of(c.create(off(id), same)) == "200 authorized");
  // The most recently saved token is charged: its capture is declined.
  CHECK(summary_of(c.create(for_customer(server_payment(new_payment_id(), "pm_card_captureDeclined"), ref))) ==
        "200 authorized");
  const auto last = new_payment_id();
  CHECK(summary_of(c.create(off(last))) == "200 authorized");
  CHECK(summary_of(c.capture(last)).starts_with("200 authorized"));
}

TEST_CASE("a saved charge is a payment like any other") {
  connected c{shared_gateway(GENERATE(from_range(stores())))};
  const auto ref = "ref-" + new_uuid();
  REQUIRE(summary_of(c.create(for_customer(server_payment(new_payment_id()), ref))) == "200 authorized");
  const auto id = new_payment_id();
  const call same{new_uuid(), {}};
  const auto body = charge_of(id, ref, "pm_card_visa").set("description", "Monthly box").set("off_session", true);
  const auto first = c.charge(body, same);
  const auto reported = json::parse(first.body);
  CHECK(charged(first) == "200 succeeded captured");
  CHECK(reported["payment_id"] == id);
  CHECK(reported["provider"] == "sandbox");
  CHECK(reported["provider_ref"].text().starts_with("ch_"));
  CHECK(reported.names() == std::vector<std::string>{"payment_id", "status", "state", "provider", "provider_ref"});
  const auto again = c.charge(body, same);
  CHECK(again.body == first.body);
  CHECK(again.header("Idempotent-Replayed") == "true");
  CHECK(summary_of(c.charge(charge_of(id, ref, "pm_card_visa").set("amount", 1), same)) ==
        "409 IDEMPOTENCY_KEY_REUSED");
  CHECK(summary_of(c.create(server_payment(new_payment_id()), same)) == "409 IDEMPOTENCY_KEY_REUSED");
  CHECK(summary_of(c.charge(body)) == "409 payment already exists");
  CHECK(c.timeline(id) == std::vector<std::string>{"charge approved", "payment.captured published"});
  CHECK(summary_of(c.platform.post("/v1/payment_intents/" + id + "/refund", R"({"amount":200})", c.as())) ==
        "200 partially_refunded");

  const auto later = new_payment_id();
  CHECK(charged(c.charge(charge_of(later, ref, "pm_card_visa").set("auto_capture", false))) ==
        "200 succeeded authorized");
  CHECK(summary_of(c.capture(later)) == "200 captured");
  CHECK(c.timeline(later) ==
        std::vector<std::string>{"authorize approved", "capture approved", "payment.captured published"});
}

TEST_CASE("a charge of a method that is not saved fails, and nothing reaches the provider") {
  connected c{shared_gateway(GENERATE(from_range(stores())))};
  const auto ref = "ref-" + new_uuid();
  const auto before = read_ledger(c.gateway.ledger_file()).size();
  for (const auto& method : {"pm_card_visa", "pm_nobodys"}) {
    const auto id = new_payment_id();
    const auto answer = c.charge(charge_of(id, ref, method));
    CHECK(charged(answer) == "200 failed failed payment_method_not_found");
    CHECK(json::parse(answer.body)["error.category"] == "validation");
    CHECK(c.payment(id)["state"] == "failed");
  }
  CHECK(c.by_ref(ref).status == 404);
  REQUIRE(summary_of(c.create(for_customer(server_payment(new_payment_id()), ref))) == "200 authorized");
  CHECK(charged(c.charge(charge_of(new_payment_id(), ref, "pm_card_captureDeclined"))) ==
        "200 failed failed payment_method_not_found");
  CHECK(read_ledger(c.gateway.ledger_file()).size() == before + 2);  // a customer and an authorization
}

TEST_CASE(
    "a charge that needs its customer's action returns the SDK's secret, and continues when the customer has acted") {
  connected c{shared_gateway(GENERATE(from_range(stores())))};
  const auto ref = "ref-" + new_uuid();
  const auto first = c.create(for_customer(server_payment(new_payment_id(), "pm_card_authenticationRequired"), ref));
  hosted_page{c.gateway, json::parse(first.body)["provider.hosted_url"].text()}.act("pay");
  const bool at_once = GENERATE(true, false);
  const std::string outcome = GENERATE("approve", "decline");
  const auto id = new_payment_id();
  const auto answer = c.charge(charge_of(id, ref, "pm_card_authenticationRequired").set("auto_capture", at_once));
  CHECK(charged(answer) == "200 requires_action processing");
  const auto action = json::parse(answer.body)["next_action"];
  CHECK(action["type"] == "use_provider_sdk");
  CHECK_FALSE(action["connected_account_id"].text().empty());
  CHECK_FALSE(action["publishable_key"].text().empty());
  const auto secret = action["client_secret"].text();
  auto browser = c.gateway.connect();
  const auto confirm = [&](const std::string& what, const std::string& with) {
    return browser.send({"POST",
                         "/sandbox/confirm",
                         {{"Content-Type", "application/json"}},
                         object{}.set("client_secret", with).set("outcome", what).text()});
  };
  CHECK(confirm("approve", secret + "x").status == 404);
  CHECK(confirm("approve", "sdk_").status == 404);
  CHECK(confirm("maybe", secret).status == 400);
  const bool good = outcome == "approve";
  for (int i = 0; i < 2; ++i) {
    const auto said = confirm(outcome, secret);
    CHECK(said.status == 200);
    CHECK(said.body == (good ? R"({"status":"succeeded"})" : R"({"status":"failed"})"));
  }
  CHECK(c.payment(id)["state"] == (!good ? "failed" : at_once ? "captured" : "authorized"));
  CHECK(confirm(good ? "decline" : "approve", secret).body ==
        (good ? R"({"status":"succeeded"})" : R"({"status":"failed"})"));
}

TEST_CASE("an unknown outcome of a charge is a 502, and is settled without charging twice") {
  gateway_process gateway{gateway_options{.store = GENERATE(from_range(stores())),
                                          .arguments = {"--provider-timeout=1s", "--reconcile-first=1s"}}};
  connected c{gateway};
  const auto ref = "ref-" + new_uuid();
  const auto made = c.create(for_customer(server_payment(new_payment_id(), "pm_card_timeout"), ref));
  CHECK(made.status == 502);
  REQUIRE(eventually([&] { return c.methods(ref) == R"(["pm_card_timeout"])"; }));
  const auto id = new_payment_id();
  const call same{new_uuid(), {}};
  const auto answer = c.charge(charge_of(id, ref, "pm_card_timeout"), same);
  CHECK(answer.status == 502);
  CHECK(json::parse(answer.body)["error"] == "provider outcome unknown");
  CHECK(json::parse(answer.body)["state"] == "processing");
  CHECK(eventually([&] { return c.payment(id)["state"] == "captured"; }));
  CHECK(c.charge(charge_of(id, ref, "pm_card_timeout"), same).body == answer.body);
  const auto ledger = read_ledger(gateway.ledger_file());
  CHECK(std::ranges::count_if(ledger, [&](const auto& e) { return e.payment_id == id; }) == 1);
}

TEST_CASE("equal refs of two platforms, and at two merchants, are different customers") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  connected one{gateway}, other{gateway};
  const std::string ref = "same";
  REQUIRE(summary_of(one.create(for_customer(server_payment(new_payment_id()), ref))) == "200 authorized");
  CHECK(other.by_ref(ref).status == 404);
  CHECK(one.by_ref("Same").status == 404);
  CHECK(one.by_ref("same ").status == 404);
  // The other platform acting for the same merchant.
  const auto owner = other.name + "-2@lantern.example";
  add_person(gateway, one.shop.id, owner);
  grant_access(gateway, other.who, owner, "live", all_scopes);
  const auto at_one = on_behalf_of(one.shop.id);
  CHECK(other.platform.get("/v1/customers/by_ref?ref=same", at_one).status == 404);
  REQUIRE(summary_of(other.platform.post("/v1/payment_intents",
                                         for_customer(server_payment(new_payment_id()), ref).text(), at_one)) ==
          "200 authorized");
  const auto mine = json::parse(other.platform.get("/v1/customers/by_ref?ref=same", at_one).body);
  CHECK_FALSE(mine["provider_customer_id"] == one.customer_id(ref));
}

TEST_CASE("customer requests are refused in order: fields, caller, environment") {
  auto& gateway = shared_gateway(store_kind::sqlite);
  connected c{gateway};
  api merchant{gateway, c.shop.live};
  const auto charge = charge_of("pay_1", "c1", "pm_1");
  for (const auto* target : {"/v1/charges/saved", "/v1/charges/saved?environment=test"}) {
    CAPTURE(target);
    CHECK(summary_of(merchant.post(target, charge.text())) == "422 {platform_key_required}");
    CHECK(summary_of(merchant.post(target, "{}")) == "400 invalid_request");
  }
  CHECK(summary_of(merchant.get("/v1/customers/by_ref?ref=c1")) == "422 {platform_key_required}");
  CHECK(summary_of(merchant.get("/v1/customers/by_ref")) == "400 invalid_request");
  CHECK(summary_of(merchant.create(for_customer(server_payment(new_payment_id()), "c1"))) ==
        "422 {platform_key_required}");
  for (const auto* query : {"", "?ref=", "?ref=a&ref=b", "?ref=%FF", "?ref=a%0Ab"})
    CHECK(summary_of(c.platform.get(std::string{"/v1/customers/by_ref"} + query, c.as())) == "400 invalid_request");
  for (const auto& wrong :
       {charge_of("pay_1", "c1", "ctoken_"), charge_of("pay_1", "", "pm_1"), charge_of("nope", "c1", "pm_1"),
        charge_of("pay_1", "c1", "pm_1").set("amount", 0), charge_of("pay_1", "c1", "pm_1").set("off_session", "yes"),
        charge_of("pay_1", "c1", "pm_1").raw("auto_capture", "1"),
        charge_of("pay_1", "c1", "pm_1").without("currency")})
    CHECK(summary_of(c.charge(wrong)) == "400 invalid_request");
  CHECK(summary_of(c.charge(charge_of("pay_1", "c1", "pm_1").set("merchant_id", "merch_other"))) ==
        "400 merchant_id_mismatch");
  CHECK(summary_of(c.create(server_payment(new_payment_id()).set("customer_ref", "c1"))) == "400 invalid_request");

  add_person(gateway, c.shop.id, c.name + "-t@lantern.example");
  grant_access(gateway, c.who, c.name + "-t@lantern.example", "test", all_scopes);
  const auto test = [](const std::string& path) {
    return path + (path.find('?') == path.npos ? "?" : "&") + "environment=test";
  };
  const std::string unavailable = "422 {test_customer_mappings_unavailable}";
  CHECK(summary_of(c.platform.post(test("/v1/charges/saved"), charge.text(), c.as())) == unavailable);
  CHECK(summary_of(c.platform.get(test("/v1/customers/by_ref?ref=c1"), c.as())) == unavailable);
  CHECK(summary_of(c.platform.post(test("/v1/payment_intents"),
                                   for_customer(server_payment(new_payment_id()), "c1").text(), c.as())) ==
        unavailable);
}

TEST_CASE("two concurrent payments of a new customer create one customer, whatever crashes in between") {
  gateway_process gateway{gateway_options{.store = GENERATE(from_range(stores()))}};
  connected c{gateway};
  std::vector<std::string> refs;
  for (int i = 0; i < 8; ++i) refs.push_back("ref-" + new_uuid());
  std::vector<std::thread> threads;
  for (const auto& ref : refs)
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        api platform{gateway, c.who.key};
        const auto body = for_customer(server_payment(new_payment_id()), ref).text();
        const auto how = c.as();
        for (int tries = 0; tries < 100; ++tries) try {
            if (platform.post("/v1/payment_intents", body, how).status == 200) return;
          } catch (const std::exception&) {
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
          }
      });
  std::this_thread::sleep_for(std::chrono::milliseconds{30});
  gateway.kill();
  gateway.start();
  for (auto& each : threads) each.join();
  std::vector<std::string> made;
  for (const auto& entry : read_ledger(gateway.ledger_file()))
    if (entry.operation == "customer") made.push_back(entry.provider_key);
  CHECK(made.size() == refs.size());
  for (const auto& ref : refs) {
    CHECK(c.methods(ref) == R"(["pm_card_visa"])");
    CHECK(std::ranges::count(made, "ck_" + c.customer_id(ref).substr(4)) == 1);
  }
}
