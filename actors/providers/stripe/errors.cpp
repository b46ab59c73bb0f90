#include "errors.hpp"

#include <algorithm>
#include <array>

#include "form.hpp"
#include "gateway/domain/text.hpp"

namespace gateway::actors::stripe {

namespace {

struct translation {
  std::string_view stripe;
  std::string_view ours;
  error_category category;
  bool retryable = false;
};

/// Error codes and decline codes. Stripe advises to show lost and stolen cards as plain declines. Unlisted codes keep
/// Stripe's name.
constexpr std::array translations{
    translation{"insufficient_funds", "insufficient_funds", error_category::provider, true},
    translation{"expired_card", "expired_card", error_category::provider},
    translation{"incorrect_cvc", "incorrect_cvc", error_category::provider},
    translation{"invalid_cvc", "incorrect_cvc", error_category::provider},
    translation{"processing_error", "processing_error", error_category::provider, true},
    translation{"issuer_not_available", "processing_error", error_category::provider, true},
    translation{"try_again_later", "processing_error", error_category::provider, true},
    translation{"reenter_transaction", "processing_error", error_category::provider, true},
    translation{"authentication_required", "authentication_required", error_category::provider},
    translation{"authentication_not_handled", "authentication_required", error_category::provider},
    translation{"payment_intent_authentication_failure", "authentication_failed", error_category::provider},
    translation{"fraudulent", "risk_blocked", error_category::risk},
    translation{"merchant_blacklist", "risk_blocked", error_category::risk},
    translation{"highest_risk_level", "risk_blocked", error_category::risk},
    translation{"account_invalid", "account_invalid", error_category::auth},
    translation{"account_closed", "account_invalid", error_category::auth},
    translation{"no_account", "account_invalid", error_category::auth},
    translation{"testmode_charges_only", "account_invalid", error_category::auth},
};

const translation* translation_of(std::string_view code) noexcept {
  const auto at = std::ranges::find(translations, code, &translation::stripe);
  return at == translations.end() ? nullptr : &*at;
}

std::string message_of(const stripe_error& error) {
  auto text = shown(error.message);
  return text.empty() ? std::string{"The payment was declined by the provider."} : text;
}

bool is_code(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 64 &&
         std::ranges::all_of(text, [](char c) { return is_lower_letter(c) || is_digit(c) || c == '_'; });
}

bool names_unknown_method(const stripe_error& error) noexcept {
  return error.param == "payment_method" && (error.code == "resource_missing" || error.code == "parameter_missing" ||
                                             error.code == "parameter_invalid_empty");
}

provider_error unavailable_error() {
  return {error_category::provider, "provider_unavailable", "The provider could not be reached. Nothing was done.",
          true, false};
}

/// Stripe's message contains part of the key, so it is not passed on.
provider_result credentials_result(const reply& received) {
  if (received.error && received.error->code == "account_invalid")
    return declined({error_category::auth, "account_invalid", "The merchant's account at the provider is not valid.",
                     false, false});
  return declined({error_category::auth, "provider_unavailable",
                   "The provider does not accept the gateway's credentials for this account.", false, false});
}

}  // namespace

std::string shown(std::string_view message) {
  std::string text{first_bytes(message, most_message_bytes)};
  std::ranges::replace_if(text, is_control, ' ');
  return text;
}

provider_error error_of(const stripe_error& error) {
  auto message = message_of(error);
  if (names_unknown_method(error))
    return {error_category::validation, "payment_method_not_found", std::move(message), false, false};
  if (error.param == "customer" && error.code == "resource_missing")
    return {error_category::validation, "customer_not_found", std::move(message), true, false};
  for (const auto& code : {error.decline_code, error.code})
    if (const auto* known = translation_of(code))
      return {known->category, std::string{known->ours}, std::move(message), known->retryable, false};
  const bool card = error.type == "card_error";
  if (error.code == "card_declined" || (card && !is_code(error.code)))
    return {error_category::provider, "card_declined", std::move(message), false, false};
  const auto category = error.type == "invalid_request_error" ? error_category::validation : error_category::provider;
  auto code = is_code(error.code)                      ? error.code
              : category == error_category::validation ? std::string{"invalid_request"}
                                                       : std::string{"processing_error"};
  return {category, std::move(code), std::move(message), false, false};
}

provider_result declined(provider_error error, std::string ref) {
  provider_result result;
  result.status = provider_status::declined;
  result.provider_ref = std::move(ref);
  result.error = std::move(error);
  return result;
}

provider_result not_known(std::string message) {
  provider_result result;
  result.status = provider_status::unknown;
  result.error = provider_error{error_category::provider, "provider_outcome_unknown", std::move(message), true, true};
  return result;
}

provider_result not_answered() {
  auto result = not_known("The provider gave no clear answer.");
  result.error->code = "provider_error";
  return result;
}

provider_result unavailable() { return declined(unavailable_error()); }

provider_result never_happened() {
  return declined({error_category::provider, "processing_error",
                   "The provider never carried it out, although it was asked.", true, false});
}

provider_result declined_before_sending(amount_fault why) {
  if (why == amount_fault::currency_not_supported)
    return declined({error_category::validation, "currency_not_supported",
                     "The provider does not take payments in this currency.", false, false});
  return declined({error_category::validation, "amount_not_supported",
                   "The provider does not take amounts of this currency that are as fine as this.", false, false});
}

provider_result result_of_failure(const reply& received, bool earlier) {
  switch (received.kind) {
    case reply_kind::unsent:
      if (!earlier) return unavailable();
      break;
    case reply_kind::throttled:
      if (!earlier && !received.second) return unavailable();
      break;
    case reply_kind::credentials:
      if (!earlier && !received.second) return credentials_result(received);
      break;
    case reply_kind::rejected: return declined(error_of(*received.error), received.error->intent_id);
    case reply_kind::success:
    case reply_kind::other_call: return not_known("The provider gave no clear answer.");
    case reply_kind::server_fault:
    case reply_kind::unclear: break;
  }
  return not_answered();
}

provider_result result_of_failed_read(const reply& received) {
  auto result = result_of_failure(received, true);
  return result.status == provider_status::unknown
             ? result
             : not_known("The provider could not be asked what became of the payment.");
}

}  // namespace gateway::actors::stripe
