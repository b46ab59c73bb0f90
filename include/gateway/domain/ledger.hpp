// The ledger: an entry for each movement of money, and for each attempt that failed. An entry is written once, in the
// commit of the payment's change, and never changed (docs/decisions/0038-a-ledger-beside-the-payments.md).
//
// Pure: what a change of a payment moves is told by the payment before and after it, so that no way by which money moves
// can forget to say so.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/payment.hpp"

namespace gateway {

enum class ledger_kind : unsigned char {
  captured,  ///< the customer paid
  refunded,  ///< the customer got back, whole or in part
  failed,  ///< the customer was to pay, and did not: nothing moves
};

inline constexpr std::size_t ledger_kind_count = 3;

constexpr std::string_view to_string(ledger_kind k) noexcept {
  constexpr std::string_view names[] = {"captured", "refunded", "failed"};
  return names[static_cast<std::size_t>(k)];
}

constexpr std::optional<ledger_kind> parse_ledger_kind(std::string_view text) noexcept {
  for (std::size_t i = 0; i < ledger_kind_count; ++i)
    if (to_string(static_cast<ledger_kind>(i)) == text) return static_cast<ledger_kind>(i);
  return std::nullopt;
}

/// By how much an entry changes what each has, in minor units. What one gets another gives: the sum is zero.
struct ledger_accounts {
  std::int64_t customer = 0;  ///< who pays
  std::int64_t provider = 0;  ///< holds it in the operator's account there, and so owes it to the merchant
  std::int64_t merchant = 0;  ///< has it in an account of its own at the provider

  bool operator==(const ledger_accounts&) const = default;
};

constexpr std::int64_t sum_of(const ledger_accounts& of) noexcept { return of.customer + of.provider + of.merchant; }

struct ledger_entry {
  entity_key payment;
  std::uint32_t seq = 0;  ///< of the event in the payment's timeline that tells of it: a payment has one entry for each
  time_point at{};
  ledger_kind what = ledger_kind::captured;
  money amount;  ///< captured, given back, or attempted; above 0
  ledger_accounts accounts;
  provider_kind provider = provider_kind::sandbox;
  std::string account;  ///< the merchant's account at the provider, as the payment has it
  std::string payment_ref;  ///< what the provider calls the payment
  std::string movement_ref;  ///< what it calls the charge or the refund; empty where it told no name of its own

  bool operator==(const ledger_entry&) const = default;
};

/// What a change of a payment moves.
struct movement {
  ledger_kind what = ledger_kind::captured;
  std::int64_t minor = 0;

  bool operator==(const movement&) const = default;
};

/// Without `before` the payment was made by the change. The payment's machine makes one movement at a time, if any.
std::vector<movement> movements_of(const payment* before, const payment& after);

/// Whether what its customer pays goes to an account of the merchant's own. A wallet collects into the operator's.
inline bool has_own_account(const payment& p) noexcept { return !p.account.empty() && !traits_of(p.provider).wallet; }

constexpr ledger_accounts accounts_of(const movement& moved, bool own_account) noexcept {
  const auto paid = moved.what == ledger_kind::captured   ? moved.minor
                    : moved.what == ledger_kind::refunded ? -moved.minor
                                                          : 0;
  return own_account ? ledger_accounts{-paid, 0, paid} : ledger_accounts{-paid, paid, 0};
}

/// The entry of a movement that the change to `after` makes. The event that tells of it is the last of its timeline.
ledger_entry entry_of(const movement& moved, const payment& after, std::string movement_ref);

/// What a merchant's entries of a day, a currency, a provider and a kind come to.
struct ledger_sum {
  std::chrono::sys_days day{};  ///< UTC
  provider_kind provider = provider_kind::sandbox;
  ledger_kind what = ledger_kind::captured;
  std::int64_t count = 0;
  money amount;

  bool operator==(const ledger_sum&) const = default;
};

}  // namespace gateway
