// What gatewayctl makes of the gateway's ledger: reports and reconciliations. Both ask the gateway for a part at a
// time.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>

#include <boost/json/object.hpp>

#include "gateway/domain/ids.hpp"
#include "gateway/domain/provider_kind.hpp"

namespace gateway::ctl {

/// Asks the operator socket: a path and a body. Throws std::runtime_error where it is refused.
using operator_asker = std::function<boost::json::object(const std::string&, const boost::json::object&)>;

struct report_wish {
  std::string merchant;  ///< empty: all
  std::optional<environment> env;  ///< nothing: both
  std::chrono::sys_days from{}, to{};  ///< the last day counts, too
  bool as_json = false;                ///< otherwise CSV
};

/// A row for each day, currency, provider and mode, with a head line.
void write_report(const report_wish& wish, const operator_asker& ask, std::ostream& out);

struct reconcile_wish {
  std::filesystem::path file;
  std::optional<provider_kind> provider;  ///< nothing: the one whose columns the file has
  std::string merchant;                   ///< empty: all
  std::optional<environment> env;         ///< nothing: the one that the file tells of, or live
  std::optional<std::chrono::sys_days> from, to;  ///< both or none: the days that the file tells of
  bool as_json = false;
};

/// A line for each difference, then the counts. Whether all agree. Throws std::runtime_error, in words for the
/// operator.
bool reconcile(const reconcile_wish& wish, const operator_asker& ask, std::ostream& out);

}  // namespace gateway::ctl
