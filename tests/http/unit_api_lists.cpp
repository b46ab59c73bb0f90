// The lists of payments, customers and subscriptions at the routes: what the store is asked, and what the caller gets.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/messages/customer_key.hpp"
#include "http/access/list_cursor.hpp"
#include "http/codec/encode_subscription.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

constexpr std::string_view lists_platform_key = "mk_platform_0000000a";
constexpr std::string_view lists_live_key = "mk_live_000000000000000a";
const merchant_id lists_shop{"merch_1"};
const platform_id lists_platform{"plat_1"};

struct lists_fixture : gateway_fixture {
  lists_fixture() {
    merchants.publish(std::make_shared<const platform_key>(platform_key{
        key_id{std::string{lists_platform_key}}, lists_platform, *parse_scopes("*"), "secret", false, false}));
    for (const auto env : {environment::live, environment::test})
      merchants.publish(
          grant_update{{lists_platform, lists_shop},
                       env,
                       {grant_state::active, *parse_scopes("payments:write payments:read customers:read"), 1}});
    merchants.publish(
        std::make_shared<const api_key>(api_key{key_id{std::string{lists_live_key}}, lists_shop, environment::live,
                                                *parse_scopes("payments:write"), "secret", false}));
    scene.payments = [this](const find_payments& what) {
      asked.push_back(what);
      return page;
    };
  }

  std::vector<find_payments> asked;
  payments_lookup page;
};

response list_at(gateway_fixture& to, const std::string& path, std::string query, std::string_view key = {}) {
  auto in = get(path);
  in.query = std::move(query);
  if (!key.empty()) in.key = key;
  if (key == lists_platform_key) in.merchant = "merch_1";
  return in.send(to);
}

/// `400 invalid_request state`: with the name at the beginning of the message.
std::string named_fault(const response& out) {
  const auto body = boost::json::parse(std::string{out.sent_body()}).as_object();
  auto text = std::to_string(out.sent_status()) + ' ' + code_in(out);
  if (const auto* message = body.if_contains("message")) {
    const auto all = boost::json::value_to<std::string>(*message);
    text += ' ' + all.substr(0, all.find(':'));
  }
  return text;
}

std::string next_in(const response& out) {
  const auto body = boost::json::parse(std::string{out.sent_body()});
  const auto* next = body.as_object().if_contains("next");
  return next ? boost::json::value_to<std::string>(*next) : std::string{};
}

payment_ptr listed_payment(int number, const platform_id& made_by = {}) {
  auto p = *waiting_payment(payment_state::captured);
  p.key.id = "pay_" + std::to_string(number);
  p.captured = p.amount.minor;
  p.created_at = noon - std::chrono::minutes{number};
  p.details.made_by = made_by;
  p.details.metadata = {{"order", "17"}};
  return std::make_shared<const payment>(std::move(p));
}

customer listed_customer() {
  customer c;
  c.key = customer_key(lists_shop, environment::live, lists_platform, "reader-17");
  c.platform = lists_platform;
  c.ref = "reader-17";
  c.provider_id = "cus_1";
  c.methods = {"pm_old", "pm_1", "pm_2"};
  c.saved_at = {{"pm_1", noon}, {"pm_2", noon + std::chrono::hours{1}}};
  c.created_at = noon;
  return c;
}

}  // namespace

TEST_CASE_METHOD(lists_fixture, "a list of payments asks the store for what its parameters say") {
  CHECK(list_at(*this, "/v1/payment_intents", "").sent_body() == R"({"payments":[]})");
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].merchant == lists_shop);
  CHECK(asked[0].env == environment::test);
  CHECK(asked[0].limit == 20);
  CHECK_FALSE((asked[0].state || asked[0].from || asked[0].until || asked[0].before || asked[0].after));
  CHECK((asked[0].any_of.empty() && asked[0].currency.empty() && asked[0].provider_ref.empty()));
  CHECK(asked[0].most_bytes > 0);

  list_at(*this, "/v1/payment_intents",
          "state=captured,refunded,captured&currency=hkd&created_from=2026-11-01T00:00:00Z"
          "&created_to=2026-12-01T00:00:00.125Z&provider_ref=ch_1%2B&limit=3");
  REQUIRE(asked.size() == 2);
  CHECK(asked[1].any_of == std::vector{payment_state::captured, payment_state::refunded});
  CHECK_FALSE(asked[1].state);
  CHECK(asked[1].currency == "HKD");
  CHECK(asked[1].from == parse_seconds("2026-11-01T00:00:00Z"));
  CHECK(asked[1].until == *parse_seconds("2026-12-01T00:00:00Z") + std::chrono::milliseconds{125});
  CHECK(asked[1].provider_ref == "ch_1+");
  CHECK(asked[1].limit == 3);

  list_at(*this, "/v1/payment_intents", "state=failed");
  CHECK(asked.at(2).state == payment_state::failed);
  CHECK(asked.at(2).any_of.empty());
  // All states together are no filter.
  list_at(*this, "/v1/payment_intents",
          "state=created,processing,authorized,captured,partially_refunded,refunded,failed,voided");
  CHECK_FALSE(asked.at(3).state);
  CHECK(asked.at(3).any_of.empty());

  list_at(*this, "/v1/payment_intents", "customer_ref=reader-17", lists_platform_key);
  CHECK(asked.at(4).env == environment::live);
  CHECK(asked.at(4).platform == lists_platform);
  CHECK(asked.at(4).customer_ref == "reader-17");
}

TEST_CASE_METHOD(lists_fixture, "a payment in a list is as GET of one shows it, to each caller") {
  const auto own = listed_payment(1, lists_platform), foreign = listed_payment(2, platform_id{"plat_2"});
  page.payments = {own, foreign};
  CHECK(list_at(*this, "/v1/payment_intents", "").sent_body() ==
        R"({"payments":[)" + encode_payment(*own, true) + ',' + encode_payment(*foreign, true) + "]}");
  CHECK(list_at(*this, "/v1/payment_intents", "environment=test", lists_platform_key).sent_body() ==
        R"({"payments":[)" + encode_payment(*own, true) + ',' + encode_payment(*foreign, false) + "]}");
}

TEST_CASE_METHOD(lists_fixture, "next leads behind the last payment, or to where the store stopped to read") {
  page.payments = {listed_payment(1), listed_payment(2)};
  page.more = true;
  auto next = next_in(list_at(*this, "/v1/payment_intents", ""));
  REQUIRE_FALSE(next.empty());
  CHECK(list_at(*this, "/v1/payment_intents", "after=" + next).sent_status() == 200);
  CHECK(asked.back().before == payment_position{noon - std::chrono::minutes{2}, "pay_2"});
  page.payments.clear();
  page.read_to = payment_position{noon, "pay_9"};
  next = next_in(list_at(*this, "/v1/payment_intents", ""));
  REQUIRE_FALSE(next.empty());
  list_at(*this, "/v1/payment_intents", "state=failed&after=" + next);
  CHECK(asked.back().before == page.read_to);
  page = {};
  CHECK(next_in(list_at(*this, "/v1/payment_intents", "")).empty());
}

TEST_CASE_METHOD(lists_fixture, "a wrong parameter of a list is 400 with its name, and nothing is read") {
  const std::string payments = "/v1/payment_intents", customers = "/v1/customers", subscriptions = "/v1/subscriptions";
  const struct {
    std::string path, query, name;
  } rows[] = {
      {payments, "state=", "state"},
      {payments, "state=,", "state"},
      {payments, "state=captured,", "state"},
      {payments, "state=,captured", "state"},
      {payments, "state=captured, failed", "state"},
      {payments, "state=Captured", "state"},
      {payments, "state=paid", "state"},
      {payments, "state=failed&state=failed", "state"},
      {payments, "currency=", "currency"},
      {payments, "currency=EURO", "currency"},
      {payments, "currency=XXX", "currency"},
      {payments, "currency=HKD,EUR", "currency"},
      {payments, "created_from=2026-11-20", "created_from"},
      {payments, "created_from=", "created_from"},
      {payments, "created_to=1795167000", "created_to"},
      {payments, "created_to=2026-02-30T00:00:00Z", "created_to"},
      {payments, "customer_ref=%00", "customer_ref"},
      {payments, "customer_ref=", "customer_ref"},
      {payments, "provider_ref=", "provider_ref"},
      {payments, "provider_ref=%FF", "provider_ref"},
      {payments, "provider_ref=" + std::string(256, 'r'), "provider_ref"},
      {payments, "payment_id=pay_1", "payment_id"},
      {payments, "limit=0", "limit"},
      {payments, "after=x", "after"},
      {customers, "ref=a", "ref"},
      {customers, "customer_ref=%FF", "customer_ref"},
      {customers, "limit=101", "limit"},
      {customers, "after=", "after"},
      {subscriptions, "status=open", "status"},
      {subscriptions, "status=active,paused", "status"},
      {subscriptions, "customer_ref=a&customer_ref=a", "customer_ref"},
      {subscriptions, "state=active", "state"},
      {subscriptions, "after=x.y", "after"},
  };
  for (const auto& [path, query, name] : rows) {
    CAPTURE(path, query);
    CHECK(named_fault(list_at(*this, path, query, lists_platform_key)) == "400 invalid_request " + name);
  }
  CHECK(asked.empty());
}

TEST_CASE_METHOD(lists_fixture, "a cursor is valid in its list, for its merchant, environment and platform only") {
  const merchant_id other_shop{"merch_2"};
  const auto& key = shared.cursor_key;
  const std::string_view platform = lists_platform.value;
  const auto live = environment::live, test = environment::test;
  const timed_position at{noon, "pay_1"};
  const auto genuine = [&](std::string_view list, std::string_view of_platform) {
    return make_cursor(key, {list, lists_shop, live, of_platform}, at);
  };
  const std::pair<std::string, std::string> own[] = {{"/v1/payment_intents", genuine("payments", "")},
                                                     {"/v1/customers", genuine("customers", platform)},
                                                     {"/v1/subscriptions", genuine("subscriptions", platform)},
                                                     {"/v1/disputes", genuine("disputes", "")}};
  for (const auto& [path, cursor] : own)
    for (const auto& [of_path, other] : own) {
      CAPTURE(path, of_path);
      const auto out = list_at(*this, path, "after=" + other, lists_platform_key);
      if (path == of_path)
        CHECK(out.sent_status() == 200);
      else
        CHECK(named_fault(out) == "400 invalid_request after");
    }
  const std::pair<std::string, std::string> wrong[] = {
      {"/v1/payment_intents", make_cursor(key, {"payments", other_shop, live}, at)},
      {"/v1/payment_intents", make_cursor(key, {"payments", lists_shop, test}, at)},
      {"/v1/payment_intents", make_cursor("another key", {"payments", lists_shop, live}, at)},
      {"/v1/customers", genuine("customers", "plat_2")},
      {"/v1/subscriptions", genuine("subscriptions", "plat_2")},
  };
  for (const auto& [path, cursor] : wrong) {
    CAPTURE(path, cursor);
    CHECK(named_fault(list_at(*this, path, "after=" + cursor, lists_platform_key)) == "400 invalid_request after");
  }
}

TEST_CASE_METHOD(lists_fixture, "customers are for platforms in live: also as a filter, and before a key's scopes") {
  const std::string by_customer = "/v1/payment_intents";
  for (const auto& [path, query] :
       {std::pair{by_customer, std::string{"customer_ref=a"}}, std::pair{std::string{"/v1/customers"}, std::string{}},
        std::pair{std::string{"/v1/subscriptions"}, std::string{}}}) {
    CAPTURE(path);
    CHECK(code_in(list_at(*this, path, query)) == "platform_key_required");
    const auto out = list_at(*this, path, query + (query.empty() ? "" : "&") + "environment=test", lists_platform_key);
    CHECK(out.sent_status() == 422);
    CHECK(code_in(out) == "test_customer_mappings_unavailable");
    if (path != by_customer) CHECK(code_in(list_at(*this, path, query, lists_live_key)) == "platform_key_required");
  }
  CHECK(code_in(list_at(*this, by_customer, "", lists_live_key)) == "forbidden");
  CHECK(asked.empty());
}

TEST_CASE_METHOD(lists_fixture, "customers are listed with their methods, the one saved last first") {
  std::vector<find_customers_of_platform> pages;
  const auto one = std::make_shared<const customer>(listed_customer());
  scene.of<find_customers_of_platform>() = [&](const find_customers_of_platform& what) {
    pages.push_back(what);
    return customers_page{{one}, pages.size() == 1};
  };
  const auto first = list_at(*this, "/v1/customers", "limit=1", lists_platform_key);
  const std::string shown =
      R"({"customers":[{"customer_ref":"reader-17","provider_customer_id":"cus_1","merchant_id":"merch_1","methods":[)"
      R"({"payment_method_id":"pm_2","saved_at":"2026-11-20T13:00:00Z"},)"
      R"({"payment_method_id":"pm_1","saved_at":"2026-11-20T12:00:00Z"},{"payment_method_id":"pm_old"}]}])";
  const auto next = next_in(first);
  CHECK(first.sent_body() == shown + R"(,"next":")" + next + "\"}");
  CHECK(list_at(*this, "/v1/customers", "after=" + next, lists_platform_key).sent_body() == shown + '}');
  REQUIRE(pages.size() == 2);
  CHECK(pages[0].merchant == lists_shop);
  CHECK(pages[0].platform == lists_platform);
  CHECK(pages[0].limit == 1);
  CHECK(pages[1].before == listed_position{one->created_at, one->key.id});

  // One customer is read by its key.
  std::vector<entity_key> keys;
  scene.rows = [&](const find_entity& what) {
    keys.push_back(what.key);
    return what.key == one->key ? entity_lookup{entity_row{one}} : entity_lookup{};
  };
  CHECK(list_at(*this, "/v1/customers", "customer_ref=reader-17", lists_platform_key).sent_body() == shown + '}');
  CHECK(list_at(*this, "/v1/customers", "customer_ref=other", lists_platform_key).sent_body() == R"({"customers":[]})");
  CHECK(list_at(*this, "/v1/customers", "customer_ref=reader-17&after=" + next, lists_platform_key).sent_body() ==
        R"({"customers":[]})");
  CHECK(keys.size() == 3);
  CHECK(pages.size() == 2);
}

TEST_CASE_METHOD(lists_fixture, "subscriptions are listed as GET of one shows them") {
  subscription s;
  s.key = subscription_key(lists_shop, environment::live, "box-17");
  s.platform = lists_platform;
  s.details.customer_ref = "reader-17";
  s.state.status = subscription_status::past_due;
  s.state.amount = {1900, *currency::parse("EUR")};
  const auto one = std::make_shared<const subscription>(std::move(s));
  std::vector<find_subscriptions_of_platform> pages;
  const listed_position end{noon, "box-17"};
  scene.of<find_subscriptions_of_platform>() = [&](const find_subscriptions_of_platform& what) {
    pages.push_back(what);
    subscriptions_page page{{one}};
    if (pages.size() == 1) page.next = end;
    return page;
  };
  const auto query = "status=past_due&customer_ref=reader-17&limit=1";
  const auto first = list_at(*this, "/v1/subscriptions", query, lists_platform_key);
  const auto next = next_in(first);
  CHECK(first.sent_body() == R"({"subscriptions":[)" + encode_subscription(*one) + R"(],"next":")" + next + "\"}");
  CHECK(next_in(list_at(*this, "/v1/subscriptions", "after=" + next, lists_platform_key)).empty());
  REQUIRE(pages.size() == 2);
  CHECK(pages[0].merchant == lists_shop);
  CHECK(pages[0].platform == lists_platform);
  CHECK(pages[0].status == subscription_status::past_due);
  CHECK(pages[0].customer_ref == "reader-17");
  CHECK(pages[0].limit == 1);
  CHECK_FALSE(pages[1].status);
  CHECK(pages[1].before == end);
}

TEST_CASE_METHOD(lists_fixture, "a list of which the store does not answer is a 503") {
  const auto away = make_error(actor_errc::store_unavailable);
  scene.payments = [&](const find_payments&) -> caf::expected<payments_lookup> { return away; };
  scene.of<find_customers_of_platform>() = [&](const auto&) -> caf::expected<customers_page> { return away; };
  scene.of<find_subscriptions_of_platform>() = [&](const auto&) -> caf::expected<subscriptions_page> { return away; };
  scene.rows = [&](const find_entity&) -> caf::expected<entity_lookup> { return away; };
  for (const auto& [path, query] : {std::pair{"/v1/payment_intents", ""}, std::pair{"/v1/customers", ""},
                                    std::pair{"/v1/customers", "customer_ref=a"}, std::pair{"/v1/subscriptions", ""}})
    CHECK(named_fault(list_at(*this, path, query, lists_platform_key)).starts_with("503 store_unavailable"));
}
