// What a merchant's payments came to, by day: counted as they change, because a sum over the payments themselves would
// read a merchant's whole history.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gateway/domain/ledger.hpp"
#include "gateway/domain/payment.hpp"

namespace gateway {

/// What is counted. A payment that is captured at once counts as authorized, too, so that of the payments whose
/// provider decided, authorized / (authorized + failed) succeeded. A subscription's payment that failed first and was
/// paid later counts as both, each on its day.
enum class daily_counter : unsigned char {
  authorized,  ///< payments that their provider approved, with their amounts
  captured,    ///< captures, with what they captured
  refunded,    ///< refunds, with what they gave back
  failed,      ///< payments that failed, with their amounts
};

inline constexpr std::size_t daily_counter_count = 4;

constexpr std::string_view to_string(daily_counter c) noexcept {
  constexpr std::string_view names[] = {"authorized", "captured", "refunded", "failed"};
  return names[static_cast<std::size_t>(c)];
}

constexpr std::optional<daily_counter> parse_daily_counter(std::string_view text) noexcept {
  for (std::size_t i = 0; i < daily_counter_count; ++i)
    if (to_string(static_cast<daily_counter>(i)) == text) return static_cast<daily_counter>(i);
  return std::nullopt;
}

struct daily_total {
  std::chrono::sys_days day{};  ///< UTC
  daily_counter what = daily_counter::captured;
  std::int64_t count = 0;
  money amount;

  bool operator==(const daily_total&) const = default;
};

namespace detail {
/// Its provider approved it, whatever became of it afterwards.
constexpr bool was_approved(payment_state s) noexcept {
  using enum payment_state;
  return s == authorized || s == captured || s == partially_refunded || s == refunded || s == voided;
}
}  // namespace detail

constexpr daily_counter counter_of(ledger_kind what) noexcept {
  switch (what) {
    case ledger_kind::captured: return daily_counter::captured;
    case ledger_kind::refunded: return daily_counter::refunded;
    case ledger_kind::failed: break;
  }
  return daily_counter::failed;
}

/// What a change of a payment adds to the totals of its day: what it moves, and that it was approved. Without `before`
/// the payment was made by the change.
std::vector<daily_total> totals_of(const payment* before, const payment& after, const std::vector<movement>& moved);

std::vector<daily_total> totals_of(const payment* before, const payment& after);

}  // namespace gateway
