// A payment's present state at its provider (its charge, refunds and disputes), and its comparison with the row.
// Notifications, the reader of the provider's event list, the daily check of open authorizations and an operator's
// refresh all use this one comparison.
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
  unknown,  ///< the provider does not report it
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
  std::string provider_key{};  ///< of the gateway's call that made it; empty: none, or not reported

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
  bool is_inquiry = false;  ///< it moved no money, even if it is closed now

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
  bool lists_refunds = false;  ///< `refunds` is complete
  std::vector<provider_refund> refunds;  ///< oldest first
  std::vector<provider_dispute> disputes;

  bool operator==(const provider_truth&) const = default;
};

/// The failure code of a refund that counted as made, but that the provider does not have.
inline constexpr std::string_view refund_not_at_provider = "not_at_provider";

/// Whether the payment can be compared with its provider: it has no operation under way, and does not wait for its
/// customer. The operation must be concluded, or the wait settled, first.
inline bool can_be_compared(const payment& p) noexcept {
  return !p.open && !awaits_customer(p) && p.state != payment_state::created && !p.provider_ref.empty();
}

/// The first difference between the payment and its provider, as a change with at most one event and one movement of
/// money; nullopt if they agree, or the payment cannot be compared. Each change leaves fewer differences.
std::optional<transition> next_difference(const payment& p, const provider_truth& truth, time_point now);

/// All differences, in order. The first applies to `p`, and each other one to the result of the one before. They are
/// committed together.
std::vector<transition> differences(const payment& p, const provider_truth& truth, time_point now);

/// A state at the provider that the payment cannot take over, as a text for an operator: a refund of more than was
/// captured, or a capture that the provider does not have. Empty if there is none.
std::string contradiction_of(const payment& p, const provider_truth& truth);

/// The next scheduled question about an authorized payment: daily, and at the end of the authorization. nullopt for
/// other payments, and for a sandbox, which changes nothing by itself.
std::optional<time_point> next_daily_look(const payment& p, const provider_truth& truth, time_point now);

}  // namespace gateway
