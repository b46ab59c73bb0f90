// Cancels a subscription, or closes its checkout; before payment both are the same. If the customer has paid meanwhile,
// there is a subscription: a cancel ends it, an expiry reports it.
//
// Both are safe to repeat: a repeated request finds the subscription or the checkout ended.

#include "subscription.hpp"

namespace gateway::actors::stripe {

namespace {

class termination_operation final : public subscription_dialogue {
 public:
  termination_operation(subscription_call call, access as, time_point now)
      : call_(std::move(call)), as_(std::move(as)), now_(now) {}

 private:
  enum class step : unsigned char { close, closed, cancel, read_state };

  const subscription& subject() const noexcept { return call_.subject; }
  bool cancels() const noexcept { return subject().open && subject().open->what == subscription_operation::cancel; }

  turn begin() override {
    if (auto fault = fault_of_account(as_)) return as_subscription(*fault);
    if (is_stripe_subscription_id(subject().provider_subscription_id)) {
      id_ = subject().provider_subscription_id;
      return end_subscription();
    }
    if (!is_checkout_id(subject().checkout_session_id)) return as_subscription(no_reference());
    step_ = step::close;
    return write_request(as_, session_path() + "/expire", {}, closing_key(subject().key, subject().version));
  }

  turn on_reply(const reply& received) override {
    switch (step_) {
      case step::close:
      case step::closed: return on_session(received);
      case step::cancel: return on_cancel(received);
      case step::read_state: return on_state(received);
    }
    return nothing_known<subscription_result>();
  }

  std::string session_path() const { return "/v1/checkout/sessions/" + subject().checkout_session_id; }

  /// Only an open session can be expired: a rejection means that it has ended in some way.
  turn on_session(const reply& received) {
    if (step_ == step::close && received.kind == reply_kind::rejected) {
      step_ = step::closed;
      return read_request(as_, session_path());
    }
    if (received.kind != reply_kind::success) return as_subscription(result_of_failure(received, true));
    const auto now = read_checkout(received.body);
    if (!now || now->id != subject().checkout_session_id)
      return subscription_unclear("The provider's answer could not be read.");
    if (now->status == "expired") return closed_unpaid();
    if (now->status != "complete" || !is_stripe_subscription_id(now->subscription_id))
      return subscription_unclear("What has become of the checkout at the provider is not clear.");
    id_ = now->subscription_id;
    return end_subscription();
  }

  turn end_subscription() {
    if (!cancels()) return read_state();
    step_ = step::cancel;
    return delete_request(as_, "/v1/subscriptions/" + id_);
  }

  turn on_cancel(const reply& received) {
    if (received.kind == reply_kind::success) return seen(received);
    // For a subscription that has already ended, Stripe answers that it does not exist, but still returns it on a read.
    if (received.kind == reply_kind::rejected) {
      rejection_ = as_subscription(result_of_failure(received, false));
      return read_state();
    }
    return as_subscription(result_of_failure(received, call_.asked_again));
  }

  turn read_state() {
    step_ = step::read_state;
    return read_request(as_, "/v1/subscriptions/" + id_);
  }

  turn on_state(const reply& received) {
    if (received.kind == reply_kind::success) return seen(received);
    if (rejection_ && received.kind == reply_kind::rejected) return *rejection_;
    return subscription_unclear("The provider could not be asked what became of the subscription.");
  }

  turn seen(const reply& received) {
    const auto now = read_subscription(received.body);
    if (!now || now->id != id_) return subscription_unclear("The provider's answer could not be read.");
    if (rejection_ && !is_final(now->state.status)) return *rejection_;
    subscription_result result;
    result.answer.status = provider_status::approved;
    result.answer.seen = statement_of(*now, now_);
    return result;
  }

  static subscription_result closed_unpaid() {
    subscription_result result;
    result.answer.status = provider_status::approved;
    return result;
  }

  subscription_call call_;
  access as_;
  time_point now_;
  step step_ = step::close;
  std::string id_;  ///< Stripe's, of the subscription
  std::optional<subscription_result> rejection_;
};

}  // namespace

dialogue_ptr<subscription_result> open_subscription_end(subscription_call call, access as, time_point now) {
  return std::make_unique<termination_operation>(std::move(call), std::move(as), now);
}

}  // namespace gateway::actors::stripe
