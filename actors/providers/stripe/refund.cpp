// A refund. The payment is first read from the checkout's session, or from the invoice of a subscription's cycle. The
// outcome of a refund is searched among the payment's refunds, by the key in their metadata.

#include <algorithm>

#include "billing.hpp"
#include "dialogue.hpp"

namespace gateway::actors::stripe {

namespace {

class refund_operation final : public money_dialogue {
 public:
  explicit refund_operation(call_at what) : what_(std::move(what)) {}

 private:
  enum class step : unsigned char { checkout, invoice, refund, list };
  /// Most pages, of a hundred refunds each. Beyond them the outcome stays unknown, and an operator must settle it.
  static constexpr unsigned most_pages = 10;

  const provider_call& call() const noexcept { return what_.call; }

  turn begin() override {
    if (auto fault = fault_of_account(what_.as)) return *std::move(fault);
    const auto amount = stripe_amount({call().amount, call().subject.amount.unit});
    if (const auto* why = std::get_if<amount_fault>(&amount)) return declined_before_sending(*why);
    amount_ = std::get<std::int64_t>(amount);
    const auto& ref = call().subject.provider_ref;
    if (is_checkout_id(ref)) {
      step_ = step::checkout;
      return read_request(what_.as, "/v1/checkout/sessions/" + ref);
    }
    if (is_invoice_id(ref)) {
      step_ = step::invoice;
      return read_request(what_.as, invoice_payments_path(ref, false));
    }
    if (!is_intent_id(ref)) return no_reference();
    intent_ = ref;
    return refund_or_read();
  }

  turn on_reply(const reply& received) override {
    switch (step_) {
      case step::checkout: return on_checkout(received);
      case step::invoice: return on_invoice(received);
      case step::refund: return on_refund(received);
      case step::list: return on_list(received);
    }
    return not_known("The provider was asked nothing.");
  }

  turn on_checkout(const reply& received) {
    const auto session = received.kind == reply_kind::success ? read_checkout(received.body) : std::nullopt;
    if (session && is_intent_id(session->intent_id)) {
      intent_ = session->intent_id;
      return refund_or_read();
    }
    return payment_not_found(received);
  }

  /// An invoice may be paid in parts. The largest is refunded, because a refund concerns one payment.
  turn on_invoice(const reply& received) {
    const auto seen = received.kind == reply_kind::success ? read_invoice_payments(received.body) : std::nullopt;
    if (!seen) return payment_not_found(received);
    const invoice_payment* largest = nullptr;
    for (const auto& each : seen->all)
      if (each.status == "paid" && is_intent_id(each.intent_id) && (!largest || each.paid > largest->paid))
        largest = &each;
    if (!largest) return call().asked_again ? not_known("The invoice names no payment.") : no_reference();
    intent_ = largest->intent_id;
    return refund_or_read();
  }

  turn payment_not_found(const reply& received) const {
    if (call().asked_again) return not_known("The provider could not be asked for the payment.");
    // Only a read was sent: no money has moved.
    const bool refused = received.kind == reply_kind::rejected || received.kind == reply_kind::credentials;
    return refused ? result_of_failure(received, false) : unavailable();
  }

  turn refund_or_read() {
    if (what_.key_is_over()) return read_state();
    step_ = step::refund;
    return write_request(what_.as, "/v1/refunds", refund_form(call(), amount_, intent_), call().provider_key);
  }

  turn on_refund(const reply& received) {
    if (received.kind == reply_kind::success) {
      const auto made = read_refund(received.body);
      if (!made || made->id.empty()) return not_known("The provider's answer could not be read.");
      if (auto result = result_of_refund(*made)) return *std::move(result);
      // The same key gets the same answer: the list has the current state.
      if (call().asked_again) return read_state();
      return not_known("The refund waits for something at the provider.");
    }
    if (received.kind == reply_kind::rejected && call().asked_again) rejection_ = result_of_failure(received, false);
    if (rejection_ || what_.must_read(received)) return read_state();
    return result_of_failure(received, call().asked_again);
  }

  turn read_state() {
    step_ = step::list;
    return read_request(what_.as, refunds_path(intent_, {}));
  }

  turn on_list(const reply& received) {
    const auto seen = received.kind == reply_kind::success ? read_refunds(received.body) : std::nullopt;
    if (!seen) return not_known("The provider could not be asked for the refund.");
    const auto ours = std::ranges::find(seen->all, call().provider_key, &refund::key);
    if (ours != seen->all.end())
      return result_of_refund(*ours).value_or(not_known("The refund waits for something at the provider."));
    if (seen->has_more) return next_page(*seen);
    if (rejection_) return *rejection_;
    return what_.certain() ? never_happened() : not_known("The provider does not know the refund yet.");
  }

  turn next_page(const page<refund>& seen) {
    if (++pages_ == most_pages || seen.all.empty() || seen.all.back().id.empty())
      return not_known("The payment has more refunds than can be looked through.");
    return read_request(what_.as, refunds_path(intent_, seen.all.back().id));
  }

  call_at what_;
  step step_ = step::refund;
  std::int64_t amount_ = 0;  ///< in Stripe's unit
  std::string intent_;
  unsigned pages_ = 0;
  std::optional<provider_result> rejection_;
};

}  // namespace

dialogue_ptr<provider_result> open_refund(call_at what) { return std::make_unique<refund_operation>(std::move(what)); }

}  // namespace gateway::actors::stripe
