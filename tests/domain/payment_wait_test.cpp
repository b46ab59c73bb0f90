// A payment that waits for its customer at an external provider: when the provider is asked, the customer's tries, and
// the last inquiry about a payment that was not paid in time.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/provider_truth.hpp"

using namespace gateway;
using namespace std::chrono_literals;

namespace {

const time_point start = *parse_seconds("2026-11-20T12:00:00Z");
const machine_timing usual{};

payment at_wallet(provider_kind kind = provider_kind::jazzcash) {
  payment p;
  p.key = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  p.version = 2;
  p.state = payment_state::processing;
  p.status = provider_status::pending;
  p.amount = {4200, *currency::parse("PKR")};
  p.how = flow::redirect;
  p.provider = kind;
  p.provider_ref = "T1";
  p.created_at = start;
  p.due_at = start + 1min;
  p.next_seq = 2;
  return p;
}

provider_result said(provider_status status, std::optional<provider_error> error = {}) {
  return {status, "T1", {}, std::move(error)};
}

provider_error failed_because(std::string code, bool retryable = true) {
  return {error_category::provider, std::move(code), "The wallet declined the payment.", retryable, false};
}

std::vector<std::string> told(const transition& t) {
  std::vector<std::string> lines;
  for (const auto& each : t.entries)
    lines.push_back(each.operation + ' ' + each.status + (each.error_code.empty() ? "" : ' ' + each.error_code) +
                    " by " + std::string{to_string(each.by)});
  return lines;
}

using lines_told = std::vector<std::string>;

}  // namespace

TEST_CASE("a customer who goes to the provider's page is recorded by the last time, and nothing else changes") {
  auto p = at_wallet();
  for (const auto after : {5h, 6h}) {
    const auto t = hand_over(p, start + after, usual);
    REQUIRE(t);
    CHECK(t->next.handed_over_at == start + after);
    CHECK(t->next.version == p.version + 1);
    CHECK(t->next.updated_at == start + after);
    CHECK(t->entries.empty());
    auto rest = t->next;
    rest.handed_over_at = p.handed_over_at;
    rest.version = p.version;
    rest.updated_at = p.updated_at;
    rest.due_at = p.due_at;
    CHECK(rest == p);
    p = t->next;
  }
}

TEST_CASE("only a payment that waits for its customer is handed over") {
  using enum payment_state;
  for (const auto state : {created, authorized, captured, partially_refunded, refunded, failed, voided}) {
    CAPTURE(to_string(state));
    auto p = at_wallet();
    p.state = state;
    CHECK_FALSE(hand_over(p, start + 1h, usual));
  }
  auto p = at_wallet();
  p.open = open_operation{};
  CHECK_FALSE(hand_over(p, start + 1h, usual));
  CHECK_FALSE(settle_hosted(at_wallet(), hosted_signal::sent, start + 1h));
}

TEST_CASE("the provider is asked soon after a customer's try, then less and less often") {
  struct row {
    duration_ms posted, due, next;  ///< since the payment was created
  };
  for (const auto& r : {row{5h, 5h + 40min, 5h + 1min}, row{5h, 5h + 30s, 5h + 30s}, row{24h - 30s, 24h, 24h}}) {
    auto p = at_wallet();
    p.due_at = start + r.due;
    CHECK(hand_over(p, start + r.posted, usual)->next.due_at == start + r.next);
  }
  auto p = at_wallet();
  p.handed_over_at = start + 5h;
  for (const auto& [asked, next] : std::vector<std::pair<duration_ms, duration_ms>>{
           {5h + 1min, 5h + 2min}, {5h + 10min, 5h + 15min}, {9h, 10h}, {23h + 30min, 24h}}) {
    const auto t = settle_wait(p, said(provider_status::pending), false, start + asked, usual);
    REQUIRE(t);
    CHECK(t->next.due_at == start + next);
  }
}

TEST_CASE("a failed try that the customer can repeat is recorded once for each reason, and the payment waits on") {
  auto p = at_wallet();
  const auto look = [&](std::string code, lines_told expected) {
    CAPTURE(code);
    const auto t = settle_wait(p, said(provider_status::pending, failed_because(code)), false, start + 2min, usual);
    REQUIRE(t);
    CHECK(told(*t) == expected);
    CHECK(t->next.state == payment_state::processing);
    CHECK(t->next.status == provider_status::pending);
    REQUIRE(t->next.error);
    CHECK(t->next.error->code == code);
    CHECK(t->next.error->retryable);
    p = t->next;
  };
  look("insufficient_funds", {"hosted_session declined insufficient_funds by provider"});
  look("insufficient_funds", {});
  look("payment_declined", {"hosted_session declined payment_declined by provider"});
  SECTION("paid at last: captured, without an error") {
    const auto t = settle_wait(p, said(provider_status::approved), false, start + 5min, usual);
    CHECK(t->next.state == payment_state::captured);
    CHECK_FALSE(t->next.error);
  }
  SECTION("the customer tries again: the last failure stands until that try has an outcome") {
    p = hand_over(p, start + 3min, usual)->next;
    CHECK(p.error->code == "payment_declined");
    CHECK(told(*settle_wait(p, said(provider_status::pending), false, start + 4min, usual)).empty());
  }
  SECTION("the end of the form: failed, for the last reason") {
    const auto t = settle_wait(p, said(provider_status::declined, failed_because("payment_declined", false)), true,
                               start + 24h, usual);
    CHECK(t->next.state == payment_state::failed);
    CHECK(t->next.error->code == "payment_declined");
  }
  SECTION("past the end without an outcome: unknown, whatever failed before or fails then") {
    const auto t =
        settle_wait(p, said(provider_status::pending, failed_because("provider_busy")), true, start + 24h, usual);
    CHECK(t->next.error->code == "checkout_outcome_unknown");
    CHECK(told(*t) == lines_told{"hosted_session unknown checkout_outcome_unknown by system"});
  }
}

TEST_CASE("an error that does not permit another try is no failed try") {
  const auto p = at_wallet();
  for (const auto& answer : {said(provider_status::pending), said(provider_status::unknown, failed_because("lost")),
                             said(provider_status::pending, failed_because("odd", false))}) {
    const auto t = settle_wait(p, answer, false, start + 2min, usual);
    CHECK_FALSE(t->next.error);
    CHECK(t->entries.empty());
  }
}

TEST_CASE("a payment that was not paid on an external page is asked about once more, an hour later") {
  struct row {
    const char* what;
    provider_kind provider;
    flow how;
    bool again;
  };
  for (const auto& r : {row{"a wallet", provider_kind::jazzcash, flow::redirect, true},
                        row{"in a frame", provider_kind::jazzcash, flow::embedded, true},
                        row{"a checkout", provider_kind::stripe, flow::redirect, true},
                        row{"a challenge", provider_kind::stripe, flow::server, false},
                        row{"the sandbox", provider_kind::sandbox_wallet, flow::redirect, false}}) {
    CAPTURE(r.what);
    auto p = at_wallet(r.provider);
    p.how = r.how;
    const auto end = start + 24h;
    const auto t = settle_wait(p, said(provider_status::declined), true, end, usual);
    REQUIRE(t);
    CHECK(t->next.state == payment_state::failed);
    CHECK(t->next.due_at == (r.again ? std::optional{end + 1h} : std::nullopt));
    CHECK(due_step(t->next, end + 1h, usual) == (r.again ? wait_step::compare : wait_step::none));

    auto cancelled = p;
    cancelled.open = open_operation{};
    cancelled.open->what = operation::cancel;
    const auto closed = conclude(cancelled, said(provider_status::declined), end, usual);
    REQUIRE(is_cancelled(closed.next));
    if (r.again) CHECK(closed.next.due_at == end + 1h);
    // One that took long is compared at once.
    cancelled.open->answered = true;
    const auto late = conclude(cancelled, said(provider_status::declined), end, usual);
    if (r.again) CHECK(late.next.due_at == end);
  }
}

TEST_CASE("paid after it had failed: captured late, and not asked about again") {
  const auto failed = settle_wait(at_wallet(), said(provider_status::declined), true, start + 24h, usual)->next;
  provider_truth truth;
  truth.charge = charge_state::captured;
  truth.captured = 4200;
  const auto steps = differences(failed, truth, start + 25h);
  REQUIRE(steps.size() == 1);
  CHECK(steps.front().next.state == payment_state::captured);
  CHECK(steps.front().next.captured == 4200);
  CHECK(steps.front().next.records.paid_late);
  CHECK(told(steps.front()) == lines_told{"charge approved by provider", "payment.captured published by provider"});
  CHECK_FALSE(next_daily_look(steps.front().next, truth, start + 25h));
}
