// A merchant's totals by day, updated as payments change, because summing the payments themselves would read a
// merchant's whole history.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/ledger.hpp"
#include "gateway/domain/payment.hpp"

namespace gateway {

/// The counters. A payment that is captured at once also counts as authorized, so that authorized / (authorized +
/// failed) is the success rate of the payments that were decided. A subscription's payment that failed first and was
/// paid later counts as both, each on its day.
enum class daily_counter : unsigned char {
  authorized,  ///< payments that their provider approved, with their amounts
  captured,    ///< captures, with the captured amounts
  refunded,    ///< refunds, with the refunded amounts
  failed,      ///< payments that failed, with their amounts
};

template <>
inline constexpr auto enum_table<daily_counter> = enum_names<daily_counter>({{daily_counter::authorized, "authorized"},
                                                                             {daily_counter::captured, "captured"},
                                                                             {daily_counter::refunded, "refunded"},
                                                                             {daily_counter::failed, "failed"}});
inline constexpr auto parse_daily_counter = parse_name<daily_counter>;

struct daily_total {
  std::chrono::sys_days day{};  ///< UTC
  daily_counter what = daily_counter::captured;
  std::int64_t count = 0;
  money amount;

  bool operator==(const daily_total&) const = default;
};

namespace detail {
/// Whether the provider approved the payment, whatever happened afterwards.
constexpr bool was_approved(payment_state s) noexcept {
  using enum payment_state;
  return s == authorized || s == captured || s == partially_refunded || s == refunded || s == voided;
}
}  // namespace detail

/// The counter that a movement of this kind changes; nullopt for disputes. A failed refund reduces the refunds of the
/// day on which it failed.
constexpr std::optional<daily_counter> counter_of(ledger_kind what) noexcept {
  switch (what) {
    case ledger_kind::captured: return daily_counter::captured;
    case ledger_kind::refunded:
    case ledger_kind::refund_failed: return daily_counter::refunded;
    case ledger_kind::failed: return daily_counter::failed;
    case ledger_kind::dispute_opened:
    case ledger_kind::dispute_won:
    case ledger_kind::dispute_lost: break;
  }
  return std::nullopt;
}

/// The additions of a payment's change to the totals of its day: for its movements, and for its approval. Without
/// `before` the change created the payment.
std::vector<daily_total> totals_of(const payment* before, const payment& after, const std::vector<movement>& moved);

std::vector<daily_total> totals_of(const payment* before, const payment& after);

}  // namespace gateway
