// The payment's state machine as a table: every state × every command, on every kind of route.
#include <catch2/catch.hpp>

#include <map>

#include "gateway/domain/ledger.hpp"
#include "gateway/domain/payment_machine.hpp"

using namespace gateway;
using namespace std::chrono_literals;

namespace {

const time_point now = from_unix_ms(1'795'167'000'125);
const machine_timing timing{};
const command_key command{merchant_id{"merch_1"}, environment::test, {}, "00000000-0000-4000-8000-000000000001"};

payment payment_in(payment_state state, provider_kind provider = provider_kind::sandbox, flow how = flow::server) {
  payment p;
  p.key = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  p.version = 7;
  p.state = state;
  p.amount = {4200, *currency::parse("HKD")};
  p.how = how;
  p.provider = provider;
  p.next_seq = 3;
  using enum payment_state;
  if (state == captured || state == partially_refunded || state == refunded) {
    p.captured = 4200;
    p.captured_at = now - 24h;
  }
  if (state == partially_refunded) p.refunded = 1200;
  if (state == refunded) p.refunded = 4200;
  return p;
}

/// The result of a decision: "claim", "ok", or the problem's number as text.
std::string verdict(const decision& d) {
  if (std::holds_alternative<claim>(d)) return "claim";
  const auto& failure = std::get<conclusion>(d).result.failure;
  if (!failure) return "ok";
  switch (*failure) {
    case problem::not_capturable: return "not_capturable";
    case problem::not_voidable: return "not_voidable";
    case problem::not_cancellable: return "not_cancellable";
    case problem::not_refundable: return "not_refundable";
    case problem::capture_unsupported: return "capture_unsupported";
    case problem::void_unsupported: return "void_unsupported";
    case problem::refund_not_supported: return "refund_not_supported";
    case problem::refund_exceeds_captured: return "refund_exceeds_captured";
    case problem::capture_exceeds_authorized: return "capture_exceeds_authorized";
    case problem::payment_outcome_pending: return "payment_outcome_pending";
    default: return "another";
  }
}

provider_result approved() { return {provider_status::approved, "ref_1", {}, std::nullopt}; }
provider_result declined() {
  return {provider_status::declined,
          "ref_1",
          {},
          provider_error{error_category::provider, "card_declined", "Declined.", false, false}};
}
provider_result unknown() {
  return {provider_status::unknown,
          {},
          {},
          provider_error{error_category::timeout, "provider_timeout", "No answer.", true, true}};
}
provider_result waiting() { return {provider_status::pending, "cs_1", "https://gateway/page", std::nullopt}; }

payment claimed(payment p, operation what, std::int64_t amount = 4200) {
  return machine::claimed_for(std::move(p), command, what, amount, now, timing);
}

std::vector<std::string> history(const transition& t) {
  std::vector<std::string> lines;
  for (const auto& entry : t.entries)
    lines.push_back((entry.kind == timeline_kind::event ? "event " : "attempt ") + entry.operation + " " +
                    entry.status);
  return lines;
}

using lines = std::vector<std::string>;

}  // namespace

TEST_CASE("an open operation is asked about when it is due, or if only a wrong clock can have set so late a due time") {
  payment p;
  const auto due = now + 40 * 24h;
  p.due_at = due;
  CHECK_FALSE(asks_again(p, due, timing));  // nothing is open
  p.open = open_operation{};
  CHECK(asks_again(p, due, timing));
  CHECK_FALSE(asks_again(p, due - 1ms, timing));
  CHECK_FALSE(asks_again(p, due - timing.hosted_expiry, timing));
  CHECK(asks_again(p, due - timing.hosted_expiry - 2h, timing));
  p.due_at.reset();
  CHECK_FALSE(asks_again(p, due, timing));
}

TEST_CASE("every state answers every command, on every kind of route") {
  using enum payment_state;
  struct row {
    payment_state state;
    const char *capture, *void_, *refund;
  };
  SECTION("a route with separate capture, refunds and voids") {
    const std::map<payment_state, row> table{
        {created, {created, "not_capturable", "not_voidable", "not_refundable"}},
        {processing, {processing, "not_capturable", "not_voidable", "not_refundable"}},
        {authorized, {authorized, "claim", "claim", "not_refundable"}},
        {captured, {captured, "ok", "not_voidable", "claim"}},
        {partially_refunded, {partially_refunded, "not_capturable", "not_voidable", "claim"}},
        {refunded, {refunded, "not_capturable", "not_voidable", "not_refundable"}},
        {failed, {failed, "not_capturable", "not_voidable", "not_refundable"}},
        {voided, {voided, "not_capturable", "not_voidable", "not_refundable"}},
    };
    REQUIRE(table.size() == enum_count<payment_state>);
    for (const auto& [state, expected] : table) {
      CAPTURE(to_string(state));
      const auto p = payment_in(state);
      CHECK(verdict(decide(p, capture_payment{}, command, now, timing)) == expected.capture);
      CHECK(verdict(decide(p, void_payment{}, command, now, timing)) == expected.void_);
      CHECK(verdict(decide(p, refund_payment{}, command, now, timing)) == expected.refund);
    }
  }
  SECTION("a route that captures at authorization") {
    const std::map<payment_state, row> table{
        {created, {created, "capture_unsupported", "void_unsupported", "not_refundable"}},
        {processing, {processing, "capture_unsupported", "void_unsupported", "not_refundable"}},
        {authorized, {authorized, "capture_unsupported", "void_unsupported", "not_refundable"}},
        {captured, {captured, "ok", "not_voidable", "claim"}},
        {partially_refunded, {partially_refunded, "not_capturable", "not_voidable", "claim"}},
        {refunded, {refunded, "not_capturable", "not_voidable", "not_refundable"}},
        {failed, {failed, "not_capturable", "not_voidable", "not_refundable"}},
        {voided, {voided, "not_capturable", "not_voidable", "not_refundable"}},
    };
    REQUIRE(table.size() == enum_count<payment_state>);
    for (const auto& [state, expected] : table) {
      CAPTURE(to_string(state));
      const auto p = payment_in(state, provider_kind::sandbox_hosted, flow::redirect);
      CHECK(verdict(decide(p, capture_payment{}, command, now, timing)) == expected.capture);
      CHECK(verdict(decide(p, void_payment{}, command, now, timing)) == expected.void_);
      CHECK(verdict(decide(p, refund_payment{}, command, now, timing)) == expected.refund);
    }
  }
  SECTION("the wallet, which has no refunds") {
    for (auto state : {captured, partially_refunded})
      CHECK(verdict(decide(payment_in(state, provider_kind::sandbox_wallet, flow::redirect), refund_payment{}, command,
                           now, timing)) == "refund_not_supported");
    CHECK(verdict(decide(payment_in(refunded, provider_kind::sandbox_wallet, flow::redirect), refund_payment{}, command,
                         now, timing)) == "not_refundable");
  }
  SECTION("while an operation is open, no other begins") {
    for (std::size_t i = 0; i < enum_count<payment_state>; ++i) {
      auto p = payment_in(static_cast<payment_state>(i));
      p.open = open_operation{command, operation::capture, 4200, true, 1, 7, now};
      CHECK(verdict(decide(p, capture_payment{}, command, now, timing)) == "payment_outcome_pending");
      CHECK(verdict(decide(p, void_payment{}, command, now, timing)) == "payment_outcome_pending");
      CHECK(verdict(decide(p, refund_payment{}, command, now, timing)) == "payment_outcome_pending");
    }
  }
}

TEST_CASE("a cancel is for payments that wait for their customer") {
  using enum payment_state;
  const std::map<payment_state, const char*> table{
      {created, "not_cancellable"},
      {processing, "claim"},
      {authorized, "not_cancellable"},
      {captured, "not_cancellable"},
      {partially_refunded, "not_cancellable"},
      {refunded, "not_cancellable"},
      {failed, "not_cancellable"},
      {voided, "not_cancellable"},
  };
  REQUIRE(table.size() == enum_count<payment_state>);
  for (const auto& [state, expected] : table) {
    CAPTURE(to_string(state));
    auto p = payment_in(state, provider_kind::stripe, flow::redirect);
    CHECK(verdict(decide(p, cancel_payment{}, command, now, timing)) == expected);
    p.open = open_operation{command, operation::refund, 1, true, 1, 7, now};
    CHECK(verdict(decide(p, cancel_payment{}, command, now, timing)) == "payment_outcome_pending");
  }
}

TEST_CASE("what the provider says of a cancelled checkout decides what became of it") {
  const auto waiting_one = payment_in(payment_state::processing, provider_kind::stripe, flow::redirect);
  const auto begun = claimed(waiting_one, operation::cancel, 0);
  CHECK_FALSE(awaits_customer(begun));  // no page takes a payment meanwhile
  SECTION("closed unpaid: the payment has failed, and cancelling it again is answered as it is") {
    const auto t = conclude(begun, declined(), now, timing);
    CHECK(t.next.state == payment_state::failed);
    CHECK(is_cancelled(t.next));
    CHECK(t.result.status == provider_status::declined);
    CHECK(t.result.error->code == "checkout_cancelled");
    CHECK_FALSE(t.result.failure);
    CHECK(history(t) == lines{"attempt cancel approved", "event payment.failed published"});
    const auto again = decide(t.next, cancel_payment{}, command, now, timing);
    CHECK(verdict(again) == "ok");
    CHECK(std::get<conclusion>(again).result.error->code == "checkout_cancelled");
  }
  SECTION("paid before that: it is captured, and the cancel is refused") {
    const auto t = conclude(begun, approved(), now, timing);
    CHECK(t.next.state == payment_state::captured);
    CHECK(t.result.failure == problem::not_cancellable);
    CHECK(history(t) == lines{"attempt charge approved", "event payment.captured published"});
  }
  SECTION("unknown: the cancel stays open, and is asked about again") {
    for (const auto& answer : {unknown(), waiting()}) {
      const auto t = conclude(begun, answer, now, timing);
      CHECK(t.next.state == payment_state::processing);
      CHECK(t.next.open->what == operation::cancel);
      CHECK(t.result.failure == problem::provider_outcome_unknown);
      CHECK(t.next.due_at);
    }
  }
}

TEST_CASE("a capture takes all that was authorized, or a part, and refunds go up to it") {
  struct row {
    std::int64_t asked;
    const char* expected;
    std::int64_t captured;
  };
  for (const auto& r : {row{0, "claim", 4200}, row{4200, "claim", 4200}, row{3000, "claim", 3000}, row{1, "claim", 1},
                        row{4201, "capture_exceeds_authorized", 0}, row{max_amount, "capture_exceeds_authorized", 0}}) {
    CAPTURE(r.asked);
    const auto d = decide(payment_in(payment_state::authorized), capture_payment{r.asked}, command, now, timing);
    CHECK(verdict(d) == r.expected);
    const auto* c = std::get_if<claim>(&d);
    if (!c) continue;
    CHECK(c->claimed.open->amount == r.captured);
    provider_result taken;
    taken.status = provider_status::approved;
    const auto done = conclude(c->claimed, taken, now, timing).next;
    CHECK(done.state == payment_state::captured);
    CHECK(done.amount.minor == 4200);
    CHECK(done.captured == r.captured);
    CHECK(verdict(decide(done, refund_payment{r.captured + 1, {}}, command, now, timing)) == "refund_exceeds_captured");
    const auto all = decide(done, refund_payment{}, command, now, timing);
    CHECK(std::get<claim>(all).claimed.open->amount == r.captured);
    const auto moved = movements_of(&c->claimed, done);
    REQUIRE(moved.size() == 1);
    CHECK(moved.front().minor == r.captured);
  }
  // A capture of a captured payment is answered as it is, whatever the amount.
  CHECK(verdict(decide(payment_in(payment_state::captured), capture_payment{9999}, command, now, timing)) == "ok");
}

TEST_CASE("a refund is limited by the amount that remains") {
  struct row {
    payment_state state;
    std::int64_t asked;
    const char* expected;
    std::int64_t claimed;
  };
  for (const auto& r : {row{payment_state::captured, 0, "claim", 4200}, row{payment_state::captured, 1, "claim", 1},
                        row{payment_state::captured, 4200, "claim", 4200},
                        row{payment_state::captured, 4201, "refund_exceeds_captured", 0},
                        row{payment_state::partially_refunded, 0, "claim", 3000},
                        row{payment_state::partially_refunded, 3000, "claim", 3000},
                        row{payment_state::partially_refunded, 3001, "refund_exceeds_captured", 0},
                        row{payment_state::partially_refunded, max_amount, "refund_exceeds_captured", 0},
                        row{payment_state::refunded, 1, "not_refundable", 0}}) {
    CAPTURE(to_string(r.state), r.asked);
    const auto d = decide(payment_in(r.state), refund_payment{r.asked, {}}, command, now, timing);
    CHECK(verdict(d) == r.expected);
    if (const auto* c = std::get_if<claim>(&d)) {
      CHECK(c->claimed.open->amount == r.claimed);
      CHECK(c->claimed.version == 8);
      CHECK(c->claimed.state == r.state);
    }
  }
}

TEST_CASE("a server-side create becomes what the provider answers") {
  const auto begun = claimed(payment_in(payment_state::created), operation::create);
  SECTION("approved: authorised, nothing captured, no event yet") {
    const auto t = conclude(begun, approved(), now, timing);
    CHECK(t.next.state == payment_state::authorized);
    CHECK(t.next.captured == 0);
    CHECK_FALSE(t.next.open);
    CHECK_FALSE(t.next.due_at);
    CHECK(t.next.version == begun.version + 1);
    CHECK_FALSE(t.result.failure);
    CHECK(history(t) == lines{"attempt authorize approved"});
  }
  SECTION("declined: failed, with the reason and an event") {
    const auto t = conclude(begun, declined(), now, timing);
    CHECK(t.next.state == payment_state::failed);
    CHECK(t.next.error->code == "card_declined");
    CHECK_FALSE(t.result.failure);
    CHECK(history(t) == lines{"attempt authorize declined", "event payment.failed published"});
  }
  SECTION("customer action: processing, until the challenge expires") {
    const auto t = conclude(begun, waiting(), now, timing);
    CHECK(t.next.state == payment_state::processing);
    CHECK(t.next.hosted_url == "https://gateway/page");
    CHECK(t.next.due_at == now + 24h);
    CHECK(history(t) == lines{"attempt authorize pending"});
    const auto passed = settle_hosted(t.next, hosted_signal::paid, now);
    REQUIRE(passed);
    CHECK(passed->next.state == payment_state::authorized);
    const auto failed = settle_hosted(t.next, hosted_signal::declined, now);
    REQUIRE(failed);
    CHECK(failed->next.state == payment_state::failed);
    CHECK(failed->next.error->code == "authentication_failed");
  }
  SECTION("no answer: processing and still open; the client gets an unknown outcome, the reconciler is due") {
    const auto t = conclude(begun, unknown(), now, timing);
    CHECK(t.next.state == payment_state::processing);
    REQUIRE(t.next.open);
    CHECK(t.next.open->answered);
    CHECK(t.next.due_at == now + 5s);
    CHECK(t.result.failure == problem::provider_outcome_unknown);
    CHECK(t.result.error->outcome_unknown);
    CHECK(history(t) == lines{"attempt authorize unknown"});
    auto hosted = begun;
    hosted.how = flow::redirect;
    CHECK(history(conclude(hosted, unknown(), now, timing)) == lines{"attempt hosted_session unknown"});

    SECTION("asked again without an answer: later and later, no further attempt in the history") {
      auto p = t.next;
      for (auto wait : {10s, 20s, 40s, 80s, 160s, 300s, 300s}) {
        const auto u = conclude(p, unknown(), now, timing);
        CHECK(u.next.due_at == now + wait);
        CHECK(history(u).empty());
        p = u.next;
      }
    }
    SECTION("asked again, approved") {
      const auto u = conclude(t.next, approved(), now, timing);
      CHECK(u.next.state == payment_state::authorized);
      CHECK_FALSE(u.next.open);
      CHECK_FALSE(u.next.error);
    }
    SECTION("asked again, declined") {
      CHECK(conclude(t.next, declined(), now, timing).next.state == payment_state::failed);
    }
  }
}

TEST_CASE("a hosted payment waits for its customer") {
  const auto kind = GENERATE(provider_kind::sandbox, provider_kind::sandbox_hosted, provider_kind::sandbox_wallet);
  const auto begun = claimed(payment_in(payment_state::created, kind, flow::redirect), operation::create);
  const auto opened = conclude(begun, waiting(), now, timing);
  CHECK(opened.next.state == payment_state::processing);
  CHECK(history(opened) == lines{"attempt hosted_session pending"});
  SECTION("paid: captured") {
    const auto t = settle_hosted(opened.next, hosted_signal::paid, now);
    REQUIRE(t);
    CHECK(t->next.state == payment_state::captured);
    CHECK(t->next.captured == 4200);
    CHECK(t->next.captured_at == now);
    CHECK_FALSE(t->next.due_at);
    CHECK(history(*t) == lines{"attempt charge approved", "event payment.captured published"});
    CHECK_FALSE(settle_hosted(t->next, hosted_signal::paid, now));
    CHECK_FALSE(settle_hosted(t->next, hosted_signal::declined, now));
    CHECK(due_step(t->next, now + 48h, timing) == wait_step::none);
    CHECK_FALSE(settle_wait(t->next, declined(), true, now + 48h, timing));
  }
  SECTION("declined: failed") {
    const auto t = settle_hosted(opened.next, hosted_signal::declined, now);
    REQUIRE(t);
    CHECK(t->next.state == payment_state::failed);
    CHECK(history(*t) == lines{"attempt charge declined", "event payment.failed published"});
  }
  SECTION("abandoned: fails after a day, not before") {
    CHECK(due_step(opened.next, now + 24h - 1ms, timing) == wait_step::none);
    CHECK(due_step(opened.next, now + 24h, timing) == wait_step::close);
    const auto t = settle_wait(opened.next, {provider_status::declined, {}, {}, {}}, true, now + 24h, timing);
    REQUIRE(t);
    CHECK(history(*t) == lines{"attempt hosted_session declined", "event payment.failed published"});
    CHECK(t->next.state == payment_state::failed);
    CHECK(t->next.error->code == "checkout_expired");
  }
}

TEST_CASE("a provider other than the gateway's own is asked what its customer has done, less and less often") {
  auto created = payment_in(payment_state::created, provider_kind::stripe, flow::redirect);
  created.created_at = now;
  const auto opened = conclude(claimed(created, operation::create), waiting(), now, timing);
  CHECK(opened.next.due_at == now + 1min);
  CHECK(due_step(opened.next, now + 59s, timing) == wait_step::none);
  const provider_result still_waiting{provider_status::pending, "cs_1", {}, {}};
  auto p = opened.next;
  for (const auto& [asked_after, next_after] : std::vector<std::pair<duration_ms, duration_ms>>{
           {1min, 2min}, {2min, 3min}, {8min, 12min}, {10h, 11h}, {23h + 30min, 24h}}) {
    p.due_at = now + asked_after;
    CHECK(due_step(p, now + asked_after, timing) == wait_step::look);
    const auto t = settle_wait(p, still_waiting, false, now + asked_after, timing);
    REQUIRE(t);
    CHECK(t->next.due_at == now + next_after);
    CHECK(t->next.version == p.version + 1);
    CHECK(t->next.state == payment_state::processing);
    CHECK(history(*t).empty());
    p = t->next;
  }
  CHECK(due_step(p, now + 24h, timing) == wait_step::close);

  SECTION("paid: captured, by whichever of the two detects it") {
    const auto closes = GENERATE(false, true);
    const auto t = settle_wait(p, approved(), closes, now + 24h, timing);
    REQUIRE(t);
    CHECK(t->next.state == payment_state::captured);
    CHECK_FALSE(t->next.due_at);
    CHECK(history(*t) == lines{"attempt charge approved", "event payment.captured published"});
  }
  SECTION("declined: failed, for the provider's reason") {
    const auto t = settle_wait(p, declined(), false, now + 24h, timing);
    REQUIRE(t);
    CHECK(t->next.state == payment_state::failed);
    CHECK(t->next.error->code == "card_declined");
  }
  SECTION("it cannot be closed, or its state is unknown: it keeps waiting, and is asked about again") {
    for (const auto& answer : {still_waiting, unknown()}) {
      const auto t = settle_wait(p, answer, true, now + 24h, timing);
      REQUIRE(t);
      CHECK(t->next.state == payment_state::processing);
      CHECK(t->next.due_at == now + 25h);
      CHECK(due_step(t->next, now + 25h, timing) == wait_step::close);
      // The expiry is recorded once.
      CHECK(history(*t) == lines{"attempt hosted_session unknown"});
      REQUIRE(t->next.error);
      CHECK(t->next.error->outcome_unknown);
      const auto later = settle_wait(t->next, answer, true, now + 25h, timing);
      REQUIRE(later);
      CHECK(history(*later).empty());
      CHECK(later->next.error == t->next.error);
      const auto paid = settle_wait(later->next, approved(), true, now + 26h, timing);
      CHECK(paid->next.state == payment_state::captured);
      CHECK_FALSE(paid->next.error);
    }
  }
}

TEST_CASE("a capture, refund or void becomes what the provider answers") {
  SECTION("capture approved") {
    const auto t =
        conclude(claimed(payment_in(payment_state::authorized), operation::capture), approved(), now, timing);
    CHECK(t.next.state == payment_state::captured);
    CHECK(t.next.captured == 4200);
    CHECK(history(t) == lines{"attempt capture approved", "event payment.captured published"});
  }
  SECTION("capture rejected: still authorized, still a success to the caller, who reads the reason") {
    const auto t =
        conclude(claimed(payment_in(payment_state::authorized), operation::capture), declined(), now, timing);
    CHECK(t.next.state == payment_state::authorized);
    CHECK_FALSE(t.result.failure);
    CHECK(t.result.status == provider_status::declined);
    CHECK(t.result.error->code == "card_declined");
    CHECK(history(t) == lines{"attempt capture declined"});
  }
  SECTION("partial refund, then the rest") {
    auto t = conclude(claimed(payment_in(payment_state::captured), operation::refund, 1200), approved(), now, timing);
    CHECK(t.next.state == payment_state::partially_refunded);
    CHECK(t.result.refunded_amount == 1200);
    CHECK(t.next.refunded == 1200);
    CHECK(history(t) == lines{"attempt refund approved", "event payment.partially_refunded published"});
    t = conclude(claimed(t.next, operation::refund, 3000), approved(), now, timing);
    CHECK(t.next.state == payment_state::refunded);
    CHECK(t.next.refunded == 4200);
    CHECK(history(t) == lines{"attempt refund approved", "event payment.refunded published"});
  }
  SECTION("refund or void rejected: nothing changes, the caller gets the reason") {
    const auto r =
        conclude(claimed(payment_in(payment_state::captured), operation::refund, 1200), declined(), now, timing);
    CHECK(r.next.state == payment_state::captured);
    CHECK(r.next.refunded == 0);
    CHECK(r.result.failure == problem::refund_rejected);
    const auto v =
        conclude(claimed(payment_in(payment_state::authorized), operation::void_payment), declined(), now, timing);
    CHECK(v.next.state == payment_state::authorized);
    CHECK(v.result.failure == problem::void_rejected);
  }
  SECTION("void approved, for a reason") {
    const auto begun =
        decide(payment_in(payment_state::authorized), void_payment{"out of stock"}, command, now, timing);
    const auto t = conclude(std::get<claim>(begun).claimed, approved(), now, timing);
    CHECK(t.next.state == payment_state::voided);
    CHECK(t.entries.front().message == "out of stock");
    CHECK(history(t) == lines{"attempt void approved", "event payment.voided published"});
  }
  SECTION("unknown: the state stays, the operation stays open") {
    for (auto what : {operation::capture, operation::void_payment}) {
      const auto t = conclude(claimed(payment_in(payment_state::authorized), what), unknown(), now, timing);
      CHECK(t.next.state == payment_state::authorized);
      CHECK(t.next.open->what == what);
      CHECK(t.result.failure == problem::provider_outcome_unknown);
    }
  }
}

TEST_CASE("timeline entries are numbered without gaps") {
  const auto t = conclude(claimed(payment_in(payment_state::authorized), operation::capture), approved(), now, timing);
  REQUIRE(t.entries.size() == 2);
  CHECK(t.entries[0].seq == 3);
  CHECK(t.entries[1].seq == 4);
  CHECK(t.next.next_seq == 5);
}
