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
  std::optional<provider_kind> provider;  ///< nothing: the one whose columns the first line has; no two share them
  std::optional<environment> env;         ///< nothing: all
  std::string merchant;                   ///< empty: all
};

/// What a file is, and what else stands in it.
struct settlement_file {
  provider_kind provider = provider_kind::sandbox;
  std::vector<environment> modes;  ///< of the lines that say so; those of other providers do not
  std::uint64_t others = 0;        ///< lines that tell of something else, such as a payout
};

/// Calls `each` for every charge and refund. Throws bad_file.
settlement_file read_settlement(std::istream& in, const settlement_source& of,
                                const std::function<void(const settlement_line&)>& each);

}  // namespace gateway::ctl
