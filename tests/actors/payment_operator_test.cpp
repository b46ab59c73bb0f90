// An operator's commands for a payment: an outcome is settled, a refund is recorded, or the payment changes at the
// sandbox.
#include <catch2/catch.hpp>

#include "following_world.hpp"

using namespace gateway;
using namespace gateway::testing;
using lines = std::vector<std::string>;

namespace {

/// A captured payment with a refund of 1200 whose outcome is unknown.
void leave_refund_unknown(following_world& w) {
  w.ask(w.create("pay_1", "k1"));
  w.ask(w.capture("pay_1", "k2"));
  w.calls().silent = true;
  auto p = w.send(w.refund("pay_1", "k3", 1200));
  w.advance(11s);
  REQUIRE(p.answer() == "refund captured 0/0");
  w.calls().silent = false;
  REQUIRE(w.read("pay_1")->open);
}

}  // namespace

TEST_CASE("an operation whose outcome stays unknown is settled by an operator, and its client's answer stays") {
  for (const bool approved : {true, false}) {
    CAPTURE(approved);
    following_world w;
    leave_refund_unknown(w);
    CHECK(w.settle_as("pay_1", approved) == "view");
    CHECK_FALSE(w.read("pay_1")->open);
    CHECK(w.read("pay_1")->refunded == (approved ? 1200 : 0));
    CHECK(origins_of(w.rows(), "pay_1").back() ==
          (approved ? "payment.partially_refunded operator" : "refund operator"));
    CHECK(w.settle_as("pay_1", approved) == text_of(problem::nothing_to_settle));
    CHECK(w.ask(w.refund("pay_1", "k3", 1200)) == "replay: refund captured 0/0");
    CHECK(w.ask(w.refund("pay_1", "k4", 100)).starts_with("refund partially_refunded 100/"));
  }
}

TEST_CASE("nothing is settled where nothing is unknown") {
  following_world w;
  CHECK(w.settle_as("pay_1", true) == text_of(problem::payment_not_found));
  w.ask(w.create("pay_1", "k1"));
  CHECK(w.settle_as("pay_1", true) == text_of(problem::nothing_to_settle));
  CHECK(w.read("pay_1")->state == payment_state::authorized);
}

TEST_CASE("after a settlement the provider is asked, and wins") {
  following_world w;
  w.start_reconciler();
  leave_refund_unknown(w);
  w.provider_says(w.charged(charge_state::captured, 4200));
  SECTION("settled as made, and not made there") {
    CHECK(w.settle_as("pay_1", true) == "view");
    w.advance(3s);
    CHECK(w.read("pay_1")->refunded == 0);
    CHECK(w.read("pay_1")->records.refunds.front().failure_code == "not_at_provider");
    CHECK(ledger_of(w.rows()) == lines{"captured 4200", "refunded 1200", "refund_failed 1200"});
  }
  SECTION("settled as not made, and made there") {
    w.provider_says(w.captured_with("pay_1", {{"r_there", 1200, refund_status::succeeded, {}, {}}}));
    CHECK(w.settle_as("pay_1", false) == "view");
    w.advance(3s);
    CHECK(w.read("pay_1")->refunded == 1200);
    CHECK(ledger_of(w.rows()) == lines{"captured 4200", "refunded 1200"});
  }
}

TEST_CASE("a refund that an operator records counts once for each reference") {
  following_world w;
  CHECK(w.record("pay_1", 100, "bank 1") == text_of(problem::payment_not_found));
  w.ask(w.create("pay_1", "k1"));
  CHECK(w.record("pay_1", 100, "bank 1") == text_of(problem::not_refundable));
  w.ask(w.capture("pay_1", "k2"));
  CHECK(w.record("pay_1", 4201, "bank 1") == text_of(problem::refund_exceeds_captured));
  CHECK(w.record("pay_1", 1200, "bank 1") == "view");
  CHECK(w.record("pay_1", 1200, "bank 1") == text_of(problem::refund_already_recorded));
  CHECK(w.record("pay_1", 100, "bank 2") == "view");
  CHECK(w.read("pay_1")->refunded == 1300);
  CHECK(w.calls().count(operation::refund, "pay_1") == 0);
  CHECK(ledger_of(w.rows()) == lines{"captured 4200", "refunded 1200", "refunded 100"});
  CHECK(w.rows().ledger.rbegin()->second.movement_ref == "bank 2");
  CHECK(origins_of(w.rows(), "pay_1").back() == "payment.partially_refunded operator");
  // The provider lists none of them: they were made where it does not see them.
  w.provider_says(w.charged(charge_state::captured, 4200));
  CHECK(w.ask_provider_of("pay_1") == "view");
  CHECK(w.read("pay_1")->refunded == 1300);
}

TEST_CASE("a recorded refund whose commit fails is recorded once by the repeated command") {
  for (const auto trouble : {fault::before_commit, fault::after_commit}) {
    following_world w;
    w.ask(w.create("pay_1", "k1"));
    w.ask(w.capture("pay_1", "k2"));
    w.rows().faults = {trouble};
    CHECK(w.record("pay_1", 1200, "bank 1") == text_of(problem::store_unavailable));
    const auto again = w.record("pay_1", 1200, "bank 1");
    CHECK(again == (trouble == fault::before_commit ? "view" : text_of(problem::refund_already_recorded)));
    CHECK(w.read("pay_1")->refunded == 1200);
  }
}

TEST_CASE("only a sandbox does what an operator has it do, and only what a provider could") {
  following_world external;
  external.ask(external.create("pay_1", "k1"));
  CHECK(act_on(external, "pay_1", sandbox_act_kind::authorization_expire) == text_of(problem::impossible_at_provider));
  CHECK(external.read("pay_1")->records.acts.empty());

  world w;
  CHECK(act_on(w, "pay_1", sandbox_act_kind::dispute_open) == text_of(problem::payment_not_found));
  w.ask(w.create("pay_1", "k1"));
  CHECK(act_on(w, "pay_1", sandbox_act_kind::dispute_open) == text_of(problem::impossible_at_provider));
  CHECK(act_on(w, "pay_1", sandbox_act_kind::refund_outside, 100) == text_of(problem::impossible_at_provider));
  auto unknown = w.send(w.create("pay_2", "k2", "pm_card_timeout"));
  w.advance(11s);
  REQUIRE(unknown.done());
  CHECK(act_on(w, "pay_2", sandbox_act_kind::authorization_expire) == text_of(problem::payment_outcome_pending));
}

TEST_CASE("what was done at the sandbox becomes part of the payment at once") {
  world w;
  w.ask(w.create("pay_1", "k1"));
  CHECK(act_on(w, "pay_1", sandbox_act_kind::capture_outside, 4000) == "view");
  CHECK(act_on(w, "pay_1", sandbox_act_kind::refund_outside, 1000) == "view");
  CHECK(act_on(w, "pay_1", sandbox_act_kind::dispute_open, 500) == "view");
  CHECK(w.ask(w.refund("pay_1", "k2", 100)) == "refund partially_refunded 0/1000");  // disputed
  CHECK(act_on(w, "pay_1", sandbox_act_kind::dispute_lose) == "view");
  const auto p = w.read("pay_1");
  CHECK(machine::remaining(*p) == 2500);
  CHECK(ledger_of(w.rows()) == lines{"captured 4000", "refunded 1000", "dispute_opened 500", "dispute_lost 500"});
  CHECK(act_on(w, "pay_1", sandbox_act_kind::refund_fail, 0, p->records.refunds.front().id) == "view");
  CHECK(w.read("pay_1")->refunded == 0);
  CHECK(w.ask(w.refund("pay_1", "k3", 0)) == "refund refunded 3500/3500");
  for (const auto& line : origins_of(w.rows(), "pay_1"))
    CHECK((line.ends_with(" provider") || line == "authorize api" || line == "refund api" ||
           line == "payment.refunded api"));
}

TEST_CASE("a crash between what was done at the sandbox and the comparison is made good by the reconciler") {
  auto rows = std::make_shared<failing_store>();
  {
    world w{rows};
    w.ask(w.create("pay_1", "k1"));
    rows->faults = {fault::none, fault::before_commit};
    CHECK(act_on(w, "pay_1", sandbox_act_kind::authorization_expire) == text_of(problem::store_unavailable));
  }
  world w{rows};
  const auto& row = rows->payments.at(memory_store::id(w.key_of("pay_1")));
  CHECK(row.state == payment_state::authorized);
  CHECK(row.records.acts.size() == 1);
  SECTION("by itself") {
    w.start_reconciler();
    w.advance(3s);
    CHECK(row.state == payment_state::voided);
    CHECK_FALSE(row.due_at);
  }
  SECTION("meanwhile the sandbox declines what a provider would decline") {
    CHECK(w.ask(w.capture("pay_1", "k2")) == "capture authorized 0/0");
    w.start_reconciler();
    w.advance(3s);
    CHECK(row.state == payment_state::voided);
  }
}

TEST_CASE("a capture of the card createDispute is disputed once it is answered, and then nothing is refunded") {
  world w;
  w.ask(w.create("pay_1", "k1", "pm_card_createDispute"));
  CHECK(w.ask(w.capture("pay_1", "k2")) == "capture captured 0/0");
  const auto p = w.read("pay_1");
  REQUIRE(p->records.disputes.size() == 1);
  CHECK(p->records.disputes.front().amount == 4200);
  CHECK(p->state == payment_state::captured);
  CHECK(machine::disputed(*p) == 4200);
  CHECK(w.ask(w.refund("pay_1", "k3", 0)) == "refund captured 0/0");
  CHECK(act_on(w, "pay_1", sandbox_act_kind::dispute_win) == "view");
  CHECK(w.ask(w.refund("pay_1", "k4", 0)) == "refund refunded 4200/4200");
}

TEST_CASE("a refund of the card refundPending counts, and stays pending until it settles or fails") {
  world w;
  w.ask(w.create("pay_1", "k1", "pm_card_refundPending"));
  w.ask(w.capture("pay_1", "k2"));
  CHECK(w.ask(w.refund("pay_1", "k3", 1200)) == "refund partially_refunded 1200/1200");
  CHECK(w.ask(w.refund("pay_1", "k4", 1000)) == "refund partially_refunded 1000/2200");
  const auto refunds = w.read("pay_1")->records.refunds;
  REQUIRE(refunds.size() == 2);
  for (const auto& each : refunds) CHECK(each.status == refund_status::pending);
  CHECK(act_on(w, "pay_1", sandbox_act_kind::refund_settle, 0, refunds[0].id) == "view");
  CHECK(act_on(w, "pay_1", sandbox_act_kind::refund_fail, 0, refunds[1].id) == "view");
  const auto after = w.read("pay_1");
  CHECK(after->records.refunds[0].status == refund_status::succeeded);
  CHECK(after->records.refunds[1].status == refund_status::failed);
  CHECK(after->refunded == 1200);
  CHECK(ledger_of(w.rows()) == lines{"captured 4200", "refunded 1200", "refunded 1000", "refund_failed 1000"});
}
