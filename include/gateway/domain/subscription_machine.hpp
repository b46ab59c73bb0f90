// The subscription's state machine: pure functions that decide the next step from a subscription and a command, a
// notification or the time.
//
//   begin_checkout, decide, expire_checkout   claim the subscription, then call the provider; or answer at once
//   conclude                                  applies the provider's answer to the claimed subscription
//   apply                                     applies a notification of the provider, and makes its events
//
// The provider owns the subscription's state; the gateway keeps its newest statement. Two rules ensure that
// notifications lead to the same row and the same events in any order of arrival. First, one of two statements always
// wins: one with a final status over one without, the first of two with the same final status, otherwise the later one.
// Second, an event has the content of its notification only.
//
// The functions read no clock, store or socket: time is an argument.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gateway/domain/cycle_payment.hpp"
#include "gateway/domain/event_type.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/routing.hpp"
#include "gateway/domain/subscription.hpp"

namespace gateway {

// ---- results ------------------------------------------------------------------------------------

/// Why an operation fails. Each is stored under its idempotency key.
enum class subscription_problem : unsigned char {
  outcome_pending,  ///< 409: an earlier operation's outcome is still unknown
  checkout_failed,  ///< 502 with status `failed`: the provider opened no checkout, or its answer was lost
  cancel_rejected,  ///< 502
  outcome_unknown,  ///< 502: the provider did not answer in time, or answered 5xx
};

/// An operation's result for its caller. Encoded and stored under the idempotency key.
struct subscription_outcome {
  subscription_operation what = subscription_operation::open_checkout;
  std::optional<subscription_problem> failure;
  subscription after;
  std::optional<provider_error> error;  ///< of this operation

  bool operator==(const subscription_outcome&) const = default;
};

/// Durable step: claim the subscription in this shape, then call the provider.
struct subscription_claim {
  subscription claimed;
};
/// Durable step without a provider: store this result; the subscription stays unchanged.
struct subscription_conclusion {
  subscription_outcome result;
};
using subscription_decision = std::variant<subscription_claim, subscription_conclusion>;

/// The subscription's state according to the provider, and its position in the provider's history.
struct subscription_statement {
  std::string provider_subscription_id;
  subscription_projection state;
  history_position position;

  bool operator==(const subscription_statement&) const = default;
};

/// The provider's answer to one call. While the checkout is pending, cancel and expire are the same request to the
/// provider: close the checkout. `approved` without `seen` means that the checkout did not and can no longer become a
/// subscription. `approved` with `seen` means that the customer paid first; `seen` is then the subscription's state.
struct subscription_answer {
  provider_status status = provider_status::unknown;
  std::string checkout_session_id;  ///< open_checkout
  std::string hosted_url;  ///< open_checkout
  std::optional<subscription_statement> seen;  ///< cancel, expire: empty if there never was a subscription
  std::optional<provider_error> error;
};

enum class subscription_event_type : unsigned char { activated, updated, canceled, invoice_paid, invoice_failed };

/// The type under which its event is stored and sent.
constexpr event_type stored_type_of(subscription_event_type t) noexcept {
  switch (t) {
    case subscription_event_type::activated: return event_type::subscription_activated;
    case subscription_event_type::updated: return event_type::subscription_updated;
    case subscription_event_type::canceled: return event_type::subscription_canceled;
    case subscription_event_type::invoice_paid: return event_type::subscription_invoice_paid;
    case subscription_event_type::invoice_failed: break;
  }
  return event_type::subscription_invoice_failed;
}

/// The part after `subscription.`.
constexpr std::string_view to_string(subscription_event_type t) noexcept {
  return to_string(stored_type_of(t)).substr(std::string_view{"subscription."}.size());
}

/// The event's `data`: the notification's content, with the ids by which callers know the subscription.
struct subscription_event_data {
  std::string subscription_id;  ///< sub_<merchant>_<provider's id>
  std::string provider_subscription_id;
  std::string customer_ref;
  subscription_projection state;
  std::string source_event_id;  ///< the provider's
  time_point source_event_at{};  ///< by the provider's clock, which shows which of two events is newer
  std::string hosted_url{};  ///< invoice_failed: where the customer can approve the payment; empty: not needed

  bool operator==(const subscription_event_data&) const = default;
};

struct subscription_event {
  std::uint32_t seq = 0;  ///< in the timeline
  subscription_event_type type = subscription_event_type::activated;
  std::string event_id;  ///< evt_<provider>_subscription_<type>_<provider's event id>
  time_point occurred_at{};  ///< when the gateway accepted the notification: deliveries are scheduled from it
  subscription_event_data data;

  bool operator==(const subscription_event&) const = default;
};

/// A change to make durable, with its events, and the payments of cycles that it creates or changes.
struct subscription_transition {
  subscription next;
  subscription_outcome result;  ///< of an operation; a notification has none
  std::vector<timeline_entry> attempts;  ///< calls to the provider
  std::vector<subscription_event> events;
  std::vector<cycle_charge> charges;
};

/// Why a notification changes nothing.
enum class notification_ignored : unsigned char {
  counted,  ///< the notification has been counted before
  foreign,  ///< it is about a subscription other than the one that this checkout became
};

using notification_outcome = std::variant<subscription_transition, notification_ignored>;

namespace machine {

// ---- the checkout -------------------------------------------------------------------------------

bool awaits_customer(const subscription& s) noexcept;

subscription claimed_for(subscription s, const command_key& command, subscription_operation what, time_point now,
                         const machine_timing& timing);

// ---- events ------------------------------------------------------------------------------------

void notify(subscription_transition& t, subscription_event_type type, const subscription_notification& n,
            time_point now);

}  // namespace machine

// ---- commands -----------------------------------------------------------------------------------

/// The subscription as it is first stored, before its provider is called.
subscription begin_checkout(const entity_key& key, const open_subscription_checkout& wanted, const route_choice& way,
                            const command_key& command, time_point now, const machine_timing& timing);

/// A cancel may be repeated: even while an earlier cancel's outcome is unknown the provider is called again, because a
/// second cancel has no further effect. For a subscription that has ended the answer is its present state.
subscription_decision decide(const subscription& s, const cancel_subscription&, const command_key& command,
                             time_point now, const machine_timing& timing);

/// Expires a checkout whose time is over, or that an operator ends (`at_once`). nullopt if the checkout does not wait
/// for its customer, or if its time is not over and `at_once` is false. The provider must close it first, so that no
/// customer can pay an expired checkout.
std::optional<subscription_claim> expire_checkout(const subscription& s, time_point now, const machine_timing& timing,
                                                  bool at_once = false);

/// The effect of the customer's choice on the hosted page.
enum class checkout_verdict : unsigned char {
  pays,  ///< the provider creates the subscription, and its notifications report the rest
  left_pending,  ///< declined or canceled: the customer may come back
  closed,  ///< the checkout no longer waits for its customer
};

checkout_verdict decide(const subscription& s, checkout_choice choice, time_point now) noexcept;

/// Whether the provider must be called again for the open operation.
bool asks_again(const subscription& s, time_point now, const machine_timing& timing) noexcept;

// ---- answers ------------------------------------------------------------------------------------

namespace machine {

void close(subscription& s, time_point now);

}  // namespace machine

/// Applies the provider's answer to a claimed subscription. `s.open` is the operation that it answers.
subscription_transition conclude(const subscription& s, const subscription_answer& answer, time_point now,
                                 const machine_timing& timing);

// ---- cycles -------------------------------------------------------------------------------------

/// The subscription to store: with the transition's charges as owed ones, and due at once if there are any.
subscription owing(const subscription_transition& t);

/// Removes the owed charges of these events, which their payments have confirmed.
subscription paid_up(const subscription& s, const std::vector<std::string>& event_ids, time_point now);

// ---- notifications ------------------------------------------------------------------------------

/// Applies a notification to the subscription. `counted`: the store already has a notification of this event id; an
/// event id is stored in the commit of its change.
notification_outcome apply(const subscription& s, const subscription_notification& n, bool counted, time_point now);

}  // namespace gateway
