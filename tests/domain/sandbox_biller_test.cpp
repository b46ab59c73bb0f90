// The sandbox as a provider of subscriptions: what it bills and when, its notifications, and that a restart changes
// neither.
#include <catch2/catch.hpp>

#include "gateway/domain/sandbox_biller.hpp"
#include "subscription_histories.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;
using std::chrono::days;

namespace {

using list = std::vector<std::string>;

time_point at(std::string_view text) { return parse_seconds(text).value(); }

sandbox_subscription opened(billing_period every = {billing_interval::month, 1}, std::uint32_t trial_days = 0) {
  auto row = pending_checkout();
  row.state.every = every;
  row.details.trial_period_days = trial_days;
  return sandbox_checkout(row, "cs_9");
}

sandbox_subscription paid(std::string_view when, billing_period every = {billing_interval::month, 1},
                          std::uint32_t trial_days = 0) {
  return pay(opened(every, trial_days), at(when)).next;
}

/// `kind status` of each notification, and the attempt for an invoice's.
list lines(const std::vector<subscription_notification>& reported) {
  list texts;
  for (const auto& n : reported) {
    auto text = std::string{to_string(n.kind)}.append(" ").append(to_string(n.state.status));
    if (n.invoice) text.append(" ").append(n.invoice->id).append(" ").append(std::to_string(n.invoice->attempt));
    if (n.invoice && n.invoice->final_attempt) text.append(" final");
    texts.push_back(std::move(text));
  }
  return texts;
}

list paid_at(const std::vector<subscription_notification>& reported) {
  list times;
  for (const auto& n : reported)
    if (n.kind == notification_kind::invoice_paid) times.push_back(format_seconds(n.at));
  return times;
}

std::size_t invoices_in(const std::vector<subscription_notification>& reported) { return paid_at(reported).size(); }

/// The gateway's fold of the notifications.
fold received(const std::vector<subscription_notification>& reported) {
  fold f;
  f.row = pending_checkout();
  for (const auto& n : reported) f.hear(n);
  return f;
}

void append(std::vector<subscription_notification>& all, const std::vector<subscription_notification>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

TEST_CASE("a checkout has no notifications until it is paid, and then those of its creation and the first cycle") {
  const auto checkout = opened();
  CHECK(checkout.status == subscription_status::pending);
  CHECK(checkout.id == "sub_9");
  CHECK_FALSE(due_at(checkout));
  CHECK(bill_due(checkout, at("2030-01-01T00:00:00Z")).notifications.empty());
  const auto step = pay(checkout, at("2026-01-15T10:00:00Z"));
  CHECK(lines(step.notifications) == list{"created active", "invoice_paid active in_9_1 1"});
  const auto& invoice = *step.notifications[1].invoice;
  CHECK(invoice.amount == money{1500, *currency::parse("EUR")});
  CHECK(invoice.period_start == at("2026-01-15T10:00:00Z"));
  CHECK(invoice.period_end == at("2026-02-15T10:00:00Z"));
  CHECK(step.notifications[0].state.period_start == at("2026-01-15T10:00:00Z"));
  CHECK(step.notifications[0].state.period_end == at("2026-02-15T10:00:00Z"));
  CHECK(step.notifications[1].state.metadata == wanted_checkout().metadata);
  CHECK(step.notifications[1].state.provider_customer_id == "cus_7");
  CHECK(step.notifications[0].event_id == "evt_9_created");
  CHECK(step.notifications[1].event_id == "evt_9_1_1_paid");
  CHECK(due_at(step.next) == at("2026-02-15T10:00:00Z"));
  for (const auto& n : step.notifications) CHECK_FALSE(fault_of(n));
  // A second payment has no effect.
  CHECK(pay(step.next, at("2026-01-15T10:00:01Z")).notifications.empty());
}

TEST_CASE("a trial bills its first cycle when it ends, and counts the cycles from there") {
  const auto step = pay(opened({billing_interval::month, 1}, 14), at("2026-01-17T10:00:00Z"));
  CHECK(lines(step.notifications) == list{"created trialing"});
  CHECK(step.notifications[0].state.period_start == at("2026-01-17T10:00:00Z"));
  CHECK(step.notifications[0].state.period_end == at("2026-01-31T10:00:00Z"));
  CHECK(due_at(step.next) == at("2026-01-31T10:00:00Z"));
  CHECK(bill_due(step.next, at("2026-01-31T09:59:59Z")).notifications.empty());
  const auto first = bill_due(step.next, at("2026-01-31T10:00:00Z"));
  CHECK(lines(first.notifications) == list{"invoice_paid active in_9_1 1", "updated active"});
  CHECK(first.notifications[1].status_changed);
  CHECK(paid_at(bill_due(first.next, at("2026-05-01T00:00:00Z")).notifications) ==
        list{"2026-02-28T10:00:00Z", "2026-03-31T10:00:00Z", "2026-04-30T10:00:00Z"});
}

TEST_CASE("cycles of every interval are billed when they begin") {
  using enum billing_interval;
  struct row {
    const char* paid;
    billing_period every;
    const char* until;
    list expected;  ///< after the first, which is billed with the creation
  };
  for (const auto& r : {
           row{"2026-02-27T08:00:00Z",
               {day, 1},
               "2026-03-02T07:59:59Z",
               {"2026-02-28T08:00:00Z", "2026-03-01T08:00:00Z"}},
           row{"2026-12-20T08:00:00Z",
               {week, 1},
               "2027-01-03T08:00:00Z",
               {"2026-12-27T08:00:00Z", "2027-01-03T08:00:00Z"}},
           row{"2026-01-31T08:00:00Z",
               {month, 1},
               "2026-04-30T08:00:00Z",
               {"2026-02-28T08:00:00Z", "2026-03-31T08:00:00Z", "2026-04-30T08:00:00Z"}},
           row{"2026-01-31T08:00:00Z",
               {month, 3},
               "2026-10-30T00:00:00Z",
               {"2026-04-30T08:00:00Z", "2026-07-31T08:00:00Z"}},
           row{"2028-02-29T08:00:00Z",
               {year, 1},
               "2032-03-01T00:00:00Z",
               {"2029-02-28T08:00:00Z", "2030-02-28T08:00:00Z", "2031-02-28T08:00:00Z", "2032-02-29T08:00:00Z"}},
       }) {
    CAPTURE(r.paid, to_string(r.every.interval));
    CHECK(paid_at(bill_due(paid(r.paid, r.every), at(r.until)).notifications) == r.expected);
  }
}

TEST_CASE("a year of monthly cycles is twelve invoices and twelve payments") {
  for (const char* when :
       {"2026-01-01T00:00:00Z", "2026-01-31T23:59:59Z", "2027-02-28T12:00:00Z", "2028-02-29T12:00:00Z"}) {
    CAPTURE(when);
    const auto first = pay(opened(), at(when));
    auto reported = first.notifications;
    const auto year = end_of_period(at(when), {billing_interval::year, 1}, 1);
    append(reported, bill_due(first.next, year - 1ms).notifications);
    CHECK(invoices_in(reported) == 12);
    const auto f = received(reported);
    CHECK(f.payments.size() == 12);
    for (const auto& [id, p] : f.payments) {
      CHECK(is_payment_id(id));
      CHECK(p.state == payment_state::captured);
      CHECK(p.captured == 1500);
    }
    CHECK(f.row.state.status == subscription_status::active);
    append(reported, bill_due(first.next, end_of_period(at(when), {billing_interval::month, 1}, 12)).notifications);
    CHECK(received(reported).payments.size() == 13);
  }
}

TEST_CASE("a failed cycle is retried, and the next cycles keep to the calendar") {
  auto step = operate(paid("2026-01-15T10:00:00Z"), sandbox_move::cycle_failed, at("2026-01-16T00:00:00Z"));
  CHECK(lines(step.notifications) == list{"invoice_failed past_due in_9_2 1", "updated past_due"});
  CHECK(step.notifications[0].at == at("2026-02-15T10:00:00Z"));
  CHECK(step.notifications[0].invoice->failure_code == "card_declined");
  CHECK(step.next.clock_offset == at("2026-02-15T10:00:00Z") - at("2026-01-16T00:00:00Z"));
  SECTION("the retry when its time has come is paid") {
    CHECK(due_at(step.next) == at("2026-01-17T00:00:00Z"));
    const auto retried = bill_due(step.next, at("2026-01-17T00:00:00Z"));
    CHECK(lines(retried.notifications) == list{"invoice_paid active in_9_2 2", "updated active"});
    CHECK(retried.notifications[0].at == at("2026-02-16T10:00:00Z"));
    CHECK(paid_at(operate(retried.next, sandbox_move::cycle_paid, at("2026-01-17T00:00:00Z")).notifications) ==
          list{"2026-03-15T10:00:00Z"});
  }
  SECTION("an operator's next cycle is its retry") {
    auto retried = operate(step.next, sandbox_move::cycle_failed, at("2026-01-16T00:00:00Z"));
    CHECK(lines(retried.notifications) == list{"invoice_failed past_due in_9_2 2"});
    CHECK(retried.notifications[0].at == at("2026-02-16T10:00:00Z"));
    retried = operate(retried.next, sandbox_move::cycle_paid, at("2026-01-16T00:00:00Z"));
    CHECK(lines(retried.notifications) == list{"invoice_paid active in_9_2 3", "updated active"});
    CHECK(retried.notifications[0].at == at("2026-02-19T10:00:00Z"));
  }
  SECTION("the final attempt ends it") {
    for (const char* line : {"invoice_failed past_due in_9_2 2", "invoice_failed past_due in_9_2 3"}) {
      step = operate(step.next, sandbox_move::cycle_failed, at("2026-01-16T00:00:00Z"));
      CHECK(lines(step.notifications) == list{line});
    }
    step = operate(step.next, sandbox_move::cycle_failed, at("2026-01-16T00:00:00Z"));
    CHECK(lines(step.notifications) == list{"invoice_failed past_due in_9_2 4 final", "deleted canceled"});
    CHECK_FALSE(due_at(step.next));
  }
}

TEST_CASE("a cycle that needs the customer fails, and its retry may be paid with another amount") {
  const auto step = operate(paid("2026-01-15T10:00:00Z"), sandbox_move::cycle_action, at("2026-01-16T00:00:00Z"));
  CHECK(lines(step.notifications) == list{"invoice_failed past_due in_9_2 1", "updated past_due"});
  const auto& failed = *step.notifications[0].invoice;
  CHECK(failed.failure_code == "authentication_required");
  CHECK(failed.amount == step.next.amount);
  const auto retried = operate(step.next, sandbox_move::cycle_paid, at("2026-01-16T00:00:00Z"), 950);
  CHECK(lines(retried.notifications) == list{"invoice_paid active in_9_2 2", "updated active"});
  CHECK(retried.notifications[0].invoice->amount.minor == 950);
  // The price is as before.
  CHECK(retried.notifications[0].state.amount == step.next.amount);
  const auto free = operate(step.next, sandbox_move::cycle_paid, at("2026-01-16T00:00:00Z"), 0);
  CHECK(free.notifications[0].invoice->amount.minor == 0);
  const auto next = operate(retried.next, sandbox_move::cycle_paid, at("2026-01-16T00:00:00Z"));
  CHECK(next.notifications[0].invoice->amount == step.next.amount);
}

TEST_CASE("a cycle that needs the customer names the page, where it is approved or declined once") {
  auto before = paid("2026-01-15T10:00:00Z");
  before.page = "https://pay.example/s";
  const auto now = at("2026-01-16T00:00:00Z");
  const auto asked = operate(before, sandbox_move::cycle_action, now);
  CHECK(asked.notifications[0].invoice->hosted_url == "https://pay.example/s");
  const auto approved = approve_cycle(asked.next, false, now);
  CHECK(lines(approved.notifications) == list{"invoice_paid active in_9_2 2", "updated active"});
  CHECK(approved.notifications[0].invoice->hosted_url.empty());
  // The subscription's clock has not moved since the attempt, because the customer answers at once.
  CHECK(approved.next.clock_offset == asked.next.clock_offset);
  const auto declined = approve_cycle(asked.next, true, now);
  CHECK(lines(declined.notifications) == list{"invoice_failed past_due in_9_2 2"});
  CHECK(declined.notifications[0].invoice->failure_code == "card_declined");
  CHECK(declined.notifications[0].invoice->hosted_url.empty());
  // A second answer changes nothing, and neither does an answer for a cycle that needs no customer.
  for (const auto* done : {&approved.next, &declined.next, static_cast<const sandbox_subscription*>(&before)}) {
    CHECK(approve_cycle(*done, false, now).notifications.empty());
    CHECK(approve_cycle(*done, true, now).notifications.empty());
  }
  // The attempt that ends the subscription offers no other.
  auto last = asked.next;
  for (int i = 0; i < 2; ++i) last = operate(last, sandbox_move::cycle_action, now).next;
  const auto ended = operate(last, sandbox_move::cycle_action, now);
  CHECK(lines(ended.notifications) == list{"invoice_failed past_due in_9_2 4 final", "deleted canceled"});
  CHECK(ended.notifications[0].invoice->hosted_url.empty());
  CHECK_FALSE(ended.next.needs_customer);
}

TEST_CASE("an exhausted cycle fails in every remaining attempt, and ends the subscription") {
  auto step = operate(paid("2026-01-15T10:00:00Z"), sandbox_move::cycle_exhausted, at("2026-01-16T00:00:00Z"));
  CHECK(lines(step.notifications) == list{"invoice_failed past_due in_9_2 1", "updated past_due",
                                          "invoice_failed past_due in_9_2 2", "invoice_failed past_due in_9_2 3",
                                          "invoice_failed past_due in_9_2 4 final", "deleted canceled"});
  CHECK(step.notifications.back().at == at("2026-02-24T10:00:00Z"));
  CHECK(step.next.status == subscription_status::canceled);
  CHECK(bill_due(step.next, at("2030-01-01T00:00:00Z")).notifications.empty());
  auto reported = pay(opened(), at("2026-01-15T10:00:00Z")).notifications;
  append(reported, step.notifications);
  const auto f = received(reported);
  CHECK(f.row.state.status == subscription_status::canceled);
  CHECK(f.payments.at("pay_in_9_1").state == payment_state::captured);
  CHECK(f.payments.at("pay_in_9_2").state == payment_state::failed);
  // Each failed attempt has a notification, the final one too.
  CHECK(std::ranges::count_if(f.event_ids, [](const auto& id) { return id.find("invoice_failed") != id.npos; }) == 4);
}

TEST_CASE("while an invoice is unpaid the next cycles wait, and are billed at once when it is paid") {
  auto s = operate(paid("2026-01-15T10:00:00Z", {billing_interval::day, 1}), sandbox_move::cycle_failed,
                   at("2026-01-15T10:00:00Z"))
               .next;
  s = operate(s, sandbox_move::cycle_failed, at("2026-01-15T10:00:00Z")).next;  // on the 17th; again on the 20th
  const auto real_20th = at("2026-01-20T10:00:00Z") - s.clock_offset;
  const auto step = bill_due(s, real_20th);
  CHECK(paid_at(step.notifications) == list(5, "2026-01-20T10:00:00Z"));
  CHECK(step.next.cycle == 6);
  CHECK(due_at(step.next) == real_20th + 24h);
}

TEST_CASE("every state of the provider's row answers every move") {
  using enum sandbox_move;
  const auto when = at("2026-01-16T00:00:00Z");
  const auto active = paid("2026-01-15T10:00:00Z");
  const auto trialing = paid("2026-01-15T10:00:00Z", {billing_interval::month, 1}, 30);
  const auto past_due = operate(active, cycle_failed, when).next;
  struct row {
    const char* name;
    sandbox_subscription subject;
    list reported[enum_count<sandbox_move>];
  };
  const list nothing;
  for (const auto& r : {
           row{"pending", opened(), {nothing, nothing, nothing, nothing, nothing, nothing, nothing}},
           row{"trialing",
               trialing,
               {{"invoice_paid active in_9_1 1", "updated active"},
                {"invoice_failed past_due in_9_1 1", "updated past_due"},
                {"invoice_failed past_due in_9_1 1", "updated past_due"},
                {"invoice_failed past_due in_9_1 1", "updated past_due", "invoice_failed past_due in_9_1 2",
                 "invoice_failed past_due in_9_1 3", "invoice_failed past_due in_9_1 4 final", "deleted canceled"},
                {"updated trialing"},
                {"updated incomplete_expired"},
                {"deleted canceled"}}},
           row{"active",
               active,
               {{"invoice_paid active in_9_2 1"},
                {"invoice_failed past_due in_9_2 1", "updated past_due"},
                {"invoice_failed past_due in_9_2 1", "updated past_due"},
                {"invoice_failed past_due in_9_2 1", "updated past_due", "invoice_failed past_due in_9_2 2",
                 "invoice_failed past_due in_9_2 3", "invoice_failed past_due in_9_2 4 final", "deleted canceled"},
                {"updated active"},
                {"updated incomplete_expired"},
                {"deleted canceled"}}},
           row{"past_due",
               past_due,
               {{"invoice_paid active in_9_2 2", "updated active"},
                {"invoice_failed past_due in_9_2 2"},
                {"invoice_failed past_due in_9_2 2"},
                {"invoice_failed past_due in_9_2 2", "invoice_failed past_due in_9_2 3",
                 "invoice_failed past_due in_9_2 4 final", "deleted canceled"},
                {"updated past_due"},
                {"updated incomplete_expired"},
                {"deleted canceled"}}},
           row{"canceled",
               operate(active, remove, when).next,
               {nothing, nothing, nothing, nothing, nothing, nothing, nothing}},
           row{"expired",
               operate(active, expire, when).next,
               {nothing, nothing, nothing, nothing, nothing, nothing, nothing}},
       }) {
    for (std::size_t i = 0; i < enum_count<sandbox_move>; ++i) {
      CAPTURE(r.name, i);
      CHECK(lines(operate(r.subject, static_cast<sandbox_move>(i), when).notifications) == r.reported[i]);
    }
  }
}

TEST_CASE("updates and ends have distinct notifications") {
  const auto when = at("2026-01-16T00:00:00Z");
  auto step = operate(paid("2026-01-15T10:00:00Z"), sandbox_move::update, when);
  CHECK(step.notifications[0].event_id == "evt_9_update_1");
  CHECK_FALSE(step.notifications[0].status_changed);
  CHECK_FALSE(ends_subscription(step.notifications[0]));
  CHECK(operate(step.next, sandbox_move::update, when).notifications[0].event_id == "evt_9_update_2");
  step = operate(step.next, sandbox_move::expire, when);
  CHECK(step.notifications[0].event_id == "evt_9_expired");
  CHECK(ends_subscription(step.notifications[0]));
  CHECK(step.notifications[0].state.canceled_at == when);
}

TEST_CASE("a move first executes what is due by its time") {
  const auto step = operate(paid("2026-01-15T10:00:00Z"), sandbox_move::update, at("2026-03-16T00:00:00Z"));
  CHECK(lines(step.notifications) ==
        list{"invoice_paid active in_9_2 1", "invoice_paid active in_9_3 1", "updated active"});
}

TEST_CASE("an operator has notifications sent several times, and the last first") {
  const auto reported =
      operate(paid("2026-01-15T10:00:00Z"), sandbox_move::cycle_failed, at("2026-01-16T00:00:00Z")).notifications;
  CHECK(lines(as_reported(reported, {})) == list{"invoice_failed past_due in_9_2 1", "updated past_due"});
  CHECK(lines(as_reported(reported, {2, true})) == list{"updated past_due", "updated past_due",
                                                        "invoice_failed past_due in_9_2 1",
                                                        "invoice_failed past_due in_9_2 1"});
  auto all = pay(opened(), at("2026-01-15T10:00:00Z")).notifications;
  append(all, reported);
  CHECK(comparable(received(as_reported(all, {3, true})).row) == comparable(received(all).row));
  CHECK(sorted(received(as_reported(all, {3, true})).event_ids) == sorted(received(all).event_ids));
}

TEST_CASE("the gateway cancels at once, and a repeated cancel gets the same answer") {
  const auto when = at("2026-01-20T00:00:00Z");
  const auto canceled = cancel(paid("2026-01-15T10:00:00Z"), when);
  CHECK(lines(canceled.step.notifications) == list{"deleted canceled"});
  const auto& deletion = canceled.step.notifications[0];
  REQUIRE(canceled.answer.seen);
  CHECK(canceled.answer.status == provider_status::approved);
  CHECK(canceled.answer.seen->provider_subscription_id == "sub_9");
  CHECK(canceled.answer.seen->state == deletion.state);
  CHECK(canceled.answer.seen->position == position_of(deletion));
  CHECK(deletion.state.canceled_at == when);
  CHECK_FALSE(due_at(canceled.step.next));
  const auto again = cancel(canceled.step.next, when + 24h);
  CHECK(again.step.notifications.empty());
  CHECK(again.step.next == canceled.step.next);
  CHECK(again.answer.seen == canceled.answer.seen);
}

TEST_CASE("a checkout that the gateway has closed cannot be paid; a paid one is not closed") {
  const auto when = at("2026-01-20T00:00:00Z");
  for (const auto& closed : {cancel(opened(), when), close_checkout(opened())}) {
    CHECK(closed.answer.status == provider_status::approved);
    CHECK_FALSE(closed.answer.seen);
    CHECK(closed.step.notifications.empty());
    CHECK(pay(closed.step.next, when).notifications.empty());
    CHECK_FALSE(cancel(closed.step.next, when).answer.seen);
    CHECK_FALSE(close_checkout(closed.step.next).answer.seen);
  }
  const auto active = paid("2026-01-15T10:00:00Z");
  const auto late = close_checkout(active);
  CHECK(late.step.next == active);
  REQUIRE(late.answer.seen);
  CHECK(late.answer.seen->state.status == subscription_status::active);
}

TEST_CASE("advancing in one step equals advancing in many, however often a step is lost and repeated") {
  std::mt19937_64 random{7};
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  constexpr billing_interval intervals[] = {billing_interval::day, billing_interval::week, billing_interval::month,
                                            billing_interval::year};
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const billing_period every{intervals[below(4)], static_cast<std::uint32_t>(1 + below(3))};
    auto s = paid("2026-01-31T10:00:00Z", every, static_cast<std::uint32_t>(below(3) * 7));
    if (below(2) == 0) s = operate(s, sandbox_move::cycle_failed, at("2026-02-01T00:00:00Z")).next;
    const auto start = at("2026-02-01T00:00:00Z");
    const auto until = start + days{60 + below(400)};
    const auto at_once = bill_due(s, until, 10'000);
    sandbox_step in_steps{s, {}};
    for (auto now_at = start; now_at < until;) {
      now_at = std::min(until, now_at + std::chrono::hours{1 + below(900)});
      const auto lost = bill_due(in_steps.next, now_at, 1 + below(5));
      const auto made = bill_due(in_steps.next, now_at, 10'000);
      // The notifications of a lost step are repeated, the same in every byte.
      REQUIRE(lost.notifications.size() <= made.notifications.size());
      REQUIRE(std::equal(lost.notifications.begin(), lost.notifications.end(), made.notifications.begin()));
      append(in_steps.notifications, made.notifications);
      in_steps.next = made.next;
    }
    REQUIRE(in_steps.next == at_once.next);
    REQUIRE(in_steps.notifications == at_once.notifications);
    std::set<std::string> ids;
    for (const auto& n : at_once.notifications) {
      REQUIRE(ids.insert(n.event_id).second);
      REQUIRE_FALSE(fault_of(n));
    }
  }
}

TEST_CASE("a subscription that was not read for years catches up in bounded steps") {
  auto s = paid("2026-01-01T00:00:00Z", {billing_interval::day, 1});
  const auto later = at("2027-01-01T00:00:00Z");
  std::size_t invoices = 0;
  for (int steps = 0; due_at(s) && *due_at(s) <= later; ++steps) {
    REQUIRE(steps < 4);
    const auto step = bill_due(s, later);
    REQUIRE(invoices_in(step.notifications) <= most_sandbox_attempts);
    invoices += invoices_in(step.notifications);
    s = step.next;
  }
  CHECK(invoices == 365);
}

TEST_CASE("a period whose end is beyond the calendar is billed once") {
  const auto s = paid("2026-01-15T10:00:00Z", {billing_interval::year, 100'000});
  CHECK_FALSE(due_at(s));
  CHECK(operate(s, sandbox_move::cycle_paid, at("2026-01-16T00:00:00Z")).notifications.empty());
  CHECK(operate(s, sandbox_move::cycle_exhausted, at("2026-01-16T00:00:00Z")).notifications.empty());
}

TEST_CASE("after any requests and any order of notifications, the gateway's row is the provider's") {
  std::mt19937_64 random{8};
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    auto when = at("2026-01-31T10:00:00Z");
    auto step = pay(opened({billing_interval::month, 1}, below(2) * 7), when);
    auto reported = step.notifications;
    for (int i = 0; i < 8; ++i) {
      when += std::chrono::hours{below(500)};
      step = below(3) == 0 ? bill_due(step.next, when)
                           : operate(step.next, static_cast<sandbox_move>(below(i < 6 ? 4 : 6)), when);
      append(reported, step.notifications);
    }
    auto arriving = as_reported(reported, {1 + below(3), false});
    std::ranges::shuffle(arriving, random);
    const auto f = received(arriving);
    REQUIRE(f.row.state == sandbox_machine::projection_of(step.next));
    REQUIRE(comparable(f.row) == comparable(received(reported).row));
    REQUIRE(sorted(f.event_ids) == sorted(received(reported).event_ids));
    REQUIRE(f.payments.size() == step.next.cycle);
  }
}
