// The routes of refunds and disputes, from a request to its answer.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/access/list_cursor.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

/// A captured payment with a dispute that was opened so many minutes before noon.
disputes_lookup::found disputed(int number, dispute_status status = dispute_status::needs_response) {
  auto p = *waiting_payment(payment_state::captured);
  p.captured = p.amount.minor;
  p.key.id = "pay_" + std::to_string(number);
  const auto id = "dp_" + std::to_string(number);
  p.records.disputes.push_back(
      {id, 700, "fraudulent", status, std::nullopt, noon - std::chrono::minutes{number}, std::nullopt, "provider's"});
  return {std::make_shared<const payment>(std::move(p)), id};
}

/// A store with disputes 1, 2, …, `count`, newest first.
answers<find_disputes> store_of(int count, std::vector<find_disputes>& asked) {
  return [count, &asked](const find_disputes& what) {
    asked.push_back(what);
    disputes_lookup page;
    for (int number = 1; number <= count; ++number) {
      const auto opened_at = noon - std::chrono::minutes{number};
      if (what.before && opened_at >= what.before->opened_at) continue;
      if (page.disputes.size() == what.limit) {
        page.more = true;
        break;
      }
      page.disputes.push_back(disputed(number));
    }
    return page;
  };
}

response list_with(gateway_fixture& to, std::string query) {
  auto asked = get("/v1/disputes");
  asked.query = std::move(query);
  return asked.send(to);
}

std::vector<std::string> ids_in(const response& out) {
  std::vector<std::string> ids;
  const auto body = boost::json::parse(std::string{out.sent_body()});
  for (const auto& each : body.at("disputes").as_array())
    ids.push_back(boost::json::value_to<std::string>(each.at("dispute_id")));
  return ids;
}

/// Empty on the last page.
std::string next_of(const response& out) {
  const auto body = boost::json::parse(std::string{out.sent_body()});
  const auto* next = body.as_object().if_contains("next");
  return next ? boost::json::value_to<std::string>(*next) : std::string{};
}

std::string message_of(const response& out) {
  return boost::json::value_to<std::string>(boost::json::parse(std::string{out.sent_body()}).at("message"));
}

}  // namespace

TEST_CASE_METHOD(gateway_fixture, "a list of disputes asks the store for what its parameters say") {
  std::vector<find_disputes> asked;
  scene.disputes = store_of(0, asked);
  const auto none = list_with(*this, "");
  CHECK(none.sent_status() == 200);
  CHECK(none.sent_body() == R"({"disputes":[]})");
  list_with(*this, "status=under_review&payment_id=pay_7&limit=3&environment=live");
  REQUIRE(asked.size() == 2);
  for (const auto& each : asked) {
    CHECK(each.merchant.value == "merch_1");
    CHECK(each.env == environment::test);
    CHECK(each.dispute_id.empty());
    CHECK_FALSE(each.before);
  }
  CHECK(asked[0].limit == 20);
  CHECK_FALSE(asked[0].status);
  CHECK(asked[0].payment_id.empty());
  CHECK(asked[1].limit == 3);
  CHECK(asked[1].status == dispute_status::under_review);
  CHECK(asked[1].payment_id == "pay_7");
}

TEST_CASE_METHOD(gateway_fixture, "following next reads every dispute once, and the last page has no next") {
  std::vector<find_disputes> asked;
  scene.disputes = store_of(6, asked);
  for (const int limit : {1, 2, 3, 4, 6, 100}) {
    CAPTURE(limit);
    std::vector<std::string> told;
    std::string after;
    std::size_t pages = 0;
    do {
      auto query = "limit=" + std::to_string(limit);
      if (!after.empty()) query += "&after=" + after;
      const auto out = list_with(*this, query);
      REQUIRE(out.sent_status() == 200);
      const auto ids = ids_in(out);
      told.insert(told.end(), ids.begin(), ids.end());
      after = next_of(out);
      REQUIRE(++pages <= 6);
    } while (!after.empty());
    CHECK(told == std::vector<std::string>{"dp_1", "dp_2", "dp_3", "dp_4", "dp_5", "dp_6"});
    CHECK(pages == static_cast<std::size_t>((6 + limit - 1) / limit));
  }
}

TEST_CASE_METHOD(gateway_fixture, "a wrong parameter of the list of disputes is 400 with its name") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"limit=0", "limit"},
      {"limit=101", "limit"},
      {"limit=1&limit=2", "limit"},
      {"status=open", "status"},
      {"status=WON", "status"},
      {"status=won,lost", "status"},
      {"status=", "status"},
      {"payment_id=", "payment_id"},
      {"payment_id=1", "payment_id"},
      {"payment_id=pay_", "payment_id"},
      {"payment_id=pay_%00", "payment_id"},
      {"dispute_id=dp_1", "dispute_id"},
      {"after=", "after"},
      {"after=dp_1", "after"},
      {"before=dp_1", "before"},
  };
  scene.disputes = [](const find_disputes&) -> caf::expected<disputes_lookup> {
    FAIL("the store was asked");
    return disputes_lookup{};
  };
  for (const auto& [query, name] : rows) {
    CAPTURE(query);
    const auto out = list_with(*this, std::string{query});
    CHECK(out.sent_status() == 400);
    CHECK(code_in(out) == "invalid_request");
    CHECK(message_of(out).starts_with(std::string{name} + ": "));
  }
}

TEST_CASE_METHOD(gateway_fixture, "a cursor of another merchant, environment, list or gateway is 400 and names after") {
  std::vector<find_disputes> asked;
  scene.disputes = store_of(2, asked);
  const auto genuine = next_of(list_with(*this, "limit=1"));
  REQUIRE_FALSE(genuine.empty());

  const merchant_id own{"merch_1"}, another{"merch_2"};
  const timed_position at{noon, "dp_1"};
  const std::string forgeries[] = {
      make_cursor(shared.cursor_key, {"disputes", another, environment::test}, at),
      make_cursor(shared.cursor_key, {"disputes", own, environment::live}, at),
      make_cursor(shared.cursor_key, {"payments", own, environment::test}, at),
      make_cursor("another gateway's key", {"disputes", own, environment::test}, at),
      make_cursor(shared.cursor_key, {"disputes", own, environment::test}, std::string_view{"dp_1"}),
      genuine.substr(1),
      genuine + "A",
  };
  const auto before = asked.size();
  for (const auto& each : forgeries) {
    CAPTURE(each);
    const auto out = list_with(*this, "after=" + each);
    CHECK(out.sent_status() == 400);
    CHECK(message_of(out).starts_with("after: "));
  }
  CHECK(asked.size() == before);
  CHECK(ids_in(list_with(*this, "after=" + genuine)) == std::vector<std::string>{"dp_2"});
  // A cursor is bound to the list, not to its filters.
  CHECK(list_with(*this, "status=won&after=" + genuine).sent_status() == 200);
}

TEST_CASE_METHOD(gateway_fixture, "a dispute is read by its id, and an unknown one is 404") {
  std::vector<find_disputes> asked;
  scene.disputes = [&](const find_disputes& what) {
    asked.push_back(what);
    disputes_lookup found;
    if (what.dispute_id == "dp_3") found.disputes.push_back(disputed(3));
    return found;
  };
  const auto out = get("/v1/disputes/dp_3").send(*this);
  CHECK(out.sent_status() == 200);
  CHECK(out.sent_body() ==
        R"({"dispute_id":"dp_3","payment_id":"pay_3","amount":700,"currency":"HKD","reason":"fraudulent",)"
        R"("status":"needs_response","opened_at":"2026-11-20T11:57:00Z"})");
  REQUIRE(asked.size() == 1);
  CHECK(asked.front().merchant.value == "merch_1");
  CHECK(asked.front().env == environment::test);

  CHECK(code_in(get("/v1/disputes/dp_4").send(*this)) == "dispute_not_found");
  CHECK(asked.size() == 2);
  // Texts that are no id of a dispute are not looked up.
  for (const auto& text :
       {std::string{"3"}, std::string{"pay_3"}, "dp_" + std::string(70, '1'), std::string{"dp_%00"}}) {
    const auto missing = get("/v1/disputes/" + text).send(*this);
    CHECK(missing.sent_status() == 404);
    CHECK(code_in(missing) == "dispute_not_found");
  }
  CHECK(asked.size() == 2);
}

TEST_CASE_METHOD(gateway_fixture, "disputes need a signature and the scope payments:read") {
  publish_key("mk_test_0000000000000002", "payments:write");
  for (const auto* path : {"/v1/disputes", "/v1/disputes/dp_1", "/v1/payment_intents/pay_1/refunds"}) {
    CAPTURE(path);
    auto in = get(path);
    in.signature_override = "00";
    CHECK(in.send(*this).sent_status() == 401);
    in.signature_override.clear();
    in.key = "mk_test_0000000000000002";
    CHECK(code_in(in.send(*this)) == "forbidden");
    in.key = "mk_test_0000000000000001";
    in.merchant = "merch_2";
    CHECK(code_in(in.send(*this)) == "merchant_id_mismatch");
  }
}

TEST_CASE_METHOD(gateway_fixture, "a store that does not answer is a 503, never an empty list") {
  scene.disputes = [](const find_disputes&) -> caf::expected<disputes_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  for (const auto* path : {"/v1/disputes", "/v1/disputes/dp_1"}) {
    const auto out = get(path).send(*this);
    CHECK(out.sent_status() == 503);
    CHECK(code_in(out) == "store_unavailable");
  }
}

TEST_CASE_METHOD(gateway_fixture, "a payment's refunds come from the payment") {
  scene.router = [](const entity_request&) {
    auto p = *waiting_payment(payment_state::partially_refunded);
    p.captured = 4200;
    p.refunded = 1000;
    p.records.refunds.push_back({"re_1", 1000, refund_status::succeeded, entry_origin::portal, noon, "torn", {}, "r"});
    return entity_reply{entity_row{std::make_shared<const payment>(std::move(p))}};
  };
  const auto out = get("/v1/payment_intents/pay_1/refunds").send(*this);
  CHECK(out.sent_status() == 200);
  CHECK(out.sent_body() ==
        R"({"payment_id":"pay_1","refunds":[{"refund_id":"re_1","amount":1000,"currency":"HKD","status":"succeeded",)"
        R"("reason":"torn","origin":"portal","created_at":"2026-11-20T12:00:00Z"}]})");
  REQUIRE(scene.seen.size() == 1);
  CHECK(scene.seen.front().key == payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"}));
  CHECK_FALSE(scene.seen.front().write);

  CHECK(code_in(get("/v1/payment_intents/nothing/refunds").send(*this)) == "payment_not_found");
  CHECK(scene.seen.size() == 1);
  scene.router = [](const entity_request&) { return entity_reply{problem::payment_not_found}; };
  CHECK(code_in(get("/v1/payment_intents/pay_2/refunds").send(*this)) == "payment_not_found");
}
