// The provider as the actors see it: what it can be asked, and what it answers.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "gateway/base/compiled_once.hpp"
#include "gateway/domain/notification.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/subscription_machine.hpp"
#include "gateway/trace_context.hpp"

namespace gateway {

/// One call. The same provider_key always means the same effect: a provider that has it executed
/// already answers what it answered then.
struct provider_call {
  std::string provider_key;  ///< the idempotency key towards the provider, derived from the command
  operation what = operation::create;
  bool asked_again = false;  ///< an earlier call with this key got no answer, or its answer was lost
  std::int64_t amount = 0;   ///< minor units, of this operation
  payment subject;           ///< as claimed
  std::string customer_key;  ///< where the provider must make the customer first: the idempotency key of that
  bool by_sdk = false;       ///< a customer who must act does so by the provider's SDK, not on a hosted page
  time_point begun_at{};     ///< of the operation, also when it is asked again
  trace_context trace{};     ///< told to the provider, if there is one
};

/// What has become of a payment that waits for its customer: approved once it is paid, declined if it never will be,
/// pending while it waits on. Asking changes nothing, but for `closes`.
struct provider_inquiry {
  payment subject;
  bool closes = false;  ///< the time to pay is over: unless it is paid, from now on it cannot be
  trace_context trace{};
};

/// One call for a subscription, under a provider key as of a payment's call.
struct subscription_call {
  std::string provider_key;
  bool asked_again = false;
  subscription subject;      ///< as claimed: its open operation says what is wanted
  std::string customer_key;  ///< where the provider must make the customer first: the idempotency key of that
  trace_context trace{};
};

struct subscription_result {
  subscription_answer answer;
  std::string customer_id{};  ///< what the provider calls the customer, where it was made for this call
};

/// How a merchant's account stands at the provider.
enum class account_standing : unsigned char {
  unknown,     ///< the provider did not say
  incomplete,  ///< its owner has not finished what the provider asks for
  ready,       ///< it can be charged
  restricted,  ///< the provider has closed it, or lets nobody charge it at the moment
};

/// How a merchant's account stands is asked; where it `onboards`, the account is made if there is none, and its owner
/// is to be sent to the provider.
struct account_question {
  merchant_id merchant;
  environment env = environment::test;
  provider_kind provider = provider_kind::sandbox;
  std::string account;       ///< the provider's name for it; empty: there is none yet
  bool onboards = false;
  std::string provider_key;  ///< onboards: the idempotency key of making the account
  std::string merchant_name;
  std::string back_url;   ///< onboards: where the provider sends the browser, whatever was done there
  std::string again_url;  ///< onboards: where it sends the browser for a fresh link
  trace_context trace{};
};

struct account_answer {
  account_standing standing = account_standing::unknown;
  std::string account;
  std::string url;  ///< onboards: where the merchant's owner goes on; empty: nothing is to be done there
  std::optional<provider_error> error{};
};

/// By these codes an answer says that the provider itself is in trouble: it was not reached, did not answer in time, or
/// failed.
inline bool tells_of_trouble(const std::optional<provider_error>& error) noexcept {
  if (!error) return false;
  for (const std::string_view code : {"provider_timeout", "provider_error", "provider_unavailable"})
    if (error->code == code) return true;
  return false;
}

// ---- what a notification is about ---------------------------------------------------------------

/// Of a payment: what became of it is to be asked.
struct about_payment {
  entity_key key;
};
/// Of a payment, too, which the provider names by its own reference only.
struct about_reference {
  std::string provider_ref;
};
/// Of a subscription: what happened there, understood.
struct about_subscription {
  entity_key key;
  subscription_notification what;
};
/// Of a merchant's account: how it stands is to be asked.
struct about_account {
  merchant_id merchant;  ///< empty: whoever has that account here
  std::string account;
};
/// Nothing that the gateway needs to know.
struct about_nothing {};
/// What the provider itself was asked for, to understand it, could not be had now.
struct not_understood {};

struct notification_subject : compiled_once<std::variant<about_nothing, about_payment, about_reference,
                                                         about_subscription, about_account, not_understood>> {
  using compiled_once::compiled_once;
};

/// The notification is to be understood, for which the provider may have to be asked.
struct notification_question {
  notification what;
  trace_context trace{};
};

}  // namespace gateway
