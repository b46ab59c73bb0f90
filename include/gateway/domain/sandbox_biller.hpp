// The sandbox's side of a subscription: what a provider knows of it, as a value that is stored as a row, and pure
// functions that move it on.
//
//   sandbox_checkout, pay   the checkout is opened, and paid on the hosted page
//   bill_due                the cycles and retries that have come due
//   operate                 what an operator wants to see happen now
//   cancel, close_checkout  what the gateway asks for
//
// Every notification's id is made of the subscription's id, the cycle and the attempt. So whoever stops between telling
// what bill_due() made and storing the row tells the same again, under the same ids, and the gateway counts it once.
// What a step tells must be told, or stored to be told, before the row or together with it, never after. Where somebody
// asked for the step (pay, operate, cancel), it must be together, for it may never be asked for again.
//
// The subscription has a clock of its own, the real one plus an offset, so that one subscription can be moved ahead.
// Nothing here reads a clock: `now` is always the real time.
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
#include "gateway/domain/subscription_machine.hpp"

namespace gateway {

struct sandbox_subscription {
  entity_key key;  ///< the gateway's subscription
  std::string checkout_session_id;
  std::string id;  ///< sub_<id>, as the session's: the provider's
  std::string customer_id;
  money amount;
  billing_period every;
  std::uint32_t trial_period_days = 0;
  metadata_map metadata;

  subscription_status status = subscription_status::pending;  ///< pending: the checkout is open
  duration_ms clock_offset{0};  ///< its clock is the real one plus this; never less than before
  time_point created_at{};  ///< its clock, as all below: when the page was paid
  time_point anchor{};  ///< when the first cycle begins: the creation, or the trial's end
  std::uint32_t cycle = 0;  ///< the newest that has an invoice; 0: none has
  std::uint32_t failed_attempts = 0;  ///< at its invoice; 0: it is paid
  time_point attempted_at{};  ///< the last attempt
  std::uint32_t updates = 0;  ///< by operators
  history_position newest;  ///< of its last notification; sequence 0: nothing was told
  std::optional<time_point> ended_at;

  bool operator==(const sandbox_subscription&) const = default;
};

/// The row: an entity of the sandbox, which bills when it is due and tells the gateway's subscription.
struct sandbox_enrollment {
  entity_key key;
  std::int64_t version = 0;
  sandbox_subscription what;
  std::vector<subscription_notification> untold;  ///< in the order of telling
  std::optional<time_point> due_at;

  bool operator==(const sandbox_enrollment&) const = default;
};

/// A step of the provider: its row, and the notifications to tell, oldest first.
struct sandbox_step {
  sandbox_subscription next;
  std::vector<subscription_notification> notifications;
};

/// Between attempts at one invoice. The attempt after the last wait is the final one: it ends the subscription.
inline constexpr std::array<std::chrono::days, 3> sandbox_retry_waits{std::chrono::days{1}, std::chrono::days{3},
                                                                      std::chrono::days{5}};

/// Attempts that one call of bill_due() makes at most, for a subscription that nobody looked at for years.
inline constexpr std::size_t most_sandbox_attempts = 100;

namespace sandbox_machine {

inline time_point clock_of(const sandbox_subscription& s, time_point now) noexcept { return now + s.clock_offset; }

bool bills(const sandbox_subscription& s) noexcept;

/// When the next attempt is due, by the subscription's clock. Cycles are billed one after the other: while an invoice
/// is not paid the next cycle waits, and is billed at once when it is.
std::optional<time_point> due_by_its_clock(const sandbox_subscription& s) noexcept;

subscription_projection projection_of(const sandbox_subscription& s);

std::string invoice_id(const sandbox_subscription& s);

/// `what` tells two notifications of one subscription apart, and is the same when a step is repeated.
std::string event_id(const sandbox_subscription& s, std::string_view what);

/// Tells what has just happened, with the subscription as it is after it.
subscription_notification& tell(sandbox_step& step, notification_kind kind, std::string_view what, time_point at);

void end(sandbox_step& step, subscription_status status, time_point at);

/// One attempt at the invoice that is not paid, or at the next cycle's.
void attempt(sandbox_step& step, cycle_result result, time_point at);

/// Every attempt that is due is made and succeeds: only operators let one fail.
void catch_up(sandbox_step& step, time_point now, std::size_t most);

sandbox_step caught_up(const sandbox_subscription& s, time_point now);

}  // namespace sandbox_machine

/// The provider's row of a checkout that the gateway opens.
sandbox_subscription sandbox_checkout(const subscription& opened, std::string checkout_session_id);

/// The customer pays on the hosted page: the subscription is made, and its first cycle paid, unless a trial comes
/// first. Nothing happens to a checkout that was paid or closed before.
sandbox_step pay(const sandbox_subscription& s, time_point now);

/// When bill_due() has something to do next, by the real clock. Nothing: never.
std::optional<time_point> due_at(const sandbox_subscription& s) noexcept;

/// Makes the attempts that have come due, each at its own time, however late it is asked. If it was asked so late that
/// more than the most are due, due_at() of the next row is still past.
sandbox_step bill_due(const sandbox_subscription& s, time_point now, std::size_t most = most_sandbox_attempts);

/// The row after a step: what was made is to be told, behind what is untold already. Due at once while anything is.
sandbox_enrollment enrolled(const sandbox_enrollment& before, sandbox_subscription next,
                            std::vector<subscription_notification> made, time_point now);

/// The row once its subscription has taken these, the first of what was untold. Should another owner have struck some
/// of them off before, the others are told again, which changes nothing.
sandbox_enrollment told(const sandbox_enrollment& before, const std::vector<subscription_notification>& taken,
                        time_point now);

/// The entity of the provider's subscription `sub_<id>`: `<id>`.
entity_key enrollment_key(const merchant_id& merchant, environment env, std::string_view provider_id);

// ---- what operators want ------------------------------------------------------------------------

enum class sandbox_move : unsigned char {
  cycle_paid,  ///< on to the next attempt, which succeeds
  cycle_failed,  ///< on to the next attempt, which fails
  cycle_exhausted,  ///< on through all attempts that are left at one invoice: all fail, and the last ends it
  update,  ///< told as an update in which nothing changed
  expire,  ///< incomplete_expired
  remove,  ///< canceled by the provider
};

inline constexpr std::size_t sandbox_move_count = 6;

/// Does what is due, then moves. Nothing happens to one that has ended; a checkout that is still open has no
/// subscription to move, and expires by the gateway's own machine.
sandbox_step operate(const sandbox_subscription& s, sandbox_move move, time_point now);

/// How often each notification is told, and whether the last comes first.
struct sandbox_telling {
  std::size_t repeat = 1;
  bool reorder = false;
};

std::vector<subscription_notification> as_told(const std::vector<subscription_notification>& notifications,
                                               const sandbox_telling& how);

// ---- what the gateway asks for ------------------------------------------------------------------

struct sandbox_answer_step {
  sandbox_step step;
  subscription_answer answer;
};

/// What the sandbox answers about a checkout that was to be closed, or canceled.
subscription_answer statement_of(const sandbox_subscription& s);

namespace sandbox_machine {

sandbox_answer_step answered(sandbox_step step);

}  // namespace sandbox_machine

/// Ends the subscription at once, or closes a checkout that nobody has paid. Asked again it answers what it answered.
sandbox_answer_step cancel(const sandbox_subscription& s, time_point now);

/// Closes a checkout that nobody has paid. One that was paid stays, and the answer says so.
sandbox_answer_step close_checkout(const sandbox_subscription& s);

}  // namespace gateway
