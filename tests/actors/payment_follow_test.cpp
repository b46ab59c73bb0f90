// A payment follows its provider: what leads to a comparison, and how its differences become durable.
#include <catch2/catch.hpp>

#include <set>

#include "entity/provider_key.hpp"
#include "following_world.hpp"
#include "gateway/messages/customer_key.hpp"

using namespace gateway;
using namespace gateway::testing;
using lines = std::vector<std::string>;

TEST_CASE("a notification about a payment that does not wait leads to a comparison, and the payment follows") {
  following_world w;
  w.ask(w.create("pay_1", "k1"));
  SECTION("captured there") {
    w.provider_says(w.charged(charge_state::captured, 4199));
    CHECK(w.ask_provider_of("pay_1") == "view");
    CHECK(w.read("pay_1")->captured == 4199);
    CHECK(w.timeline("pay_1") == lines{"authorize approved", "capture approved", "payment.captured published"});
    CHECK(origins_of(w.rows(), "pay_1") == lines{"authorize api", "capture provider", "payment.captured provider"});
    CHECK(ledger_of(w.rows()) == lines{"captured 4199"});
    CHECK(w.rows().ledger.begin()->second.movement_ref == "ch_there");
  }
  SECTION("cancelled there") {
    w.provider_says(w.charged(charge_state::canceled));
    CHECK(w.ask_provider_of("pay_1") == "view");
    CHECK(w.read("pay_1")->state == payment_state::voided);
    CHECK(w.read("pay_1")->records.void_reason == "cancelled_at_provider");
    CHECK(w.rows().ledger.empty());
  }
  SECTION("the same there: no entry of the timeline, however often it is asked") {
    w.provider_says(w.charged(charge_state::authorized));
    for (int i = 0; i < 3; ++i) CHECK(w.ask_provider_of("pay_1") == "view");
    CHECK(w.timeline("pay_1") == lines{"authorize approved"});
    CHECK(w.calls().inquiries.size() == 3);
    CHECK(w.stored("pay_1") == *w.read("pay_1"));
  }
  CHECK(w.calls().inquiries.back().compares);
  CHECK_FALSE(w.calls().inquiries.back().closes);
  CHECK(w.slots_held() == 0);
}

TEST_CASE("a payment that was declined and is paid at the provider after all is captured late") {
  following_world w;
  CHECK(w.ask(w.create("pay_1", "k1", "pm_card_chargeDeclined")) == "create failed 0/0");
  w.provider_says(w.charged(charge_state::captured, 4200));
  CHECK(w.ask_provider_of("pay_1") == "view");
  CHECK(w.read("pay_1")->state == payment_state::captured);
  CHECK(w.read("pay_1")->records.paid_late);
  CHECK(ledger_of(w.rows()) == lines{"failed 4200", "captured 4200"});
}

TEST_CASE("a payment that is paid late saves its method, for its customer and before its own outcome") {
  following_world w;
  const platform_id acme{"plat_acme"};
  auto request = w.create("pay_1", "k1", "pm_card_chargeDeclined");
  std::get<create_payment>(std::get<payment_command>(request.what)).customer =
      wanted_customer{acme, "ref-1", true, false};
  CHECK(w.ask(std::move(request)) == "create failed 0/0");
  const auto customer = memory_store::id(customer_key(merchant_id{"merch_1"}, environment::test, acme, "ref-1"));
  CHECK(w.rows().customers.at(customer).methods.empty());
  auto paid = w.charged(charge_state::captured, 4200);
  paid.saved_method = "pm_9";
  w.provider_says(paid);
  CHECK(w.ask_provider_of("pay_1") == "view");
  CHECK(w.read("pay_1")->customer->saved_method == "pm_9");
  CHECK(w.rows().customers.at(customer).methods == lines{"pm_9"});
}

TEST_CASE("a settled creation without an answer gets the provider's reference, and then follows the provider") {
  following_world w;
  w.calls().silent = true;
  auto p = w.send(w.create("pay_1", "k1"));
  w.advance(11s);
  REQUIRE(p.done());
  w.calls().silent = false;
  auto there = w.charged(charge_state::authorized);
  there.provider_ref = "pi_found";
  w.provider_says(there);
  CHECK(w.settle_as("pay_1", true) == "view");
  REQUIRE(w.stored("pay_1").provider_ref.empty());
  w.start_reconciler();
  w.advance(3s);
  CHECK(w.stored("pay_1").provider_ref == "pi_found");
  w.provider_says(w.charged(charge_state::captured, 4200));
  CHECK(w.ask_provider_of("pay_1") == "view");
  CHECK(w.stored("pay_1").captured == 4200);
}

TEST_CASE("a notification is applied once the provider has said what the payment is, and not before") {
  following_world w;
  w.start_reconciler();
  w.ask(w.create("pay_1", "k1"));
  w.calls().understands = [](const notification&) {
    return notification_subject{about_payment{world::key_of("pay_1")}};
  };
  const auto posted = notification_key(provider_kind::stripe, environment::test, "evt_1");
  const auto state = [&] { return w.rows().notifications.at(memory_store::id(posted)).state; };
  w.provider_does_not_say();
  CHECK(w.ask({posted, std::nullopt,
               notification_command{receive_notification{provider_kind::stripe, "evt_1", "charge.captured", "acct_1",
                                                         "{}"}}}) == "view");
  w.advance(3s);
  CHECK_FALSE(w.calls().inquiries.empty());
  CHECK(state() == notification_state::waiting);
  CHECK(w.read("pay_1")->state == payment_state::authorized);
  w.provider_says(w.charged(charge_state::captured, 4200));
  w.advance(1min);
  CHECK(state() == notification_state::applied);
  CHECK(w.read("pay_1")->state == payment_state::captured);
}

TEST_CASE("an inquiry that the provider does not answer fails, and leaves the payment as it is") {
  following_world w;
  w.ask(w.create("pay_1", "k1"));
  const auto before = w.stored("pay_1");
  for (const auto status : {provider_status::unknown, provider_status::declined, provider_status::approved}) {
    w.calls().says = provider_result{status, {}, {}, {}};
    CHECK(w.ask_provider_of("pay_1") == text_of(problem::provider_unavailable));
    CHECK(w.stored("pay_1") == before);
  }
  CHECK(w.ask_provider_of("pay_2") == text_of(problem::payment_not_found));
  CHECK(w.slots_held() == 0);
}

TEST_CASE("an authorized payment is asked about daily without a notification, and when it ends") {
  following_world w;
  w.start_reconciler();
  w.ask(w.create("pay_1", "k1"));
  const auto begun = w.clock().now();
  auto truth = w.charged(charge_state::authorized);
  truth.authorized_until = begun + 30h;
  w.provider_says(truth);
  w.advance(23h, 10min);
  CHECK(w.calls().inquiries.empty());
  w.advance(70min, 10min);
  CHECK(w.calls().inquiries.size() == 1);
  CHECK(w.stored("pay_1").due_at == begun + 30h + 1min);
  CHECK(w.timeline("pay_1") == lines{"authorize approved"});
  truth.charge = charge_state::expired;
  w.provider_says(truth);
  w.advance(7h, 10min);
  CHECK(w.calls().inquiries.size() == 2);
  CHECK(w.read("pay_1")->state == payment_state::voided);
  CHECK(w.read("pay_1")->records.void_reason == "authorization_expired");
  CHECK(origins_of(w.rows(), "pay_1") == lines{"authorize api", "void provider", "payment.voided provider"});
  CHECK_FALSE(w.stored("pay_1").due_at);
  w.advance(48h, 10min);
  CHECK(w.calls().inquiries.size() == 2);
}

TEST_CASE("a provider that does not say is asked again after hours, until it says") {
  following_world w;
  w.start_reconciler();
  w.ask(w.create("pay_1", "k1"));
  w.provider_does_not_say();
  w.advance(25h, 10min);
  CHECK(w.calls().inquiries.size() == 1);
  CHECK(w.read("pay_1")->state == payment_state::authorized);
  w.advance(24h, 10min);
  CHECK(w.calls().inquiries.size() == 5);
  w.provider_says(w.charged(charge_state::captured, 4200));
  w.advance(6h, 10min);
  CHECK(w.read("pay_1")->state == payment_state::captured);
}

TEST_CASE("after a refusal the provider is asked at once: its cause may be what happened there") {
  following_world w;
  w.start_reconciler();
  w.ask(w.create("pay_1", "k1", "pm_card_captureDeclined"));
  w.provider_says(w.charged(charge_state::expired));
  CHECK(w.ask(w.capture("pay_1", "k2")) == "capture authorized 0/0");
  w.advance(3s);
  CHECK(w.read("pay_1")->state == payment_state::voided);
}

TEST_CASE("a refund of all that remains asks the provider first, and refunds what remains there") {
  following_world w;
  w.ask(w.create("pay_1", "k1"));
  w.ask(w.capture("pay_1", "k2"));
  SECTION("a part was refunded there") {
    w.provider_says(w.captured_with("pay_1", {{"r_there", 1200, refund_status::succeeded, {}, {}}}));
    CHECK(w.ask(w.refund("pay_1", "k3", 0)) == "refund refunded 3000/4200");
    CHECK(w.calls().calls.back().amount == 3000);
    CHECK(w.ask(w.refund("pay_1", "k3", 0)) == "replay: refund refunded 3000/4200");
    CHECK(w.calls().inquiries.size() == 1);
    CHECK(ledger_of(w.rows()) == lines{"captured 4200", "refunded 1200", "refunded 3000"});
    const auto refunds = w.read("pay_1")->records.refunds;
    REQUIRE(refunds.size() == 2);
    CHECK(refunds.front().by == entry_origin::provider);
    CHECK(refunds.back().by == entry_origin::api);
  }
  SECTION("all was refunded there: nothing is left, and that is stored") {
    w.provider_says(w.captured_with("pay_1", {{"r_there", 4200, refund_status::succeeded, {}, {}}}));
    CHECK(w.ask(w.refund("pay_1", "k3", 0)) == "refund refunded 0/4200");
    CHECK(w.calls().count(operation::refund, "pay_1") == 0);
    CHECK(w.ask(w.refund("pay_1", "k3", 0)) == "replay: refund refunded 0/4200");
  }
  SECTION("the provider does not say: what is known counts") {
    w.provider_does_not_say();
    CHECK(w.ask(w.refund("pay_1", "k3", 0)) == "refund refunded 4200/4200");
  }
  SECTION("of an amount that is given the provider is not asked") {
    CHECK(w.ask(w.refund("pay_1", "k3", 1200)) == "refund partially_refunded 1200/1200");
    CHECK(w.calls().inquiries.empty());
  }
  CHECK(w.slots_held() == 0);
}

TEST_CASE("a refund that an older database had forgotten is answered under its merchant's key, and is not made again") {
  following_world w;
  w.ask(w.create("pay_1", "k1"));
  w.ask(w.capture("pay_1", "k2"));
  const auto made_by = [&w](std::string_view key, std::int64_t claim) {
    return actors::provider_key_of(w.key_of("pay_1"), w.write(key).key, claim);
  };
  w.provider_says(w.captured_with("pay_1", {{"r_1", 1200, refund_status::succeeded, {}, {}, made_by("k3", 40)},
                                            {"r_2", 100, refund_status::succeeded, {}, {}, {}}}));
  CHECK(w.ask_provider_of("pay_1") == "view");
  CHECK(w.ask(w.refund("pay_1", "k3", 1200)) == "refund partially_refunded 1200/1300");
  CHECK(w.ask(w.refund("pay_1", "k3", 1200)) == "replay: refund partially_refunded 1200/1300");
  CHECK(w.calls().count(operation::refund, "pay_1") == 0);
  CHECK(ledger_of(w.rows()) == lines{"captured 4200", "refunded 1200", "refunded 100"});
  SECTION("another key is another refund") {
    CHECK(w.ask(w.refund("pay_1", "k4", 1200)) == "refund partially_refunded 1200/2500");
    CHECK(w.calls().count(operation::refund, "pay_1") == 1);
  }
  SECTION("so is one that was not the gateway's") {
    CHECK(w.ask(w.refund("pay_1", "k4", 100)) == "refund partially_refunded 100/1400");
    CHECK(w.calls().count(operation::refund, "pay_1") == 1);
  }
}

TEST_CASE("an operation whose outcome is unknown is concluded before the comparison") {
  following_world w;
  auto p = w.send(w.create("pay_1", "k1", "pm_card_timeout"));
  w.advance(11s);
  REQUIRE(p.done());
  REQUIRE(w.read("pay_1")->open);
  w.provider_says(w.charged(charge_state::captured, 4200));
  CHECK(w.ask_provider_of("pay_1") == "view");
  CHECK(w.read("pay_1")->state == payment_state::captured);
  CHECK(w.timeline("pay_1") ==
        lines{"authorize unknown", "authorize approved", "capture approved", "payment.captured published"});
  CHECK(w.calls().calls.back().asked_again);
  REQUIRE(w.calls().inquiries.size() == 1);
  CHECK_FALSE(w.calls().inquiries.front().subject.open);
}

TEST_CASE("while the outcome stays unknown nothing is compared") {
  following_world w;
  auto p = w.send(w.create("pay_1", "k1", "pm_card_timeout"));
  w.advance(11s);
  REQUIRE(p.done());
  w.calls().silent = true;
  auto asked = w.send({w.key_of("pay_1"), std::nullopt, payment_command{ask_provider{}}});
  w.advance(11s);
  REQUIRE(asked.done());
  CHECK(w.calls().inquiries.empty());
  w.calls().silent = false;
  CHECK(w.read("pay_1")->open);
}

namespace {

/// Captured, refunded and disputed at the provider, all at once.
provider_truth busy_day() {
  auto truth = following_world::charged(charge_state::captured, 4200);
  truth.refunds = {{"r_there", 1200, refund_status::succeeded, {}, {}}};
  truth.disputes = {{"d_there", 500, "fraudulent", dispute_status::lost, {}, {}, {}}};
  return truth;
}

const lines after_busy_day{"authorize approved",
                           "capture approved",
                           "payment.captured published",
                           "refund approved",
                           "payment.partially_refunded published",
                           "dispute needs_response",
                           "dispute.opened published",
                           "dispute lost",
                           "dispute.closed published"};
const lines moved_on_busy_day{"captured 4200", "refunded 1200", "dispute_opened 500", "dispute_lost 500"};

}  // namespace

TEST_CASE("all differences are committed in one unit, each with its event and its entry of the ledger") {
  following_world w;
  w.ask(w.create("pay_1", "k1"));
  const auto commits = w.rows().commits;
  w.provider_says(busy_day());
  CHECK(w.ask_provider_of("pay_1") == "view");
  CHECK(w.rows().commits == commits + 1);
  CHECK(w.timeline("pay_1") == after_busy_day);
  CHECK(ledger_of(w.rows()) == moved_on_busy_day);
  CHECK(w.stored("pay_1") == *w.read("pay_1"));
  std::set<std::string> events;
  std::size_t count = 0;
  for (const auto& [seq, entry] : w.rows().timelines.at(memory_store::id(w.key_of("pay_1")))) {
    if (entry.kind != timeline_kind::event) continue;
    ++count;
    events.insert(entry.event_id);
    CHECK(entry.event_data == entry.operation);
  }
  CHECK(events.size() == count);
  CHECK(count == 4);
  CHECK(w.ask_provider_of("pay_1") == "view");
  CHECK(w.rows().commits == commits + 1);
}

TEST_CASE("differences whose commit fails are found again, and counted once") {
  for (const auto trouble : {fault::before_commit, fault::after_commit, fault::queue_full, fault::held_up}) {
    following_world w;
    w.ask(w.create("pay_1", "k1"));
    w.provider_says(busy_day());
    w.rows().faults = {trouble};
    CHECK(w.ask_provider_of("pay_1") ==
          text_of(trouble == fault::queue_full ? problem::overloaded : problem::store_unavailable));
    CHECK(w.ask_provider_of("pay_1") == "view");
    w.rows().land();
    CHECK(w.timeline("pay_1") == after_busy_day);
    CHECK(ledger_of(w.rows()) == moved_on_busy_day);
    CHECK(w.stored("pay_1").refunded == 1200);
  }
}

TEST_CASE("a node with an outdated row follows what is stored, and nothing is counted twice") {
  auto rows = std::make_shared<failing_store>();
  following_world one{rows}, two{rows};
  one.ask(one.create("pay_1", "k1"));
  CHECK(two.read("pay_1")->state == payment_state::authorized);
  CHECK(one.ask(one.capture("pay_1", "k2")) == "capture captured 0/0");
  // Here the capture seems to have happened at the provider.
  two.provider_says(two.charged(charge_state::captured, 4200));
  CHECK(two.ask_provider_of("pay_1") == "view");
  CHECK(two.timeline("pay_1") == lines{"authorize approved", "capture approved", "payment.captured published"});
  CHECK(ledger_of(*rows) == lines{"captured 4200"});
}

TEST_CASE("what follows a comparison is sent to destinations") {
  following_world w;
  destination to;
  to.id = destination_id{"dest_1"};
  to.owner = "merch_1";
  to.url = "https://shop.test/hooks";
  to.env = environment::test;
  to.events = {"payment.captured", "dispute.opened", "dispute.closed"};
  w.subscribe(to);
  w.ask(w.create("pay_1", "k1"));
  w.provider_says(busy_day());
  w.ask_provider_of("pay_1");
  w.advance(2s);
  CHECK(w.office().sent.size() == 3);
}
