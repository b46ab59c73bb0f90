// Purged payments: the answers to later requests, also if an actor still had the row in memory.
#include <catch2/catch.hpp>

#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

/// Payments are kept for ten minutes, and their actors stay in memory for a day.
settings short_retention() {
  auto config = unhurried();
  config.payments_kept = 10min;
  config.payment_idle = 24h;
  return config;
}

bool is_stored(world& w, std::string_view id) {
  return w.rows().payments.contains(memory_store::id(world::key_of(id)));
}

}  // namespace

TEST_CASE("a payment that has ended is unknown once it was purged, also to the actor that had it in memory") {
  world w{std::make_shared<failing_store>(), short_retention()};
  w.ask(w.create("pay_1", "k1"));
  w.ask(w.capture("pay_1", "k2"));
  w.ask(w.create("pay_2", "k3"));
  w.start_reconciler();
  w.advance(9min, 10s);
  CHECK(w.read("pay_1"));
  w.advance(3min, 10s);
  CHECK_FALSE(is_stored(w, "pay_1"));
  CHECK_FALSE(w.read("pay_1"));
  CHECK(w.ask(w.refund("pay_1", "k4", 100)) == text_of(problem::payment_not_found));
  // An authorization has not ended, however old it is.
  CHECK(w.read("pay_2"));
  CHECK(w.calls().count(operation::refund, "pay_1") == 0);
}

TEST_CASE("the id of a purged payment is not charged again, and its key still has the answer") {
  world w{std::make_shared<failing_store>(), short_retention()};
  const auto first = w.ask(w.create("pay_1", "k1"));
  w.ask(w.capture("pay_1", "k2"));
  w.start_reconciler();
  w.advance(12min, 10s);
  REQUIRE_FALSE(is_stored(w, "pay_1"));
  CHECK(w.ask(w.create("pay_1", "k1")) == "replay: " + first);
  CHECK(w.ask(w.create("pay_1", "another")) == text_of(problem::payment_already_exists));
  CHECK(w.calls().count(operation::create, "pay_1") == 1);
  CHECK_FALSE(is_stored(w, "pay_1"));
}

TEST_CASE(
    "an actor whose row was purged without its knowledge loses its claim, calls no provider and answers unknown") {
  world w{std::make_shared<failing_store>(), short_retention()};
  w.ask(w.create("pay_1", "k1"));
  w.ask(w.capture("pay_1", "k2"));
  purge_commands all{w.clock().now() - 1h, 100};
  all.payments = w.clock().now() + 1h;
  REQUIRE(w.rows().run(all).purged_payments.size() == 1);
  CHECK(w.ask(w.refund("pay_1", "k3", 100)) == text_of(problem::payment_not_found));
  CHECK(w.calls().count(operation::refund, "pay_1") == 0);
  CHECK_FALSE(is_stored(w, "pay_1"));
  CHECK_FALSE(w.read("pay_1"));
}

TEST_CASE("payments are not purged by a clock that is not trusted") {
  auto rows = std::make_shared<failing_store>();
  {
    world w{rows, short_retention()};
    w.ask(w.create("pay_1", "k1"));
    w.ask(w.capture("pay_1", "k2"));
    w.start_reconciler();
  }
  world later{rows, short_retention(), 30 * 24h};
  later.start_reconciler();
  later.advance(2min, 10s);
  CHECK(is_stored(later, "pay_1"));
}
