// Refunds as objects, disputes that stand in the way of refunds, who caused what, and when the provider is asked again.
#include <map>
#include <set>

#include "followed_payment.hpp"
#include "gateway/domain/payment_machine.hpp"

using namespace gateway;
using namespace gateway::followed;
using namespace std::chrono_literals;

namespace {

const machine_timing timing{};
const command_key by_key{merchant_id{"merch_1"}, environment::test, {}, "key"};
const command_key by_person{merchant_id{"merch_1"}, environment::test, "user_1", "key"};

provider_result says(provider_status status, std::string movement_ref = {}) {
  provider_result answer;
  answer.status = status;
  answer.provider_ref = "pi_1";
  answer.movement_ref = std::move(movement_ref);
  if (status == provider_status::declined)
    answer.error = provider_error{error_category::provider, "no", "No.", false, false};
  return answer;
}

payment claimed(payment p, operation what, std::int64_t amount = 4200, const command_key& command = by_key) {
  return machine::claimed_for(std::move(p), command, what, amount, now, timing, "worn");
}

std::optional<problem> refusal(const payment& p, std::int64_t amount = 0) {
  const auto decided = decide(p, refund_payment{amount, {}}, by_key, now, timing);
  const auto* at_once = std::get_if<conclusion>(&decided);
  return at_once ? at_once->result.failure : std::nullopt;
}

dispute dispute_of(dispute_status status, std::int64_t amount) {
  dispute d;
  d.id = "dp_" + std::to_string(amount);
  d.amount = amount;
  d.status = status;
  d.provider_ref = "d_" + std::to_string(amount);
  return d;
}

}  // namespace

TEST_CASE("a refund becomes an object with the id that its answer shows") {
  for (const auto status : {provider_status::approved, provider_status::pending}) {
    CAPTURE(to_string(status));
    const auto p = claimed(payment_in(payment_state::captured), operation::refund, 1200);
    const auto t = conclude(p, says(status, "r1"), now, timing);
    const bool is_pending = status == provider_status::pending;
    CHECK(t.next.state == payment_state::partially_refunded);
    CHECK(t.next.refunded == 1200);
    CHECK_FALSE(t.result.failure);
    CHECK(t.result.status == status);
    CHECK(t.result.refunded_amount == 1200);
    REQUIRE(t.next.records.refunds.size() == 1);
    const auto& made = t.next.records.refunds.front();
    CHECK(made.id == t.result.refund_id);
    CHECK(made.id.starts_with("re_"));
    CHECK(made.amount == 1200);
    CHECK(made.status == (is_pending ? refund_status::pending : refund_status::succeeded));
    CHECK(made.by == entry_origin::api);
    CHECK(made.created_at == now);
    CHECK(made.reason == "worn");
    CHECK(made.provider_ref == "r1");
    CHECK(t.about == made.id);
    CHECK(story_of(p, t) == std::string{is_pending ? "refund pending" : "refund approved"} +
                                ", payment.partially_refunded published / refunded 1200");
    // Concluded again, as after a lost commit, it is the same refund.
    CHECK(conclude(p, says(status, "r1"), now, timing).next == t.next);
    const auto more = conclude(claimed(t.next, operation::refund, 1200), says(status, "r2"), now, timing);
    CHECK(more.next.records.refunds.back().id != made.id);
  }
}

TEST_CASE("a refund that the recovery of an older database has found counts once when its merchant repeats it") {
  const auto p = payment_in(payment_state::captured);
  const auto first = conclude(claimed(p, operation::refund, 1200), says(provider_status::approved, "r1"), now, timing);
  const auto again = claimed(first.next, operation::refund, 1200);
  const auto t = conclude(again, says(provider_status::approved, "r1"), now, timing);
  CHECK(t.next.state == payment_state::partially_refunded);
  CHECK(t.next.refunded == 1200);
  CHECK(t.next.records.refunds == first.next.records.refunds);
  CHECK_FALSE(t.next.open);
  CHECK_FALSE(t.result.failure);
  CHECK(t.result.refund_id == first.result.refund_id);
  CHECK(t.result.refunded_amount == 1200);
  CHECK(story_of(again, t) == "refund approved");
  // A provider that gives no reference names no refund: each counts.
  const auto unnamed = conclude(claimed(p, operation::refund, 1200), says(provider_status::approved), now, timing);
  CHECK(conclude(claimed(unnamed.next, operation::refund, 1200), says(provider_status::approved), now, timing)
            .next.refunded == 2400);
}

TEST_CASE("a refund that the provider rejects leaves no object") {
  const auto t = conclude(claimed(payment_in(payment_state::captured), operation::refund, 1200),
                          says(provider_status::declined), now, timing);
  CHECK(t.next.records.refunds.empty());
  CHECK(t.result.refund_id.empty());
  CHECK(t.result.failure == problem::refund_rejected);
}

TEST_CASE("an answer that something is pending is an outcome of a creation or a refund only") {
  for (const auto& [what, state] : {std::pair{operation::capture, payment_state::authorized},
                                    {operation::void_payment, payment_state::authorized},
                                    {operation::cancel, payment_state::processing}}) {
    CAPTURE(to_string(what));
    const auto t = conclude(claimed(payment_in(state), what), says(provider_status::pending), now, timing);
    CHECK(t.next.open);
    CHECK(t.result.failure == problem::provider_outcome_unknown);
  }
}

TEST_CASE("a refund's reason is kept while its operation is open") {
  const auto decided =
      decide(payment_in(payment_state::captured), refund_payment{1200, "wrong size"}, by_key, now, timing);
  const auto& open = std::get<claim>(decided).claimed;
  CHECK(open.open->reason == "wrong size");
  const auto unknown = conclude(open, says(provider_status::unknown), now, timing).next;
  CHECK(conclude(unknown, says(provider_status::approved), now, timing).next.records.refunds.front().reason ==
        "wrong size");
}

TEST_CASE("an operation's entries and refund have the origin of its command") {
  for (const auto& [command, expected] : {std::pair{by_key, entry_origin::api}, {by_person, entry_origin::portal}}) {
    for (const auto status : {provider_status::approved, provider_status::declined, provider_status::unknown}) {
      const auto p = claimed(payment_in(payment_state::captured), operation::refund, 1200, command);
      const auto t = conclude(p, says(status), now, timing);
      REQUIRE_FALSE(t.entries.empty());
      for (const auto& entry : t.entries) CHECK(entry.by == expected);
      for (const auto& each : t.next.records.refunds) CHECK(each.by == expected);
    }
  }
}

TEST_CASE("what happens to a payment that waits has the origin of its cause") {
  const auto waiting = payment_in(payment_state::processing, provider_kind::stripe, flow::redirect);
  const auto origins = [](const std::optional<transition>& t) {
    std::set<entry_origin> all;
    for (const auto& entry : t->entries) all.insert(entry.by);
    return all;
  };
  using set = std::set<entry_origin>;
  CHECK(origins(settle_hosted(waiting, hosted_signal::paid, now)) == set{entry_origin::provider});
  CHECK(origins(settle_hosted(waiting, hosted_signal::declined, now)) == set{entry_origin::provider});
  CHECK(origins(settle_wait(waiting, says(provider_status::approved), false, now, timing)) ==
        set{entry_origin::provider});
  CHECK(origins(settle_wait(waiting, says(provider_status::declined), false, now, timing)) ==
        set{entry_origin::provider});
  // The gateway has closed the checkout.
  CHECK(origins(settle_wait(waiting, says(provider_status::declined), true, now, timing)) == set{entry_origin::system});
  CHECK(origins(settle_wait(waiting, says(provider_status::pending), true, now, timing)) == set{entry_origin::system});
  // The customer paid before the cancel came.
  const auto cancel = claimed(waiting, operation::cancel, 0);
  CHECK(origins(conclude(cancel, says(provider_status::approved), now, timing)) == set{entry_origin::provider});
  CHECK(origins(conclude(cancel, says(provider_status::declined), now, timing)) == set{entry_origin::api});
}

TEST_CASE("while a dispute is open nothing is refunded, and what was lost never") {
  using enum dispute_status;
  struct row {
    dispute_status status;
    std::optional<problem> expected;
    std::int64_t disputed, remaining;
  };
  const row table[] = {{warning, std::nullopt, 0, 4200},
                       {needs_response, problem::payment_disputed, 1000, 4200},
                       {under_review, problem::payment_disputed, 1000, 4200},
                       {won, std::nullopt, 0, 4200},
                       {lost, std::nullopt, 0, 3200}};
  CHECK(std::size(table) == enum_count<dispute_status>);
  for (const auto& r : table) {
    CAPTURE(to_string(r.status));
    auto p = payment_in(payment_state::captured);
    p.records.disputes = {dispute_of(r.status, 1000)};
    CHECK(refusal(p) == r.expected);
    CHECK(machine::disputed(p) == r.disputed);
    CHECK(machine::remaining(p) == r.remaining);
    if (r.expected) continue;
    CHECK_FALSE(refusal(p, r.remaining));
    CHECK(refusal(p, r.remaining + 1) == problem::refund_exceeds_captured);
    const auto all = decide(p, refund_payment{}, by_key, now, timing);
    CHECK(std::get<claim>(all).claimed.open->amount == r.remaining);
  }
}

TEST_CASE("a payment that was lost whole, or has as many refunds as it may have, is not refundable") {
  auto lost = payment_in(payment_state::captured);
  lost.records.disputes = {dispute_of(dispute_status::lost, 4200)};
  CHECK(refusal(lost) == problem::not_refundable);
  CHECK(machine::remaining(lost) == 0);
  // Refunded in part, and then lost whole: what remains is 0, not a negative amount.
  lost.refunded = 1200;
  lost.state = payment_state::partially_refunded;
  CHECK(machine::remaining(lost) == 0);
  auto full = payment_in(payment_state::captured);
  full.records.refunds.resize(most_refunds - 1);
  CHECK_FALSE(refusal(full, 1));
  full.records.refunds.resize(most_refunds);
  CHECK(refusal(full, 1) == problem::not_refundable);
}

TEST_CASE("a capture takes what the provider says that it captured") {
  auto answer = says(provider_status::approved);
  for (const auto& [there, expected] :
       std::map<std::int64_t, std::int64_t>{{0, 3000}, {2999, 2999}, {4200, 4200}, {9999, 4200}}) {
    answer.captured = there;
    const auto t =
        conclude(claimed(payment_in(payment_state::authorized), operation::capture, 3000), answer, now, timing);
    CHECK(t.next.captured == expected);
  }
}

TEST_CASE(
    "an external provider is asked again: daily while authorized, at once after a refusal or an unknown outcome") {
  using enum provider_status;
  struct row {
    const char* what;
    payment_state state;
    operation of;
    provider_status said;
    bool was_answered;  ///< its client was answered that the outcome is unknown
    std::optional<duration_ms> due;
  };
  const row table[] = {
      {"authorized", payment_state::created, operation::create, approved, false, 24h},
      {"authorized after a doubt", payment_state::processing, operation::create, approved, true, 0ms},
      {"declined", payment_state::created, operation::create, declined, false, std::nullopt},
      {"declined after a doubt", payment_state::processing, operation::create, declined, true, 0ms},
      {"captured", payment_state::authorized, operation::capture, approved, false, std::nullopt},
      {"captured after a doubt", payment_state::authorized, operation::capture, approved, true, 0ms},
      {"capture declined", payment_state::authorized, operation::capture, declined, false, 0ms},
      {"voided", payment_state::authorized, operation::void_payment, approved, false, std::nullopt},
      {"void declined", payment_state::authorized, operation::void_payment, declined, false, 0ms},
      {"refunded", payment_state::captured, operation::refund, approved, false, std::nullopt},
      {"refund pending", payment_state::captured, operation::refund, pending, false, std::nullopt},
      {"refund declined", payment_state::captured, operation::refund, declined, false, 0ms},
  };
  for (const auto& r : table)
    for (const auto provider : {provider_kind::stripe, provider_kind::sandbox}) {
      CAPTURE(r.what, to_string(provider));
      auto p = claimed(payment_in(r.state, provider), r.of);
      p.open->answered = r.was_answered;
      auto answer = says(r.said);
      const auto due = conclude(p, answer, now, timing).next.due_at;
      const bool external = provider == provider_kind::stripe;
      CHECK(due == (external && r.due ? std::optional{now + *r.due} : std::nullopt));
      // More will happen there soon.
      answer.is_followed = true;
      CHECK(conclude(p, answer, now, timing).next.due_at == now);
    }
}

TEST_CASE("a comparison that is due when an operation begins is made after it") {
  struct row {
    const char* what;
    payment_state state;
    operation of;
    std::optional<time_point> due;
    bool expected;
  };
  const row table[] = {
      {"nothing is due", payment_state::captured, operation::refund, std::nullopt, false},
      {"due now", payment_state::captured, operation::refund, now, true},
      {"due later, because the provider did not say", payment_state::captured, operation::refund, now + 6h, true},
      {"the daily look", payment_state::authorized, operation::capture, now + 24h, false},
      {"the daily look is due now", payment_state::authorized, operation::capture, now, true},
      {"a wait for the customer", payment_state::processing, operation::cancel, now, false},
  };
  for (const auto& r : table)
    for (const auto provider : {provider_kind::stripe, provider_kind::sandbox}) {
      CAPTURE(r.what, to_string(provider));
      auto p = payment_in(r.state, provider);
      p.due_at = r.due;
      const auto open = claimed(p, r.of);
      CHECK(open.open->compares == r.expected);
      CHECK(open.due_at == now + timing.abandoned_after);
      const auto done = conclude(open, says(provider_status::approved), now, timing).next;
      CHECK((done.due_at == now) == r.expected);
      // Also if its outcome is unknown for a while.
      const auto unknown = conclude(open, says(provider_status::unknown), now, timing).next;
      CHECK(unknown.open->compares == r.expected);
    }
}

TEST_CASE("a payment that was authorized on a page, or by a challenge, is looked at daily") {
  const auto waiting = payment_in(payment_state::processing, provider_kind::stripe);
  CHECK(settle_hosted(waiting, hosted_signal::paid, now)->next.due_at == now + 24h);
  CHECK(settle_wait(waiting, says(provider_status::approved), false, now, timing)->next.due_at == now + 24h);
  const auto on_page = payment_in(payment_state::processing, provider_kind::stripe, flow::redirect);
  CHECK_FALSE(settle_hosted(on_page, hosted_signal::paid, now)->next.due_at);
  const auto at_sandbox = payment_in(payment_state::processing, provider_kind::sandbox);
  CHECK_FALSE(settle_hosted(at_sandbox, hosted_signal::paid, now)->next.due_at);
}

TEST_CASE("what is due for a payment that does not wait is a comparison") {
  for (std::size_t i = 0; i < enum_count<payment_state>; ++i) {
    const auto state = static_cast<payment_state>(i);
    CAPTURE(to_string(state));
    auto p = payment_in(state);
    CHECK(due_step(p, now, timing) == wait_step::none);
    p.due_at = now;
    CHECK(due_step(p, now - 1ms, timing) == wait_step::none);
    const bool waits = state == payment_state::processing;
    CHECK((due_step(p, now, timing) == wait_step::compare) == !waits);
    p.open = open_operation{};
    CHECK(due_step(p, now, timing) == wait_step::none);
  }
}
