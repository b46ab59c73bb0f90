// The promises about one payment, as scenarios under virtual time.
#include <catch2/catch.hpp>

#include "../../tools/measure/store_bench/workload.hpp"
#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;
using lines = std::vector<std::string>;

TEST_CASE("a payment is created, captured, refunded in part and whole") {
  world w;
  CHECK(w.ask(w.create("pay_1", "k1")) == "create authorized 0/0");
  CHECK(w.ask(w.capture("pay_1", "k2")) == "capture captured 0/0");
  CHECK(w.ask(w.refund("pay_1", "k3", 1200)) == "refund partially_refunded 1200/1200");
  CHECK(w.ask(w.refund("pay_1", "k4", 0)) == "refund refunded 3000/4200");
  CHECK(w.timeline("pay_1") == lines{"authorize approved", "capture approved", "payment.captured published",
                                     "refund approved", "payment.partially_refunded published", "refund approved",
                                     "payment.refunded published"});
  CHECK(w.rows().payments.at(memory_store::id(w.key_of("pay_1"))) == *w.read("pay_1"));
}

TEST_CASE("the store measurements write the same rows as a create") {
  world w;
  w.ask(w.create("pay_1", "k1"));
  memory_store measured;
  const store_bench::workload work{w.clock().now()};
  REQUIRE(measured.commit(work.begin(0)) == commit_outcome::committed);
  REQUIRE(measured.commit(work.finish(0)) == commit_outcome::committed);
  const auto row_counts = [](const memory_store& rows) {
    const auto timeline = rows.timelines.empty() ? 0 : rows.timelines.begin()->second.size();
    return std::vector{rows.commands.size(), rows.payments.size(), timeline,
                       rows.totals.size(),   rows.ledger.size(),   rows.deliveries.size()};
  };
  CHECK(row_counts(measured) == row_counts(w.rows()));
  const auto &made = w.rows().payments.begin()->second, &like = measured.payments.begin()->second;
  CHECK(like.state == made.state);
  CHECK(like.version == made.version);
  CHECK(like.next_seq == made.next_seq);
}

TEST_CASE("the intent is durable before the provider is called, the outcome before the client is answered") {
  world w;
  auto p = w.send(w.create("pay_1", "k1"));
  while (w.calls().calls.empty()) REQUIRE(w.step());
  const auto& row = w.rows().payments.at(memory_store::id(w.key_of("pay_1")));
  CHECK(row.state == payment_state::created);
  CHECK(row.open);
  CHECK_FALSE(w.rows().commands.begin()->second.result);
  CHECK_FALSE(p.done());
  while (!p.done()) REQUIRE(w.step());
  CHECK(w.rows().payments.at(memory_store::id(w.key_of("pay_1"))).state == payment_state::authorized);
  CHECK(w.rows().commands.begin()->second.result->body == p.answer());
}

TEST_CASE("the same key and request is answered from memory, byte for byte, and not executed again") {
  world w;
  const auto first = w.ask(w.create("pay_1", "k1"));
  const auto commits = w.rows().commits;
  CHECK(w.ask(w.create("pay_1", "k1")) == "replay: " + first);
  CHECK(w.rows().commits == commits);
  CHECK(w.calls().count(operation::create, "pay_1") == 1);
}

TEST_CASE("the same key for another request is refused, on this payment and on another") {
  world w;
  w.ask(w.create("pay_1", "k1"));
  CHECK(w.ask(w.create("pay_1", "k1", "pm_card_visa", flow::server, "other")) ==
        text_of(problem::idempotency_key_reused));
  CHECK(w.ask(w.capture("pay_1", "k1")) == text_of(problem::idempotency_key_reused));
  CHECK(w.ask(w.create("pay_2", "k1")) == text_of(problem::idempotency_key_reused));
  CHECK(w.ask(w.capture("pay_unknown", "k1")) == text_of(problem::idempotency_key_reused));
  CHECK_FALSE(w.read("pay_2"));
}

TEST_CASE("two hundred requests with one key at once: one execution, the others are answered that it runs") {
  world w;
  std::vector<world::pending> all;
  for (int i = 0; i < 200; ++i) all.push_back(w.send(w.create("pay_1", "k1")));
  w.settle();
  int originals = 0, replays = 0, running = 0;
  for (const auto& p : all) {
    REQUIRE(p.done());
    originals += p.answer() == "create authorized 0/0";
    replays += p.answer() == "replay: create authorized 0/0";
    running += p.answer() == text_of(problem::request_in_progress);
  }
  CHECK(originals == 1);
  CHECK(originals + replays + running == 200);
  CHECK(w.calls().calls.size() == 1);
}

TEST_CASE("operations on one payment run one at a time, in arrival order") {
  world w;
  w.ask(w.create("pay_1", "k1"));
  auto capture = w.send(w.capture("pay_1", "k2"));
  auto refund = w.send(w.refund("pay_1", "k3", 1200));
  auto over = w.send(w.refund("pay_1", "k4", 4200));
  auto rest = w.send(w.refund("pay_1", "k5", 3000));
  w.settle();
  CHECK(capture.answer() == "capture captured 0/0");
  CHECK(refund.answer() == "refund partially_refunded 1200/1200");
  CHECK(over.answer() == "refund partially_refunded 0/1200");
  CHECK(rest.answer() == "refund refunded 3000/4200");
}

TEST_CASE("requests beyond the payment's queue are refused as overload") {
  settings config;
  config.payment_queue = 4;
  world w{std::make_shared<failing_store>(), config};
  auto slow = w.send(w.create("pay_1", "k", "pm_card_slow_5000"));
  w.settle();
  std::vector<world::pending> all;
  for (int i = 0; i < 10; ++i) all.push_back(w.send(w.capture("pay_1", "k" + std::to_string(i))));
  w.settle();
  CHECK(std::ranges::count_if(all, [](const auto& p) { return p.answer() == text_of(problem::overloaded); }) == 6);
  w.advance(6s);
  CHECK(slow.answer() == "create authorized 0/0");
  CHECK(std::ranges::count_if(all, [](const auto& p) { return p.answer() == "capture captured 0/0"; }) == 4);
}

TEST_CASE("a taken payment_id is refused without using up the key") {
  world w;
  w.ask(w.create("pay_1", "k1"));
  CHECK(w.ask(w.create("pay_1", "k2")) == text_of(problem::payment_already_exists));
  CHECK(w.ask(w.create("pay_2", "k2")) == "create authorized 0/0");
}

TEST_CASE("an unknown payment is refused without using up the key") {
  world w;
  CHECK(w.ask(w.capture("pay_1", "k1")) == text_of(problem::payment_not_found));
  w.ask(w.create("pay_1", "k2"));
  CHECK(w.ask(w.capture("pay_1", "k1")) == "capture captured 0/0");
}

TEST_CASE("the state rules' refusals are stored: the same key always gets the same answer") {
  world w;
  w.ask(w.create("pay_1", "k1"));
  const auto refused = w.ask(w.refund("pay_1", "k2", 0));
  CHECK(refused == "refund authorized 0/0");
  w.ask(w.capture("pay_1", "k3"));
  CHECK(w.ask(w.refund("pay_1", "k2", 0)) == "replay: " + refused);
  CHECK(w.ask(w.refund("pay_1", "k4", 0)) == "refund refunded 4200/4200");
}

TEST_CASE("a replay outlives the actor's memory") {
  world w;
  const auto first = w.ask(w.create("pay_1", "k1"));
  w.ask(w.capture("pay_1", "capture"));
  for (int i = 0; i < 20; ++i) w.ask(w.refund("pay_1", "refund" + std::to_string(i), 1));
  CHECK(w.ask(w.create("pay_1", "k1")) == "replay: " + first);
  CHECK(w.ask(w.capture("pay_1", "capture")) == "replay: capture captured 0/0");
  CHECK(w.ask(w.refund("pay_1", "refund0", 1)) == "replay: refund partially_refunded 1/1");
}

TEST_CASE("a payment's change adds to its day's totals, once, in the same commit") {
  world w;
  const auto total = [&](daily_counter what) {
    std::pair<std::int64_t, std::int64_t> found;
    for (const auto& [key, row] : w.rows().totals)
      if (row.what == what) found = {row.count + found.first, row.amount.minor + found.second};
    return found;
  };
  using pair = std::pair<std::int64_t, std::int64_t>;
  w.ask(w.create("pay_1", "k1"));
  CHECK(total(daily_counter::authorized) == pair{1, 4200});
  CHECK(total(daily_counter::captured) == pair{0, 0});
  w.ask(w.capture("pay_1", "k2"));
  w.ask(w.capture("pay_1", "k2"));
  CHECK(total(daily_counter::captured) == pair{1, 4200});
  w.rows().faults = {fault::none, fault::before_commit};
  w.ask(w.refund("pay_1", "k3", 1200));
  CHECK(total(daily_counter::refunded) == pair{0, 0});
  w.ask(w.refund("pay_1", "k3", 1200));
  w.ask(w.refund("pay_1", "k4", 0));
  CHECK(total(daily_counter::refunded) == pair{2, 4200});
  w.ask(w.create("pay_2", "k5", "", flow::redirect));
  w.ask({w.key_of("pay_2"), std::nullopt, hosted_result{hosted_signal::declined, w.read("pay_2")->provider_ref}});
  CHECK(total(daily_counter::failed) == pair{1, 4200});
  CHECK(total(daily_counter::authorized) == pair{1, 4200});
}

TEST_CASE("a hosted page settles its payment once, and a stale page changes nothing") {
  world w;
  CHECK(w.ask(w.create("pay_1", "k1", "", flow::redirect)) == "create processing 0/0");
  const auto open = w.read("pay_1");
  REQUIRE(open);
  CHECK(open->hosted_url.starts_with("https://gateway.test/sandbox/checkout/"));
  w.ask({w.key_of("pay_1"), std::nullopt, hosted_result{hosted_signal::declined, "cs_of_another"}});
  CHECK(w.read("pay_1")->state == payment_state::processing);
  w.ask({w.key_of("pay_1"), std::nullopt, hosted_result{hosted_signal::paid, open->provider_ref}});
  CHECK(w.read("pay_1")->state == payment_state::captured);
  w.ask({w.key_of("pay_1"), std::nullopt, hosted_result{hosted_signal::declined, open->provider_ref}});
  CHECK(w.read("pay_1")->state == payment_state::captured);
  CHECK(w.timeline("pay_1") == lines{"hosted_session pending", "charge approved", "payment.captured published"});
}

TEST_CASE("an abandoned hosted session expires after a day") {
  world w;
  w.start_reconciler();
  w.ask(w.create("pay_1", "k1", "", flow::redirect));
  w.advance(23h, 10min);
  CHECK(w.read("pay_1")->state == payment_state::processing);
  w.advance(61min, 10min);
  CHECK(w.read("pay_1")->state == payment_state::failed);
  CHECK(w.read("pay_1")->error->code == "checkout_expired");
}
