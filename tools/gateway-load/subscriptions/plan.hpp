// The steps of each subscription of a year, and their expected results. Both follow from the seed and the
// subscription's number alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::load {

/// How a subscription ends within the year.
enum class ending : unsigned char {
  none,       ///< it continues
  abandoned,  ///< the checkout is not paid and expires
  merchant,   ///< canceled through the gateway
  provider,   ///< canceled at the provider
  expired,    ///< the provider ends it as incomplete_expired
  exhausted,  ///< all attempts at the cycle after the last paid one fail
};

struct subscription_plan {
  std::int64_t amount = 0;       ///< of each cycle, in the currency's minor unit
  std::uint32_t trial_days = 0;  ///< 0: the first cycle is billed when the checkout is paid
  std::uint32_t cycles = 0;      ///< number of paid cycles
  std::uint32_t failing = 0;     ///< a paid cycle whose first attempts fail; 0: none
  std::uint32_t failures = 0;    ///< how many attempts fail in that cycle
  std::uint32_t refunded = 0;    ///< the cycle that is refunded in part; 0: none
  std::int64_t refund = 0;
  ending ends = ending::none;
  std::uint32_t repeat = 1;      ///< how often the provider sends each notification of an operator's move
  bool reorder = false;          ///< whether it sends the last notification first
};

/// `months`: at least 2.
subscription_plan plan_of(std::uint64_t seed, std::uint64_t number, std::uint32_t months);

/// How many events of each type must be sent, with distinct ids.
struct expected_events {
  std::uint32_t activated = 0, updated = 0, canceled = 0, invoice_paid = 0, invoice_failed = 0;
  std::uint32_t payment_succeeded = 0, payment_failed = 0, payment_partially_refunded = 0;

  std::uint32_t all() const noexcept {
    return activated + updated + canceled + invoice_paid + invoice_failed + payment_succeeded + payment_failed +
           payment_partially_refunded;
  }
};

expected_events events_of(const subscription_plan& plan);
/// The status at the end of the year.
std::string_view status_of(const subscription_plan& plan);

/// An operator's moves after the checkout is paid, by their names on the operator socket. The first cycle needs a move
/// only after a trial.
std::vector<std::string_view> moves_of(const subscription_plan& plan);

/// Attempts at one invoice before the sandbox gives up.
inline constexpr std::uint32_t sandbox_attempts = 4;

}  // namespace gateway::load
