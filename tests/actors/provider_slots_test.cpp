// How merchants share a provider's slots: the rule by itself, and what it means for payments.
#include "payment/provider_slots.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;
using actors::provider_slots;

namespace {

merchant_id merchant_number(std::size_t number) { return merchant_id{"merch_" + std::to_string(number)}; }

/// A provider in one environment, with the provider slots that each merchant holds.
struct shared_slots {
  provider_slots slots;
  std::map<std::size_t, std::vector<provider_slots::slot>> held{};

  bool take(std::size_t merchant) {
    auto slot = slots.take(provider_kind::sandbox, environment::test, merchant_number(merchant));
    if (!slot) return false;
    held[merchant].push_back(std::move(slot));
    return true;
  }
  void occupy(std::size_t merchant) {
    held[merchant].push_back(slots.occupy(provider_kind::sandbox, environment::test, merchant_number(merchant)));
    REQUIRE(held[merchant].back());
  }
  /// Takes as many as it gets. Returns how many.
  std::size_t take_all(std::size_t merchant) {
    std::size_t taken = 0;
    while (take(merchant)) ++taken;
    return taken;
  }
};

}  // namespace

TEST_CASE("a merchant alone may hold half of a provider's slots, and one at least") {
  const auto [most, half] =
      GENERATE(table<std::size_t, std::size_t>({{1, 1}, {2, 1}, {3, 2}, {4, 2}, {100, 50}, {10'000, 5'000}}));
  shared_slots on{provider_slots{most}};
  CHECK(on.take_all(1) == half);
  on.held[1].pop_back();
  CHECK(on.take_all(1) == 1);
}

TEST_CASE("no merchant is refused while less than half of the slots are held") {
  shared_slots on{provider_slots{100}};
  for (std::size_t i = 0; i < 50; ++i) CHECK(on.take(i % 7 == 0 ? i : 1));
}

TEST_CASE("every slot can be held, if many merchants want some") {
  shared_slots on{provider_slots{100}};
  for (std::size_t merchant = 0; merchant < 100; ++merchant) CHECK(on.take(merchant));
  CHECK_FALSE(on.take(100));
}

TEST_CASE("merchants who take all they get and return nothing leave half of what they found to the next") {
  shared_slots on{provider_slots{1'000}};
  std::size_t found = 1'000;
  for (std::size_t merchant = 1; merchant <= 9; ++merchant) {
    const auto taken = on.take_all(merchant);
    CAPTURE(merchant, found, taken);
    CHECK(taken == (found + 1) / 2);
    found -= taken;
  }
  CHECK(found == 1);
  CHECK(on.take(10));
}

TEST_CASE("merchants who want more than they get end with equal numbers, in any order, and as many stay free") {
  shared_slots on{provider_slots{1'000}};
  for (const std::size_t merchant : {1, 2, 3}) on.take_all(merchant);
  CHECK(on.held[1].size() == 500);
  for (int answered = 0; answered < 1'000; ++answered)
    for (const std::size_t merchant : {1, 2, 3}) {
      on.held[merchant].pop_back();
      for (const std::size_t next : {1, 2, 3}) on.take_all(next);
    }
  for (const std::size_t merchant : {1, 2, 3}) {
    CAPTURE(merchant, on.held[merchant].size());
    CHECK(on.held[merchant].size() >= 249);
    CHECK(on.held[merchant].size() <= 251);
  }
  CHECK(on.slots.held() <= 753);
}

TEST_CASE("an operation that has begun gets a slot however many are held, and other merchants keep theirs") {
  shared_slots on{provider_slots{100}};
  on.take_all(1);
  for (int i = 0; i < 1'000; ++i) on.occupy(1);
  CHECK_FALSE(on.take(1));
  CHECK(on.take_all(2) == 25);
  // Until all operations beyond its share are over, the merchant may begin none.
  while (on.held[1].size() > 50) {
    CHECK_FALSE(on.take(1));
    on.held[1].pop_back();
  }
  on.held[2].clear();
  CHECK_FALSE(on.take(1));
  on.held[1].pop_back();
  CHECK(on.take(1));
}

TEST_CASE("an operation that has begun counts for its merchant like any other, if slots are free") {
  shared_slots on{provider_slots{100}};
  for (int i = 0; i < 20; ++i) on.occupy(1);
  CHECK(on.take_all(1) == 30);
  CHECK(on.take_all(2) == 25);
}

TEST_CASE("providers and environments share no slots") {
  const provider_slots slots{4};
  std::vector<provider_slots::slot> held;
  for (const auto& each : provider_catalogue)
    for (const auto env : {environment::test, environment::live}) {
      held.push_back(slots.take(each.kind, env, merchant_number(1)));
      held.push_back(slots.take(each.kind, env, merchant_number(1)));
      CHECK(held.back());
      CHECK_FALSE(slots.take(each.kind, env, merchant_number(1)));
    }
}

TEST_CASE("after any takes and returns: a merchant is refused only if it holds as many as are free") {
  const auto seed = GENERATE(range(1u, 51u));
  CAPTURE(seed);
  std::mt19937 random{seed};
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random);
  };
  const std::size_t most = 1 + below(40), merchants = 1 + below(8);
  shared_slots on{provider_slots{most}};
  for (int step = 0; step < 2'000; ++step) {
    const auto merchant = below(merchants);
    auto& own = on.held[merchant];
    std::size_t all = 0;
    for (const auto& [each, slots] : on.held) all += slots.size();
    REQUIRE(on.slots.held() == all);
    if (const auto what = below(20); what < 9) {
      // Slots that were occupied beyond the shared amount leave as many free, so at least this number is free.
      const auto free = all < most ? most - all : 0;
      if (!on.take(merchant)) REQUIRE(own.size() >= free);
    } else if (what == 9) {
      on.occupy(merchant);
    } else if (!own.empty()) {
      own.erase(own.begin() + static_cast<std::ptrdiff_t>(below(own.size())));
    }
  }
  on.held.clear();
  CHECK(on.slots.held() == 0);
  CHECK(on.take_all(1) == (most + 1) / 2);
}

TEST_CASE("slots that several threads take and return are all returned in the end") {
  const provider_slots slots{8};
  const auto work = [&](std::size_t merchant) {
    for (int i = 0; i < 10'000; ++i) {
      const auto first = slots.take(provider_kind::sandbox, environment::test, merchant_number(merchant));
      const auto second = slots.occupy(provider_kind::sandbox, environment::test, merchant_number(merchant));
    }
  };
  {
    std::array<std::jthread, 3> threads;
    for (std::size_t i = 0; i < threads.size(); ++i) threads.at(i) = std::jthread{work, i % 2};
  }
  CHECK(slots.held() == 0);
  std::vector<provider_slots::slot> all;
  for (std::size_t merchant = 0; merchant < 8; ++merchant)
    all.push_back(slots.take(provider_kind::sandbox, environment::test, merchant_number(merchant)));
  CHECK(std::ranges::all_of(all, [](const auto& each) { return each != nullptr; }));
}

// ---- payments -----------------------------------------------------------------------------------

namespace {

/// Calls never return: provider-timeout is practically infinite.
settings never_returning(std::size_t slots) {
  settings config = unhurried();
  config.provider_in_flight = slots;
  config.provider_timeout = 1h;
  config.payment_idle = 100ms;
  config.dev = true;  // the sandbox serves live payments too
  return config;
}

/// The request as another merchant's, or in the other environment.
entity_request by(std::string_view merchant, entity_request request, environment env = environment::test) {
  request.key.merchant = merchant_id{std::string{merchant}};
  request.key.env = env;
  request.write->key.merchant = request.key.merchant;
  request.write->key.env = env;
  return request;
}

void publish_merchants(world& w) {
  for (const std::size_t number : {1, 2, 3}) {
    auto who = demo_merchant();
    who.id = merchant_number(number);
    who.connections.push_back(who.connections.front());
    who.connections.back().env = environment::live;
    who.routes.push_back(who.routes.front());
    who.routes.back().env = environment::live;
    w.publish(std::move(who));
  }
}

/// Creates payments whose calls never return, until one is refused. Returns how many hang. The sandbox itself ends its
/// silence after a minute.
std::size_t hang_all(world& w, std::string_view merchant, environment env = environment::test) {
  w.calls().silent = true;
  for (std::size_t i = 0;; ++i) {
    const auto name = "hangs_" + std::to_string(i);
    const auto answer = w.ask(by(merchant, w.create("pay_" + name, name, "pm_card_timeout"), env));
    if (answer == "nothing") continue;
    REQUIRE(answer == text_of(problem::overloaded));
    w.calls().silent = false;
    return i;
  }
}

std::string create_one(world& w, std::string_view merchant, environment env = environment::test) {
  static int number = 0;
  const auto name = "one_" + std::to_string(++number);  // a name that no test uses
  return w.ask(by(merchant, w.create("pay_" + name, name), env));
}

}  // namespace

TEST_CASE("a merchant whose calls never return does not delay the payments of another one") {
  world w{std::make_shared<failing_store>(), never_returning(8)};
  publish_merchants(w);
  CHECK(hang_all(w, "merch_1") == 4);
  for (int i = 0; i < 20; ++i) CHECK(create_one(w, "merch_2") == "create authorized 0/0");
  CHECK(create_one(w, "merch_1") == text_of(problem::overloaded));
  // Two such merchants do not delay a third one.
  CHECK(hang_all(w, "merch_2") == 2);
  for (int i = 0; i < 20; ++i) CHECK(create_one(w, "merch_3") == "create authorized 0/0");
}

TEST_CASE("a test key that uses all slots takes no live ones, not even of its own merchant") {
  world w{std::make_shared<failing_store>(), never_returning(8)};
  publish_merchants(w);
  for (const auto* merchant : {"merch_1", "merch_2", "merch_3"}) hang_all(w, merchant);
  const auto in_test = w.slots_held();
  CHECK(create_one(w, "merch_1") == text_of(problem::overloaded));
  CHECK(create_one(w, "merch_1", environment::live) == "create authorized 0/0");
  CHECK(hang_all(w, "merch_1", environment::live) == 4);
  CHECK(w.slots_held() == in_test + 4);
}

TEST_CASE("settling one merchant's operations takes no slots of others, even if the provider answers none of them") {
  const std::vector<std::string> payments{"pay_1", "pay_2", "pay_3", "pay_4", "pay_5", "pay_6"};
  auto rows = std::make_shared<failing_store>();
  {
    world w{rows, never_returning(100)};
    for (const auto& each : payments) w.ask(w.create(each, "create " + each));
    w.calls().silent = true;
    for (const auto& each : payments) w.send(w.capture(each, "capture " + each));
    w.settle();
    REQUIRE(w.slots_held() == payments.size());
  }  // a crash: the captures stay open
  world w{rows, never_returning(8)};
  publish_merchants(w);
  w.calls().silent = true;
  for (const auto& each : payments) w.send({w.key_of(each), std::nullopt, view_entity{}});
  w.settle();
  CHECK(w.slots_held() == payments.size());
  CHECK(create_one(w, "merch_1") == text_of(problem::overloaded));
  w.calls().silent = false;
  for (int i = 0; i < 20; ++i) CHECK(create_one(w, "merch_2") == "create authorized 0/0");
  CHECK(hang_all(w, "merch_2") == 2);
}

TEST_CASE("a finished key is answered even if no slot is free, also when its payment's actor has left memory") {
  world w{std::make_shared<failing_store>(), never_returning(2)};
  const auto created = w.ask(w.create("pay_1", "k1"));
  const auto captured = w.ask(w.capture("pay_1", "k2"));
  const auto refunded = w.ask(w.refund("pay_1", "k3", 1200));
  REQUIRE(hang_all(w, "merch_1") == 1);
  // Each request goes to an actor that remembers nothing.
  const auto ask_anew = [&](entity_request request) {
    w.advance(11s);
    REQUIRE(w.meters().live_payments.Value() == 1);  // that of the payment whose call hangs
    return w.ask(std::move(request));
  };
  CHECK(ask_anew(w.create("pay_1", "k1")) == "replay: " + created);
  CHECK(ask_anew(w.capture("pay_1", "k2")) == "replay: " + captured);
  CHECK(ask_anew(w.refund("pay_1", "k3", 1200)) == "replay: " + refunded);
  CHECK(ask_anew(w.create("pay_1", "k1", "pm_card_visa", flow::server, "other")) ==
        text_of(problem::idempotency_key_reused));
  CHECK(ask_anew(w.refund("pay_1", "k3", 1)) == text_of(problem::idempotency_key_reused));
  CHECK(ask_anew(w.create("pay_2", "k1")) == text_of(problem::idempotency_key_reused));

  const auto refused = w.meters().shed("provider").Value();
  CHECK(ask_anew(w.create("pay_2", "k4")) == text_of(problem::overloaded));
  CHECK(ask_anew(w.refund("pay_1", "k5", 100)) == text_of(problem::overloaded));
  CHECK(w.meters().shed("provider").Value() == refused + 2);
  CHECK(w.calls().count(operation::refund, "pay_1") == 1);
  CHECK(w.rows().payments.size() == 2);
}

TEST_CASE("a finished key is answered even if no slot is free, also when its actor remembers only later answers") {
  world w{std::make_shared<failing_store>(), never_returning(2)};
  w.ask(w.create("pay_1", "k"));
  w.ask(w.capture("pay_1", "capture"));
  for (int i = 0; i < 20; ++i) w.ask(w.refund("pay_1", "k" + std::to_string(i), 1));
  REQUIRE(hang_all(w, "merch_1") == 1);
  CHECK(w.ask(w.refund("pay_1", "k0", 1)) == "replay: refund partially_refunded 1/1");
  CHECK(w.ask(w.refund("pay_1", "k0", 2)) == text_of(problem::idempotency_key_reused));
  CHECK(w.ask(w.refund("pay_1", "k20", 1)) == text_of(problem::overloaded));
}

TEST_CASE("without a slot, and without the store to look up its key, a request is answered as store unavailable") {
  world w{std::make_shared<failing_store>(), never_returning(2)};
  REQUIRE(hang_all(w, "merch_1") == 1);
  w.rows().reads_fail = true;
  CHECK(w.ask(w.create("pay_1", "k1")) == text_of(problem::store_unavailable));
  w.rows().reads_fail = false;
  CHECK(w.ask(w.create("pay_1", "k1")) == text_of(problem::overloaded));
}

TEST_CASE("a slot is given back however its operation ends") {
  settings config = unhurried();
  config.provider_in_flight = 2;  // one for this merchant: a slot that is not returned shows at once
  world w{std::make_shared<failing_store>(), config};
  const auto nothing_is_held = [&] {
    CHECK(w.slots_held() == 0);
    CHECK(create_one(w, "merch_1") == "create authorized 0/0");
    CHECK(w.slots_held() == 0);
  };

  for (const std::string method :
       {"visa", "chargeDeclined", "authenticationRequired", "slow_1000", "timeout", "timeoutDeclined"}) {
    CAPTURE(method);
    auto under_way = w.send(w.create("pay_" + method, method, "pm_card_" + method));
    w.advance(11s);
    CHECK(under_way.done());
    nothing_is_held();
  }
  for (const auto trouble : {fault::queue_full, fault::before_commit, fault::after_commit, fault::held_up})
    for (const int unit : {0, 1}) {  // at its begin, and at its finish
      CAPTURE(static_cast<int>(trouble), unit);
      const auto name = std::to_string(static_cast<int>(trouble)) + "_" + std::to_string(unit);
      for (int i = 0; i < unit; ++i) w.rows().faults.push_back(fault::none);
      w.rows().faults.push_back(trouble);
      w.ask(w.create("pay_" + name, name));
      w.rows().land();
      nothing_is_held();
    }
  w.ask(w.create("pay_visa", "visa"));
  w.ask(w.create("pay_visa", "another key"));
  w.ask(w.create("pay_other", "visa"));
  w.ask(w.capture("pay_visa", "captured"));
  w.ask(w.capture("pay_visa", "captured again"));
  w.ask(w.refund("pay_visa", "too much", 1'000'000));
  nothing_is_held();
}

TEST_CASE("a slot is released when the actor that holds it ends") {
  world w{std::make_shared<failing_store>(), never_returning(8)};
  REQUIRE(hang_all(w, "merch_1") == 4);
  CHECK(w.slots_held() == 4);
  caf::anon_send_exit(w.router(), caf::exit_reason::user_shutdown);  // it ends all its payments
  w.settle();
  CHECK(w.slots_held() == 0);
}

TEST_CASE("after any requests and failures, in the end no slot is held") {
  const auto seed = GENERATE(range(1u, 31u));
  CAPTURE(seed);
  std::mt19937 random{seed};
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random);
  };
  settings config = unhurried();
  config.provider_in_flight = 1 + below(6);
  config.payment_idle = std::chrono::milliseconds{1 + below(10'000)};
  config.live_payments = 1 + below(4);
  world w{std::make_shared<failing_store>(), config};
  w.start_reconciler();
  publish_merchants(w);

  constexpr std::array methods{"pm_card_visa", "pm_card_timeout", "pm_card_timeoutDeclined", "pm_card_slow_700",
                               "pm_card_chargeDeclined"};
  const auto any_request = [&]() -> entity_request {
    const auto id = "pay_" + std::to_string(below(5)), key = "k" + std::to_string(below(60));
    switch (below(4)) {
      case 0: return w.capture(id, key);
      case 1: return w.refund(id, key, static_cast<std::int64_t>(1 + below(2)));
      case 2: return w.void_(id, key);
      default: return w.create(id, key, methods.at(below(methods.size())));
    }
  };
  std::size_t most = 0;
  for (int i = 0; i < 300; ++i) {
    w.send(by("merch_" + std::to_string(1 + below(3)), any_request()));
    if (below(10) == 0) w.rows().faults.push_back(static_cast<fault>(below(5)));
    for (auto steps = below(30); steps > 0 && w.step(); --steps) most = std::max(most, w.slots_held());
    if (below(10) == 0) w.advance(std::chrono::milliseconds{1 + below(5'000)});
    if (below(50) == 0) w.rows().land();
  }
  w.rows().faults.clear();
  w.advance(2min);
  CHECK(most > 0);
  CHECK(w.slots_held() == 0);
}
