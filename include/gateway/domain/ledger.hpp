// The ledger: an entry for each movement of money, and for each failed attempt. An entry is written once, in the commit
// of the payment's change, and never changed (docs/decisions/0038-a-ledger-beside-the-payments.md).
//
// Pure: entries are derived from the payment before and after a change, so that no code path that moves money can omit
// them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/payment.hpp"

namespace gateway {

enum class ledger_kind : unsigned char {
  captured,  ///< the customer paid
  refunded,  ///< the customer got money back, all or part
  failed,  ///< an attempt to collect money failed: no money moves
  refund_failed,  ///< a refund failed, and its money came back
  dispute_opened,  ///< the cardholder's bank took the money back
  dispute_won,  ///< the bank gave the money back
  dispute_lost,  ///< the money stays with the customer: no money moves
};

template <>
inline constexpr auto enum_table<ledger_kind> =
    enum_names<ledger_kind>({{ledger_kind::captured, "captured"},
                             {ledger_kind::refunded, "refunded"},
                             {ledger_kind::failed, "failed"},
                             {ledger_kind::refund_failed, "refund_failed"},
                             {ledger_kind::dispute_opened, "dispute_opened"},
                             {ledger_kind::dispute_won, "dispute_won"},
                             {ledger_kind::dispute_lost, "dispute_lost"}});
inline constexpr auto parse_ledger_kind = parse_name<ledger_kind>;

/// The change of each party's balance by an entry, in minor units. The sum is zero.
struct ledger_accounts {
  std::int64_t customer = 0;  ///< the paying customer
  std::int64_t provider = 0;  ///< money in the operator's account there, which is owed to the merchant
  std::int64_t merchant = 0;  ///< money in the merchant's own account at the provider

  bool operator==(const ledger_accounts&) const = default;
};

constexpr std::int64_t sum_of(const ledger_accounts& of) noexcept { return of.customer + of.provider + of.merchant; }

struct ledger_entry {
  entity_key payment;
  /// The seq of the event in the payment's timeline that reports the movement; each event has one entry.
  std::uint32_t seq = 0;
  time_point at{};
  ledger_kind what = ledger_kind::captured;
  money amount;  ///< captured, given back, or attempted; above 0
  ledger_accounts accounts;
  provider_kind provider = provider_kind::sandbox;
  std::string account;  ///< the merchant's account at the provider, as stored with the payment
  std::string payment_ref;  ///< the provider's reference of the payment
  std::string movement_ref;  ///< its reference of the charge or the refund; empty if it gives none

  bool operator==(const ledger_entry&) const = default;
};

/// A movement of money, or a failed attempt, in a change of a payment.
struct movement {
  ledger_kind what = ledger_kind::captured;
  std::int64_t minor = 0;

  bool operator==(const movement&) const = default;
};

/// Without `before` the change created the payment. A change makes one movement at most.
std::vector<movement> movements_of(const payment* before, const payment& after);

/// Whether the customer's money goes to the merchant's own account. A wallet collects into the operator's.
inline bool has_own_account(const payment& p) noexcept { return !p.account.empty() && !traits_of(p.provider).wallet; }

/// The amount that the customer pays by a movement, in minor units; negative if the customer gets money back.
constexpr std::int64_t paid_by_customer(const movement& moved) noexcept {
  switch (moved.what) {
    case ledger_kind::captured:
    case ledger_kind::refund_failed:
    case ledger_kind::dispute_won: return moved.minor;
    case ledger_kind::refunded:
    case ledger_kind::dispute_opened: return -moved.minor;
    case ledger_kind::failed:
    case ledger_kind::dispute_lost: break;
  }
  return 0;
}

/// Whether entries of this kind move money, and are therefore in a provider's report.
constexpr bool moves_money(ledger_kind what) noexcept { return paid_by_customer({what, 1}) != 0; }

constexpr ledger_accounts accounts_of(const movement& moved, bool own_account) noexcept {
  const auto paid = paid_by_customer(moved);
  return own_account ? ledger_accounts{-paid, 0, paid} : ledger_accounts{-paid, paid, 0};
}

/// The entry of a movement in the change to `after`. Its event is the last one of the payment's timeline.
ledger_entry entry_of(const movement& moved, const payment& after, std::string movement_ref);

/// The sum of a merchant's entries of a day, a currency, a provider and a kind.
struct ledger_sum {
  std::chrono::sys_days day{};  ///< UTC
  provider_kind provider = provider_kind::sandbox;
  ledger_kind what = ledger_kind::captured;
  std::int64_t count = 0;
  money amount;

  bool operator==(const ledger_sum&) const = default;
};

}  // namespace gateway
