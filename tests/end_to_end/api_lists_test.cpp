// The lists of payments, subscriptions and customers: docs/served/payments.md, "Lists".
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "merchant.hpp"
#include "platform.hpp"
#include "subscribing.hpp"

using namespace gateway::e2e;

namespace {

using id_list = std::vector<std::string>;
using fetch = std::function<reply(const std::string& query)>;

/// The ids of the objects of a list. `id` is the name of their field.
id_list listed_in(const json& page, const std::string& list, const std::string& id) {
  id_list ids;
  for (const auto& each : page[list].items()) ids.push_back(each[id].text());
  return ids;
}

struct paged_list {
  fetch get;
  std::string list, id;

  json page(const std::string& query) const {
    const auto answer = get("?" + query);
    REQUIRE(answer.status == 200);
    return json::parse(answer.body);
  }
  /// All pages; `between` runs after each that is not the last.
  id_list all(const std::string& filters, int limit = 100, const std::function<void()>& between = [] {}) const {
    id_list seen;
    std::string after;
    for (int pages = 0; pages < 100; ++pages) {
      const auto got = page("limit=" + std::to_string(limit) + (filters.empty() ? "" : "&" + filters) + after);
      const auto ids = listed_in(got, list, id);
      CHECK(ids.size() <= static_cast<std::size_t>(limit));
      seen.insert(seen.end(), ids.begin(), ids.end());
      if (!got["next"].present()) return seen;
      after = "&after=" + percent_encode(got["next"].text());
      between();
    }
    FAIL("the list does not end");
    return seen;
  }
  std::string refusal(const std::string& query) const {
    const auto answer = get("?" + query);
    const auto message = json::parse(answer.body)["message"].text();
    return summary_of(answer) + ' ' + message.substr(0, message.find(':'));
  }
};

paged_list payments_of(api& merchant) {
  return {[&merchant](const std::string& query) { return merchant.get("/v1/payment_intents" + query); }, "payments",
          "payment_id"};
}

paged_list list_of(live_platform& who, const std::string& path, const std::string& list, const std::string& id) {
  return {[&who, path](const std::string& query) { return who.platform.get(path + query, who.as()); }, list, id};
}

std::string created_at(api& merchant, const std::string& payment) {
  return merchant.payment(payment)["created_at"].text();
}

}  // namespace

TEST_CASE("payments are listed newest first, each as GET of one, and each once while others are made and changed") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  api merchant{gateway, new_merchant(gateway).test};
  const auto list = payments_of(merchant);
  CHECK(merchant.get("/v1/payment_intents").body == R"({"payments":[]})");
  id_list made;
  for (int i = 0; i < 6; ++i) {
    made.push_back(new_payment_id());
    REQUIRE(summary_of(merchant.create(server_payment(made.back()))) == "200 authorized");
  }
  REQUIRE(summary_of(merchant.capture(made[1])) == "200 captured");
  REQUIRE(summary_of(merchant.refund(made[1], 100)) == "200 partially_refunded");
  const auto all = list.page("");
  CHECK_FALSE(all["next"].present());
  const auto before = listed_in(all, "payments", "payment_id");
  CHECK(std::set<std::string>(before.begin(), before.end()) == std::set<std::string>(made.begin(), made.end()));
  for (const auto& each : all["payments"].items())
    CHECK(each.dump() == merchant.payment(each["payment_id"].text()).dump());

  const auto shown = all["payments"].items();
  for (std::size_t i = 1; i < shown.size(); ++i)
    CHECK(shown[i - 1]["created_at"].text() >= shown[i]["created_at"].text());

  // Between two pages a payment is made, and one of the pages behind is captured.
  id_list waiting = before;
  std::erase(waiting, made[1]);
  int round = 0;
  const auto seen = list.all("state=authorized,captured,partially_refunded", 1, [&] {
    REQUIRE(summary_of(merchant.create(server_payment(new_payment_id()))) == "200 authorized");
    if (round < 2) {
      REQUIRE(summary_of(merchant.capture(waiting.back())) == "200 captured");
      waiting.pop_back();
    }
    ++round;
  });
  CHECK(seen == before);
  CHECK(round == 5);
}

TEST_CASE("payments are filtered by state, currency, time and reference, and a full last page has no next") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  api merchant{gateway, new_merchant(gateway).test};
  const auto list = payments_of(merchant);
  const auto authorized = new_payment_id(), captured = new_payment_id(), failed = new_payment_id();
  REQUIRE(summary_of(merchant.create(server_payment(authorized))) == "200 authorized");
  REQUIRE(summary_of(merchant.create(server_payment(captured).set("currency", "USD"))) == "200 authorized");
  REQUIRE(summary_of(merchant.capture(captured)) == "200 captured");
  REQUIRE(summary_of(merchant.create(server_payment(failed, "pm_card_chargeDeclined"))) == "200 failed");
  const auto whole = list.all("");
  REQUIRE(whole.size() == 3);
  const auto ref = merchant.payment(captured)["provider.provider_ref"].text();
  REQUIRE_FALSE(ref.empty());

  CHECK(list.all("state=authorized") == id_list{authorized});
  CHECK(list.all("state=failed,captured,authorized,created", 1) == whole);
  CHECK(list.all("state=voided").empty());
  CHECK(list.all("currency=usd") == id_list{captured});
  CHECK(list.all("currency=Hkd&state=failed") == id_list{failed});
  CHECK(list.all("currency=EUR").empty());
  CHECK(list.all("provider_ref=" + percent_encode(ref)) == id_list{captured});
  CHECK(list.all("provider_ref=" + percent_encode(ref + " ")).empty());
  CHECK(list.all("provider_ref=" + percent_encode(ref) + "&state=failed").empty());
  // created_at is in whole seconds, and was rounded down.
  const auto oldest = created_at(merchant, whole.back());
  CHECK(list.all("created_from=" + oldest, 2) == whole);
  CHECK(list.all("created_to=" + oldest).empty());
  CHECK(list.all("created_from=" + oldest + "&created_to=2000-01-01T00:00:00Z").empty());
  CHECK(list.all("created_to=2999-01-01T00:00:00.000Z") == whole);

  const auto full = list.page("limit=3");
  CHECK(full["payments"].size() == 3);
  CHECK_FALSE(full["next"].present());
  CHECK(list.page("limit=2")["next"].present());
}

TEST_CASE("a wrong parameter of the list of payments is 400 with its name, a cursor of elsewhere included") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway, {"Lantern Books", "standard", "", true});
  api merchant{gateway, account.test}, live{gateway, account.live}, neighbour{gateway, new_merchant(gateway).test};
  for (auto* each : {&merchant, &live, &neighbour})
    for (int i = 0; i < 2; ++i) REQUIRE(each->create(server_payment(new_payment_id())).status == 200);
  const auto list = payments_of(merchant);
  const auto cursor = [](api& of) { return payments_of(of).page("limit=1")["next"].text(); };
  const auto own = cursor(merchant), of_live = cursor(live), of_neighbour = cursor(neighbour);
  for (const auto& each : {own, of_live, of_neighbour}) REQUIRE_FALSE(each.empty());
  const std::pair<std::string, std::string> rows[] = {
      {"limit=0", "limit"},
      {"limit=101", "limit"},
      {"limit=", "limit"},
      {"limit=1&limit=2", "limit"},
      {"state=", "state"},
      {"state=paid", "state"},
      {"state=captured,", "state"},
      {"state=captured&state=failed", "state"},
      {"currency=EURO", "currency"},
      {"created_from=yesterday", "created_from"},
      {"created_to=2026-11-20", "created_to"},
      {"provider_ref=", "provider_ref"},
      {"customer_ref=", "customer_ref"},
      {"status=captured", "status"},
      {"after=", "after"},
      {"after=pay_1", "after"},
      {"after=" + own + "A", "after"},
      {"after=" + of_live, "after"},
      {"after=" + of_neighbour, "after"},
  };
  for (const auto& [query, name] : rows) {
    CAPTURE(query);
    CHECK(list.refusal(query) == "400 invalid_request " + name);
  }
  CHECK(summary_of(merchant.get("/v1/disputes?after=" + own)) == "400 invalid_request");
  CHECK(list.page("after=" + own)["payments"].size() == 1);
  CHECK(summary_of(merchant.get("/v1/payment_intents?customer_ref=a")) == "422 {platform_key_required}");
  api writer{gateway, mint_key(gateway, account.id, "test", "payments:write")};
  CHECK(summary_of(writer.get("/v1/payment_intents")) == "403 forbidden");
}

TEST_CASE("a platform lists its customers with their methods, and the payments of each") {
  live_platform who{shared_gateway(GENERATE(from_range(stores())))}, other{who.gateway};
  const auto customers = list_of(who, "/v1/customers", "customers", "customer_ref");
  CHECK(customers.all("").empty());
  const auto pay_for = [](live_platform& by, const std::string& ref, const std::string& method) {
    const auto id = new_payment_id();
    const auto body =
        server_payment(id, method).set("customer_ref", ref).set("setup_future_usage", "off_session").text();
    REQUIRE(summary_of(by.platform.post("/v1/payment_intents", body, by.as())) == "200 authorized");
    return id;
  };
  const auto run = new_uuid();
  const auto ada = "Zoë/42 " + run, bob = "bob " + run, eve = "bob " + run + " ";
  id_list of_ada{pay_for(who, ada, "pm_card_visa")}, of_bob{pay_for(who, bob, "pm_card_visa")};
  of_ada.push_back(pay_for(who, ada, "ctoken_card_visa"));
  const id_list of_eve{pay_for(who, eve, "pm_card_visa")};
  pay_for(other, ada, "pm_card_visa");

  const auto listed = customers.all("", 1);
  CHECK(listed.size() == 3);
  CHECK(std::set<std::string>(listed.begin(), listed.end()) == std::set<std::string>{ada, bob, eve});
  const auto one = customers.page("customer_ref=" + percent_encode(ada));
  CHECK_FALSE(one["next"].present());
  REQUIRE(one["customers"].size() == 1);
  const auto shown = one["customers"].at(0);
  CHECK(shown["customer_ref"] == ada);
  CHECK(shown["merchant_id"] == who.shop.id);
  CHECK(shown["provider_customer_id"] ==
        json::parse(
            who.platform.get("/v1/customers/by_ref?ref=" + percent_encode(ada), who.as()).body)["provider_customer_id"]
            .text());
  REQUIRE(shown["methods"].size() == 2);
  CHECK(shown["methods"].at(0)["payment_method_id"] == "ctoken_card_visa");
  CHECK(shown["methods"].at(1)["payment_method_id"] == "pm_card_visa");
  for (const auto& method : shown["methods"].items()) CHECK(method["saved_at"].text().size() == 20);
  CHECK(customers.all("customer_ref=unknown").empty());

  const auto payments = list_of(who, "/v1/payment_intents", "payments", "payment_id");
  const auto of = [&](const std::string& ref, const std::string& rest = {}) {
    return payments.all("customer_ref=" + percent_encode(ref) + rest, 1);
  };
  const auto sorted = [](id_list ids) {
    std::ranges::sort(ids);
    return ids;
  };
  CHECK(sorted(of(ada)) == sorted(of_ada));
  CHECK(of(bob) == of_bob);
  CHECK(of(eve) == of_eve);
  CHECK(of(ada, "&state=captured").empty());
  CHECK(of("unknown").empty());
  CHECK(payments.all("").size() == 4);

  // A cursor is valid for one platform and one list only.
  const auto cursor = customers.page("limit=1")["next"].text();
  CHECK(list_of(other, "/v1/customers", "customers", "customer_ref").refusal("after=" + cursor) ==
        "400 invalid_request after");
  CHECK(payments.refusal("after=" + cursor) == "400 invalid_request after");
  CHECK(customers.refusal("ref=a") == "400 invalid_request ref");
  const auto in_test = [&](const std::string& target) { return summary_of(who.platform.get(target, who.as())); };
  CHECK(in_test("/v1/customers?environment=test") == "403 MERCHANT_GRANT_REQUIRED");
  api merchant{who.gateway, who.shop.live};
  CHECK(summary_of(merchant.get("/v1/customers")) == "422 {platform_key_required}");
  CHECK(summary_of(merchant.get("/v1/subscriptions")) == "422 {platform_key_required}");
}

TEST_CASE("a platform lists the subscriptions that it opened, by status and by customer") {
  subscribing who{shared_gateway(GENERATE(from_range(stores())))};
  const auto list = list_of(who, "/v1/subscriptions", "subscriptions", "subscription_id");
  CHECK(list.all("").empty());
  id_list made;
  for (int i = 0; i < 3; ++i) {
    made.push_back(subscribing::new_id());
    REQUIRE(who.open(subscribing::checkout(made.back())).status == 200);
  }
  made.push_back(who.subscribe(subscribing::new_id()));
  REQUIRE(eventually([&] { return who.status(made.back()) == "active"; }));
  const auto whole = list.page("");
  CHECK_FALSE(whole["next"].present());
  auto ids = listed_in(whole, "subscriptions", "subscription_id");
  CHECK(std::set<std::string>(ids.begin(), ids.end()) == std::set<std::string>(made.begin(), made.end()));
  for (const auto& each : whole["subscriptions"].items()) {
    const auto id = each["subscription_id"].text();
    CHECK(each.dump() == who.seen(id).dump());
  }
  int round = 0;
  CHECK(list.all("", 1, [&] {
    REQUIRE(who.open(subscribing::checkout(subscribing::new_id())).status == 200);
    ++round;
  }) == ids);
  CHECK(round == 3);
  CHECK(list.all("status=active") == id_list{made.back()});
  CHECK(list.all("status=pending", 2).size() == 6);
  CHECK(list.all("status=unpaid").empty());
  CHECK(list.all("customer_ref=ref-" + made[1]) == id_list{made[1]});
  CHECK(list.all("customer_ref=ref-" + made[1] + "&status=active").empty());
  CHECK(list.refusal("status=open") == "400 invalid_request status");
  live_platform other{who.gateway};
  CHECK(list_of(other, "/v1/subscriptions", "subscriptions", "subscription_id").all("").empty());
}
