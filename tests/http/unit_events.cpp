// The routes of the log of events, from a request to its answer.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

logged_event event_at(std::int64_t position, const std::string& type = "payment.captured") {
  logged_event found;
  found.event.id = "evt_" + std::to_string(position);
  found.event.subject = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  found.event.type = type;
  found.event.created = noon;
  found.event.data = R"({"amount":1})";
  found.merchants_entity = entity_id{"ent_1"};
  found.position = position;
  return found;
}

/// A store with the events at these positions, and what it was asked.
answers<find_logged_events> log_with(const std::vector<std::int64_t>& positions,
                                     std::vector<find_logged_events>& asked) {
  return [positions, &asked](const find_logged_events& what) {
    asked.push_back(what);
    logged_events_lookup found;
    found.complete = found.furthest = found.complete_to = 100;
    found.read_to = std::max<std::int64_t>(what.after, 99);
    for (const auto each : positions) {
      if (each <= what.after) continue;
      if (found.events.size() == what.limit) break;
      found.events.push_back(event_at(each));
      found.read_to = found.events.size() == what.limit ? each : std::max(found.read_to, each);
    }
    found.more = found.events.size() == what.limit;
    return found;
  };
}

response log_answer(gateway_fixture& to, std::string query) {
  auto asked = get("/v1/events");
  asked.query = std::move(query);
  return asked.send(to);
}

std::string next_in_log(const response& out) {
  return boost::json::value_to<std::string>(boost::json::parse(std::string{out.sent_body()}).at("next"));
}

}  // namespace

TEST_CASE_METHOD(gateway_fixture, "the log's answers are envelopes, and next goes on behind them") {
  std::vector<find_logged_events> asked;
  scene.of<find_logged_events>() = log_with({7, 8, 9}, asked);
  const auto first = log_answer(*this, "limit=2&types=payment.captured,payment.failed");
  CHECK(first.sent_status() == 200);
  const std::string envelope =
      R"({"id":"evt_7","type":"payment.captured","created":"2026-11-20T12:00:00.000Z","merchant":{"id":"merch_1","entity_id":"ent_1"},"data":{"amount":1}})";
  CHECK(first.sent_body().starts_with(R"({"events":[)" + envelope + ','));
  const auto rest = log_answer(*this, "after=" + next_in_log(first));
  CHECK(rest.sent_body().find("evt_9") != std::string::npos);
  CHECK(rest.sent_body().find("evt_8") == std::string::npos);
  const auto nothing = log_answer(*this, "after=" + next_in_log(rest));
  CHECK(nothing.sent_body().starts_with(R"({"events":[],"next":)"));
  REQUIRE(asked.size() == 3);
  CHECK(asked[0].merchant == merchant_id{"merch_1"});
  CHECK(asked[0].env == environment::test);
  CHECK(asked[0].platform.empty());
  CHECK(asked[0].limit == 2);
  CHECK(asked[0].after == 0);
  CHECK(asked[0].types == std::vector{event_type::payment_captured, event_type::payment_failed});
  CHECK(asked[1].after == 8);
  CHECK(asked[1].limit == 20);
  CHECK(asked[2].after == 99);
}

TEST_CASE_METHOD(gateway_fixture, "from stays in force on the following pages, and end begins behind everything") {
  std::vector<find_logged_events> asked;
  scene.of<find_logged_events>() = log_with({7, 8}, asked);
  const auto first = log_answer(*this, "from=2026-11-20T12:00:00Z&limit=1");
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].from == noon);
  log_answer(*this, "after=" + next_in_log(first));
  REQUIRE(asked.size() == 2);
  CHECK(asked[1].from == noon);
  CHECK(asked[1].after == 7);
  const auto end = log_answer(*this, "after=end");
  CHECK(end.sent_body().starts_with(R"({"events":[],"next":)"));
  CHECK(asked.back().after == 99);
}

TEST_CASE_METHOD(gateway_fixture, "an answer waits until the log is complete up to what had been committed before") {
  int times = 0;
  std::vector<std::int64_t> goals;
  scene.of<find_logged_events>() = [&](const find_logged_events& what) {
    goals.push_back(what.complete_to);
    logged_events_lookup found;
    found.complete_to = 50;
    found.complete = ++times < 3 ? 40 : 50;
    found.read_to = found.complete - 1;
    if (times == 3) found.events.push_back(event_at(45));
    return found;
  };
  const auto answer = log_answer(*this, "");
  CHECK(answer.sent_body().find("evt_45") != std::string::npos);
  CHECK(goals == std::vector<std::int64_t>{0, 50, 50});
}

TEST_CASE_METHOD(gateway_fixture, "one event is found by its id, and an id that cannot be one is not looked up") {
  std::vector<find_logged_events> asked;
  scene.of<find_logged_events>() = log_with({7}, asked);
  CHECK(get("/v1/events/evt_7").send(*this).sent_body().starts_with(R"({"id":"evt_7")"));
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].id == "evt_7");
  CHECK(code_in(get("/v1/events/evt_%20").send(*this)) == "event_not_found");
  CHECK(code_in(get("/v1/events/" + std::string(300, 'a')).send(*this)) == "event_not_found");
  CHECK(asked.size() == 1);
  scene.of<find_logged_events>() = log_with({}, asked);
  CHECK(code_in(get("/v1/events/evt_8").send(*this)) == "event_not_found");
}

TEST_CASE_METHOD(gateway_fixture, "requests that wait share one question, and each ends when its log has grown") {
  std::vector<find_logged_events> asked;
  std::vector<std::int64_t> there;
  scene.of<find_logged_events>() = [&](const find_logged_events& what) { return log_with(there, asked)(what); };
  int questions = 0;
  scene.of<find_event_news>() = [&](const find_event_news& what) {
    event_news_lookup news;
    news.read_to = std::max<std::int64_t>(what.after, 99);
    if (++questions == 2) {
      there.push_back(120);
      news.read_to = 120;
      news.owners.push_back({merchant_id{"merch_1"}, environment::test});
    }
    return news;
  };
  const auto answer = log_answer(*this, "wait=30");
  CHECK(answer.sent_body().find("evt_120") != std::string::npos);
  CHECK(questions == 2);
  CHECK(log_answer(*this, "wait=0&after=" + next_in_log(answer)).sent_body().starts_with(R"({"events":[],)"));
  CHECK(questions == 2);
}
