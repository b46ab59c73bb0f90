// Questions about daily totals and the ledger.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/domain/daily_total.hpp"
#include "gateway/domain/ledger.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

/// A merchant's totals of the days in [from_day, until_day), by day, currency and counter. Days without totals are left
/// out.
struct find_daily_totals {
  using answer = struct daily_totals_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  merchant_id merchant;
  environment env = environment::live;
  std::chrono::sys_days from_day{};
  std::chrono::sys_days until_day{};
};

struct daily_totals_lookup {
  std::vector<daily_total> totals;
};

/// The sums of the ledger's entries of the days in [from_day, until_day), by day, currency, provider and kind: of one
/// merchant, or of all merchants in batches.
struct find_ledger_sums {
  using answer = struct ledger_sums_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant{};  ///< empty: all merchants
  merchant_id after{};  ///< for all merchants: only those with a greater id, to continue
  environment env = environment::live;
  std::chrono::sys_days from_day{};
  std::chrono::sys_days until_day{};
};

struct ledger_sums_lookup {
  std::vector<ledger_sum> sums;  ///< added up over several merchants
  merchant_id next{};  ///< not empty: there are more merchants behind this one
};

/// Where the ledger continues: behind this entry.
struct ledger_position {
  merchant_id merchant;
  time_point at{};
  std::string payment_id{};
  std::uint32_t seq = 0;

  bool operator==(const ledger_position&) const = default;
};

/// The ledger's entries in [from, until) of a provider, ordered by time: of one merchant, or of all merchants one after
/// the other. About `limit` entries of any provider are read, so a page may be empty although there is a next page.
struct find_ledger {
  using answer = struct ledger_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant{};  ///< empty: all merchants
  environment env = environment::live;
  provider_kind provider = provider_kind::sandbox;
  time_point from{};
  time_point until{};
  std::optional<ledger_position> after{};
  std::uint32_t limit = 100;
};

struct ledger_lookup {
  std::vector<ledger_entry> entries;
  std::optional<ledger_position> next;  ///< there may be more entries behind it
};

}  // namespace gateway
