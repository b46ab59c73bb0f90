// Exports and verifies the whole audit log, in as many requests as necessary.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "ledger_calls.hpp"

namespace gateway::ctl {

struct audit_export_request {
  boost::json::object filter;  ///< as the body of /operator/audit/list
};

/// Writes `{"entries":[…]}`, the oldest entry first, an entry in each line.
void export_audit(const audit_export_request& request, const operator_poster& post, std::ostream& out);

/// A chain's end as the process log names it.
struct audit_witness {
  std::int64_t chain = 0;
  std::int64_t number = 0;
  std::string hash;
};

struct audit_verify_request {
  std::vector<audit_witness> heads;  ///< to compare with the entries
  bool as_json = false;
};

/// Verifies all chains: `{"ok","entries","erased","unlinked","problems","heads"}`.
boost::json::object verified_audit(const operator_poster& post);

/// Verifies all chains and writes what was found. Returns whether all entries are as they were written.
bool verify_audit(const audit_verify_request& request, const operator_poster& post, std::ostream& out);

}  // namespace gateway::ctl
