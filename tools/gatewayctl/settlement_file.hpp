// Settlement reports of providers, as CSV: which columns are read stands in docs/operators.md.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "csv_records.hpp"
#include "gateway/domain/ledger.hpp"

namespace gateway::ctl {

/// A charge or a refund that a provider tells of.
struct settlement_line {
  std::uint64_t line = 0;
  ledger_kind what = ledger_kind::captured;  ///< captured or refunded
  std::int64_t minor = 0;
  std::optional<currency> unit;      ///< nothing where the report does not say
  std::optional<time_point> at;      ///< as `unit`
  std::string ref;                   ///< of the charge or the refund
  std::vector<std::string> of_payment;  ///< what the provider calls the payment; empty where the report does not say
};

/// Whose report is read, and which of its lines are asked for, where it tells them apart.
struct settlement_source {
  provider_kind provider = provider_kind::sandbox;
  environment env = environment::live;
  std::string merchant;  ///< empty: all
};

/// Calls `each` for every charge and refund. Returns how many lines tell of something else, such as a payout. Throws
/// bad_file.
std::uint64_t read_settlement(std::istream& in, const settlement_source& of,
                              const std::function<void(const settlement_line&)>& each);

}  // namespace gateway::ctl
