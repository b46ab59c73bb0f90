// Creates a payment: first its customer if requested, then the payment or the checkout. While Stripe may have forgotten
// the key, nothing is created, and the payment is searched for.

#include <algorithm>

#include "customer.hpp"
#include "dialogue.hpp"
#include "gateway/domain/subscription_notification.hpp"

namespace gateway::actors::stripe {

namespace {

class creation final : public money_dialogue {
 public:
  creation(call_at what, std::string return_url) : what_(std::move(what)), return_url_(std::move(return_url)) {}

 private:
  enum class step : unsigned char { customer, payment, confirmation, search, found };

  const provider_call& call() const noexcept { return what_.call; }
  bool hosted() const noexcept { return call().subject.how != flow::server; }
  result_basis by() const noexcept {
    return {call().subject, call().by_sdk, what_.as.publishable_key, what_.certain()};
  }
  priced_call priced() const noexcept { return {call(), amount_, customer_, return_url_}; }

  turn begin() override {
    if (auto fault = fault_of_account(what_.as)) return *std::move(fault);
    const auto amount = stripe_amount({call().amount, call().subject.amount.unit});
    if (const auto* why = std::get_if<amount_fault>(&amount)) return declined_before_sending(*why);
    amount_ = std::get<std::int64_t>(amount);
    if (what_.key_is_over()) return read_state();
    if (call().subject.customer) customer_ = call().subject.customer->provider_id;
    if (call().customer_key.empty()) return send_payment();
    step_ = step::customer;
    const auto& known = call().subject.customer;
    customer_creation::whose who{call().subject.key.merchant, call().customer_key, known ? known->ref : std::string{}};
    return creating_.emplace(what_.as, std::move(who), what_.age()).begin();
  }

  turn on_reply(const reply& received) override {
    switch (step_) {
      case step::customer: return on_customer_reply(received);
      case step::payment: return hosted() ? on_checkout(received) : on_payment(received);
      case step::confirmation: return on_confirmation(received);
      case step::search: return on_search(received);
      case step::found: return on_found(received);
    }
    return not_known("The provider was asked nothing.");
  }

  turn on_customer_reply(const reply& received) {
    auto said = creating_->on_reply(received);
    if (auto* request = std::get_if<http_request>(&said)) return std::move(*request);
    if (auto* id = std::get_if<std::string>(&said)) {
      customer_ = made_ = std::move(*id);
      return send_payment();
    }
    if (std::get<customer_fault>(said) == customer_fault::failed && !call().asked_again)
      return result_of_failure(received, false);
    // An earlier call may have requested the payment itself.
    return not_known("The provider gave no clear answer about the customer.");
  }

  turn send_payment() {
    step_ = step::payment;
    if (hosted()) return write_request(what_.as, "/v1/checkout/sessions", checkout_form(priced()), call().provider_key);
    return write_request(what_.as, "/v1/payment_intents", intent_form(priced()), call().provider_key);
  }

  turn on_payment(const reply& received) {
    if (received.kind == reply_kind::success) return judge(received);
    if (what_.must_read(received)) return read_state();
    const bool needs_customer = received.kind == reply_kind::rejected && charges_off_session(call()) &&
                                (received.error->code == "authentication_required" ||
                                 received.error->decline_code == "authentication_required");
    if (needs_customer && is_intent_id(received.error->intent_id)) return confirm_with_customer(received);
    return with_customer(result_of_failure(received, call().asked_again));
  }

  /// Stripe has declined to charge without the customer, and allows one more confirmation of the same payment with
  /// them: support.stripe.com, manual confirmation of off-session payments that require authentication.
  turn confirm_with_customer(const reply& received) {
    step_ = step::confirmation;
    without_customer_ = result_of_failure(received, call().asked_again);
    return write_request(what_.as, "/v1/payment_intents/" + received.error->intent_id + "/confirm",
                         confirmation_form(priced()), call().provider_key + "_confirm");
  }

  turn on_confirmation(const reply& received) {
    if (received.kind == reply_kind::success) return judge(received);
    if (what_.must_read(received)) return read_state();
    const bool ignored = received.kind == reply_kind::unsent || received.kind == reply_kind::throttled ||
                         received.kind == reply_kind::credentials;
    if (ignored && !call().asked_again && !received.second) return with_customer(without_customer_);
    return with_customer(result_of_failure(received, call().asked_again));
  }

  turn judge(const reply& received) {
    const auto made = read_intent(received.body);
    if (!made || !is_intent_id(made->id)) return not_known("The provider's answer could not be read.");
    auto result = result_of(*made, by());
    // Stripe has answered this key before, although the call is the first here: an older copy of the database was
    // restored, so the payment must be compared.
    result.is_followed = received.replayed && !call().asked_again;
    return with_customer(std::move(result));
  }

  turn on_checkout(const reply& received) {
    if (what_.must_read(received)) return read_state();
    if (received.kind != reply_kind::success) return with_customer(result_of_failure(received, call().asked_again));
    const auto made = read_checkout(received.body);
    if (!made || !is_checkout_id(made->id) || made->url.empty())
      return not_known("The provider's answer could not be read.");
    provider_result result;
    result.status = provider_status::pending;
    result.provider_ref = made->id;
    result.hosted_url = made->url;
    return with_customer(std::move(result));
  }

  turn read_state() {
    step_ = step::search;
    return read_request(what_.as, search_path("payment_intents", call().provider_key));
  }

  turn on_search(const reply& received) {
    const auto found = received.kind == reply_kind::success ? read_intents(received.body) : std::nullopt;
    if (!found) return not_known("The provider could not be asked what became of the payment.");
    // Search ignores case and returns outdated objects, so only the id is used.
    const auto ours = std::ranges::find(found->all, call().provider_key, &intent::key);
    if (ours != found->all.end() && is_intent_id(ours->id)) {
      step_ = step::found;
      return read_request(what_.as, "/v1/payment_intents/" + ours->id);
    }
    if (!what_.certain() || found->has_more) return not_known("The provider does not know the payment yet.");
    return hosted() ? expired({}) : never_happened();
  }

  turn on_found(const reply& received) {
    const auto found = received.kind == reply_kind::success ? read_intent(received.body) : std::nullopt;
    if (!found || found->key != call().provider_key)
      return not_known("The provider could not be asked what became of the payment.");
    return with_customer(hosted() ? result_of_checkout(*found, by()) : result_of(*found, by()));
  }

  provider_result with_customer(provider_result result) const {
    if (!made_.empty()) result.customer_id = made_;
    return result;
  }

  call_at what_;
  std::string return_url_;
  step step_ = step::payment;
  std::optional<customer_creation> creating_;
  std::int64_t amount_ = 0;  ///< in Stripe's unit
  std::string customer_;  ///< Stripe's id; empty: none
  std::string made_;  ///< the same, if this call created the customer
  provider_result without_customer_;
};

}  // namespace

dialogue_ptr<provider_result> open_creation(call_at what, std::string return_url) {
  return std::make_unique<creation>(std::move(what), std::move(return_url));
}

std::optional<provider_result> fault_of_account(const access& as) {
  if (as.account.empty() || is_provider_id(as.account)) return std::nullopt;
  return declined(
      {error_category::auth, "account_invalid", "The merchant's account at the provider is not valid.", false, false});
}

provider_result no_reference() {
  return declined({error_category::internal, "provider_ref_missing",
                   "The payment has no reference of this provider. Nothing was asked of it.", false, false});
}

}  // namespace gateway::actors::stripe
