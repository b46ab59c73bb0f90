// Reads a payment's present state at Stripe: its charge, refunds and disputes. The charge is read with the payment, in
// one request, and shows whether there are refunds and disputes to read. So an authorized payment takes one request.
//
// For the payment of a subscription's cycle, only refunds and disputes are compared: notifications of its invoice
// report the rest.

#include <algorithm>
#include <memory>
#include <ranges>
#include <utility>

#include "billing.hpp"
#include "dialogue.hpp"
#include "form.hpp"
#include "gateway/domain/provider_truth.hpp"

namespace gateway::actors::stripe {

namespace {

provider_result unreadable() { return not_known("The provider's answer could not be read."); }

/// docs.stripe.com/payments/paymentintents/lifecycle
charge_state charge_state_of(const intent& seen) {
  const auto& status = seen.status;
  if (status == "succeeded") return charge_state::captured;
  if (status == "requires_capture") return charge_state::authorized;
  if (status == "canceled") {
    // Stripe itself has canceled it, because it was not captured in time.
    const bool over = seen.cancellation_reason == "automatic" || seen.cancellation_reason == "expired";
    return over ? charge_state::expired : charge_state::canceled;
  }
  if (status == "requires_payment_method") return seen.last_error ? charge_state::failed : charge_state::waiting;
  const bool waits = status == "processing" || status == "requires_action" || status == "requires_confirmation";
  return waits ? charge_state::waiting : charge_state::unknown;
}

refund_status refund_status_of(const refund& seen) {
  if (seen.status == "succeeded") return refund_status::succeeded;
  return seen.status == "failed" || seen.status == "canceled" ? refund_status::failed : refund_status::pending;
}

/// A code of Stripe, shortened for storage.
std::string code_of(std::string_view word) { return std::string{first_bytes(shown(word), 64)}; }

/// docs.stripe.com/api/disputes/object. nullopt for a status that is not known: the dispute stays as it is.
std::optional<dispute_status> dispute_status_of(const made_dispute& seen) {
  using enum dispute_status;
  const auto& status = seen.status;
  if (status == "warning_needs_response" || status == "warning_under_review") return warning;
  if (status == "needs_response") return needs_response;
  if (status == "under_review") return under_review;
  if (status == "won" || status == "warning_closed") return won;
  if (status == "lost") return lost;
  // Resolved or blocked before it became a dispute (docs.stripe.com/disputes/prevention-preview): the balance shows
  // whether the amount was withdrawn.
  if (status == "prevented") return seen.balance < 0 ? lost : won;
  return std::nullopt;
}

class comparison final : public money_dialogue {
 public:
  comparison(provider_inquiry what, access as)
      : what_(std::move(what)), as_(std::move(as)), ref_(what_.subject.provider_ref) {}

 private:
  enum class step : unsigned char { search, payment, checkout, invoice, refunds, disputes };
  /// Pages of a hundred refunds each.
  static constexpr unsigned most_pages = 10;
  /// Most payments of an invoice that is paid in parts.
  static constexpr std::size_t most_payments = 4;

  const payment& subject() const noexcept { return what_.subject; }
  const std::string& ref() const noexcept { return ref_; }

  turn begin() override {
    if (auto fault = fault_of_account(as_)) return not_known(fault->error->message);
    if (is_intent_id(ref())) return ask(step::payment, intent_with_charge_path(ref()));
    if (is_checkout_id(ref())) return ask(step::checkout, checkout_with_charge_path(ref()));
    if (is_invoice_id(ref())) return ask(step::invoice, invoice_payments_path(ref(), false));
    if (lacks_reference(subject())) return ask(step::search, payment_search_path(subject().key.id));
    return not_known("The payment has no reference of this provider.");
  }

  turn on_reply(const reply& received) override {
    if (received.kind != reply_kind::success) return result_of_failed_read(received);
    switch (step_) {
      case step::search: return on_search(received);
      case step::payment: return on_payment(received);
      case step::checkout: return on_checkout(received);
      case step::invoice: return on_invoice(received);
      case step::refunds: return on_refunds(received);
      case step::disputes: return on_disputes(received);
    }
    return unreadable();
  }

  turn ask(step next, std::string_view path) {
    step_ = next;
    return read_request(as_, path);
  }

  // ---- the reference --------------------------------------------------------------------------------

  bool is_subject(const intent& seen) const {
    return seen.merchant == subject().key.merchant.value && seen.payment == subject().key.id;
  }

  /// Search ignores case and returns outdated objects, so only the id is used. Another merchant that shares the account
  /// may have a payment with the same id.
  turn on_search(const reply& received) {
    const auto found = read_intents(received.body);
    if (!found || found->has_more) return unreadable();
    for (const auto& each : found->all) {
      if (!is_subject(each) || !is_intent_id(each.id) || each.id == ref_) continue;
      if (!ref_.empty()) return not_known("The provider has several payments of this id.");
      ref_ = each.id;
    }
    if (ref_.empty()) return not_known("The provider does not know the payment.");
    truth_.provider_ref = ref_;
    return ask(step::payment, intent_with_charge_path(ref_));
  }

  // ---- the charge -----------------------------------------------------------------------------------

  turn on_payment(const reply& received) {
    const auto seen = read_intent(received.body);
    if (!seen || seen->id != ref()) return unreadable();
    if (!truth_.provider_ref.empty() && !is_subject(*seen)) return unreadable();
    return take_charge(*seen);
  }

  turn on_checkout(const reply& received) {
    const auto seen = read_checkout(received.body);
    if (!seen || seen->id != ref()) return unreadable();
    if (seen->expanded && is_intent_id(seen->expanded->id)) return take_charge(*seen->expanded);
    if (seen->payment_status == "paid") return unreadable();
    truth_.charge = seen->status == "expired" ? charge_state::failed : charge_state::waiting;
    return done();
  }

  turn take_charge(const intent& seen) {
    truth_.charge = charge_state_of(seen);
    if (truth_.charge == charge_state::unknown) return unreadable();
    truth_.charge_ref = seen.charge;
    take_customer(seen);
    if (seen.whole_charge) truth_.authorized_until = seen.whole_charge->capture_before;
    if (truth_.charge != charge_state::captured) return done();
    truth_.captured = minor(seen.received);
    if (truth_.captured <= 0) return unreadable();
    charge_ = seen.whole_charge;
    intents_ = {seen.id};
    return read_refunds_of_next();
  }

  void take_customer(const intent& seen) {
    const bool is_paid = truth_.charge == charge_state::captured || truth_.charge == charge_state::authorized;
    if (!is_paid || !subject().customer || !subject().customer->saves_method) return;
    truth_.customer_id = seen.customer;
    truth_.saved_method = seen.payment_method;
  }

  turn on_invoice(const reply& received) {
    const auto seen = read_invoice_payments(received.body);
    if (!seen) return unreadable();
    for (const auto& each : seen->all)
      if (each.status == "paid" && is_intent_id(each.intent_id)) intents_.push_back(each.intent_id);
    if (intents_.size() > most_payments) return not_known("The invoice has more payments than can be read.");
    return read_refunds_of_next();
  }

  // ---- refunds --------------------------------------------------------------------------------------

  turn read_refunds_of_next() {
    if (at_ == intents_.size()) return done();
    if (has_refunds()) return ask(step::refunds, refunds_path(intents_[at_], {}));
    return read_disputes_of_this();
  }

  bool has_refunds() const {
    const bool none_there = charge_ && charge_->refunded == std::int64_t{0};
    return !none_there || subject().refunded > 0 || !subject().records.refunds.empty();
  }

  turn on_refunds(const reply& received) {
    auto seen = read_refunds(received.body);
    if (!seen) return unreadable();
    for (auto& each : seen->all) {
      if (each.id.empty()) return unreadable();
      refunds_.push_back(std::move(each));
    }
    if (!seen->has_more) return read_disputes_of_this();
    if (++pages_ == most_pages || seen->all.empty()) return not_known("The payment has more refunds than can be read.");
    return ask(step::refunds, refunds_path(intents_[at_], refunds_.back().id));
  }

  // ---- disputes -------------------------------------------------------------------------------------

  turn read_disputes_of_this() {
    const bool none_there = charge_ && charge_->disputed == false;
    if (!none_there || !subject().records.disputes.empty()) return ask(step::disputes, disputes_path(intents_[at_]));
    ++at_;
    return read_refunds_of_next();
  }

  turn on_disputes(const reply& received) {
    auto seen = read_disputes(received.body);
    if (!seen) return unreadable();
    for (auto& each : seen->all) {
      if (each.id.empty()) return unreadable();
      disputes_.push_back(std::move(each));
    }
    ++at_;
    return read_refunds_of_next();
  }

  // ---- the result -----------------------------------------------------------------------------------

  std::int64_t minor(std::int64_t at_stripe) const { return gateway_amount(at_stripe, subject().amount.unit).minor; }

  /// Stripe also lists the released part of an authorization as a refund. No money moves, so it has no balance
  /// transaction, and it is not a refund of the captured amount.
  bool is_release(const refund& seen) const {
    if (seen.reason == "expired_uncaptured_charge") return true;
    const auto released = charge_ ? charge_->amount - charge_->captured : 0;
    return released > 0 && seen.amount == released && seen.status == "succeeded" && !seen.moved_money &&
           seen.key.empty();
  }

  void take_refunds() {
    bool has_release = false;
    // Stripe lists the newest first.
    for (const auto& seen : refunds_ | std::views::reverse) {
      if (!has_release && is_release(seen)) {
        has_release = true;
        continue;
      }
      truth_.refunds.push_back(
          {seen.id, minor(seen.amount), refund_status_of(seen), code_of(seen.failure_reason), seen.created, seen.key});
    }
    std::ranges::stable_sort(truth_.refunds, {}, &provider_refund::created_at);
  }

  /// A dispute in another currency counts as a dispute of the whole amount.
  void take_disputes() {
    for (const auto& seen : disputes_ | std::views::reverse) {
      const auto status = dispute_status_of(seen);
      if (!status) continue;
      const bool comparable = seen.unit.empty() || currency::parse(seen.unit) == subject().amount.unit;
      const auto whole = truth_.captured > 0 ? truth_.captured : subject().captured;
      const bool is_inquiry = *status == dispute_status::warning || seen.status == "warning_closed" ||
                              (seen.status == "prevented" && *status == dispute_status::won);
      truth_.disputes.push_back({seen.id, comparable ? minor(seen.amount) : whole, code_of(seen.reason), *status,
                                 seen.due_by, seen.created, std::nullopt, is_inquiry});
    }
    std::ranges::stable_sort(truth_.disputes, {}, &provider_dispute::opened_at);
  }

  turn done() {
    truth_.lists_refunds = !intents_.empty();
    take_refunds();
    take_disputes();
    provider_result result;
    result.status = provider_status::approved;
    result.provider_ref = ref();
    result.truth = std::make_shared<const provider_truth>(std::move(truth_));
    return result;
  }

  provider_inquiry what_;
  access as_;
  std::string ref_;
  step step_ = step::payment;
  provider_truth truth_;
  std::optional<made_charge> charge_;  ///< the captured charge, if it was read with the payment
  std::vector<std::string> intents_;  ///< the payments whose refunds and disputes are read
  std::size_t at_ = 0;
  unsigned pages_ = 0;
  std::vector<refund> refunds_;
  std::vector<made_dispute> disputes_;
};

}  // namespace

dialogue_ptr<provider_result> open_comparison(provider_inquiry what, access as) {
  return std::make_unique<comparison>(std::move(what), std::move(as));
}

}  // namespace gateway::actors::stripe
