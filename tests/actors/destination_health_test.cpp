// What the dispatcher makes of a destination's failures, and of one that is moved or deleted, under virtual time.
#include <catch2/catch.hpp>

#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

struct hooked_world : world {
  bool well = false;

  explicit hooked_world(settings config = unhurried()) : world{std::make_shared<failing_store>(), std::move(config)} {
    office().answer = [this](const outgoing_post&) { return post_office::says(well ? 200 : 500); };
  }

  static destination hook(std::string url = "https://a.test/hook") {
    destination d;
    d.id = destination_id{"dest_a"};
    d.owner = "merch_1";
    d.url = std::move(url);
    return d;
  }

  void sell(const std::string& id) {
    ask(world::create(id, "create " + id));
    ask(world::capture(id, "capture " + id));
  }

  destination_health stored() {
    const auto found = rows().run(find_destination_health{"merch_1", destination_id{"dest_a"}}).of;
    return found.empty() ? destination_health{} : found.front();
  }

  std::vector<delivery> deliveries() {
    find_deliveries all;
    all.to = destination_id{"dest_a"};
    all.limit = 1'000;
    std::vector<delivery> list;
    for (auto& job : rows().run(all).jobs) list.push_back(std::move(job.row));
    return list;
  }
};

}  // namespace

TEST_CASE("a destination's failures are stored within seconds, its successes within a minute") {
  hooked_world w;
  w.subscribe(hooked_world::hook());
  const auto began = w.clock().now();
  w.sell("pay_1");
  w.advance(12s);
  CHECK(w.stored().failing_since == began);
  CHECK(w.stored().last_failure_at == began);
  CHECK_FALSE(w.stored().last_success_at);
  w.well = true;
  w.advance(40s);  // the second attempt is made after 30 s
  CHECK_FALSE(w.stored().failing_since);
  CHECK(w.stored().last_success_at);
  w.sell("pay_2");
  w.advance(75s);
  const auto day = last_day(w.stored(), w.clock().now());
  CHECK(day.attempts == 3);
  CHECK(day.failures == 1);
}

TEST_CASE("a destination without one success for the whole time is disabled once, with a reason and an audit entry") {
  hooked_world w;
  w.subscribe(hooked_world::hook());
  w.looking().acts = [&](const operator_command& command) {
    const auto& wanted = std::get<disable_destination>(command);
    auto off = hooked_world::hook();
    off.status = destination_status::disabled;
    off.disabled_reason = wanted.reason;
    w.subscribe(off);
  };
  w.sell("pay_0");
  for (int day = 1; day <= 6; ++day) {
    w.advance(24h, 1min);
    w.sell("pay_" + std::to_string(day));
  }
  CHECK(w.received().empty());
  w.advance(25h, 1min);
  REQUIRE(w.received().size() == 1);
  const auto& asked = std::get<disable_destination>(w.received().front());
  CHECK(asked.id == destination_id{"dest_a"});
  CHECK(asked.reason == "Nothing was delivered to it for 7 days.");
  REQUIRE(w.looking().notes.size() == 1);
  const auto& note = w.looking().notes.front();
  CHECK(note.action == "disable destination");
  CHECK(note.subject == "dest_a");
  CHECK(note.merchant == merchant_id{"merch_1"});
  CHECK(note.user == user_id{"gateway"});
}

TEST_CASE("the time starts again with one success, and with enabling") {
  hooked_world w;
  w.subscribe(hooked_world::hook());
  w.sell("pay_1");
  w.advance(6 * 24h, 1min);
  w.well = true;
  w.sell("pay_2");
  w.advance(10s);
  w.well = false;
  w.sell("pay_3");
  w.advance(6 * 24h, 1min);
  CHECK(w.received().empty());
  auto enabled = hooked_world::hook();
  enabled.enabled_at = w.clock().now();
  w.subscribe(enabled);
  w.sell("pay_4");
  w.advance(6 * 24h, 1min);
  CHECK(w.received().empty());
  w.advance(25h, 1min);
  CHECK_FALSE(w.received().empty());
}

TEST_CASE("after a start a destination that has failed for long gets one more attempt before it is disabled") {
  hooked_world w;
  destination_health before;
  before.owner = "merch_1";
  before.id = destination_id{"dest_a"};
  before.failing_since = w.clock().now() - 30 * 24h;
  before.last_failure_at = w.clock().now() - 1h;
  unit_of_work unit;
  unit.inserts.emplace_back(before);
  REQUIRE(w.rows().commit(unit) == commit_outcome::committed);
  w.subscribe(hooked_world::hook());
  SECTION("it succeeds: the destination stays enabled") {
    w.well = true;
    w.sell("pay_1");
    w.advance(75s);
    CHECK(w.received().empty());
    CHECK_FALSE(w.stored().failing_since);
  }
  SECTION("it fails") {
    w.advance(75s);
    CHECK(w.received().empty());
    w.sell("pay_1");
    w.advance(12s);
    CHECK_FALSE(w.received().empty());
  }
}

TEST_CASE("where mail is configured a failure of an hour is reported once, and the next failure again") {
  auto config = unhurried();
  config.mail_url = "smtp://mail.example";
  hooked_world w{config};
  w.subscribe(hooked_world::hook());
  const auto began = w.clock().now();
  w.sell("pay_1");
  w.advance(55min, 1s);
  CHECK(w.received().empty());
  w.advance(24h, 1min);
  REQUIRE(w.received().size() == 1);
  const auto& reported = std::get<report_failing_destination>(w.received().front());
  CHECK(reported.id == destination_id{"dest_a"});
  CHECK(reported.since == began);
  w.well = true;
  w.sell("pay_2");
  w.advance(10min, 1s);
  w.well = false;
  const auto again = w.clock().now();
  w.sell("pay_3");
  w.advance(24h, 1min);
  REQUIRE(w.received().size() == 2);
  CHECK(std::get<report_failing_destination>(w.received().back()).since >= again);
}

TEST_CASE("what is pending goes to the new URL, at once if the old one was only probed") {
  hooked_world w;
  w.subscribe(hooked_world::hook());
  for (int i = 0; i < 12; ++i) {
    w.sell("pay_" + std::to_string(i));
    w.advance(1s);
  }
  w.advance(60s);
  const auto pending = w.deliveries();
  for (const auto& row : pending) REQUIRE(row.status == delivery_status::pending);
  REQUIRE(w.stored().paused_until);
  w.well = true;
  auto moved = hooked_world::hook("https://b.test/hook");
  moved.enabled_at = w.clock().now();
  const auto to_old = w.office().sent_to("https://a.test/hook");
  w.subscribe(moved);
  w.advance(4min);
  for (const auto& row : w.deliveries()) CHECK(row.status == delivery_status::delivered);
  CHECK(w.office().sent_to("https://a.test/hook") == to_old);
  CHECK(w.office().sent_to("https://b.test/hook") == 12);
  w.advance(75s);
  CHECK_FALSE(w.stored().paused_until);
}

TEST_CASE("what is pending for a deleted destination is dropped, and can still be read") {
  hooked_world w;
  auto off = hooked_world::hook();
  off.status = destination_status::disabled;
  w.subscribe(off);
  for (int i = 0; i < 250; ++i) w.sell("pay_" + std::to_string(i));
  REQUIRE(w.deliveries().size() == 250);
  auto gone = hooked_world::hook();
  gone.status = destination_status::deleted;
  w.subscribe(gone);
  w.advance(1s);
  const auto rows = w.deliveries();
  REQUIRE(rows.size() == 250);
  for (const auto& row : rows) {
    REQUIRE(row.status == delivery_status::failed);
    REQUIRE_FALSE(row.next_attempt_at);
    REQUIRE(row.attempts == 0);
  }
  CHECK(w.office().sent.empty());
  // One that an operator makes due again is dropped, too.
  CHECK(w.redeliver({rows.front().id, {}, {}, {}}) == 1);
  w.advance(1s);
  CHECK(w.deliveries().front().status == delivery_status::failed);
  CHECK(w.office().sent.empty());
}
