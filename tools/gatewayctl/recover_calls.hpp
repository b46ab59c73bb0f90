// Recovers a database that lacks answered commits, in as many requests as necessary. It may be interrupted and run
// again.
#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "ledger_calls.hpp"

namespace gateway::ctl {

struct recover_request {
  std::string from;  ///< RFC 3339
  bool accepts_unanswered = false;
  bool as_json = false;
};

/// Waits a moment before the same request is repeated.
using pause_between = std::function<void()>;

/// Returns whether the database was accepted. `progress` is for lines about the steps.
bool recover(const recover_request& request, const operator_poster& post, const pause_between& pause, std::ostream& out,
             std::ostream& progress);

}  // namespace gateway::ctl
