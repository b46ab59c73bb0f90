#include "judgement.hpp"

#include "amount.hpp"
#include "errors.hpp"
#include "gateway/domain/subscription_notification.hpp"

namespace gateway::actors::stripe {

namespace {

provider_result result_in(provider_status status, const intent& at_stripe) {
  provider_result result;
  result.status = status;
  result.provider_ref = at_stripe.id;
  if (status == provider_status::approved) result.movement_ref = at_stripe.charge;
  return result;
}

provider_result approved(const intent& at_stripe, const payment& subject) {
  auto result = result_in(provider_status::approved, at_stripe);
  if (!subject.customer) return result;
  if (subject.customer->provider_id.empty()) result.customer_id = at_stripe.customer;
  if (subject.customer->saves_method) result.saved_method = at_stripe.payment_method;
  return result;
}

provider_result waiting(const intent& at_stripe, const result_basis& by) {
  auto result = result_in(provider_status::pending, at_stripe);
  if (!by.by_sdk)
    result.hosted_url = at_stripe.redirect_url;
  else if (at_stripe.status == "requires_action" && !at_stripe.client_secret.empty())
    result.action = customer_action{at_stripe.client_secret, std::string{by.publishable_key}};
  return result;
}

provider_result unclear_state() { return not_known("What has become of the payment at the provider is not clear."); }

provider_result failed_as(std::string_view code, std::string_view message, std::string ref) {
  return declined({error_category::provider, std::string{code}, std::string{message}, false, false}, std::move(ref));
}

}  // namespace

provider_result result_of(const intent& at_stripe, const result_basis& by) {
  const auto& status = at_stripe.status;
  if (status == "succeeded") return approved(at_stripe, by.subject);
  // An authorization alone is a success only if the capture is a separate operation.
  if (status == "requires_capture")
    return machine::captures_separately(by.subject) ? approved(at_stripe, by.subject) : unclear_state();
  if (status == "requires_action" || status == "processing") return waiting(at_stripe, by);
  if (status == "requires_payment_method" || status == "canceled") return failed_or_canceled(at_stripe);
  // It was created with `confirm`, so the confirmation is either in progress or was interrupted.
  if (status == "requires_confirmation" && by.certain) {
    auto never = never_happened();
    never.provider_ref = at_stripe.id;
    return never;
  }
  return unclear_state();
}

provider_result result_of_checkout(const intent& at_stripe, const result_basis& by) {
  if (at_stripe.status == "succeeded") return approved(at_stripe, by.subject);
  const bool unpaid = at_stripe.status == "requires_payment_method" || at_stripe.status == "canceled";
  if (unpaid && by.certain) return expired(at_stripe.id);
  return unclear_state();
}

std::optional<provider_result> result_of_capture(const intent& at_stripe, std::int64_t amount, currency unit) {
  // The captured amount may differ from the requested one, if the payment was captured in Stripe's dashboard before.
  if (at_stripe.status == "succeeded" && at_stripe.received > 0) {
    auto result = result_in(provider_status::approved, at_stripe);
    if (at_stripe.received != amount) result.captured = gateway_amount(at_stripe.received, unit).minor;
    return result;
  }
  if (at_stripe.status == "canceled")
    return failed_as("capture_declined", "The authorization was canceled or has expired.", at_stripe.id);
  return std::nullopt;
}

std::optional<provider_result> result_of_void(const intent& at_stripe) {
  if (at_stripe.status == "canceled") return result_in(provider_status::approved, at_stripe);
  if (at_stripe.status == "succeeded") return failed_as("void_failed", "The payment has been captured.", at_stripe.id);
  return std::nullopt;
}

/// A pending refund is one that Stripe has accepted. It may still fail, and so may a refund that has succeeded
/// (docs.stripe.com/refunds#failed-refunds): the comparison finds that. `requires_action`: the customer has to say
/// where the money goes.
std::optional<provider_result> result_of_refund(const refund& at_stripe) {
  provider_result result;
  result.provider_ref = at_stripe.id;
  const bool is_pending = at_stripe.status == "pending" || at_stripe.status == "requires_action";
  if (at_stripe.status == "succeeded" || is_pending) {
    result.status = is_pending ? provider_status::pending : provider_status::approved;
    result.movement_ref = at_stripe.id;
    return result;
  }
  if (at_stripe.status == "failed" || at_stripe.status == "canceled")
    return failed_as("refund_failed",
                     at_stripe.failure_reason.empty() ? "The refund failed at the provider."
                                                      : shown("The refund failed: " + at_stripe.failure_reason),
                     at_stripe.id);
  return std::nullopt;
}

provider_result expired(std::string ref) {
  return declined({error_category::timeout, "checkout_expired", "The customer did not complete the checkout in time.",
                   false, false},
                  std::move(ref));
}

provider_result failed_or_canceled(const intent& at_stripe) {
  if (at_stripe.last_error) return declined(error_of(*at_stripe.last_error), at_stripe.id);
  if (at_stripe.status == "canceled")
    return failed_as("payment_canceled", "The payment was canceled at the provider.", at_stripe.id);
  return failed_as("card_declined", "The payment was declined by the provider.", at_stripe.id);
}

bool is_intent_id(std::string_view ref) noexcept { return ref.starts_with("pi_") && is_provider_id(ref); }
bool is_checkout_id(std::string_view ref) noexcept { return ref.starts_with("cs_") && is_provider_id(ref); }

}  // namespace gateway::actors::stripe
