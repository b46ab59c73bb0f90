// An entity as an entry of the audit log shows it, before and after a change.
#pragma once

#include <string>

#include "gateway/ports/store/entity_rows.hpp"

namespace gateway::actors {

/// A JSON object without personal data; empty if the entity is not stored yet, or is of a kind that people do not
/// change.
std::string audit_state_of(const entity_row& row);

}  // namespace gateway::actors
