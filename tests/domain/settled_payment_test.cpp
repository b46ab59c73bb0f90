// What an operator does to a payment: an operation is settled as approved or declined, and a refund is recorded.
#include <map>

#include "followed_payment.hpp"
#include "gateway/domain/payment_machine.hpp"

using namespace gateway;
using namespace gateway::followed;
using namespace std::chrono_literals;

namespace {

const machine_timing timing{};
const command_key command{merchant_id{"merch_1"}, environment::test, {}, "key"};

/// The payment with an operation whose outcome is unknown, as its client was answered.
payment unknown(payment_state state, operation what, std::int64_t amount = 4200,
                provider_kind provider = provider_kind::stripe) {
  auto p = payment_in(state, provider);
  p.open = open_operation{command, what, amount, true, 2, p.version, now - 1h, {}, "worn"};
  p.due_at = now + 5min;
  return p;
}

settle_payment as(bool approved) { return {approved, "the bank says so"}; }

std::string text_of(const std::variant<transition, problem>& decided) {
  if (const auto* t = std::get_if<transition>(&decided)) {
    std::string text{to_string(t->next.state)};
    return text + " " + std::to_string(t->next.refunded);
  }
  switch (std::get<problem>(decided)) {
    case problem::payment_outcome_pending: return "outcome pending";
    case problem::refund_already_recorded: return "already recorded";
    case problem::not_refundable: return "not refundable";
    case problem::refund_exceeds_captured: return "exceeds captured";
    default: return "another";
  }
}

}  // namespace

TEST_CASE("every operation with an unknown outcome is settled as an operator says") {
  using enum payment_state;
  struct row {
    operation what;
    payment_state state;
    bool approved;
    payment_state expected;
    std::string story;
  };
  const row table[] = {
      {operation::create, processing, true, authorized, "authorize approved"},
      {operation::create, processing, false, failed, "authorize declined, payment.failed published / failed 4200"},
      {operation::charge, processing, true, authorized, "authorize approved"},
      {operation::capture, authorized, true, captured, "capture approved, payment.captured published / captured 4200"},
      {operation::capture, authorized, false, authorized, "capture declined"},
      {operation::void_payment, authorized, true, voided, "void approved, payment.voided published"},
      {operation::void_payment, authorized, false, authorized, "void declined"},
      {operation::refund, captured, true, refunded, "refund approved, payment.refunded published / refunded 4200"},
      {operation::refund, captured, false, captured, "refund declined"},
      {operation::cancel, processing, false, failed, "cancel approved, payment.failed published / failed 4200"},
  };
  for (const auto& r : table) {
    CAPTURE(to_string(r.what), r.approved);
    const auto p = unknown(r.state, r.what, r.what == operation::cancel ? 0 : 4200);
    const auto t = settle_as(p, as(r.approved), now, timing);
    REQUIRE(t);
    CHECK(t->next.state == r.expected);
    CHECK(story_of(p, *t) == r.story);
    CHECK_FALSE(t->next.open);
    CHECK(t->next.version == p.version + 1);
    CHECK(t->next.provider_ref == "pi_1");
    // The provider is asked at once: if it contradicts, the payment follows it.
    CHECK(t->next.due_at == now);
    for (const auto& entry : t->entries) {
      CHECK(entry.by == entry_origin::operator_);
      CHECK(entry.message == (entry.kind == timeline_kind::attempt ? "the bank says so" : ""));
    }
  }
}

TEST_CASE("only an operation whose client was answered, or a wait that has outlived its end, can be settled") {
  for (std::size_t i = 0; i < enum_count<payment_state>; ++i) {
    const auto state = static_cast<payment_state>(i);
    CAPTURE(to_string(state));
    CHECK_FALSE(settle_as(payment_in(state), as(true), now, timing));
    CHECK_FALSE(settle_as(payment_in(state), as(false), now, timing));
  }
  auto running = unknown(payment_state::authorized, operation::capture);
  running.open->answered = false;
  CHECK_FALSE(settle_as(running, as(true), now, timing));

  auto waiting = payment_in(payment_state::processing, provider_kind::stripe, flow::redirect);
  waiting.error =
      provider_error{error_category::timeout, "checkout_outcome_unknown", "The time to pay is over.", false, true};
  const auto paid = settle_as(waiting, as(true), now, timing);
  REQUIRE(paid);
  CHECK(story_of(waiting, *paid) == "charge approved, payment.captured published / captured 4200");
  const auto given_up = settle_as(waiting, as(false), now, timing);
  REQUIRE(given_up);
  CHECK(story_of(waiting, *given_up) == "hosted_session declined, payment.failed published / failed 4200");
  CHECK(given_up->next.error->code == "settled_by_operator");
  for (const auto& each : {*paid, *given_up})
    for (const auto& entry : each.entries) CHECK(entry.by == entry_origin::operator_);
}

TEST_CASE("a reference is recorded once, also after the provider's own has taken its place") {
  auto p = payment_in(payment_state::captured);
  auto recorded = std::get<transition>(decide(p, record_refund{1200, "by hand", "cash"}, now)).next;
  CHECK(text_of(decide(recorded, record_refund{100, "by hand", "cash"}, now)) == "already recorded");
  recorded.records.refunds.front().provider_ref = "re_there";
  CHECK(text_of(decide(recorded, record_refund{100, "by hand", "cash"}, now)) == "already recorded");
}

TEST_CASE("the provider is asked at once about a settled creation that never had an answer") {
  auto p = unknown(payment_state::processing, operation::create);
  p.provider_ref.clear();
  CHECK(settle_as(p, as(true), now, timing)->next.due_at == now);
  CHECK(settle_as(p, as(false), now, timing)->next.due_at == now);
}

TEST_CASE("a payment that is paid late keeps its customer and the method that was to be saved") {
  auto p = payment_in(payment_state::failed);
  p.customer = payment_customer{platform_id{"plat_1"}, "ref", {}, true, false, {}};
  provider_truth truth;
  truth.charge = charge_state::captured;
  truth.captured = 4200;
  truth.customer_id = "cus_1";
  truth.saved_method = "pm_9";
  const auto late = follow(p, truth).after;
  CHECK(late.customer->provider_id == "cus_1");
  CHECK(late.customer->saved_method == "pm_9");
  truth.charge = charge_state::authorized;
  CHECK(follow(p, truth).after.customer->saved_method == "pm_9");
  truth.charge = charge_state::captured;
  p.customer->saves_method = false;
  CHECK(follow(p, truth).after.customer->saved_method.empty());
  p.customer.reset();
  CHECK_FALSE(follow(p, truth).after.customer);
}

TEST_CASE("a payment that an operator settled without the provider's answer takes its reference, and is compared") {
  auto p = payment_in(payment_state::authorized);
  p.provider_ref.clear();
  REQUIRE(lacks_reference(p));
  provider_truth truth;
  truth.charge = charge_state::captured;
  truth.captured = 4200;
  CHECK(follow(p, truth).story.empty());
  truth.provider_ref = "pi_found";
  const auto found = follow(p, truth).after;
  CHECK(found.provider_ref == "pi_found");
  CHECK(found.state == payment_state::captured);
  // One that was settled as declined may have been approved; one that was declined at once has no reference to find.
  auto declined = payment_in(payment_state::failed);
  declined.provider_ref.clear();
  CHECK_FALSE(lacks_reference(declined));
  declined.error->code = settled_by_operator;
  CHECK(follow(declined, truth).after.state == payment_state::captured);
  auto sandboxed = p;
  sandboxed.provider = provider_kind::sandbox;
  CHECK_FALSE(lacks_reference(sandboxed));
}

TEST_CASE("a refund that was settled counts until the provider contradicts it") {
  const auto p = unknown(payment_state::captured, operation::refund, 1200);
  const auto settled = settle_as(p, as(true), now, timing)->next;
  REQUIRE(settled.records.refunds.size() == 1);
  CHECK(settled.records.refunds.front().amount == 1200);
  CHECK(settled.records.refunds.front().reason == "worn");
  CHECK(settled.records.refunds.front().provider_ref.empty());
  provider_truth truth;
  truth.charge = charge_state::captured;
  truth.captured = 4200;
  truth.lists_refunds = true;
  SECTION("it was made: the refund takes the provider's reference") {
    truth.refunds = {{"r1", 1200, refund_status::succeeded, {}, {}}};
    const auto after = follow(settled, truth).after;
    CHECK(after.refunded == 1200);
    CHECK(after.records.refunds.front().provider_ref == "r1");
  }
  SECTION("it was not: its amount may be refunded again") {
    const auto after = follow(settled, truth).after;
    CHECK(after.refunded == 0);
    CHECK(after.state == payment_state::captured);
    CHECK(after.records.refunds.front().status == refund_status::failed);
  }
}

TEST_CASE("a payment that was settled as declined, and was approved at the provider, is approved") {
  const auto create = unknown(payment_state::processing, operation::create);
  const auto failed = settle_as(create, as(false), now, timing)->next;
  provider_truth truth;
  truth.charge = charge_state::authorized;
  CHECK(follow(failed, truth).after.state == payment_state::authorized);
  const auto capture = unknown(payment_state::authorized, operation::capture);
  const auto not_captured = settle_as(capture, as(false), now, timing)->next;
  truth.charge = charge_state::captured;
  truth.captured = 4200;
  CHECK(follow(not_captured, truth).after.state == payment_state::captured);
}

TEST_CASE("a refund is recorded within what remains, once for each reference") {
  using enum payment_state;
  auto known = payment_in(partially_refunded);
  known.records.refunds = {{"re_1", 1200, refund_status::succeeded, entry_origin::operator_, now, {}, {}, "bank 1"}};
  auto gone = payment_in(captured);
  gone.records.refunds = {{"re_1", 1200, refund_status::failed, entry_origin::api, now, {}, {}, "bank 1"}};
  auto busy = payment_in(captured);
  busy.open = open_operation{};
  auto lost = payment_in(captured);
  lost.records.disputes = {{"dp_1", 4000, {}, dispute_status::lost, {}, now, now, "d1"}};
  struct row {
    const char* what;
    payment before;
    std::int64_t amount;
    std::string reference;
    std::string expected;
  };
  const row table[] = {
      {"a part", payment_in(captured), 1200, "bank 1", "partially_refunded 1200"},
      {"all", payment_in(captured), 4200, "bank 1", "refunded 4200"},
      {"the rest", payment_in(partially_refunded), 3000, "bank 1", "refunded 4200"},
      {"too much", payment_in(captured), 4201, "bank 1", "exceeds captured"},
      {"more than the rest", payment_in(partially_refunded), 3001, "bank 1", "exceeds captured"},
      {"more than was not lost", lost, 201, "bank 1", "exceeds captured"},
      {"what was not lost", lost, 200, "bank 1", "refunded 200"},
      {"twice", known, 1200, "bank 1", "already recorded"},
      {"another", known, 1200, "bank 2", "partially_refunded 2400"},
      {"a reference that failed", gone, 1200, "bank 1", "already recorded"},
      {"while an operation is open", busy, 1200, "bank 1", "outcome pending"},
      {"of an authorized one", payment_in(authorized), 1200, "bank 1", "not refundable"},
      {"of a failed one", payment_in(failed), 1200, "bank 1", "not refundable"},
      {"of a refunded one", payment_in(refunded), 1200, "bank 1", "not refundable"},
      {"of a wallet's", payment_in(captured, provider_kind::jazzcash, flow::redirect), 1200, "bank 1",
       "partially_refunded 1200"},
  };
  for (const auto& r : table) {
    CAPTURE(r.what);
    const auto decided = decide(r.before, record_refund{r.amount, r.reference, "paid by hand"}, now);
    CHECK(text_of(decided) == r.expected);
    const auto* t = std::get_if<transition>(&decided);
    if (!t) continue;
    CHECK(t->next.version == r.before.version + 1);
    const auto& made = t->next.records.refunds.back();
    CHECK(made.by == entry_origin::operator_);
    CHECK(made.provider_ref == r.reference);
    CHECK(made.reason == "paid by hand");
    CHECK(t->movement_ref == r.reference);
    CHECK(t->entries.front().message == "paid by hand");
    for (const auto& entry : t->entries) CHECK(entry.by == entry_origin::operator_);
    CHECK(movements_of(&r.before, t->next) == std::vector{movement{ledger_kind::refunded, r.amount}});
  }
}
