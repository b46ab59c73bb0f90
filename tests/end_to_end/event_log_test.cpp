// The log of events over HTTPS: docs/served/webhooks.md, "Read events instead".
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <future>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "destinations.hpp"
#include "merchant.hpp"
#include "platform.hpp"
#include "webhook_receiver.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

const std::string log_path = "/v1/events";

json log_page(api& reader, const std::string& query = "", const call& how = {}) {
  const auto answer = reader.get(log_path + query, how);
  REQUIRE(answer.status == 200);
  auto page = json::parse(answer.body);
  CHECK(page["next"].is_string());
  return page;
}

/// `type payment` of each event.
std::vector<std::string> told_by(const json& page) {
  std::vector<std::string> seen;
  for (const auto& each : page["events"].items())
    seen.push_back(each["type"].text() + ' ' + each["data.payment_id"].text());
  return seen;
}

std::string after(const json& page) { return "after=" + percent_encode(page["next"].text()); }

std::string captured_payment(api& merchant) {
  const auto id = new_payment_id();
  REQUIRE(summary_of(merchant.create(server_payment(id))) == "200 authorized");
  REQUIRE(summary_of(merchant.capture(id)) == "200 captured");
  return id;
}

std::string refusal_of(api& reader, const std::string& query) {
  const auto answer = reader.get(log_path + query);
  const auto message = json::parse(answer.body)["message"].text();
  return summary_of(answer) + ' ' + message.substr(0, message.find(':'));
}

}  // namespace

TEST_CASE(
    "the log has each event as the webhook carries it, byte for byte, and whether or not there is a destination") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway);
  api merchant{gateway, account.test};
  CHECK(log_page(merchant)["events"].size() == 0);
  const auto early = captured_payment(merchant);
  CHECK(told_by(log_page(merchant)) == std::vector<std::string>{"payment.captured " + early});

  webhook_receiver receiver;
  set_destination(gateway, account, receiver.url(), "test");
  const auto id = captured_payment(merchant);
  REQUIRE(summary_of(merchant.refund(id, 100)) == "200 partially_refunded");
  const auto captured = receiver.wait_for("payment.captured", id);
  const auto refunded = receiver.wait_for("payment.partially_refunded", id);
  const auto answer = merchant.get(log_path);
  CHECK(answer.body.find(captured.body) != std::string::npos);
  CHECK(answer.body.find(refunded.body) != std::string::npos);
  CHECK(told_by(log_page(merchant)) == std::vector<std::string>{"payment.captured " + early, "payment.captured " + id,
                                                                "payment.partially_refunded " + id});
  CHECK(merchant.get(log_path + '/' + captured.event()).body == captured.body);
  CHECK(summary_of(merchant.get(log_path + "/evt_unknown")) == "404 event_not_found");
  api live{gateway, mint_key(gateway, account.id, "live", "*")};
  CHECK(summary_of(live.get(log_path + '/' + captured.event())) == "404 event_not_found");
  CHECK(log_page(live)["events"].size() == 0);
}

TEST_CASE("who follows next sees each event once, and a filtered log is searched to its end") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  api merchant{gateway, new_merchant(gateway).test};
  std::vector<std::string> expected, declined;
  for (int i = 0; i < 7; ++i) {
    expected.push_back("payment.captured " + captured_payment(merchant));
    const auto id = new_payment_id();
    merchant.create(server_payment(id).set("payment_method", "pm_card_chargeDeclined"));
    expected.push_back("payment.failed " + id);
    declined.push_back(expected.back());
  }
  std::vector<std::string> seen;
  auto page = log_page(merchant, "?limit=3");
  for (; page["events"].size() > 0; page = log_page(merchant, "?limit=3&" + after(page)))
    for (const auto& each : told_by(page)) seen.push_back(each);
  CHECK(seen == expected);
  CHECK(told_by(log_page(merchant, "?types=payment.failed,payment.voided")) == declined);
  // The end of the log goes on as the log does.
  const auto id = captured_payment(merchant);
  CHECK(told_by(log_page(merchant, '?' + after(page))) == std::vector<std::string>{"payment.captured " + id});

  const auto all = log_page(merchant)["events"].items();
  const auto from = all[5]["created"].text();
  std::vector<std::string> later;
  for (const auto& each : all)
    if (each["created"].text() >= from) later.push_back(each["id"].text());
  std::vector<std::string> found;
  for (const auto& each : log_page(merchant, "?from=" + from)["events"].items()) found.push_back(each["id"].text());
  CHECK(found == later);
}

TEST_CASE("a malformed query of the log is refused under the parameter's name") {
  auto& gateway = shared_gateway(stores().front());
  const auto account = new_merchant(gateway);
  api merchant{gateway, account.test};
  captured_payment(merchant);
  const auto page = log_page(merchant);
  const auto t = "2026-11-20T09:30:00Z";
  CHECK(refusal_of(merchant, "?wait=31") == "400 invalid_request wait");
  CHECK(refusal_of(merchant, "?wait=x") == "400 invalid_request wait");
  CHECK(refusal_of(merchant, "?limit=0") == "400 invalid_request limit");
  CHECK(refusal_of(merchant, "?from=yesterday") == "400 invalid_request from");
  CHECK(refusal_of(merchant, "?types=payment.exploded") == "400 invalid_request types");
  CHECK(refusal_of(merchant, "?types=payment.captured,") == "400 invalid_request types");
  for (const auto* type : {"payment.succeeded", "webhook.test"}) {
    const auto none = merchant.get("/v1/events?types=" + std::string{type});
    CHECK(none.status == 200);
    CHECK(json::parse(none.body)["events"].size() == 0);
  }
  CHECK(refusal_of(merchant, "?state=captured") == "400 invalid_request state");
  CHECK(refusal_of(merchant, "?limit=1&limit=1") == "400 invalid_request limit");
  CHECK(refusal_of(merchant, "?after=") == "400 invalid_request after");
  CHECK(refusal_of(merchant, "?after=forged") == "400 invalid_request after");
  CHECK(refusal_of(merchant, "?after=end&from=" + std::string{t}) == "400 invalid_request from");
  CHECK(refusal_of(merchant, '?' + after(page) + "&from=" + t) == "400 invalid_request from");
  api other{gateway, new_merchant(gateway).test}, live{gateway, mint_key(gateway, account.id, "live", "*")};
  CHECK(refusal_of(other, '?' + after(page)) == "400 invalid_request after");
  CHECK(refusal_of(live, '?' + after(page)) == "400 invalid_request after");
}

TEST_CASE("a request that waits is answered when an event comes, and with nothing when its time is over") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway);
  api merchant{gateway, account.test}, waiting{gateway, account.test};
  captured_payment(merchant);
  const auto end = log_page(merchant, "?after=end");
  CHECK(end["events"].size() == 0);
  CHECK(log_page(merchant, "?wait=1&" + after(end))["events"].size() == 0);
  auto answer = std::async(std::launch::async, [&] { return log_page(waiting, "?wait=30&" + after(end)); });
  const bool still_waits = answer.wait_for(500ms) == std::future_status::timeout;
  CHECK(still_waits);
  const auto id = captured_payment(merchant);
  CHECK(told_by(answer.get()) == std::vector<std::string>{"payment.captured " + id});
  // From now on, without a position.
  auto next = std::async(std::launch::async, [&] { return log_page(waiting, "?wait=30&after=end"); });
  std::this_thread::sleep_for(500ms);
  std::vector<std::string> made;
  while (next.wait_for(0s) == std::future_status::timeout)
    made.push_back("payment.captured " + captured_payment(merchant));
  const auto told = told_by(next.get());
  REQUIRE_FALSE(told.empty());
  CHECK(std::ranges::find(made, told.front()) != made.end());
}

TEST_CASE("a platform reads the events of all merchants that granted it access, for as long as each grant lasts") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const pair_of_parties both{gateway};
  api platform{gateway, both.who.key};
  api shop{gateway, both.shop.test};
  captured_payment(shop);
  const std::string in_test = "?environment=test";
  CHECK(log_page(platform, in_test)["events"].size() == 0);
  const auto given = both.grant("test");
  const auto own = captured_payment(shop);
  const auto as = on_behalf_of(both.shop.id);
  CHECK(told_by(log_page(platform, in_test)) == std::vector<std::string>{"payment.succeeded " + own});
  CHECK(told_by(log_page(platform, in_test, as)) == std::vector<std::string>{"payment.succeeded " + own});
  CHECK(told_by(log_page(platform, in_test + "&types=payment.succeeded")).size() == 1);
  CHECK(log_page(platform)["events"].size() == 0);
  const auto page = log_page(platform, in_test);
  CHECK(log_page(platform, in_test + '&' + after(page))["events"].size() == 0);
  CHECK(summary_of(platform.get(log_path + "?environment=live&" + after(page))) == "400 invalid_request");
  const auto event = page["events"].at(0)["id"].text();
  CHECK(json::parse(platform.get(log_path + '/' + event + in_test).body)["id"] == event);

  REQUIRE(platform.post("/v1/grants/" + given.id + "/revoke").status == 204);
  captured_payment(shop);
  CHECK(told_by(log_page(platform, in_test)) == std::vector<std::string>{"payment.succeeded " + own});
  CHECK(told_by(log_page(platform, in_test, as)) == std::vector<std::string>{"payment.succeeded " + own});
  const pair_of_parties strangers{gateway};
  api stranger{gateway, strangers.who.key};
  CHECK(summary_of(stranger.get(log_path + in_test, as)) == "403 GRANT_NOT_FOUND");
  CHECK(summary_of(stranger.get(log_path + '/' + event + in_test)) == "404 event_not_found");
}

TEST_CASE("no event is missing after a crash, and followers go on where they were") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  std::set<std::string> captured;
  std::vector<std::string> seen;
  std::string position;
  for (int round = 0; round < 3; ++round) {
    api merchant{gateway, account.test};
    for (int i = 0; i < 5; ++i) captured.insert(captured_payment(merchant));
    const auto page = log_page(merchant, position.empty() ? "?limit=3" : "?limit=3&" + position);
    for (const auto& each : page["events"].items()) seen.push_back(each["data.payment_id"].text());
    position = after(page);
    gateway.kill();
    gateway.start();
  }
  api merchant{gateway, account.test};
  for (bool more = true; more;) {
    const auto page = log_page(merchant, '?' + position);
    for (const auto& each : page["events"].items()) seen.push_back(each["data.payment_id"].text());
    more = page["events"].size() > 0;
    position = after(page);
  }
  CHECK(seen.size() == captured.size());
  CHECK(std::set<std::string>(seen.begin(), seen.end()) == captured);
}
