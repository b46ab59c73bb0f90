// The payment's state machine: pure functions from a payment and a command to what must happen.
//
//   decide   may this operation run now? claim and call the provider, answer at once, or fail with a problem
//   conclude what the provider's answer makes of the claimed payment
//   settle_hosted  what the customer did on a page that the gateway serves makes of it
//   settle_wait    what its provider says of a payment that waits for its customer makes of it
//
// Nothing here reads a clock, a store or a socket: time is an argument.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/domain/event_type.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/problem.hpp"
#include "gateway/domain/routing.hpp"

namespace gateway {

/// What the customer's own program needs to let the customer approve a charge, by the provider's SDK.
struct customer_action {
  std::string client_secret;
  std::string publishable_key;

  bool operator==(const customer_action&) const = default;
};

/// What an operation tells its caller. Encoded and stored under the idempotency key.
struct outcome {
  operation what = operation::create;
  std::optional<problem> failure;
  payment after;                               ///< the payment as the operation left it
  provider_status status = provider_status::none;  ///< of this operation
  std::optional<provider_error> error;             ///< of this operation
  std::int64_t refunded_amount = 0;                ///< refunds: of this operation, minor units
  std::optional<customer_action> action{};         ///< charges that wait for their customer
};

/// Durable step: claim the payment in this shape, then call the provider.
struct claim {
  payment claimed;
};
/// Durable step without a provider: store this result; the payment stays as it is.
struct conclusion {
  outcome result;
};
using decision = std::variant<claim, conclusion>;

/// How the provider answered one call.
struct provider_result {
  provider_status status = provider_status::unknown;
  std::string provider_ref;
  std::string hosted_url;
  std::optional<provider_error> error;
  std::string customer_id{};   ///< what the provider calls the customer, where it was made for this call
  std::string saved_method{};  ///< the token under which the charged method is saved, where that was asked for
  std::optional<customer_action> action{};  ///< instead of hosted_url, where a saved method was charged
  std::string movement_ref{};  ///< what the provider calls the charge or the refund that it has made, where it tells
};

/// A change to make durable, with what it tells.
struct transition {
  payment next;
  outcome result;
  std::vector<timeline_entry> entries;  ///< event_id and event_data are filled in by the caller
  std::string movement_ref{};  ///< of the provider's answer
};

struct machine_timing {
  duration_ms hosted_expiry = std::chrono::hours{24};
  duration_ms reconcile_first = std::chrono::seconds{5};
  duration_ms reconcile_longest = std::chrono::minutes{5};
  /// An operation begun and never finished by its owner is looked at after this.
  duration_ms abandoned_after = std::chrono::seconds{60};
  std::string node{};  ///< who runs what is begun
};

namespace machine {

inline std::int64_t remaining(const payment& p) noexcept { return p.captured - p.refunded; }

duration_ms reconcile_delay(unsigned asked, const machine_timing& timing) noexcept;

/// No operation that is open at `now` is due later than this, unless a clock that was ahead has stamped it. Checkouts
/// count too, so that few rows, if any, lie beyond.
time_point latest_due(time_point now, const machine_timing& timing) noexcept;

/// Whether the operation makes the payment.
constexpr bool creates(operation what) noexcept { return what == operation::create || what == operation::charge; }

/// Whether what is approved is captured by an operation of its own.
bool captures_separately(const payment& p) noexcept;

payment claimed_for(payment p, const command_key& command, operation what, std::int64_t amount, time_point now,
                    const machine_timing& timing);

void append(transition& t, timeline_kind kind, std::string_view what, std::string_view status,
            const std::optional<provider_error>& error, time_point now);

void append_event(transition& t, event_type type, time_point now);

void close(payment& p, time_point now);

void mark_captured(payment& p, time_point now);

void mark_failed(transition& t, std::optional<provider_error> error, time_point now);

}  // namespace machine

/// The payment as it is first made durable, before its provider is called. `what`: create or charge.
payment begin_payment(const entity_key& key, const create_payment& wanted, const route_choice& way,
                      const command_key& command, time_point now, const machine_timing& timing,
                      operation what = operation::create);

decision decide(const payment& p, const capture_payment&, const command_key& command, time_point now,
                const machine_timing& timing);

decision decide(const payment& p, const void_payment&, const command_key& command, time_point now,
                const machine_timing& timing);

decision decide(const payment& p, const refund_payment& wanted, const command_key& command, time_point now,
                const machine_timing& timing);

/// What the provider's answer makes of a claimed payment. `p.open` says which operation it answers.
transition conclude(const payment& p, const provider_result& answer, time_point now, const machine_timing& timing);

/// Whether its provider is to be asked again for the operation that is open.
bool asks_again(const payment& p, time_point now, const machine_timing& timing) noexcept;

/// Whether the customer can still pay or decline, on a hosted page or by the provider's SDK.
inline bool awaits_customer(const payment& p) noexcept { return p.state == payment_state::processing && !p.open; }

/// What is due of a payment that waits for its customer.
enum class wait_step : unsigned char {
  none,
  look,   ///< its provider is asked what has become of it
  close,  ///< the time to pay is over: its provider is asked to let nobody pay any more
};

wait_step due_step(const payment& p, time_point now, const machine_timing& timing) noexcept;

/// The customer paid or declined at the provider. Nothing if the payment no longer waits for it. `fresh_method`: the
/// token of a method that the customer gave the provider on its page.
std::optional<transition> settle_hosted(const payment& p, hosted_signal signal, time_point now,
                                        const std::string& fresh_method = {});

namespace machine {

/// It waits although its time to pay is over, and has said so.
bool has_outlived_its_end(const payment& p) noexcept;

}  // namespace machine

/// What its provider says of a payment that waits for its customer; `closed`: it was asked to let nobody pay any more.
/// Nothing if the payment no longer waits. While it is not known whether it is paid, it waits on: past its end, too,
/// which its error and its timeline then say.
std::optional<transition> settle_wait(const payment& p, const provider_result& answer, bool closed, time_point now,
                                      const machine_timing& timing);

}  // namespace gateway
