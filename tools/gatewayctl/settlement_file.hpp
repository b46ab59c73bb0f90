// Reads the settlement reports of providers, as CSV. docs/operators.md lists the columns.
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

/// A movement of a payment's money in a provider's report: a charge, a refund, a refund that came back, or a dispute.
struct settlement_line {
  std::uint64_t line = 0;
  ledger_kind what = ledger_kind::captured;  ///< one that moves money
  std::int64_t minor = 0;
  std::optional<currency> unit;      ///< nullopt if the report does not say
  std::optional<time_point> at;      ///< nullopt if the report does not say
  std::string ref;                   ///< of the charge, the refund or the dispute
  std::vector<std::string>
      of_payment{};  ///< the provider's references of the payment; empty if the report does not say
  std::string reduces{};  ///< not empty: the line cancels a part of the charge with this reference
};

/// The provider of the report, and which lines to read if the report distinguishes them.
struct settlement_source {
  std::optional<provider_kind> provider;  ///< nullopt: found by the columns of the first line
  std::optional<environment> env;  ///< nullopt: all
  std::string merchant;  ///< empty: all
};

/// The properties of a file besides its movements.
struct settlement_file {
  provider_kind provider = provider_kind::sandbox;
  std::vector<environment> modes;  ///< the modes that lines state; only some providers' lines do
  std::uint64_t others = 0;  ///< lines about something else, such as a payout
};

/// Calls `each` for every movement. Throws bad_file.
settlement_file read_settlement(std::istream& in, const settlement_source& of,
                                const std::function<void(const settlement_line&)>& each);

}  // namespace gateway::ctl
