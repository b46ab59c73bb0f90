// The provider as the actors see it: the questions to it, and its answers.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/base/compiled_once.hpp"
#include "gateway/base/trace_context.hpp"
#include "gateway/domain/notification.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/subscription_machine.hpp"

namespace gateway {

/// One call. The same provider_key always means the same effect: a provider that has already executed the call repeats
/// its first answer.
struct provider_call {
  std::string provider_key;  ///< the idempotency key towards the provider, derived from the command
  operation what = operation::create;
  bool asked_again = false;  ///< an earlier call with this key got no answer, or its answer was lost
  std::int64_t amount = 0;   ///< minor units, of this operation
  payment subject;           ///< as claimed
  std::string customer_key;  ///< the idempotency key for creating the customer; empty: it exists already
  bool by_sdk = false;       ///< a customer who must act uses the provider's SDK, not a hosted page
  time_point begun_at{};     ///< when the operation began, also in a repeated call
  bool age_known = true;  ///< in a repeated call: the clock is trusted, so that begun_at gives the operation's age
  trace_context trace{};  ///< passed on to the provider, if present
};

/// Queries the state of a payment that waits for its customer: approved once it is paid, declined if it can no longer
/// be, pending while it still waits. The query changes nothing unless it `closes`.
struct provider_inquiry {
  payment subject;
  bool closes = false;  ///< the time to pay is over: the provider must close the payment unless it is paid
  /// The payment does not wait: it is compared with its state at the provider. The answer is approved, with `truth`;
  /// any other status means that the provider did not report the state.
  bool compares = false;
  trace_context trace{};

  /// For metrics and traces.
  std::string_view name() const noexcept { return compares ? "compare" : closes ? "close" : "look"; }
};

/// One call for a subscription. Its provider_key works as a payment's does.
struct subscription_call {
  std::string provider_key;
  bool asked_again = false;
  bool age_known = true;  ///< as of a provider_call
  subscription subject;  ///< as claimed: its open operation is the one to execute
  std::string customer_key;  ///< the idempotency key for creating the customer; empty: it exists already
  /// No operation is open: the subscription is read from the provider. The answer is approved, with the state; any
  /// other status means that the provider did not report it.
  bool reads = false;
  trace_context trace{};

  /// For metrics and traces.
  std::string_view name() const noexcept { return reads ? "read" : to_string(subject.open->what); }
};

struct subscription_result {
  subscription_answer answer;
  std::string customer_id{};  ///< the provider's id of the customer, if this call created the customer
  std::vector<subscription_invoice> paid{};  ///< of a call that reads: the latest paid invoices, oldest first
};

/// The standing of a merchant's account at the provider.
enum class account_standing : unsigned char {
  unknown,  ///< the provider did not report it
  incomplete,  ///< its owner has not completed the provider's onboarding
  ready,  ///< it can be charged
  restricted,  ///< the provider has closed it, or permits no charges at the moment
};

/// Queries the standing of a merchant's account. With `onboards` the account is created if there is none, and the
/// answer has the page to which its owner is sent.
struct account_question {
  merchant_id merchant;
  environment env = environment::test;
  provider_kind provider = provider_kind::sandbox;
  std::string account;  ///< the provider's id of it; empty: there is none yet
  bool onboards = false;
  std::string provider_key;  ///< onboards: the idempotency key of making the account
  std::string merchant_name;
  std::string back_url;  ///< onboards: where the provider sends the browser afterwards, whatever the outcome
  std::string again_url;  ///< onboards: where it sends the browser for a fresh link
  trace_context trace{};
};

struct account_answer {
  account_standing standing = account_standing::unknown;
  std::string account;
  std::string url;  ///< onboards: where the merchant's owner continues; empty: onboarding is complete
  std::optional<provider_error> error{};
};

/// Whether the error shows a fault of the provider itself: it was not reached, did not answer in time, or failed.
inline bool tells_of_trouble(const std::optional<provider_error>& error) noexcept {
  if (!error) return false;
  for (const std::string_view code : {"provider_timeout", "provider_error", "provider_unavailable"})
    if (error->code == code) return true;
  return false;
}

/// Whether the provider no longer has the customer for whom it was called. Then nothing was done.
inline bool names_unknown_customer(const std::optional<provider_error>& error) noexcept {
  return error && error->code == "customer_not_found";
}

// ---- subjects of notifications ------------------------------------------------------------------

/// A payment, whose state is then to be queried.
struct about_payment {
  entity_key key;
};
/// A payment that the provider names by its own reference only.
struct about_reference {
  std::string provider_ref;
};
/// A subscription, with the notification as it was read.
struct about_subscription {
  entity_key key;
  subscription_notification what;
};
/// A subscription without the gateway's marks: they were removed, or it was created without the gateway. If it has a
/// row, the row has this id.
struct about_unmarked_subscription {
  std::string provider_id;
};
/// A merchant's account, whose standing is then to be queried.
struct about_account {
  merchant_id merchant;  ///< empty: any merchant that has this account here
  std::string account;
};
/// A customer that the provider has deleted, or a method that it has detached from a customer, as the provider has
/// confirmed.
struct about_customer {
  std::string provider_id;
  std::string method;  ///< empty: the customer
};
/// The gateway need not act on the notification.
struct no_subject {};
/// Reading the notification requires an answer of the provider, which it did not give.
struct not_understood {};

struct notification_subject
    : compiled_once<std::variant<no_subject, about_payment, about_reference, about_subscription,
                                 about_unmarked_subscription, about_account, about_customer, not_understood>> {
  using compiled_once::compiled_once;
};

/// Finds the subject of the notification; the provider may have to be queried for that.
struct notification_question {
  notification what;
  std::optional<entity_key> subscription{};  ///< the subscription that about_unmarked_subscription led to
  trace_context trace{};
};

// ---- lists of events ----------------------------------------------------------------------------

/// Queries a page of the provider's list of events: those of one account in [from, until).
struct event_list_question {
  provider_kind provider = provider_kind::sandbox;
  environment env = environment::test;
  std::string account;  ///< empty: the list of the operator's own account
  time_point from{}, until{};
  std::string after{};  ///< the `next` of the page before; empty: the first page
  trace_context trace{};
};

struct event_list_page {
  enum class state : unsigned char {
    unknown,  ///< the provider did not report it
    refused,  ///< the provider does not show this account's list
    listed,
  };
  state what = state::unknown;
  std::vector<receive_notification> events{};  ///< those that the gateway handles, oldest first
  std::string next{};  ///< where the next page begins; empty: there is none
  std::optional<provider_error> error{};
};

// ---- the gateway's endpoint for notifications ---------------------------------------------------

/// Queries how the gateway's address for notifications is registered with the provider. With `registers` the endpoint
/// is created if there is none, and event types that it lacks are added.
struct endpoint_question {
  provider_kind provider = provider_kind::sandbox;
  environment env = environment::test;
  std::string url;  ///< the gateway's address
  bool registers = false;
  trace_context trace{};
};

struct endpoint_answer {
  enum class state : unsigned char {
    unknown,  ///< the provider did not report it
    absent,  ///< nothing is registered for the address
    found,  ///< an endpoint exists, as described here
    made,  ///< the endpoint was created now; the answer has its secret
    changed,  ///< event types were added to the endpoint
  };
  state what = state::unknown;
  std::string id{};
  bool enabled = false;
  bool of_accounts = false;  ///< it receives the events of the merchants' accounts
  std::string version{};  ///< the version of the provider's API in which it receives events; empty: the account's own
  std::vector<std::string> missing{};  ///< event types that the gateway handles and the endpoint does not receive
  std::string secret{};  ///< given only when it is made
  std::optional<provider_error> error{};
};

}  // namespace gateway
