// Crashes and unknown outcomes: open operations are settled, unknown outcomes are never guessed, nothing is charged
// twice.
#include <catch2/catch.hpp>

#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;
using lines = std::vector<std::string>;

namespace {
/// Leaves a command begun and never finished: the node crashes after the provider call.
failing_store_ptr crashed_while(entity_request setup, entity_request last) {
  auto rows = std::make_shared<failing_store>();
  world w{rows};
  if (setup.write) w.ask(std::move(setup));
  const auto calls = w.calls().calls.size();
  auto p = w.send(std::move(last));
  while (w.calls().calls.size() == calls) REQUIRE(w.step());
  return rows;
}

/// Whether a second read is answered without the store.
bool is_remembered(world& w, std::string_view id) {
  REQUIRE(w.read(id));
  w.rows().reads_fail = true;
  const bool seen = w.read(id) != nullptr;
  w.rows().reads_fail = false;
  return seen;
}
}  // namespace

TEST_CASE("a create left open by a crash is settled before its payment takes another command") {
  const auto rows = crashed_while({}, world::create("pay_1", "k1"));
  world w{rows};
  CHECK(w.ask(w.capture("pay_1", "k2")) == "capture captured 0/0");
  REQUIRE(w.calls().count(operation::create, "pay_1") == 1);
  CHECK(w.calls().calls.front().asked_again);
  CHECK(w.ask(w.create("pay_1", "k1")) == "replay: create authorized 0/0");
  CHECK(w.timeline("pay_1") == lines{"authorize approved", "capture approved", "payment.captured published"});
}

TEST_CASE("the client of a create that a crash cut off gets its result by retrying with the same key") {
  const auto rows = crashed_while({}, world::create("pay_1", "k1"));
  world w{rows};
  CHECK(w.ask(w.create("pay_1", "k1")) == "replay: create authorized 0/0");
  CHECK(w.ask(w.create("pay_1", "k1")) == "replay: create authorized 0/0");
  CHECK(w.calls().count(operation::create, "pay_1") == 1);
}

TEST_CASE("what a crash left open does not answer another request with its key") {
  auto rows = std::make_shared<failing_store>();
  {
    world w{rows};
    w.ask(w.create("pay_1", "k1"));
    w.ask(w.capture("pay_1", "k2"));
    auto p = w.send(w.refund("pay_1", "k3", 1200));
    while (w.calls().count(operation::refund, "pay_1") == 0) REQUIRE(w.step());
  }
  world w{rows};
  CHECK(w.ask(w.refund("pay_1", "k3", 1)) == text_of(problem::idempotency_key_reused));
  CHECK(w.ask(w.void_("pay_1", "k3")) == text_of(problem::idempotency_key_reused));
  CHECK(w.ask(w.refund("pay_1", "k3", 1200)) == "replay: refund partially_refunded 1200/1200");
  CHECK(w.read("pay_1")->refunded == 1200);
}

TEST_CASE("a commit that lands after its answer was given up is found, by a retry, a read and the reconciler") {
  for (const std::string found_by : {"retry", "look", "reconciler"}) {
    CAPTURE(found_by);
    world w;
    w.start_reconciler();
    w.ask(w.create("pay_1", "k1"));
    const auto row = memory_store::id(w.key_of("pay_1"));
    // The database holds up the begin of a capture: it is answered as unavailable, and reads do not show it.
    w.rows().faults.push_back(fault::held_up);
    CHECK(w.ask(w.capture("pay_1", "k2")) == text_of(problem::store_unavailable));
    CHECK(w.read("pay_1")->state == payment_state::authorized);
    w.rows().land();
    if (found_by == "retry") CHECK(w.ask(w.capture("pay_1", "k2")) == "replay: capture captured 0/0");
    if (found_by == "look") CHECK(w.read("pay_1")->state == payment_state::captured);
    if (found_by == "reconciler") w.advance(90s);
    CHECK(w.rows().payments.at(row).state == payment_state::captured);
    CHECK(w.ask(w.capture("pay_1", "k2")) == "replay: capture captured 0/0");
    CHECK(w.calls().count(operation::capture, "pay_1") == 1);
  }
}

TEST_CASE("a commit that lands after its actor has stopped is found by the next actor") {
  for (const std::string left_for : {"idleness", "room for others"}) {
    CAPTURE(left_for);
    auto config = unhurried();
    if (left_for == "idleness") config.payment_idle = 5s;
    if (left_for == "room for others") config.live_payments = 1;
    world w{std::make_shared<failing_store>(), config};
    w.ask(w.create("pay_1", "k1", "", flow::redirect));
    w.rows().faults.push_back(fault::held_up);
    const hosted_result paid{hosted_signal::paid, w.read("pay_1")->provider_ref};
    CHECK(w.ask({w.key_of("pay_1"), std::nullopt, paid}) == text_of(problem::store_unavailable));
    const auto activations = w.meters().activations.Value();
    if (left_for == "idleness") w.advance(12s);
    if (left_for == "room for others") CHECK(w.ask(w.create("pay_2", "k2")) == "create authorized 0/0");
    CHECK(w.read("pay_1")->state == payment_state::processing);
    CHECK(w.meters().activations.Value() > activations);
    w.rows().land();
    CHECK(w.read("pay_1")->state == payment_state::captured);
  }
}

TEST_CASE("a payment's actor forgets its row when a request loses its claim, also at the last attempt") {
  world w;
  w.ask(w.create("pay_1", "k1"));
  auto& row = w.rows().payments.at(memory_store::id(w.key_of("pay_1")));
  const auto capture = w.send(w.capture("pay_1", "k2"));
  while (!capture.done()) {
    row.version += 1;  // another node is always faster
    REQUIRE(w.step());
  }
  CHECK(capture.answer() == text_of(problem::request_in_progress));
  CHECK(w.read("pay_1")->version == row.version);
}

TEST_CASE("a commit that lands after its process has died is found by the next process") {
  auto rows = std::make_shared<failing_store>();
  {
    world died{rows};
    died.ask(died.create("pay_1", "k1", "", flow::redirect));
    rows->faults.push_back(fault::held_up);
    const hosted_result paid{hosted_signal::paid, died.read("pay_1")->provider_ref};
    CHECK(died.ask({died.key_of("pay_1"), std::nullopt, paid}) == text_of(problem::store_unavailable));
  }
  world w{rows};
  CHECK(w.read("pay_1")->state == payment_state::processing);
  w.advance(50s);
  CHECK(w.read("pay_1")->state == payment_state::processing);
  rows->land();
  CHECK(w.read("pay_1")->state == payment_state::captured);
}

TEST_CASE("a process trusts its reads once commits of the process before it have landed") {
  auto rows = std::make_shared<failing_store>();
  { world{rows}.ask(world::create("pay_1", "k1")); }
  world w{rows};
  CHECK_FALSE(is_remembered(w, "pay_1"));
  w.advance(61s);
  w.read("pay_1");  // the first request after the minute does not trust the row yet
  CHECK(is_remembered(w, "pay_1"));
}

TEST_CASE("due work follows the stored row, because another node may have settled it long ago") {
  auto rows = std::make_shared<failing_store>();
  world w{rows}, other{rows};
  CHECK(w.ask(w.create("pay_1", "k1", "pm_card_timeout")) == "nothing");
  w.advance(11s);
  CHECK(w.read("pay_1")->open);
  // The other node learns the outcome, and has begun a capture with an unknown one.
  other.advance(30s);
  CHECK(other.ask({other.key_of("pay_1"), std::nullopt, settle_due{}}) == "view");
  CHECK(other.read("pay_1")->state == payment_state::authorized);
  other.calls().silent = true;
  auto capture = other.send(other.capture("pay_1", "k2"));
  other.advance(11s);
  CHECK(capture.answer() == "capture authorized 0/0");
  // By now the provider may have forgotten the create's key, and would charge again.
  w.advance(40s);
  CHECK(w.ask({w.key_of("pay_1"), std::nullopt, settle_due{}}) == "view");
  CHECK(w.calls().count(operation::create, "pay_1") == 1);
  CHECK(w.calls().count(operation::capture, "pay_1") == 1);
  CHECK(w.read("pay_1")->state == payment_state::captured);
}

TEST_CASE(
    "after an unknown commit outcome the payment's row is read for each request: for a minute, or until a claim is "
    "won") {
  world w;
  w.ask(w.create("pay_1", "k1"));
  w.ask(w.create("pay_2", "k2"));
  CHECK(is_remembered(w, "pay_1"));
  w.rows().faults = {fault::before_commit, fault::before_commit};
  w.ask(w.capture("pay_1", "k3"));
  w.ask(w.capture("pay_2", "k4"));
  CHECK_FALSE(is_remembered(w, "pay_1"));
  CHECK_FALSE(is_remembered(w, "pay_2"));
  w.ask(w.capture("pay_1", "k3"));
  CHECK(is_remembered(w, "pay_1"));
  for (int i = 0; i < 5; ++i) {
    w.advance(11s);
    CHECK_FALSE(is_remembered(w, "pay_2"));
  }
  w.advance(6s);
  w.read("pay_2");  // the first request after the minute does not trust the row yet: it may have read before
  CHECK(is_remembered(w, "pay_2"));
}

TEST_CASE("an actor that starts once late commits have landed trusts its reads") {
  auto config = unhurried();
  config.payment_idle = 5s;
  world w{std::make_shared<failing_store>(), config};
  w.ask(w.create("pay_1", "k1"));
  w.rows().faults = {fault::before_commit};
  w.ask(w.capture("pay_1", "k2"));
  w.advance(30s);
  CHECK_FALSE(is_remembered(w, "pay_1"));
  w.advance(31s);
  CHECK(w.meters().live_payments.Value() == 0);
  CHECK(is_remembered(w, "pay_1"));
}

TEST_CASE("a key used again after its purge is another command, to the provider too") {
  world w;
  w.ask(w.create("pay_1", "k1"));
  w.ask(w.capture("pay_1", "k2"));
  CHECK(w.ask(w.refund("pay_1", "k3", 100)) == "refund partially_refunded 100/100");
  w.advance(70s, 5s);  // the actor stops, and with it what it remembers
  std::erase_if(w.rows().commands, [](const auto& c) { return c.second.operation == "refund"; });
  CHECK(w.ask(w.refund("pay_1", "k3", 100)) == "refund partially_refunded 100/200");
  const auto& calls = w.calls().calls;
  CHECK(calls.back().provider_key != calls[calls.size() - 2].provider_key);
}

TEST_CASE("a refund left open by a crash is asked for again under the same provider key") {
  auto rows = std::make_shared<failing_store>();
  std::string provider_key;
  {
    world w{rows};
    w.ask(w.create("pay_1", "k1"));
    w.ask(w.capture("pay_1", "k2"));
    auto p = w.send(w.refund("pay_1", "k3", 1200));
    while (w.calls().count(operation::refund, "pay_1") == 0) REQUIRE(w.step());
    provider_key = w.calls().calls.back().provider_key;
  }
  world w{rows};
  CHECK(w.ask(w.refund("pay_1", "k3", 1200)) == "replay: refund partially_refunded 1200/1200");
  CHECK(w.calls().calls.back().provider_key == provider_key);
  CHECK(w.read("pay_1")->refunded == 1200);
}

TEST_CASE("what a crash left open is settled at start, also without a request") {
  const auto rows = crashed_while({}, world::create("pay_1", "k1"));
  world w{rows};
  w.start_reconciler();
  const auto& row = rows->payments.at(memory_store::id(w.key_of("pay_1")));
  CHECK(row.state == payment_state::authorized);
  CHECK_FALSE(row.open);
  CHECK(rows->commands.begin()->second.result);
}

TEST_CASE("a provider that does not answer in time leaves the outcome unknown, and the reconciler finds out") {
  struct row {
    const char* token;
    payment_state settled;
  };
  for (const auto& r :
       {row{"pm_card_timeout", payment_state::authorized}, row{"pm_card_timeoutDeclined", payment_state::failed},
        row{"pm_card_slow_12000", payment_state::authorized}}) {
    CAPTURE(r.token);
    world w;
    w.start_reconciler();
    auto p = w.send(w.create("pay_1", "k1", r.token));
    w.advance(9s);
    CHECK_FALSE(p.done());
    w.advance(2s);
    CHECK(p.answer() == "create processing 0/0");
    CHECK(w.ask(w.capture("pay_1", "k2")) == "capture processing 0/0");  // payment outcome pending, stored
    w.advance(3s);
    CHECK(w.read("pay_1")->state == payment_state::processing);
    w.advance(3s);
    CHECK(w.read("pay_1")->state == r.settled);
    CHECK(w.ask(w.create("pay_1", "k1", r.token)) == "replay: create processing 0/0");
    CHECK(w.ask(w.capture("pay_1", "k2")) == "replay: capture processing 0/0");
    w.advance(30s);
    CHECK(w.calls().count(operation::create, "pay_1") == 2);
  }
}

TEST_CASE("a slow provider within its timeout is waited for") {
  world w;
  auto p = w.send(w.create("pay_1", "k1", "pm_card_slow_9000"));
  w.advance(8s);
  CHECK_FALSE(p.done());
  CHECK(w.ask(w.create("pay_1", "k1", "pm_card_slow_9000")) == text_of(problem::request_in_progress));
  w.advance(2s);
  CHECK(p.answer() == "create authorized 0/0");
}

TEST_CASE("a commit with an unknown outcome is answered as unavailable, and a retry gets the true result") {
  // For each commit of a create (begin, finish), and for each way to fail it.
  for (auto which : {0, 1})
    for (auto how : {fault::before_commit, fault::after_commit}) {
      CAPTURE(which, static_cast<int>(how));
      world w;
      for (int i = 0; i < which; ++i) w.rows().faults.push_back(fault::none);
      w.rows().faults.push_back(how);
      CHECK(w.ask(w.create("pay_1", "k1")) == text_of(problem::store_unavailable));
      const auto retried = w.ask(w.create("pay_1", "k1"));
      // A begin that never happened leaves nothing behind: the retry is the first request. Otherwise the retry is a
      // replay of what was begun.
      const bool never_begun = which == 0 && how == fault::before_commit;
      CHECK(retried == (never_begun ? "create authorized 0/0" : "replay: create authorized 0/0"));
      CHECK(w.ask(w.create("pay_1", "k1")) == "replay: create authorized 0/0");
      std::vector<std::string> keys;
      for (const auto& call : w.calls().calls) keys.push_back(call.provider_key);
      CHECK(std::ranges::count(keys, keys.front()) == static_cast<long>(keys.size()));
      CHECK(w.timeline("pay_1") == lines{"authorize approved"});
    }
}

TEST_CASE("a full writer queue is answered as overload, and leaves nothing behind") {
  world w;
  w.rows().faults.push_back(fault::queue_full);
  CHECK(w.ask(w.create("pay_1", "k1")) == text_of(problem::overloaded));
  CHECK(w.calls().calls.empty());
  CHECK(w.ask(w.create("pay_1", "k1")) == "create authorized 0/0");
  w.rows().faults.push_back(fault::queue_full);
  CHECK(w.ask(w.capture("pay_1", "k2")) == text_of(problem::overloaded));
  CHECK(w.ask(w.capture("pay_1", "k2")) == "capture captured 0/0");
}

TEST_CASE("an unknown commit outcome of a refund never refunds twice") {
  for (auto which : {0, 1})
    for (auto how : {fault::before_commit, fault::after_commit}) {
      CAPTURE(which, static_cast<int>(how));
      world w;
      w.ask(w.create("pay_1", "k1"));
      w.ask(w.capture("pay_1", "k2"));
      for (int i = 0; i < which; ++i) w.rows().faults.push_back(fault::none);
      w.rows().faults.push_back(how);
      CHECK(w.ask(w.refund("pay_1", "k3", 1200)) == text_of(problem::store_unavailable));
      w.ask(w.refund("pay_1", "k3", 1200));
      CHECK(w.ask(w.refund("pay_1", "k3", 1200)) == "replay: refund partially_refunded 1200/1200");
      CHECK(w.read("pay_1")->refunded == 1200);
    }
}

TEST_CASE("while the store cannot be read, requests are refused and nothing is lost") {
  auto rows = std::make_shared<failing_store>();
  {
    world w{rows};
    w.ask(w.create("pay_1", "k1"));
  }
  world w{rows};
  rows->reads_fail = true;
  CHECK(w.ask(w.capture("pay_1", "k2")) == text_of(problem::store_unavailable));
  CHECK_FALSE(w.read("pay_1"));
  rows->reads_fail = false;
  CHECK(w.ask(w.capture("pay_1", "k2")) == "capture captured 0/0");
}

TEST_CASE("two nodes that both act as the owner of a payment do no harm") {
  auto rows = std::make_shared<failing_store>();
  world one{rows}, two{rows};
  one.ask(one.create("pay_1", "k1"));
  CHECK(two.read("pay_1")->state == payment_state::authorized);
  CHECK(one.ask(one.capture("pay_1", "k2")) == "capture captured 0/0");
  // The second node still has it as authorized: its claim is lost, it reloads, and decides again.
  CHECK(two.ask(two.void_("pay_1", "k3")) == "void captured 0/0");
  CHECK(two.calls().count(operation::void_payment, "pay_1") == 0);
  CHECK(two.ask(two.capture("pay_1", "k2")) == "replay: capture captured 0/0");
  CHECK(one.ask(one.refund("pay_1", "k4", 4000)) == "refund partially_refunded 4000/4000");
  CHECK(two.ask(two.refund("pay_1", "k5", 4000)) == "refund partially_refunded 0/4000");
  CHECK(rows->payments.begin()->second.refunded == 4000);
}

TEST_CASE("a node that settles another's open operation, and the owner that finishes late, agree on one result") {
  auto rows = std::make_shared<failing_store>();
  world owner{rows};
  auto p = owner.send(owner.create("pay_1", "k1"));
  while (owner.calls().calls.empty()) REQUIRE(owner.step());
  world other{rows};
  CHECK(other.ask(other.create("pay_1", "k1")) == "replay: create authorized 0/0");
  owner.settle();
  CHECK(p.answer() == "replay: create authorized 0/0");
  CHECK(owner.calls().calls.front().provider_key == other.calls().calls.front().provider_key);
  CHECK(owner.timeline("pay_1") == lines{"authorize approved"});
}

TEST_CASE("an owner with an outdated row stores no refusal that the stored row contradicts") {
  auto rows = std::make_shared<failing_store>();
  world one{rows}, two{rows};
  one.ask(one.create("pay_1", "k1"));
  CHECK(two.read("pay_1")->state == payment_state::authorized);
  one.ask(one.capture("pay_1", "k2"));
  // The second node still has it as authorized, in which no refund is allowed.
  CHECK(two.ask(two.refund("pay_1", "k3", 1000)) == "refund partially_refunded 1000/1000");
  // The first node still has it as captured, where a repeated capture succeeds without effect.
  two.ask(two.refund("pay_1", "k4", 3200));
  CHECK(one.ask(one.capture("pay_1", "k5")) == "capture refunded 0/4200");
}

TEST_CASE("a payment that one node has not found is found once another has created it") {
  auto rows = std::make_shared<failing_store>();
  world one{rows}, two{rows};
  CHECK_FALSE(two.read("pay_1"));
  CHECK(two.ask(two.capture("pay_1", "k1")) == text_of(problem::payment_not_found));
  one.ask(one.create("pay_1", "k2"));
  CHECK(two.read("pay_1"));
  CHECK(two.ask(two.capture("pay_1", "k1")) == "capture captured 0/0");
}

TEST_CASE("a key that another owner has used is answered, and its effect on the payment is seen") {
  auto rows = std::make_shared<failing_store>();
  world one{rows}, two{rows};
  one.ask(one.create("pay_1", "k1"));
  CHECK(two.read("pay_1")->state == payment_state::authorized);
  one.ask(one.capture("pay_1", "k2"));
  CHECK(two.ask(two.capture("pay_1", "k2")) == "replay: capture captured 0/0");
  CHECK(two.read("pay_1")->state == payment_state::captured);
}

namespace {

/// A node that handles a request, pauses after the given number of steps, and resumes when another node has settled the
/// payment.
struct rude_awakening {
  bool had_called = false;  ///< before the pause
  std::size_t calls = 0;  ///< of all
  std::string answer;
};

rude_awakening sleep_after(int steps, bool begun_before, bool lease_is_back) {
  auto rows = begun_before ? crashed_while({}, world::create("pay_1", "k1")) : std::make_shared<failing_store>();
  membership second{"node-b", "process b"}, third{"node-c", "process c"};
  for (auto* each : {&second, &third}) {
    each->serve_until(ticks_ms::max());
    each->set_owners({{each->name()}, {each->incarnation()}, 1, true});  // each node considers the other gone
  }
  world sleeper{rows, unhurried(), 0ms, second};
  const auto asked = sleeper.send(world::create("pay_1", "k1"));
  for (int i = 0; i < steps; ++i) sleeper.step();
  rude_awakening seen{!sleeper.calls().calls.empty(), 0, {}};
  world other{rows, unhurried(), 0ms, third};
  other.ask(world::create("pay_1", "k1"));
  if (!lease_is_back) second.serve_until(ticks_ms{0});
  dynamic_cast<caf::scheduler::test_coordinator&>(sleeper.system().scheduler()).advance_time(12s);
  sleeper.settle();
  seen.calls = sleeper.calls().calls.size();
  seen.answer = asked.answer();
  return seen;
}

}  // namespace

TEST_CASE("a node that resumes does not ask the provider for anything that another node settled during the pause") {
  for (const bool begun_before : {true, false}) {
    int calls_after = 0;
    while (!sleep_after(calls_after, begun_before, true).had_called) ++calls_after;
    REQUIRE(calls_after > 4);
    // The last two steps are one of the gate and one of the provider.
    for (const bool lease_is_back : {true, false})
      for (int steps = 0; steps < calls_after - (lease_is_back ? 2 : 1); ++steps) {
        INFO("asleep after " << steps << " of " << calls_after << " steps"
                             << (lease_is_back ? "" : ", without a lease"));
        const auto seen = sleep_after(steps, begun_before, lease_is_back);
        CHECK(seen.calls == 0);
        CHECK(seen.answer == "replay: create authorized 0/0");
      }
  }
}

TEST_CASE("a node that is alone again trusts nothing that it has learnt before") {
  auto rows = std::make_shared<failing_store>();
  membership first{"node-a", "process a"}, second{"node-b", "process b"};
  for (auto* each : {&first, &second}) each->serve_until(ticks_ms::max());
  world a{rows, unhurried(), 0ms, first}, b{rows, unhurried(), 0ms, second};
  for (auto* each : {&a, &b}) each->advance(61s);  // no commit of the process before it may still land
  // Learnt while there were other nodes.
  CHECK(a.ask(world::create("pay_1", "k1")) == "create authorized 0/0");
  CHECK(b.ask(world::capture("pay_1", "k2")) == "capture captured 0/0");
  first.set_other_nodes(false);
  CHECK(a.read("pay_1")->state == payment_state::captured);
  // Learnt alone, before another node joined and left.
  CHECK(is_remembered(a, "pay_1"));
  first.set_other_nodes(true);
  CHECK(b.ask(world::refund("pay_1", "k3", 4200)) == "refund refunded 4200/4200");
  first.set_other_nodes(false);
  CHECK(a.read("pay_1")->state == payment_state::refunded);
  CHECK(is_remembered(a, "pay_1"));
}

TEST_CASE("a node that becomes alone does not trust what it has read while there were other nodes") {
  auto rows = std::make_shared<failing_store>();
  membership first{"node-a", "process a"}, second{"node-b", "process b"};
  for (auto* each : {&first, &second}) each->serve_until(ticks_ms::max());
  world a{rows, unhurried(), 0ms, first}, b{rows, unhurried(), 0ms, second};
  for (auto* each : {&a, &b}) each->advance(61s);
  b.ask(world::create("pay_1", "k1"));
  auto captured = a.send(world::capture("pay_1", "k2"));
  while (rows->payments.begin()->second.state != payment_state::captured) REQUIRE(a.step());
  CHECK(b.ask(world::refund("pay_1", "k3", 4200)) == "refund refunded 4200/4200");
  first.set_other_nodes(false);
  a.settle();
  CHECK(captured.answer() == "capture captured 0/0");
  CHECK(a.read("pay_1")->state == payment_state::refunded);
}
