// The payment's state machine: pure functions from a payment and a command to what must happen.
//
//   decide         may this operation run now? claim and call the provider, answer at once, or fail with a problem
//   conclude       applies the provider's answer to the claimed payment
//   settle_hosted  applies what the customer did on a page that the gateway serves
// hand_over the customer is sent from that page to the provider's
// settle_wait applies the provider's answer about a payment that waits for its customer
//
// The functions read no clock, store or socket: time is an argument.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/domain/event_type.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/problem.hpp"
#include "gateway/domain/routing.hpp"

namespace gateway {

/// What the customer's own program needs so that the customer can approve a charge by the provider's SDK.
struct customer_action {
  std::string client_secret;
  std::string publishable_key;

  bool operator==(const customer_action&) const = default;
};

/// An operation's result for its caller. Encoded and stored under the idempotency key.
struct outcome {
  operation what = operation::create;
  std::optional<problem> failure;
  payment after;                               ///< the payment as the operation left it
  provider_status status = provider_status::none;  ///< of this operation
  std::optional<provider_error> error;             ///< of this operation
  std::int64_t refunded_amount = 0;                ///< refunds: of this operation, minor units
  std::string refund_id{};                         ///< refunds: of this operation
  std::optional<customer_action> action{};         ///< charges that wait for their customer
};

/// Durable step: claim the payment in this shape, then call the provider.
struct claim {
  payment claimed;
};
/// Durable step without a provider: store this result; the payment stays unchanged.
struct conclusion {
  outcome result;
};
using decision = std::variant<claim, conclusion>;

struct provider_truth;  // gateway/domain/provider_truth.hpp

/// How the provider answered one call. A refund that it has accepted, and will execute later, is `pending`.
struct provider_result {
  provider_status status = provider_status::unknown;
  std::string provider_ref;
  std::string hosted_url;
  std::optional<provider_error> error;
  std::string customer_id{};   ///< the provider's id of the customer, if this call created it
  std::string saved_method{};  ///< the token under which the charged method is saved, if that was requested
  std::optional<customer_action> action{};  ///< instead of hosted_url, if a saved method was charged
  /// The provider's reference of the charge or the refund, if it gives one.
  std::string movement_ref{};
  std::int64_t captured = 0;  ///< captures: minor units, if it differs from the requested amount; else 0
  bool is_followed = false;   ///< the state at the provider will change soon: ask again
  /// The payment's state at the provider: the answer to an inquiry that compares.
  std::shared_ptr<const provider_truth> truth{};
};

/// A change to make durable, with its timeline entries.
struct transition {
  payment next;
  outcome result;
  std::vector<timeline_entry> entries;  ///< event_id and event_data are filled in by the caller
  std::string movement_ref{};  ///< of the provider's answer
  entry_origin by = entry_origin::api;  ///< of the entries
  std::string about{};  ///< the id of the refund or the dispute that the event reports
};

struct machine_timing {
  duration_ms hosted_expiry = std::chrono::hours{24};
  duration_ms reconcile_first = std::chrono::seconds{5};
  duration_ms reconcile_longest = std::chrono::minutes{5};
  /// When an operation is due for the reconciler if its owner never finishes it.
  duration_ms abandoned_after = std::chrono::seconds{60};
  std::string node{};  ///< the node that runs new operations
};

namespace machine {

/// The sum of the open disputes.
inline std::int64_t disputed(const payment& p) noexcept { return sum_of(p.records.disputes, is_open); }
/// The amount that can still be refunded. An amount lost in a dispute cannot.
inline std::int64_t remaining(const payment& p) noexcept {
  return std::max<std::int64_t>(p.captured - p.refunded - sum_of(p.records.disputes, is_lost), 0);
}

/// The state of a captured payment after refunds: `refunded` once nothing is left to refund, even if a part was lost in
/// a dispute.
inline payment_state state_by_refunds(const payment& p) noexcept {
  return p.refunded == 0     ? payment_state::captured
         : remaining(p) == 0 ? payment_state::refunded
                             : payment_state::partially_refunded;
}

/// How often the provider is asked about an authorized payment.
inline constexpr duration_ms daily_look = std::chrono::hours{24};

duration_ms reconcile_delay(unsigned asked, const machine_timing& timing) noexcept;

/// The latest time at which an operation that is open at `now` can be due. A row that is due later was stamped by a
/// clock that was ahead. Checkouts are included, so that few rows, if any, lie beyond.
time_point latest_due(time_point now, const machine_timing& timing) noexcept;

/// Whether the operation creates the payment.
constexpr bool creates(operation what) noexcept { return what == operation::create || what == operation::charge; }

/// Whether the payment's approval and capture are separate operations.
bool captures_separately(const payment& p) noexcept;

payment claimed_for(payment p, const command_key& command, operation what, std::int64_t amount, time_point now,
                    const machine_timing& timing, std::string reason = {});

/// Whether an API key or a person on the portal gave the command.
inline entry_origin origin_of(const command_key& command) noexcept {
  return command.principal.starts_with("user_") ? entry_origin::portal : entry_origin::api;
}

void append(transition& t, timeline_kind kind, std::string_view what, std::string_view status,
            const std::optional<provider_error>& error, time_point now);

void append_event(transition& t, event_type type, time_point now);

void close(payment& p, time_point now);

void mark_captured(payment& p, time_point now);

// The times of a wait for the customer are in payment_wait.cpp.

/// The end of the time in which a customer may pay at an external provider.
time_point end_of_wait(const payment& p, const machine_timing& timing) noexcept;
/// When the provider is next queried about a payment that waits for its customer, in case it sends no notification: at
/// growing intervals since the customer's last try, and at the end of the wait.
time_point next_provider_query(const payment& p, time_point now, const machine_timing& timing) noexcept;
/// When the provider is first queried about a payment that waits. The gateway serves a sandbox's page and sees every
/// event on it, so a sandbox's payment only has to be closed at the end.
time_point first_provider_query(const payment& p, time_point now, const machine_timing& timing) noexcept;
/// Schedules one more question to the provider about a failed payment, `late_query_pause` later: the customer may have
/// paid on the provider's page while the payment failed here, and the notification may be lost.
void schedule_late_query(payment& p, time_point now);
inline constexpr duration_ms late_query_pause = std::chrono::hours{1};
/// The provider reports that the customer's try has failed, and that the customer can try again. The payment still
/// waits, and its error and its timeline have the reason. Each reason is recorded once.
void note_failed_try(transition& t, const provider_result& answer, time_point now);

void mark_failed(transition& t, std::optional<provider_error> error, time_point now);

/// Adds a refund that the provider has accepted, with its event.
void add_refund(transition& t, refund made, time_point now);

}  // namespace machine

/// The payment as it is first stored, before its provider is called. `what`: create or charge.
payment begin_payment(const entity_key& key, const create_payment& wanted, const route_choice& way,
                      const command_key& command, time_point now, const machine_timing& timing,
                      operation what = operation::create);

decision decide(const payment& p, const capture_payment& wanted, const command_key& command, time_point now,
                const machine_timing& timing);

decision decide(const payment& p, const void_payment&, const command_key& command, time_point now,
                const machine_timing& timing);

decision decide(const payment& p, const refund_payment& wanted, const command_key& command, time_point now,
                const machine_timing& timing);

decision decide(const payment& p, const cancel_payment&, const command_key& command, time_point now,
                const machine_timing& timing);

/// Applies the provider's answer to a claimed payment. `p.open` is the operation that it answers.
transition conclude(const payment& p, const provider_result& answer, time_point now, const machine_timing& timing);

/// Ends an operation whose outcome is unknown, or a wait whose time is over, with the operator's outcome. nullopt if
/// there is neither.
std::optional<transition> settle_as(const payment& p, const settle_payment& wanted, time_point now,
                                    const machine_timing& timing);

/// The error of a payment that an operator has settled as declined.
inline constexpr std::string_view settled_by_operator = "settled_by_operator";

/// Whether an operator has settled the creation of a payment whose provider never answered. The provider may have the
/// payment, so its reference must be searched for. A sandbox never has such a payment.
inline bool lacks_reference(const payment& p) noexcept {
  using enum payment_state;
  if (p.open || !p.provider_ref.empty() || traits_of(p.provider).sandbox) return false;
  if (p.state == failed) return p.error && p.error->code == settled_by_operator;
  return p.state != created && p.state != processing;
}

/// Records an operator's refund, or returns why it cannot be recorded.
std::variant<transition, problem> decide(const payment& p, const record_refund& wanted, time_point now);

/// Whether the provider must be called again for the open operation.
bool asks_again(const payment& p, time_point now, const machine_timing& timing) noexcept;

/// Whether the customer can still pay or decline, on a hosted page or by the provider's SDK.
inline bool awaits_customer(const payment& p) noexcept { return p.state == payment_state::processing && !p.open; }

/// What is due for a payment that waits for its customer.
enum class wait_step : unsigned char {
  none,
  look,  ///< query the provider for its state
  compare,  ///< the payment does not wait: compare it with its provider
  close,  ///< the time to pay is over: ask the provider to accept no more payment
};

wait_step due_step(const payment& p, time_point now, const machine_timing& timing) noexcept;

/// The customer's browser posts the form of the gateway's page to the provider: a try to pay begins. nullopt if the
/// payment no longer waits for that.
std::optional<transition> hand_over(const payment& p, time_point now, const machine_timing& timing);

/// The customer paid or declined at the provider. nullopt if the payment no longer waits for that. `fresh_method`: the
/// token of a method that the customer gave the provider on its page.
std::optional<transition> settle_hosted(const payment& p, hosted_signal signal, time_point now,
                                        const std::string& fresh_method = {});

namespace machine {

/// Whether the payment still waits after its time to pay is over, and this is already recorded.
bool has_outlived_its_end(const payment& p) noexcept;

}  // namespace machine

/// Whether the outcome of the open operation is unknown, or whether the customer paid before the time to pay was over.
inline bool has_unknown_outcome(const payment& p) noexcept {
  return (p.open && p.open->answered) || machine::has_outlived_its_end(p);
}

/// The time since which an outcome is unknown: the begin of the operation, or the end of the time to pay. nullopt if no
/// outcome is unknown.
std::optional<time_point> unknown_since(const payment& p, duration_ms hosted_expiry) noexcept;

/// Applies the provider's answer about a payment that waits for its customer. `closed`: the provider was asked to
/// accept no more payment. nullopt if the payment no longer waits. While it is unknown whether the customer paid, the
/// payment still waits, even after its end; its error and its timeline then state this.
std::optional<transition> settle_wait(const payment& p, const provider_result& answer, bool closed, time_point now,
                                      const machine_timing& timing);

}  // namespace gateway
