// The subscription's state machine: every state × every notification and every command as tables, and the property that
// the provider's history has one outcome, in whatever order it arrives.
#include <catch2/catch.hpp>

#include "gateway/domain/customer.hpp"
#include "gateway/domain/daily_total.hpp"
#include "gateway/domain/ledger.hpp"
#include "subscription_histories.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;

namespace {

using list = std::vector<std::string>;

constexpr int known_second = 100;

/// A subscription in this status, reached by the provider's notifications; `pending` and `failed` are the gateway's
/// own.
subscription subscription_in(subscription_status status) {
  auto s = pending_checkout();
  s.state.status = status;
  if (status == subscription_status::pending || status == subscription_status::failed) return s;
  s.provider_subscription_id = provider_sub;
  s.activated = true;
  s.known = history_position{now + std::chrono::seconds{known_second}, 0, notification_kind::updated, "evt_known"};
  s.due_at.reset();
  if (is_final(status)) {
    s.state.canceled_at = s.known->at;
    s.cancellation_reported = true;
  }
  return s;
}

const subscription_transition& changed(const notification_outcome& outcome) {
  REQUIRE(std::holds_alternative<subscription_transition>(outcome));
  return std::get<subscription_transition>(outcome);
}

std::string reported(const subscription_transition& t) {
  std::string text;
  for (const auto& event : t.events) text.append(text.empty() ? "" : " ").append(to_string(event.type));
  for (const auto& charge : t.charges) text.append(" ").append(to_string(charge.result));
  return text;
}

/// `=` if the status stays, `keeps` if the notification waits; then the events.
std::string verdict(const subscription& s, const subscription_notification& n) {
  const auto outcome = apply(s, n, false, now);
  const auto& t = changed(outcome);
  if (t.next.waiting.size() > s.waiting.size()) return "keeps";
  const auto status = t.next.state.status == s.state.status ? "=" : std::string{to_string(t.next.state.status)};
  const auto events = reported(t);
  return events.empty() ? status : status + ": " + events;
}

const subscription_claim& claim_of(const subscription_decision& d) {
  REQUIRE(std::holds_alternative<subscription_claim>(d));
  return std::get<subscription_claim>(d);
}

std::string verdict(const subscription_decision& d) {
  if (std::holds_alternative<subscription_claim>(d)) return "claim";
  const auto& result = std::get<subscription_conclusion>(d).result;
  if (!result.failure) return "ok";
  return *result.failure == subscription_problem::outcome_pending ? "outcome_pending" : "another";
}

subscription canceling(const subscription& s) {
  return claim_of(decide(s, cancel_subscription{}, command, now, timing)).claimed;
}

provider_error no_answer() { return {error_category::timeout, "provider_timeout", "No answer.", true, true}; }

subscription_answer answered(provider_status status) {
  subscription_answer answer;
  answer.status = status;
  if (status == provider_status::unknown) answer.error = no_answer();
  if (status == provider_status::declined)
    answer.error = provider_error{error_category::provider, "declined", "Declined.", false, false};
  return answer;
}

/// The provider's answer to a cancel or an expiry where the customer had paid.
subscription_answer seen(const subscription_notification& newest) {
  auto answer = answered(provider_status::approved);
  answer.seen = subscription_statement{newest.provider_subscription_id, newest.state, position_of(newest)};
  return answer;
}

}  // namespace

// ---- notifications ------------------------------------------------------------------------------

TEST_CASE("every state takes every notification, newer or older than the last applied one") {
  using enum subscription_status;
  struct verdicts {
    const char *newer, *older;
  };
  struct row {
    verdicts created, invoice_failed, invoice_paid, updated, updated_to_its_end, deleted;
  };
  // Nothing is known yet: newer and older are the same, and all except the creation wait for it.
  const row before_creation{{"active: activated", "active: activated"},
                            {"keeps", "keeps"},
                            {"keeps", "keeps"},
                            {"keeps", "keeps"},
                            {"keeps", "keeps"},
                            {"keeps", "keeps"}};
  // An older notification has its event, and the state stays. An end is final, however late it arrives.
  const row alive{{"active", "="},
                  {"past_due: invoice_failed failed", "=: invoice_failed failed"},
                  {"active: invoice_paid paid", "=: invoice_paid paid"},
                  {"paused: updated", "=: updated"},
                  {"incomplete_expired: canceled", "incomplete_expired: canceled"},
                  {"canceled: canceled", "canceled: canceled"}};
  // The end of an ended subscription has no event.
  const row ended{{"=", "="},
                  {"=: invoice_failed failed", "=: invoice_failed failed"},
                  {"=: invoice_paid paid", "=: invoice_paid paid"},
                  {"=: updated", "=: updated"},
                  {"=", "="},
                  {"=", "="}};
  row already_active = alive, already_paused = alive, already_past_due = alive;
  already_active.created.newer = "=";
  already_active.invoice_paid.newer = "=: invoice_paid paid";
  already_paused.updated.newer = "=: updated";
  already_past_due.invoice_failed.newer = "=: invoice_failed failed";
  const std::map<subscription_status, row> table{
      {pending, before_creation},  {failed, before_creation}, {incomplete, alive},          {trialing, alive},
      {active, already_active},    {unpaid, alive},           {past_due, already_past_due}, {paused, already_paused},
      {incomplete_expired, ended}, {canceled, ended},
  };
  REQUIRE(table.size() == enum_count<subscription_status>);
  for (const auto& [status, expected] : table) {
    const auto s = subscription_in(status);
    for (const bool newer : {true, false}) {
      CAPTURE(to_string(status), newer);
      const int second = newer ? known_second + 1 : known_second - 1;
      const auto check = [&](const verdicts& v, notification_kind kind, subscription_status then, bool moved = false) {
        auto n = notification("evt_1", kind, then, second);
        n.status_changed = moved;
        CAPTURE(to_string(kind), moved);
        CHECK(verdict(s, n) == (newer ? v.newer : v.older));
      };
      check(expected.created, notification_kind::created, active);
      check(expected.invoice_failed, notification_kind::invoice_failed, past_due);
      check(expected.invoice_paid, notification_kind::invoice_paid, active);
      check(expected.updated, notification_kind::updated, paused);
      check(expected.updated_to_its_end, notification_kind::updated, incomplete_expired, true);
      check(expected.deleted, notification_kind::deleted, canceled);
    }
  }
}

TEST_CASE("an event contains its notification's fields, and the ids by which callers know the subscription") {
  auto n = notification("evt_abc", notification_kind::invoice_paid, subscription_status::active, 7);
  n.state.period_end = now + 24h;
  const auto outcome = apply(subscription_in(subscription_status::active), n, false, now);
  const auto& t = changed(outcome);
  REQUIRE(t.events.size() == 1);
  const auto& event = t.events.front();
  CHECK(event.event_id == "evt_sandbox_subscription_invoice_paid_evt_abc");
  CHECK(event.seq == 2);
  CHECK(t.next.next_seq == 3);
  CHECK(event.occurred_at == now);
  CHECK(event.data.subscription_id == "sub_merch_1_sub_9");
  CHECK(event.data.provider_subscription_id == "sub_9");
  CHECK(event.data.customer_ref == "customer 7");
  CHECK(event.data.state == n.state);
  CHECK(event.data.source_event_id == "evt_abc");
  CHECK(event.data.source_event_at == n.at);
  REQUIRE(t.charges.size() == 1);
  const auto& charge = t.charges.front();
  CHECK(charge.payment == payment_key(the_merchant, environment::live, payment_id{"pay_in_9_1"}));
  CHECK(charge.event_id == "evt_sandbox_payment_captured_evt_abc");
  CHECK(charge.account == "acct_1");
  CHECK(charge.customer_ref == "customer 7");
  CHECK(charge.description == "Magazine");
  CHECK(charge.metadata == n.state.metadata);
  CHECK(charge.invoice == n.invoice);
}

TEST_CASE("the events of an invoice have its own amount and period, and the subscription keeps its price and period") {
  using enum notification_kind;
  for (const auto kind : {invoice_paid, invoice_failed}) {
    auto n = notification("evt_1", kind, subscription_status::active, 200);
    n.state.period_end = now + 24h;
    n.invoice->amount = {950, *currency::parse("USD")};
    n.invoice->period_start = now - 48h;
    n.invoice->period_end = now - 24h;
    const auto outcome = apply(subscription_in(subscription_status::active), n, false, now);
    const auto& t = changed(outcome);
    REQUIRE(t.events.size() == 1);
    const auto& shown = t.events.front().data.state;
    CHECK(shown.amount == n.invoice->amount);
    CHECK(shown.period_start == n.invoice->period_start);
    CHECK(shown.period_end == n.invoice->period_end);
    CHECK(t.next.state.amount == n.state.amount);
    CHECK(t.next.state.period_start == n.state.period_start);
    CHECK(t.next.state.period_end == n.state.period_end);
  }
}

TEST_CASE("all five events have the id that follows from the provider's event") {
  using enum notification_kind;
  struct row {
    notification_kind kind;
    const char* event_id;
  };
  for (const auto& r :
       {row{created, "evt_sandbox_subscription_activated_evt_1"},
        row{updated, "evt_sandbox_subscription_updated_evt_1"}, row{deleted, "evt_sandbox_subscription_canceled_evt_1"},
        row{invoice_paid, "evt_sandbox_subscription_invoice_paid_evt_1"},
        row{invoice_failed, "evt_sandbox_subscription_invoice_failed_evt_1"}}) {
    auto s = subscription_in(subscription_status::active);
    if (r.kind == created) s = pending_checkout();
    const auto status = r.kind == deleted ? subscription_status::canceled : subscription_status::active;
    const auto outcome = apply(s, notification("evt_1", r.kind, status, 200), false, now);
    REQUIRE(changed(outcome).events.size() == 1);
    CHECK(changed(outcome).events.front().event_id == r.event_id);
  }
}

TEST_CASE("each provider event id counts once") {
  const auto n = notification("evt_1", notification_kind::invoice_paid, subscription_status::active, 200);
  const auto outcome = apply(subscription_in(subscription_status::active), n, true, now);
  CHECK(std::get<notification_ignored>(outcome) == notification_ignored::counted);
}

TEST_CASE("notifications before the creation are kept, and applied after it in the provider's order") {
  using enum notification_kind;
  auto s = pending_checkout();
  const auto before = s;
  for (const auto& n : {notification("evt_4", deleted, subscription_status::canceled, 40),
                        notification("evt_3", updated, subscription_status::past_due, 30),
                        notification("evt_2", invoice_paid, subscription_status::active, 20)}) {
    const auto outcome = apply(s, n, false, now);
    const auto& t = changed(outcome);
    CHECK(t.events.empty());
    CHECK(t.charges.empty());
    s = t.next;
    CHECK(s.state == before.state);
    CHECK_FALSE(s.due_at);  // the customer has paid: nothing is left to expire
    CHECK_FALSE(expire_checkout(s, now + 48h, timing));
  }
  const auto outcome = apply(s, notification("evt_1", created, subscription_status::active, 10), false, now);
  const auto& t = changed(outcome);
  CHECK(reported(t) == "activated invoice_paid updated canceled paid");
  CHECK(t.next.waiting.empty());
  CHECK(t.next.state.status == subscription_status::canceled);
  CHECK(t.next.provider_subscription_id == provider_sub);
}

TEST_CASE("when too many notifications wait for a creation, it counts as lost, and all of them are applied") {
  auto s = pending_checkout();
  const auto kept = notification("evt_2", notification_kind::updated, subscription_status::active, 20);
  s.waiting.assign(most_waiting_notifications - 1, kept);
  const auto last = notification("evt_3", notification_kind::updated, subscription_status::active, 30);
  s = changed(apply(s, last, false, now)).next;
  CHECK(s.waiting.size() == most_waiting_notifications);
  CHECK_FALSE(s.activated);

  const auto further = notification("evt_4", notification_kind::updated, subscription_status::paused, 40);
  const auto outcome = apply(s, further, false, now);
  const auto& all = changed(outcome);
  CHECK(all.next.waiting.empty());
  CHECK(all.next.provider_subscription_id == provider_sub);
  CHECK(all.next.state.status == subscription_status::paused);
  CHECK(all.events.size() == most_waiting_notifications + 2);
  CHECK(all.events.front().type == subscription_event_type::activated);

  // A late creation is not a second one.
  const auto late =
      apply(all.next, notification("evt_1", notification_kind::created, subscription_status::active, 10), false, now);
  CHECK(changed(late).events.empty());
}

TEST_CASE("a checkout becomes one subscription: notifications of another are ignored") {
  auto n = notification("evt_1", notification_kind::updated, subscription_status::paused, 200);
  n.provider_subscription_id = "sub_other";
  CHECK(std::get<notification_ignored>(apply(subscription_in(subscription_status::active), n, false, now)) ==
        notification_ignored::foreign);
  // The notification arrives before the creation shows the subscription's id, so it is kept, and ignored after that.
  auto s = changed(apply(pending_checkout(), n, false, now)).next;
  const auto outcome =
      apply(s, notification("evt_2", notification_kind::created, subscription_status::active, 10), false, now);
  CHECK(reported(changed(outcome)) == "activated");
  CHECK(changed(outcome).next.waiting.empty());
}

TEST_CASE("a deletion ends the subscription at its time, whatever a read of the provider returned") {
  const auto n = notification("evt_1", notification_kind::deleted, subscription_status::active, 200);
  const auto outcome = apply(subscription_in(subscription_status::active), n, false, now);
  const auto& t = changed(outcome);
  CHECK(t.next.state.status == subscription_status::canceled);
  CHECK(t.next.state.canceled_at == n.at);
  CHECK(t.events.front().data.state.canceled_at == n.at);
}

TEST_CASE("an update of an ended subscription is an update") {
  const auto n = notification("evt_1", notification_kind::updated, subscription_status::canceled, 200);
  CHECK(verdict(subscription_in(subscription_status::canceled), n) == "=: updated");
}

TEST_CASE("a cycle without cost has an event, and no payment") {
  auto n = notification("evt_1", notification_kind::invoice_paid, subscription_status::trialing, 200);
  n.invoice->amount.minor = 0;
  const auto before = subscription_in(subscription_status::trialing);
  CHECK(verdict(before, n) == "=: invoice_paid");
  CHECK(changed(apply(before, n, false, now)).events.front().data.state.amount.minor == 0);
}

TEST_CASE("notifications of one second are ordered by sequence, then by kind") {
  const auto before = subscription_in(subscription_status::active);
  const auto first = notification("evt_z", notification_kind::updated, subscription_status::past_due, 200, 4);
  const auto second = notification("evt_a", notification_kind::updated, subscription_status::paused, 200, 5);
  const auto after_second = changed(apply(before, second, false, now)).next;
  CHECK(changed(apply(after_second, first, false, now)).next.state.status == subscription_status::paused);
  const auto made = notification("evt_z", notification_kind::created, subscription_status::incomplete, 200);
  const auto paid = notification("evt_a", notification_kind::updated, subscription_status::active, 200);
  CHECK(position_of(made) < position_of(paid));
}

TEST_CASE("an adapter passes on only notifications that can be stored") {
  const auto good = notification("evt_1", notification_kind::invoice_paid, subscription_status::active, 1);
  CHECK_FALSE(fault_of(good));
  const auto with = [&](auto change) {
    auto n = good;
    change(n);
    return fault_of(n).has_value();
  };
  CHECK(with([](auto& n) { n.event_id.clear(); }));
  CHECK(with([](auto& n) { n.event_id = std::string(151, 'x'); }));
  CHECK(with([](auto& n) { n.event_id = "evt 1"; }));
  CHECK(with([](auto& n) { n.provider_subscription_id.clear(); }));
  CHECK(with([](auto& n) { n.state.status = subscription_status::pending; }));
  CHECK(with([](auto& n) { n.state.status = subscription_status::failed; }));
  CHECK(with([](auto& n) { n.invoice.reset(); }));
  CHECK(with([](auto& n) { n.kind = notification_kind::updated; }));
  CHECK(with([](auto& n) { n.invoice->id = std::string(61, 'x'); }));
}

// ---- the checkout -------------------------------------------------------------------------------

TEST_CASE("a checkout is durable before its provider is called, and pending once it is open") {
  const auto begun = begun_checkout();
  CHECK(begun.version == 1);
  CHECK(begun.state.status == subscription_status::pending);
  CHECK(begun.open == open_subscription_operation{command, subscription_operation::open_checkout, false, 0, 1, now});
  CHECK(begun.due_at == now + timing.abandoned_after);
  auto answer = answered(provider_status::pending);
  answer.checkout_session_id = "cs_9";
  answer.hosted_url = "https://gateway/page";
  const auto t = conclude(begun, answer, now, timing);
  CHECK_FALSE(t.result.failure);
  CHECK(t.result.after == t.next);
  CHECK(t.next.version == 2);
  CHECK(t.next.state.status == subscription_status::pending);
  CHECK(t.next.checkout_session_id == "cs_9");
  CHECK(t.next.hosted_url == "https://gateway/page");
  CHECK_FALSE(t.next.open);
  CHECK(t.next.due_at == now + 24h);
  CHECK(t.events.empty());
  REQUIRE(t.attempts.size() == 1);
  CHECK(t.attempts.front().operation == "hosted_session");
  CHECK(t.attempts.front().status == "pending");
}

TEST_CASE("an interval_count of 0 means 1") {
  auto wanted = wanted_checkout();
  wanted.every.count = 0;
  CHECK(begin_checkout({}, wanted, {}, command, now, timing).state.every.count == 1);
}

TEST_CASE("a checkout that the provider does not open, or does not answer, has failed") {
  for (const auto status : {provider_status::declined, provider_status::unknown, provider_status::none}) {
    CAPTURE(to_string(status));
    const auto t = conclude(begun_checkout(), answered(status), now, timing);
    CHECK(t.result.failure == subscription_problem::checkout_failed);
    CHECK(t.next.state.status == subscription_status::failed);
    CHECK(t.next.error == t.result.error);
    CHECK_FALSE(t.next.open);
    CHECK_FALSE(t.next.due_at);
    CHECK(t.events.empty());
  }
}

TEST_CASE("a checkout that seemed to fail follows the provider, if it reports a subscription") {
  const auto made = notification("evt_1", notification_kind::created, subscription_status::active, 10);
  const auto first_failed = conclude(begun_checkout(), answered(provider_status::unknown), now, timing).next;
  const auto first_told = changed(apply(begun_checkout(), made, false, now)).next;
  const auto one = changed(apply(first_failed, made, false, now)).next;
  const auto other = conclude(first_told, answered(provider_status::unknown), now, timing).next;
  CHECK(one.state.status == subscription_status::active);
  CHECK(comparable(one) == comparable(other));
}

TEST_CASE("the hosted page takes a payment while its checkout waits, and a customer who was declined may retry") {
  using enum checkout_choice;
  using enum checkout_verdict;
  const auto s = pending_checkout();
  CHECK(decide(s, pay, now) == pays);
  CHECK(decide(s, decline, now) == left_pending);
  CHECK(decide(s, cancel, now) == left_pending);
  CHECK(decide(s, pay, now + 24h - 1ms) == pays);
  for (const auto choice : {pay, decline, cancel}) {
    CHECK(decide(s, choice, now + 24h) == closed);
    CHECK(decide(canceling(s), choice, now) == closed);
    CHECK(decide(begun_checkout(), choice, now) == closed);
    for (std::size_t i = 0; i < enum_count<subscription_status>; ++i) {
      const auto status = static_cast<subscription_status>(i);
      if (status != subscription_status::pending) CHECK(decide(subscription_in(status), choice, now) == closed);
    }
  }
}

TEST_CASE("an abandoned checkout expires after a day, once the provider has closed it, without an event") {
  const auto s = pending_checkout();
  CHECK_FALSE(expire_checkout(s, now + 24h - 1ms, timing));
  const auto due = expire_checkout(s, now + 24h, timing);
  REQUIRE(due);
  CHECK(due->claimed.open->what == subscription_operation::expire);
  SECTION("closed: it has expired") {
    const auto t = conclude(due->claimed, answered(provider_status::approved), now + 24h, timing);
    CHECK(t.next.state.status == subscription_status::incomplete_expired);
    CHECK_FALSE(t.next.state.canceled_at);
    CHECK(t.events.empty());
    CHECK_FALSE(t.next.due_at);
    CHECK_FALSE(expire_checkout(t.next, now + 48h, timing));
  }
  SECTION("the customer was faster: pending, until the creation arrives") {
    const auto made = notification("evt_1", notification_kind::created, subscription_status::active, 10);
    const auto t = conclude(due->claimed, seen(made), now + 24h, timing);
    CHECK(t.next.state.status == subscription_status::pending);
    CHECK_FALSE(t.next.due_at);
    CHECK_FALSE(expire_checkout(t.next, now + 48h, timing));
    const auto outcome = apply(t.next, made, false, now);
    CHECK(reported(changed(outcome)) == "activated");
    CHECK(changed(outcome).next.state.status == subscription_status::active);
  }
  SECTION("no clear answer: asked again, later and later") {
    auto open = due->claimed;
    for (const auto wait : {5s, 10s, 20s}) {
      const auto t = conclude(open, answered(provider_status::unknown), now, timing);
      CHECK(t.next.state.status == subscription_status::pending);
      CHECK(t.next.due_at == now + wait);
      CHECK(asks_again(t.next, now + wait, timing));
      CHECK_FALSE(asks_again(t.next, now + wait - 1ms, timing));
      open = t.next;
    }
    CHECK(conclude(open, answered(provider_status::declined), now, timing).next.open);
  }
  SECTION("an operator need not wait for the day to pass") {
    CHECK(expire_checkout(s, now, timing, true));
    CHECK_FALSE(expire_checkout(subscription_in(subscription_status::active), now, timing, true));
  }
}

// ---- canceling ----------------------------------------------------------------------------------

TEST_CASE("every state answers a cancel, also while an operation is open") {
  using enum subscription_status;
  struct row {
    const char *nothing_open, *opening, *canceling, *cancel_unknown, *expiring;
  };
  const row goes_on{"claim", "outcome_pending", "outcome_pending", "claim", "claim"};
  const row over{"ok", "ok", "ok", "ok", "ok"};
  const std::map<subscription_status, row> table{
      {pending, goes_on},  {failed, over},    {incomplete, goes_on}, {trialing, goes_on},        {active, goes_on},
      {past_due, goes_on}, {unpaid, goes_on}, {paused, goes_on},     {incomplete_expired, over}, {canceled, over},
  };
  REQUIRE(table.size() == enum_count<subscription_status>);
  for (const auto& [status, expected] : table) {
    CAPTURE(to_string(status));
    auto s = subscription_in(status);
    const auto answer = [&] { return verdict(decide(s, cancel_subscription{}, command, now, timing)); };
    using enum subscription_operation;
    CHECK(answer() == expected.nothing_open);
    s.open = open_subscription_operation{command, open_checkout, false, 0, 1, now};
    CHECK(answer() == expected.opening);
    s.open = open_subscription_operation{command, cancel, false, 0, 1, now};
    CHECK(answer() == expected.canceling);
    s.open = open_subscription_operation{command, cancel, true, 1, 1, now};
    CHECK(answer() == expected.cancel_unknown);
    s.open = open_subscription_operation{{}, expire, false, 0, 1, now};
    CHECK(answer() == expected.expiring);
  }
}

TEST_CASE("a cancel becomes what the provider answers") {
  const auto begun = canceling(subscription_in(subscription_status::active));
  const auto end = notification("evt_9", notification_kind::deleted, subscription_status::canceled, 200);
  SECTION("canceled, at the provider's time, and the notification causes the event") {
    const auto t = conclude(begun, seen(end), now, timing);
    CHECK_FALSE(t.result.failure);
    CHECK(t.result.after.state.status == subscription_status::canceled);
    CHECK(t.result.after.state.canceled_at == end.at);
    CHECK(t.events.empty());
    const auto told_later = apply(t.next, end, false, now);
    CHECK(reported(changed(told_later)) == "canceled");
    CHECK(changed(told_later).next.state == t.next.state);
    // A repeated cancel is answered from the row.
    CHECK(verdict(decide(t.next, cancel_subscription{}, command, now, timing)) == "ok");
  }
  SECTION("rejected: it continues, and the caller gets the reason") {
    const auto t = conclude(begun, answered(provider_status::declined), now, timing);
    CHECK(t.result.failure == subscription_problem::cancel_rejected);
    CHECK(t.result.error->code == "declined");
    CHECK(t.next.state.status == subscription_status::active);
    CHECK_FALSE(t.next.open);
  }
  SECTION("no answer: unknown, and asked again") {
    const auto t = conclude(begun, answered(provider_status::unknown), now, timing);
    CHECK(t.result.failure == subscription_problem::outcome_unknown);
    CHECK(t.next.state.status == subscription_status::active);
    CHECK(t.next.due_at == now + 5s);
    const auto settled = conclude(t.next, seen(end), now, timing);
    CHECK(settled.next.state.status == subscription_status::canceled);
    CHECK_FALSE(settled.next.due_at);
  }
  SECTION("an answer with a continuing subscription counts as no answer") {
    const auto goes_on = notification("evt_9", notification_kind::updated, subscription_status::active, 200);
    CHECK(conclude(begun, seen(goes_on), now, timing).result.failure == subscription_problem::outcome_unknown);
  }
}

TEST_CASE("a cancel of a pending checkout closes it, without an event") {
  const auto t = conclude(canceling(pending_checkout()), answered(provider_status::approved), now, timing);
  CHECK_FALSE(t.result.failure);
  CHECK(t.next.state.status == subscription_status::canceled);
  CHECK(t.next.state.canceled_at == now);
  CHECK(t.events.empty());
  CHECK_FALSE(t.next.due_at);
}

TEST_CASE("a cancel of a just paid checkout ends it, and the provider's notifications meanwhile have their events") {
  using enum notification_kind;
  const auto end = notification("evt_3", deleted, subscription_status::canceled, 30);
  auto s = conclude(canceling(pending_checkout()), seen(end), now, timing).next;
  CHECK(s.state.status == subscription_status::canceled);
  const auto paid = apply(s, notification("evt_2", invoice_paid, subscription_status::active, 20), false, now);
  s = changed(paid).next;
  CHECK(changed(paid).events.empty());
  const auto made = apply(s, notification("evt_1", created, subscription_status::active, 10), false, now);
  CHECK(reported(changed(made)) == "activated invoice_paid paid");
  s = changed(made).next;
  CHECK(s.state.status == subscription_status::canceled);
  CHECK(reported(changed(apply(s, end, false, now))) == "canceled");
}

// ---- the payments of cycles ---------------------------------------------------------------------

TEST_CASE("the attempts at an invoice move one payment, and only a failed one may become captured") {
  const auto charge = [](cycle_result result, unsigned attempt) {
    cycle_charge c;
    c.payment = payment_key(the_merchant, environment::live, payment_id{"pay_in_9_1"});
    c.platform = platform_id{"plat_1"};
    c.customer_ref = "reader-17";
    c.result = result;
    c.invoice = subscription_invoice{"in_9_1", {1500, *currency::parse("EUR")}, {}, {}, attempt, attempt == 4, {}, {}};
    if (result == cycle_result::failed) c.invoice.failure_code = "card_declined";
    c.event_id = "evt_" + std::to_string(attempt);
    return c;
  };
  auto t = settle_cycle(std::nullopt, charge(cycle_result::failed, 1), now);
  REQUIRE(t);
  CHECK(t->next.version == 1);
  CHECK(t->next.state == payment_state::failed);
  CHECK(t->next.error->code == "card_declined");
  CHECK(t->next.error->retryable);
  REQUIRE(t->entries.size() == 2);
  CHECK(t->entries[0].operation == "charge");
  CHECK(t->entries[0].status == "declined");
  CHECK(t->entries[1].operation == "payment.failed");
  CHECK(t->entries[1].event_id == "evt_1");
  t = settle_cycle(t->next, charge(cycle_result::paid, 2), now);
  REQUIRE(t);
  CHECK(t->next.state == payment_state::captured);
  CHECK(t->next.captured == 1500);
  CHECK_FALSE(t->next.error);
  CHECK(t->entries.back().operation == "payment.captured");
  SECTION("a late failure has its event, and the money stays") {
    const auto late = settle_cycle(t->next, charge(cycle_result::failed, 1), now);
    REQUIRE(late);
    CHECK(late->next.state == payment_state::captured);
    CHECK(late->entries.back().operation == "payment.failed");
    CHECK_FALSE(late->next.error);
    CHECK(as_reported(late->next, charge(cycle_result::failed, 1)).error->code == "card_declined");
    auto refunded = t->next;
    refunded.state = payment_state::refunded;
    refunded.refunded = 1500;
    CHECK(settle_cycle(refunded, charge(cycle_result::failed, 1), now)->next.state == payment_state::refunded);
    CHECK(settle_cycle(refunded, charge(cycle_result::paid, 3), now)->next.state == payment_state::refunded);
  }
  SECTION("it belongs to the customer without changing that: no mapping is made, and no method saved") {
    CHECK(t->next.customer == payment_customer{platform_id{"plat_1"}, "reader-17", {}, false, false, {}});
    CHECK_FALSE(update_of({}, t->next));
    provider_result yes;
    yes.status = provider_status::approved;
    const auto claimed = std::get<claim>(decide(t->next, refund_payment{500, {}}, command, now, timing)).claimed;
    const auto refunded = conclude(claimed, yes, now, timing).next;
    CHECK(refunded.customer == t->next.customer);
    CHECK_FALSE(update_of(claimed, refunded));
  }
  SECTION("a payment that was stored without its customer gets it at the next attempt") {
    auto old = t->next;
    old.customer.reset();
    CHECK(settle_cycle(old, charge(cycle_result::paid, 3), now)->next.customer == t->next.customer);
  }
  SECTION("it is refundable like any other") {
    CHECK(std::holds_alternative<claim>(decide(t->next, refund_payment{500, {}}, command, now, timing)));
  }
  SECTION("a caller's payment of the same id stays unchanged") {
    auto another = t->next;
    another.provider_ref = "ch_1";
    CHECK_FALSE(settle_cycle(another, charge(cycle_result::paid, 2), now));
  }
}

TEST_CASE("a cycle is captured with what was paid, whatever amount failed before") {
  for (const std::int64_t paid : {950, 2400}) {
    cycle_charge c;
    c.payment = payment_key(the_merchant, environment::live, payment_id{"pay_in_9_1"});
    c.result = cycle_result::failed;
    c.invoice = subscription_invoice{"in_9_1", {1900, *currency::parse("EUR")}, {}, {}, 1, false, "card_declined", {}};
    const auto failed = settle_cycle(std::nullopt, c, now);
    REQUIRE(failed);
    CHECK(failed->next.amount.minor == 1900);
    auto retry = c;
    retry.result = cycle_result::paid;
    retry.invoice.amount.minor = paid;
    const auto collected = settle_cycle(failed->next, retry, now);
    REQUIRE(collected);
    CHECK(collected->next.amount == retry.invoice.amount);
    CHECK(collected->next.captured == paid);
    CHECK(movements_of(&failed->next, collected->next) == std::vector{movement{ledger_kind::captured, paid}});
    for (const auto& total : totals_of(&failed->next, collected->next)) CHECK(total.amount.minor == paid);
    const auto late = settle_cycle(collected->next, c, now);
    REQUIRE(late);
    CHECK(late->next.amount.minor == paid);
    CHECK(late->next.captured == paid);
  }
}

// ---- identifiers --------------------------------------------------------------------------------

TEST_CASE("a subscription is addressed by the caller's id or the events' id") {
  CHECK(public_subscription_id(the_merchant, "sub_9") == "sub_merch_1_sub_9");
  CHECK(provider_subscription_id_in("sub_merch_1_sub_9", the_merchant) == "sub_9");
  for (const char* none :
       {"", "sub_", "magazine-7", "sub_merch_1", "sub_merch_1_", "sub_merch_2_sub_9", "sub_merch_12_x"})
    CHECK_FALSE(provider_subscription_id_in(none, the_merchant));
  CHECK(is_subscription_id("Magazine_7-a"));
  CHECK(is_subscription_id(std::string(64, 'x')));
  CHECK_FALSE(is_subscription_id(std::string(65, 'x')));
  CHECK_FALSE(is_subscription_id(""));
  CHECK_FALSE(is_subscription_id("a b"));
  CHECK(subscription_key(the_merchant, environment::live, "x").kind == entity_kind::subscription);
}
