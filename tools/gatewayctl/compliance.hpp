// `gatewayctl compliance`: what PCI DSS 4.0 requires, where the gateway meets it, and the evidence on this
// installation.
#pragma once

#include <ostream>
#include <string>

#include <boost/json/object.hpp>

#include "ledger_calls.hpp"

namespace gateway::ctl {

/// `{"requirements":[{"requirement","title","met","where","evidence","missing"}]}`. `facts`: the answer of
/// /operator/compliance. `audit`: the result of verified_audit(). `backup`: the newest entry of the audit log about a
/// backup; empty if there is none.
boost::json::object compliance_of(const boost::json::object& facts, const boost::json::object& audit,
                                  const boost::json::object& backup);

/// A heading line for each requirement, and under it one line for each statement.
std::string compliance_as_text(const boost::json::object& compliance);

/// Asks the gateway, verifies the audit log, and writes what was found.
void write_compliance(bool as_json, const operator_poster& post, std::ostream& out);

}  // namespace gateway::ctl
