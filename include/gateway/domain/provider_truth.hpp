// What a provider says of a payment now: its charge, its refunds, its disputes. Notifications, the reader of the
// provider's event list, the daily look at open authorizations and an operator's refresh all lead to this one
// comparison of the provider's statement with the row.
//
// Pure: time is an argument.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/payment_machine.hpp"

namespace gateway {

enum class charge_state : unsigned char {
  unknown,  ///< the provider does not say
  waiting,  ///< for the customer, or for a bank
  authorized,
  captured,
  canceled,  ///< the authorization ended, and nothing was captured
  expired,   ///< the same, because its time was over
  failed,
};

struct provider_refund {
  std::string ref;
  std::int64_t amount = 0;  ///< minor units
  refund_status status = refund_status::succeeded;
  std::string failure_code;
  std::optional<time_point> created_at;
  std::string provider_key{};  ///< of the call that made it; empty: not the gateway's, or the provider does not say

  bool operator==(const provider_refund&) const = default;
};

struct provider_dispute {
  std::string ref;
  std::int64_t amount = 0;  ///< minor units
  std::string reason;
  dispute_status status = dispute_status::needs_response;
  std::optional<time_point> evidence_due_by;
  std::optional<time_point> opened_at;
  std::optional<time_point> closed_at;
  bool is_inquiry = false;  ///< it took no money, also where it is closed by now

  bool operator==(const provider_dispute&) const = default;
};

struct provider_truth {
  charge_state charge = charge_state::unknown;
  std::int64_t captured = 0;  ///< minor units
  std::string charge_ref;     ///< the provider's reference of the charge
  std::string provider_ref{};  ///< of the payment, if it was searched for
  std::string customer_id{};   ///< of a payment that saves its method: the provider's id of its customer
  std::string saved_method{};  ///< the same: the method that was charged; empty: none
  std::optional<time_point> authorized_until;
  bool lists_refunds = false;  ///< `refunds` holds all that there are
  std::vector<provider_refund> refunds;  ///< oldest first
  std::vector<provider_dispute> disputes;

  bool operator==(const provider_truth&) const = default;
};

/// The failure code of a refund that was taken as made, and that the provider does not have.
inline constexpr std::string_view refund_not_at_provider = "not_at_provider";

/// Whether the payment can be compared with its provider: it has no operation under way, and does not wait for its
/// customer. For those, the operation is concluded and the wait settled first.
inline bool can_be_compared(const payment& p) noexcept {
  return !p.open && !awaits_customer(p) && p.state != payment_state::created && !p.provider_ref.empty();
}

/// The first difference between the payment and its provider, as a change with one event and one movement of money at
/// most; nothing if they agree, or the payment cannot be compared. Each change leaves fewer differences.
std::optional<transition> next_difference(const payment& p, const provider_truth& truth, time_point now);

/// All of them, in order. The first applies to `p`, each other one to the payment that the one before leaves. They are
/// committed together.
std::vector<transition> differences(const payment& p, const provider_truth& truth, time_point now);

/// What the provider says and the payment cannot follow, in words for an operator: a refund of more than was captured,
/// or a capture that the provider does not have. Empty if there is nothing.
std::string contradiction_of(const payment& p, const provider_truth& truth);

/// When the provider is asked about a payment without a cause: an authorized one daily, and at its end. Nothing
/// for the others, and for a sandbox, where nothing happens by itself.
std::optional<time_point> next_daily_look(const payment& p, const provider_truth& truth, time_point now);

}  // namespace gateway
