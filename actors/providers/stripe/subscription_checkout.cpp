// Opens the checkout of a subscription, after its customer was created if requested. The customer pays on Stripe's
// page; Stripe then creates the subscription and reports it by notifications.

#include <algorithm>

#include "customer.hpp"
#include "subscription.hpp"

namespace gateway::actors::stripe {

namespace {

class checkout_operation final : public subscription_dialogue {
 public:
  checkout_operation(subscription_call call, access as, time_point now)
      : call_(std::move(call)), as_(std::move(as)), now_(now) {}

 private:
  enum class step : unsigned char { customer, checkout, search };

  key_age age() const noexcept {
    return {call_.asked_again, call_.age_known, call_.subject.open ? call_.subject.open->begun_at : now_, now_};
  }

  turn begin() override {
    if (auto fault = fault_of_account(as_)) return as_subscription(*fault);
    const auto amount = stripe_amount(call_.subject.state.amount);
    if (const auto* why = std::get_if<amount_fault>(&amount)) return as_subscription(declined_before_sending(*why));
    amount_ = std::get<std::int64_t>(amount);
    // Stripe may have forgotten the key, and the session under it may have expired. No customer has received the
    // session's address, so the session is not opened again: a search shows whether a subscription came of it.
    if (age().is_over()) {
      step_ = step::search;
      return read_request(as_, search_path("subscriptions", call_.provider_key));
    }
    customer_ = call_.subject.state.provider_customer_id;
    if (!customer_.empty() || call_.customer_key.empty()) return send_checkout();
    step_ = step::customer;
    customer_creation::whose who{call_.subject.key.merchant, call_.customer_key, call_.subject.details.customer_ref};
    return creating_.emplace(as_, std::move(who), age()).begin();
  }

  turn on_reply(const reply& received) override {
    switch (step_) {
      case step::customer: return on_customer_reply(received);
      case step::checkout: return on_checkout(received);
      case step::search: return on_search(received);
    }
    return nothing_known<subscription_result>();
  }

  turn on_customer_reply(const reply& received) {
    auto said = creating_->on_reply(received);
    if (auto* request = std::get_if<http_request>(&said)) return std::move(*request);
    if (auto* id = std::get_if<std::string>(&said)) {
      customer_ = made_ = std::move(*id);
      return send_checkout();
    }
    if (std::get<customer_fault>(said) == customer_fault::failed)
      return as_subscription(result_of_failure(received, call_.asked_again));
    return subscription_unclear("The provider gave no clear answer about the customer.");
  }

  turn send_checkout() {
    step_ = step::checkout;
    auto body = subscription_checkout_form(call_, amount_, customer_);
    return write_request(as_, "/v1/checkout/sessions", std::move(body), call_.provider_key);
  }

  turn on_checkout(const reply& received) {
    if (received.kind != reply_kind::success) return with_customer(result_of_failure(received, call_.asked_again));
    const auto made = read_checkout(received.body);
    if (!made || !is_checkout_id(made->id) || made->url.empty())
      return with_customer(not_known("The provider's answer could not be read."));
    subscription_result result;
    result.answer.status = provider_status::pending;
    result.answer.checkout_session_id = made->id;
    result.answer.hosted_url = made->url;
    result.customer_id = made_;
    return result;
  }

  turn on_search(const reply& received) {
    const auto found = received.kind == reply_kind::success ? read_subscriptions(received.body) : std::nullopt;
    if (!found) return subscription_unclear("The provider could not be asked what became of the checkout.");
    if (std::ranges::find(found->all, call_.provider_key, &billed_subscription::key) == found->all.end())
      return age().is_at_least(key_life) ? as_subscription(expired({}))
                                         : subscription_unclear("The provider does not know the checkout yet.");
    // The checkout was paid before it could be closed. The notifications report the outcome.
    subscription_result result;
    result.answer.status = provider_status::approved;
    return result;
  }

  /// Adds the created customer to the result: it exists at Stripe, whatever the outcome of the checkout.
  subscription_result with_customer(const provider_result& of) const {
    auto result = as_subscription(of);
    result.customer_id = made_;
    return result;
  }

  subscription_call call_;
  access as_;
  time_point now_;
  step step_ = step::checkout;
  std::optional<customer_creation> creating_;
  std::int64_t amount_ = 0;  ///< in Stripe's unit
  std::string customer_;  ///< Stripe's id
  std::string made_;  ///< the same, if this call created the customer
};

}  // namespace

dialogue_ptr<subscription_result> open_subscription_checkout(subscription_call call, access as, time_point now) {
  return std::make_unique<checkout_operation>(std::move(call), std::move(as), now);
}

}  // namespace gateway::actors::stripe
