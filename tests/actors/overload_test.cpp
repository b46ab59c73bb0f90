// More than a provider's slots: what is refused has not begun, so its client can retry with the same key.
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>

#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

/// A merchant alone may hold half of them.
settings two_slots() {
  settings config;
  config.provider_in_flight = 4;
  return config;
}

}  // namespace

TEST_CASE("a create past the provider's slots is refused before anything of it is durable, and its key works later") {
  world w{std::make_shared<failing_store>(), two_slots()};
  auto first = w.send(w.create("pay_1", "k1", "pm_card_slow_1000"));
  auto second = w.send(w.create("pay_2", "k2", "pm_card_slow_1000"));
  w.settle();
  CHECK(w.ask(w.create("pay_3", "k3")) == text_of(problem::overloaded));
  CHECK(w.rows().payments.size() == 2);
  CHECK(w.rows().commands.size() == 2);
  CHECK(w.calls().count(operation::create, "pay_3") == 0);
  CHECK(w.meters().shed("provider").Value() == 1);
  w.advance(1s);
  CHECK(first.answer() == "create authorized 0/0");
  CHECK(second.answer() == "create authorized 0/0");
  CHECK(w.ask(w.create("pay_3", "k3")) == "create authorized 0/0");
}

TEST_CASE("captures, refunds and voids past the provider's slots are refused in the same way") {
  world w{std::make_shared<failing_store>(), two_slots()};
  w.ask(w.create("pay_1", "k1"));
  w.ask(w.create("pay_2", "k2"));
  w.ask(w.capture("pay_2", "k3"));
  auto first = w.send(w.create("pay_3", "k4", "pm_card_slow_1000"));
  auto second = w.send(w.create("pay_4", "k5", "pm_card_slow_1000"));
  w.settle();
  CHECK(w.ask(w.capture("pay_1", "k6")) == text_of(problem::overloaded));
  CHECK(w.ask(w.void_("pay_1", "k7")) == text_of(problem::overloaded));
  CHECK(w.ask(w.refund("pay_2", "k8", 100)) == text_of(problem::overloaded));
  CHECK(w.read("pay_1")->version == 2);  // requests that do not need the provider are still answered
  CHECK(w.ask(w.create("pay_1", "k1")) == "replay: create authorized 0/0");
  w.advance(1s);
  CHECK(w.ask(w.capture("pay_1", "k6")) == "capture captured 0/0");
  CHECK(w.ask(w.refund("pay_2", "k8", 100)) == "refund partially_refunded 100/100");
}

TEST_CASE("operations that wait for one another on one payment need one provider slot") {
  settings config;
  config.provider_in_flight = 1;
  world w{std::make_shared<failing_store>(), config};
  auto first = w.send(w.create("pay_1", "k1", "pm_card_slow_1000"));
  auto second = w.send(w.capture("pay_1", "k2"));
  auto third = w.send(w.refund("pay_1", "k3", 100));
  w.advance(2s);
  CHECK(first.answer() == "create authorized 0/0");
  CHECK(second.answer() == "capture captured 0/0");
  CHECK(third.answer() == "refund partially_refunded 100/100");
}

TEST_CASE("an unknown outcome keeps no provider slot, and is settled even if none is free") {
  world w{std::make_shared<failing_store>(), two_slots()};
  w.start_reconciler();
  auto first = w.send(w.create("pay_1", "k1", "pm_card_timeout"));
  auto second = w.send(w.create("pay_2", "k2", "pm_card_timeout"));
  w.advance(11s);
  CHECK(first.answer() == "create processing 0/0");
  CHECK(second.answer() == "create processing 0/0");
  auto third = w.send(w.create("pay_3", "k3", "pm_card_slow_9000"));
  auto fourth = w.send(w.create("pay_4", "k4", "pm_card_slow_9000"));
  w.advance(8s);
  // A begun operation with an unknown outcome is repeated, however many others are under way.
  CHECK_FALSE(third.done());
  CHECK(w.read("pay_1")->state == payment_state::authorized);
  CHECK(w.ask(w.create("pay_5", "k5")) == text_of(problem::overloaded));
  w.advance(30s);
  CHECK(third.answer() == "create authorized 0/0");
  CHECK(fourth.answer() == "create authorized 0/0");
  CHECK(w.read("pay_1")->state == payment_state::authorized);
  CHECK(w.read("pay_2")->state == payment_state::authorized);
  CHECK(w.calls().count(operation::create, "pay_1") == 2);
}

TEST_CASE("a write releases its admission once it has begun, waits for its payment, or is over") {
  world w;
  std::vector<std::weak_ptr<const void>> admissions;
  const auto admitted = [&](entity_request wanted) {
    const auto admission = std::make_shared<const int>(0);
    admissions.push_back(admission);
    wanted.admission = admission;
    return wanted;
  };
  const auto held = [&] {
    return std::ranges::count_if(admissions, [](const auto& admission) { return !admission.expired(); });
  };

  auto slow = w.send(admitted(w.create("pay_1", "k1", "pm_card_slow_1000")));
  while (w.rows().payments.empty()) {
    CHECK(held() == 1);
    REQUIRE(w.step());
  }
  w.settle();
  CHECK_FALSE(slow.done());
  CHECK(held() == 0);  // it waits for its provider

  auto behind = w.send(admitted(w.capture("pay_1", "k2")));
  w.settle();
  CHECK_FALSE(behind.done());
  CHECK(held() == 0);
  w.advance(1s);
  CHECK(behind.answer() == "capture captured 0/0");

  w.rows().faults.push_back(fault::before_commit);
  CHECK(w.ask(admitted(w.refund("pay_1", "k3", 100))) == text_of(problem::store_unavailable));
  CHECK(w.ask(admitted(w.create("pay_1", "k1", "pm_card_slow_1000"))) == "replay: create authorized 0/0");
  CHECK(w.ask(admitted(w.capture("pay_unknown", "k4"))) == text_of(problem::payment_not_found));
  CHECK(held() == 0);
}

TEST_CASE("what a crash left open is settled by the next request, also while the provider has no slot for more") {
  auto rows = std::make_shared<failing_store>();
  {
    world w{rows};
    auto cut_off = w.send(w.create("pay_1", "k1"));
    while (w.calls().calls.empty()) REQUIRE(w.step());
  }
  world w{rows, two_slots()};
  auto first = w.send(w.create("pay_2", "k2", "pm_card_slow_9000"));
  auto second = w.send(w.create("pay_3", "k3", "pm_card_slow_9000"));
  w.settle();
  CHECK(w.ask(w.create("pay_4", "k4")) == text_of(problem::overloaded));
  CHECK(w.read("pay_1")->state == payment_state::authorized);
  CHECK(w.ask(w.create("pay_1", "k1")) == "replay: create authorized 0/0");
}

TEST_CASE("thousands who wait for one payment may all be refused at once") {
  settings config;
  config.payment_queue = 4'000;
  config.provider_in_flight = 1;
  auto rows = std::make_shared<failing_store>();
  world{rows}.ask(world::create("pay_1", "k1"));
  world w{rows, config};
  auto holds_the_slot = w.send(w.create("pay_2", "k2", "pm_card_slow_9000"));
  w.settle();
  std::vector<world::pending> waiting;
  for (int i = 0; i < 4'000; ++i) waiting.push_back(w.send(w.capture("pay_1", "c" + std::to_string(i))));
  w.settle();
  CHECK(std::ranges::all_of(waiting, [](const auto& each) { return each.answer() == text_of(problem::overloaded); }));
}
