// A wall clock that jumps must not purge idempotency keys or expire checkouts early; both happen later.
#include <catch2/catch.hpp>

#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

constexpr auto month = 31 * 24h;

/// A checkout that waits for its customer, and the finished command that made it.
void open_checkout(world& w, std::string_view id = "pay_1") {
  REQUIRE(w.ask(w.create(id, "key of " + std::string{id}, "", flow::redirect)) == "create processing 0/0");
}

payment_state state_of(world& w, std::string_view id = "pay_1") { return w.read(id)->state; }

}  // namespace

TEST_CASE("after a jump of a month nothing is purged and no checkout expires until the clock has run for ten minutes") {
  world w;
  w.start_reconciler();
  open_checkout(w);
  w.advance(5min, 1s);
  w.clock().at += month;
  w.advance(2s);
  CHECK(w.meters().clock_suspect.Value() == 1);
  w.advance(9min + 55s);
  CHECK(state_of(w) == payment_state::processing);
  CHECK(w.rows().commands.size() == 1);

  w.advance(10s);
  CHECK(w.meters().clock_suspect.Value() == 0);
  CHECK(state_of(w) == payment_state::failed);
  w.advance(1h, 10s);  // the next purge
  CHECK(w.rows().commands.empty());
}

TEST_CASE("a jump that is corrected leaves no trace") {
  world w;
  w.start_reconciler();
  open_checkout(w);
  w.advance(119min, 10s);
  w.clock().at += month;
  w.advance(5min);  // a purge would be due
  w.clock().at -= month;
  w.advance(1s);
  CHECK(w.meters().clock_suspect.Value() == 0);
  w.advance(21h + 30min, 1min);
  CHECK(state_of(w) == payment_state::processing);
  CHECK(w.rows().commands.size() == 1);
  w.advance(1h, 1min);
  CHECK(state_of(w) == payment_state::failed);
  CHECK(w.rows().commands.size() == 1);
  w.advance(month, 1h);
  CHECK(w.rows().commands.empty());
}

TEST_CASE("a gateway that starts a month ahead purges and expires nothing before it is corrected") {
  auto rows = std::make_shared<failing_store>();
  {
    world w{rows};
    w.start_reconciler();
    open_checkout(w);
    w.advance(1min);
  }
  world w{rows, unhurried(), month};
  w.start_reconciler();
  CHECK(w.meters().clock_suspect.Value() == 1);
  w.advance(5min);
  CHECK(state_of(w) == payment_state::processing);
  CHECK(rows->commands.size() == 1);
  w.clock().at -= month;
  w.advance(1h, 10s);
  CHECK(w.meters().clock_suspect.Value() == 0);
  CHECK(state_of(w) == payment_state::processing);
  CHECK(rows->commands.size() == 1);
}

TEST_CASE("a checkout that a wrong clock keeps open can be paid") {
  world w;
  w.start_reconciler();
  open_checkout(w);
  w.clock().at += month;
  w.advance(1min);
  w.ask({w.key_of("pay_1"), std::nullopt, hosted_result{hosted_signal::paid, w.read("pay_1")->provider_ref}});
  CHECK(state_of(w) == payment_state::captured);
  w.advance(1h, 10s);
  CHECK(state_of(w) == payment_state::captured);
}

TEST_CASE("a jump between the reconciler's read and the payment's decision is noticed") {
  world w;
  w.start_reconciler();
  open_checkout(w);
  // As if the reconciler had found it due just before.
  w.clock().at += month;
  w.ask({w.key_of("pay_1"), std::nullopt, settle_due{}});
  CHECK(state_of(w) == payment_state::processing);
}

TEST_CASE("while the clock is untrusted unknown outcomes are settled, however many checkouts seem due") {
  world w;
  w.start_reconciler();
  for (int i = 0; i < 600; ++i) open_checkout(w, "page_" + std::to_string(i));
  w.clock().at += month;
  auto p = w.send(w.create("pay_1", "k1", "pm_card_timeout"));
  w.advance(11s);
  CHECK(state_of(w) == payment_state::processing);
  w.advance(8s);
  CHECK(w.meters().clock_suspect.Value() == 1);
  CHECK(state_of(w) == payment_state::authorized);
}

TEST_CASE("a call that is repeated while the clock is untrusted says that its age is unknown") {
  for (const bool jumps : {false, true}) {
    INFO(jumps);
    world w;
    w.start_reconciler();
    w.advance(1s);
    if (jumps) w.clock().at += month;
    auto p = w.send(w.create("pay_1", "k1", "pm_card_timeout"));
    w.advance(19s);
    const auto& calls = w.calls().calls;
    REQUIRE(calls.size() >= 2);
    CHECK(calls.front().age_known);  // it is sent for the first time
    CHECK(calls.back().asked_again);
    CHECK(calls.back().age_known == !jumps);
  }
}

TEST_CASE("an unknown outcome whose repeat a clock a month ahead has planned is settled soon after the correction") {
  world w;
  w.start_reconciler();
  w.clock().at += month;
  auto p = w.send(w.create("pay_1", "k1", "pm_card_timeout"));
  open_checkout(w, "pay_2");
  w.advance(11s);
  CHECK(p.answer() == "create processing 0/0");
  w.clock().at -= month;
  w.advance(70s);
  CHECK(state_of(w) == payment_state::authorized);
  CHECK(state_of(w, "pay_2") == payment_state::processing);
}

TEST_CASE("only a trusted clock's time is stored in the database") {
  world w;
  w.start_reconciler();
  w.advance(2min);
  const auto seen = *w.rows().last_seen;
  CHECK(seen >= w.clock().at - 35s);
  w.clock().at += month;
  w.advance(9min);
  CHECK(*w.rows().last_seen <= seen + 35s);
  w.advance(2min);
  CHECK(*w.rows().last_seen >= w.clock().at - 35s);
  // A clock that was trusted too early is corrected: the month ahead must not block the next start for a month.
  w.clock().at -= month;
  w.advance(11min);
  CHECK(*w.rows().last_seen <= w.clock().at);
  CHECK(*w.rows().last_seen >= w.clock().at - 35s);
}

TEST_CASE("purges continue hourly by true time after the clock was a month ahead and was trusted") {
  auto config = unhurried();
  config.idempotency_kept = 3h;
  world w{std::make_shared<failing_store>(), config};
  w.start_reconciler();
  w.advance(1min);
  w.clock().at += month;
  w.advance(90min, 10s);
  w.clock().at -= month;
  w.advance(20min, 10s);
  open_checkout(w);
  w.advance(4h + 10s, 10s);
  CHECK(w.rows().commands.empty());
}

TEST_CASE("a clock that an operator has moved by a setting is trusted, also at the next start without it") {
  auto rows = std::make_shared<failing_store>();
  {
    world w{rows};
    w.start_reconciler();
    open_checkout(w);
    w.advance(20s);
  }
  {
    auto moved = unhurried();
    moved.clock_offset = month;
    world w{rows, moved, month};
    w.start_reconciler();
    w.advance(20s);
    CHECK(w.meters().clock_suspect.Value() == 0);
    CHECK(rows->payments.begin()->second.state == payment_state::failed);
    CHECK(rows->commands.empty());
  }
  world w{rows};
  w.start_reconciler();
  CHECK(w.meters().clock_suspect.Value() == 0);
}
