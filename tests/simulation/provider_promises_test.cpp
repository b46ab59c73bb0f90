// A payment after its provider's own acts, without actors; and the reports of the checkers.
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ages.hpp"
#include "checkouts.hpp"
#include "customers.hpp"
#include "notices.hpp"
#include "promises.hpp"
#include "provider_acts.hpp"
#include "provider_payments.hpp"
#include "provider_promises.hpp"
#include "steps.hpp"
#include "text_encoder.hpp"

using namespace gateway;
using namespace gateway::simulation;
using namespace std::chrono_literals;

namespace {

/// One payment of 4200 at Stripe, its provider, and the checkers.
class followed_payment {
 public:
  explicit followed_payment(std::uint64_t seed = 1, provider_status created_as = provider_status::approved)
      : random{seed} {
    create_payment wanted;
    wanted.amount = {4200, *currency::parse("EUR")};
    testing::unit_parts unit;
    unit.insert_command = record("create", operation::create, wanted.amount.minor);
    unit.insert_payment =
        begin_payment(subject, wanted, {provider_kind::stripe, "acct_1", false}, command("create"), time.now(), {});
    commit(std::nullopt, unit);
    const auto call = call_for(row());
    const provider_result answer{created_as, "ref", {}, std::nullopt};
    there.created(call, answer);
    if (created_as == provider_status::approved) act(call);
    store(conclude(row(), answer, time.now(), {}));
  }

  const payment& row() const { return rows.payments.at(testing::memory_store::id(subject)); }
  payment_there& provider() { return *there.find(subject); }
  std::string broken() const { return held.broken().value_or("nothing"); }

  /// The unit that a comparison commits; without a row if there is nothing to commit.
  testing::unit_parts comparison() {
    auto steps = differences(row(), provider().truth, time.now());
    testing::unit_parts unit;
    const auto before = row();
    const auto* from = &before;
    for (auto& step : steps) {
      add(unit, from, step);
      from = &step.next;
    }
    if (steps.empty()) return unit;
    unit.update_payment = steps.back().next;
    unit.update_payment->version = before.version + 1;
    return unit;
  }
  void compare() {
    if (const auto unit = comparison(); unit.update_payment) commit(row(), unit);
  }

  /// A client's operation, if the payment takes it now.
  template <class Command>
  void operate(const std::string& key, const Command& wanted) {
    auto decided = decide(row(), wanted, command(key), time.now(), {});
    auto* begun = std::get_if<claim>(&decided);
    if (!begun) return;
    testing::unit_parts unit;
    unit.insert_command = record(key, begun->claimed.open->what, begun->claimed.open->amount);
    unit.update_payment = std::move(begun->claimed);
    commit(row(), unit);
    const auto call = call_for(row());
    const auto made = there.execute(call, {random.chance(0.3), random.chance(0.5)});
    if (made.has_acted) act(call);
    store(conclude(row(), made.answer, time.now(), {}));
  }

  void check_at_rest() {
    held.at_rest();
    follows.at_rest();
  }

  virtual_time time;
  settings config;
  random_source random;
  const entity_key subject = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  testing::memory_store rows;
  text_encoder encoder;
  journal log{time, nullptr};
  promises held{rows, encoder, time, log};
  age_promises ages{rows, time, config, held};
  customer_promises customers{rows, held, true};
  provider_payments there{time, held, log};
  checkouts pages{rows, held, customers, ages, there, log};
  notice_promises notices{rows, held};
  provider_acts acts{there, pages, held, customers, time, random, log};
  provider_promises follows{rows, there, notices, time, held, log};

 private:
  command_key command(const std::string& key) const { return {subject.merchant, subject.env, {}, key}; }
  command_record record(const std::string& key, operation what, std::int64_t amount) const {
    return {command(key), key, std::string{to_string(what)}, "payment", subject.id, amount, {}, time.now(), {}, {}};
  }
  static provider_call call_for(const payment& claimed) {
    provider_call call;
    call.provider_key = "pk_" + std::to_string(claimed.open->claim);
    call.what = claimed.open->what;
    call.amount = claimed.open->amount;
    call.subject = claimed;
    return call;
  }
  void act(const provider_call& call) {
    const auto& open = *call.subject.open;
    held.provider_acted({call.provider_key, subject, call.what, call.amount, open.command.key, open.claim});
  }
  void add(testing::unit_parts& unit, const payment* from, transition& step) const {
    const auto moved = movements_of(from, step.next);
    for (const auto& each : moved) unit.ledger.push_back(entry_of(each, step.next, step.movement_ref));
    for (const auto& added : totals_of(from, step.next, moved))
      unit.totals.push_back(count_daily{subject.merchant, subject.env, added});
    for (auto& entry : step.entries) {
      if (entry.kind == timeline_kind::event)
        entry.event_data = encoder.event_data(step.next, entry.operation, step.about);
      unit.entries.push_back(entry);
    }
  }
  void store(transition change) {
    testing::unit_parts unit;
    const auto before = row();
    add(unit, &before, change);
    unit.finish_command =
        command_finish{before.open->command, std::make_shared<const answer>(encoder.encode(change.result)), time.now()};
    unit.update_payment = std::move(change.next);
    commit(before, unit);
  }
  void commit(const std::optional<payment>& before, const testing::unit_parts& unit) {
    const auto from = before;  // `before` may be the row that changes
    REQUIRE(rows.commit(unit) == commit_outcome::committed);
    held.committed(from, unit);
  }
};

}  // namespace

TEST_CASE("whatever a provider does on its own, a payment that was compared with it is the same, and counts it once") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    followed_payment p{seed, seed % 4 == 0 ? provider_status::declined : provider_status::approved};
    INFO("seed " << seed);
    for (unsigned i = 0; i < 40; ++i) {
      p.time.leap(duration_ms{p.random.between(1, 8'000'000)});
      for (auto left = p.random.below(4); left > 0; --left) p.acts.act();
      const auto key = "key " + std::to_string(i);
      if (p.random.chance(0.1)) p.operate(key, capture_payment{p.random.between(0, 4200)});
      if (p.random.chance(0.1)) p.operate(key + " refund", refund_payment{p.random.between(0, 1000), "why"});
      if (p.random.chance(0.03)) p.operate(key + " void", void_payment{});
      if (p.random.chance(0.7)) p.compare();
      REQUIRE(p.broken() == "nothing");
    }
    p.compare();
    REQUIRE(difference_of(p.row(), p.provider()) == "");
    CHECK(p.comparison().entries.empty());
    p.check_at_rest();
    REQUIRE(p.broken() == "nothing");
  }
}

TEST_CASE("without a comparison a payment differs from its provider") {
  followed_payment p{1};
  p.provider().truth.charge = charge_state::captured;
  p.provider().truth.captured = 4199;
  p.follows.at_rest();
  CHECK(p.broken() == "pay_1 is authorized with 0 captured, at its provider it is captured with 4199");
}

TEST_CASE("each way in which a payment can differ from its provider is named") {
  using change = std::function<void(payment&, provider_truth&)>;
  const std::pair<change, const char*> table[] = {
      {[](payment&, provider_truth&) {}, ""},
      {[](payment& row, provider_truth&) { row.provider_ref = "other"; },
       "has another reference than its provider gave it"},
      {[](payment&, provider_truth& truth) { truth.captured = 4199; },
       "is partially_refunded with 4200 captured, at its provider it is captured with 4199"},
      {[](payment&, provider_truth& truth) { truth.charge = charge_state::expired; },
       "is partially_refunded with 4200 captured, at its provider it is expired with 4200"},
      {[](payment& row, provider_truth&) { row.records.refunds.clear(); }, "has the refund re_own_1 0 times"},
      {[](payment& row, provider_truth&) { row.records.refunds.push_back(row.records.refunds.front()); },
       "has the refund re_own_1 2 times"},
      {[](payment&, provider_truth& truth) { truth.refunds.front().status = refund_status::failed; },
       "has the refund re_own_1 of 100 as succeeded, the provider 100 as failed"},
      {[](payment&, provider_truth& truth) { truth.refunds.clear(); },
       "has the refund re_own_1, which the provider has not"},
      {[](payment& row, provider_truth&) { row.refunded = 200; }, "has 200 refunded, the provider 100"},
      {[](payment& row, provider_truth&) { row.records.disputes.clear(); }, "has the dispute du_1 0 times"},
      {[](payment&, provider_truth& truth) { truth.disputes.front().status = dispute_status::lost; },
       "has the dispute du_1 of 4000 as needs_response, the provider 4000 as lost"},
      {[](payment&, provider_truth& truth) { truth.disputes.clear(); }, "has 1 disputes, the provider 0"}};
  for (const auto& [alter, difference] : table) {
    followed_payment p{1};
    auto& truth = p.provider().truth;
    truth.charge = charge_state::captured;
    truth.captured = 4200;
    truth.refunds.push_back({"re_own_1", 100, refund_status::succeeded, {}, p.time.now()});
    truth.disputes.push_back(
        {"du_1", 4000, "fraudulent", dispute_status::needs_response, {}, p.time.now(), std::nullopt});
    p.compare();
    auto row = p.row();
    auto altered = p.provider();
    alter(row, altered.truth);
    INFO(difference);
    CHECK(difference_of(row, altered) == difference);
  }
}

TEST_CASE("steps whose events or movements do not lead to the row are detected") {
  using change = std::function<void(testing::unit_parts&)>;
  const auto event = [](testing::unit_parts& unit, std::string_view type) -> timeline_entry& {
    return *std::ranges::find(unit.entries, type, &timeline_entry::operation);
  };
  const std::pair<change, const char*> table[] = {
      {[](testing::unit_parts&) {}, ""},
      {[&](testing::unit_parts& unit) { event(unit, "payment.captured").operation = "payment.voided"; },
       "has the movement captured for the event payment.voided"},
      {[&](testing::unit_parts& unit) { event(unit, "payment.partially_refunded").operation = "payment.refunded"; },
       "is partially_refunded after the event payment.refunded"},
      {[&](testing::unit_parts& unit) { event(unit, "payment.captured").operation = "payment.settled"; },
       "has an event payment.settled"},
      {[](testing::unit_parts& unit) { unit.ledger.erase(unit.ledger.begin()); },
       "has no movement for the event payment.captured"},
      {[](testing::unit_parts& unit) { unit.ledger.back().seq += 1; },
       "has no movement for the event payment.partially_refunded"},
      {[](testing::unit_parts& unit) {
         auto more = unit.ledger.back();
         more.seq += 10;
         unit.ledger.push_back(more);
       },
       "has 3 movements, and 2 events of movements"},
      {[](testing::unit_parts& unit) { unit.ledger.back().amount.minor += 1; },
       "becomes partially_refunded with 4200 captured, 100 refunded, 0 taken back and 0 lost, and its events say "
       "partially_refunded with 4200 captured, 101 refunded, 0 taken back and 0 lost"},
      {[](testing::unit_parts& unit) { unit.update_payment->state = payment_state::captured; },
       "becomes captured with 4200 captured, 100 refunded, 0 taken back and 0 lost, and its events say "
       "partially_refunded with 4200 captured, 100 refunded, 0 taken back and 0 lost"}};
  for (const auto& [alter, fault] : table) {
    followed_payment p{1};
    auto& truth = p.provider().truth;
    truth.charge = charge_state::captured;
    truth.captured = 4200;
    truth.refunds.push_back({"re_own_1", 100, refund_status::succeeded, {}, p.time.now()});
    auto unit = p.comparison();
    REQUIRE(unit.ledger.size() == 2);
    alter(unit);
    INFO(fault);
    CHECK(fault_of_steps(p.row(), *unit.update_payment, unit).value_or("") == fault);
  }
}

TEST_CASE("a refund that counts twice in the ledger, or has two events, is detected") {
  followed_payment twice, reported;
  for (auto* p : {&twice, &reported}) {
    auto& truth = p->provider().truth;
    truth.charge = charge_state::captured;
    truth.captured = 4200;
    truth.refunds.push_back({"re_own_1", 100, refund_status::succeeded, {}, p->time.now()});
    p->compare();
    p->follows.at_rest();
    REQUIRE(p->broken() == "nothing");
  }
  auto again = twice.rows.ledger.rbegin()->second;
  again.seq += 1;
  twice.rows.ledger.emplace(testing::memory_store::id(again), again);
  twice.follows.at_rest();
  CHECK(twice.broken() == "pay_1: its ledger has the refund re_own_1 2 times, and its failure 0 times");

  auto& timeline = reported.rows.timelines.at(testing::memory_store::id(reported.subject));
  auto event = timeline.rbegin()->second;
  event.seq += 1;
  timeline.emplace(event.seq, event);
  reported.follows.at_rest();
  CHECK(reported.broken() ==
        "pay_1: the refund " + reported.row().records.refunds.front().id + " has 2 events, and its failure 0");
}

TEST_CASE("a refresh that finds nothing new and is in the timeline is detected") {
  followed_payment p{1};
  p.follows.before_second_refresh();
  p.follows.after_second_refresh();
  CHECK(p.broken() == "nothing");
  p.rows.payments.at(testing::memory_store::id(p.subject)).next_seq += 1;
  p.follows.after_second_refresh();
  CHECK(p.broken() == "pay_1: a refresh that finds nothing new is in its timeline");
}
