// The sandbox's side of a subscription: a provider's state of it, stored as a row, and pure functions that advance it.
//
//   sandbox_checkout, pay   the checkout is opened, and paid on the hosted page
//   bill_due                the cycles and retries that are due
// operate an operator's command
// cancel, close_checkout the gateway's requests
//
// A notification's id is derived from the ids of subscription, cycle and attempt. So if a process stops after it has
// sent the notifications of bill_due() and before it has stored the row, the same notifications are sent again under
// the same ids, and the gateway counts them once. So a step's notifications must be sent, or stored to be sent, before
// the row is stored or together with it. For a requested step (pay, operate, cancel) they must be stored together with
// the row, because the request may not be repeated.
//
// Each subscription has its own clock, the real one plus an offset, so that a single subscription can be moved ahead.
// The functions read no clock: `now` is always the real time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/billing_calendar.hpp"
#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/subscription_machine.hpp"

namespace gateway {

struct sandbox_subscription {
  entity_key key;  ///< the gateway's subscription
  std::string checkout_session_id;
  std::string id;  ///< the provider's id: sub_<id>, with the session's <id>
  std::string customer_id;
  money amount;
  billing_period every;
  std::uint32_t trial_period_days = 0;
  metadata_map metadata;

  subscription_status status = subscription_status::pending;  ///< pending: the checkout is open
  duration_ms clock_offset{0};  ///< its clock is the real one plus this; never decreases
  time_point created_at{};  ///< when the page was paid; this and all times below are by the subscription's clock
  time_point anchor{};  ///< when the first cycle begins: the creation, or the trial's end
  std::uint32_t cycle = 0;  ///< the newest cycle with an invoice; 0: none
  std::uint32_t failed_attempts = 0;  ///< of its invoice; 0: it is paid
  time_point attempted_at{};  ///< the last attempt
  std::uint32_t updates = 0;  ///< by operators
  history_position newest;  ///< of its last notification; sequence 0: none yet
  std::optional<time_point> ended_at;
  std::string page{};  ///< the address of its hosted page; empty in rows of earlier versions
  bool needs_customer = false;  ///< the last attempt failed because the customer must authenticate the payment

  bool operator==(const sandbox_subscription&) const = default;
};

/// The row: an entity of the sandbox, which bills when it is due and notifies the gateway's subscription.
struct sandbox_enrollment {
  entity_key key;
  std::int64_t version = 0;
  sandbox_subscription what;
  std::vector<subscription_notification> undelivered;  ///< not yet delivered to the gateway's subscription, in order
  std::optional<time_point> due_at;

  bool operator==(const sandbox_enrollment&) const = default;
};

/// A step of the provider: its row, and the notifications to send, oldest first.
struct sandbox_step {
  sandbox_subscription next;
  std::vector<subscription_notification> notifications;
};

/// The waits between attempts at one invoice. The attempt after the last wait is the final one: it ends the
/// subscription.
inline constexpr std::array<std::chrono::days, 3> sandbox_retry_waits{std::chrono::days{1}, std::chrono::days{3},
                                                                      std::chrono::days{5}};

/// The most attempts in one call of bill_due(), which bounds the work for a subscription that was not billed for years.
inline constexpr std::size_t most_sandbox_attempts = 100;

namespace sandbox_machine {

inline time_point clock_of(const sandbox_subscription& s, time_point now) noexcept { return now + s.clock_offset; }

bool bills(const sandbox_subscription& s) noexcept;

/// When the next attempt is due, by the subscription's clock. Cycles are billed one after the other: the next cycle
/// waits while an invoice is unpaid, and is billed as soon as it is paid.
std::optional<time_point> due_by_its_clock(const sandbox_subscription& s) noexcept;

subscription_projection projection_of(const sandbox_subscription& s);

std::string invoice_id(const sandbox_subscription& s);

/// `what` distinguishes the notifications of one subscription, and is the same when a step is repeated.
std::string event_id(const sandbox_subscription& s, std::string_view what);

/// Adds a notification of what has just happened, with the subscription's state after it.
subscription_notification& notify(sandbox_step& step, notification_kind kind, std::string_view what, time_point at);

void end(sandbox_step& step, subscription_status status, time_point at);

/// Deviations of an attempt from the usual one.
struct attempt_terms {
  std::optional<std::int64_t> amount;  ///< minor units that are paid instead of the price
  bool needs_action = false;  ///< it fails because the customer must authenticate the payment
};

/// One attempt at the unpaid invoice, or else at the next cycle's.
void attempt(sandbox_step& step, cycle_result result, time_point at, const attempt_terms& terms = {});

/// Makes every attempt that is due. All succeed: attempts fail only by an operator's command.
void catch_up(sandbox_step& step, time_point now, std::size_t most);

sandbox_step caught_up(const sandbox_subscription& s, time_point now);

}  // namespace sandbox_machine

/// The provider's row of a checkout that the gateway opens.
sandbox_subscription sandbox_checkout(const subscription& opened, std::string checkout_session_id);

/// The customer pays on the hosted page: the subscription is created and its first cycle paid, unless a trial comes
/// first. A checkout that was paid or closed before is unchanged.
sandbox_step pay(const sandbox_subscription& s, time_point now);

/// The customer approves the payment of a cycle that needs it, or refuses. Without such a cycle nothing changes.
sandbox_step approve_cycle(const sandbox_subscription& s, bool refuses, time_point now);

/// When bill_due() must be called next, by the real clock; nullopt: never.
std::optional<time_point> due_at(const sandbox_subscription& s) noexcept;

/// Makes the attempts that are due, each at its own time, however late the call is. If more than `most` are due,
/// due_at() of the new row is still past.
sandbox_step bill_due(const sandbox_subscription& s, time_point now, std::size_t most = most_sandbox_attempts);

/// The row after a step: `made` is appended to the undelivered notifications. The row is due at once while there are
/// any.
sandbox_enrollment enrolled(const sandbox_enrollment& before, sandbox_subscription next,
                            std::vector<subscription_notification> made, time_point now);

/// The row after its subscription has accepted `taken`, the first of the undelivered notifications. If another owner
/// has already removed some of them, others are delivered again, which changes nothing.
sandbox_enrollment delivered(const sandbox_enrollment& before, const std::vector<subscription_notification>& taken,
                             time_point now);

/// The entity of the provider's subscription `sub_<id>`: `<id>`.
entity_key enrollment_key(const merchant_id& merchant, environment env, std::string_view provider_id);

// ---- commands of operators ----------------------------------------------------------------------

enum class sandbox_move : unsigned char {
  cycle_paid,  ///< advance to the next attempt, which succeeds
  cycle_failed,  ///< advance to the next attempt, which fails
  cycle_action,  ///< advance to the next attempt, which fails because the customer must authenticate the payment
  cycle_exhausted,  ///< advance through all attempts left at one invoice: all fail, and the last ends the subscription
  update,  ///< send an update in which nothing changed
  expire,  ///< end as incomplete_expired
  remove,  ///< end as canceled by the provider
};

template <>
inline constexpr auto enum_table<sandbox_move> = enum_names<sandbox_move>({{sandbox_move::cycle_paid, "paid"},
                                                                           {sandbox_move::cycle_failed, "failed"},
                                                                           {sandbox_move::cycle_action, "action"},
                                                                           {sandbox_move::cycle_exhausted, "exhausted"},
                                                                           {sandbox_move::update, "update"},
                                                                           {sandbox_move::expire, "expire"},
                                                                           {sandbox_move::remove, "delete"}});
inline constexpr auto parse_sandbox_move = parse_name<sandbox_move>;

/// Bills what is due, then makes the move. An ended subscription stays unchanged, and so does an open checkout, which
/// the gateway expires. `amount`: for cycle_paid, the amount that is paid instead of the price, in minor units.
sandbox_step operate(const sandbox_subscription& s, sandbox_move move, time_point now,
                     std::optional<std::int64_t> amount = {});

/// How often each notification is sent, and whether the last is sent first.
struct sandbox_telling {
  std::size_t repeat = 1;
  bool reorder = false;
};

std::vector<subscription_notification> as_reported(const std::vector<subscription_notification>& notifications,
                                                   const sandbox_telling& how);

// ---- commands of the gateway --------------------------------------------------------------------

struct sandbox_answer_step {
  sandbox_step step;
  subscription_answer answer;
};

/// The sandbox's answer to a request to close or cancel.
subscription_answer statement_of(const sandbox_subscription& s);

namespace sandbox_machine {

sandbox_answer_step answered(sandbox_step step);

}  // namespace sandbox_machine

/// Ends the subscription at once, or closes an unpaid checkout. A repeated call gives the same answer.
sandbox_answer_step cancel(const sandbox_subscription& s, time_point now);

/// Closes an unpaid checkout. A paid one stays, and the answer has its subscription.
sandbox_answer_step close_checkout(const sandbox_subscription& s);

}  // namespace gateway
