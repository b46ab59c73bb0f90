// Reports and reconciliations of the gateway's ledger. Both read the ledger from the gateway in parts.
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

/// Posts a body to a path of the operator socket. Throws std::runtime_error if the request is refused.
using operator_poster = std::function<boost::json::object(const std::string&, const boost::json::object&)>;

struct report_request {
  std::string merchant;  ///< empty: all
  std::optional<environment> env;  ///< nothing: both
  std::chrono::sys_days from{}, to{};  ///< the last day counts, too
  bool as_json = false;                ///< otherwise CSV
};

/// A header line, and a row for each day, currency, provider and mode.
void write_report(const report_request& request, const operator_poster& post, std::ostream& out);

struct reconcile_request {
  std::filesystem::path file;
  std::optional<provider_kind> provider;  ///< nullopt: the provider whose columns the file has
  std::string merchant;                   ///< empty: all
  std::optional<environment> env;         ///< nullopt: the one that the file names, or live
  std::optional<std::chrono::sys_days> from, to;  ///< both or none; none: the days of the file's lines
  bool as_json = false;
};

/// Writes a line for each difference, then the counts. Returns whether all agree. Throws std::runtime_error with a
/// message for the operator.
bool reconcile(const reconcile_request& request, const operator_poster& post, std::ostream& out);

}  // namespace gateway::ctl
