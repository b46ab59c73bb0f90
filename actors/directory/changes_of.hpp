// Which directory entries a unit of work changes.
#pragma once

#include <vector>

#include "gateway/ports/store/unit_of_work.hpp"

namespace gateway::actors {

/// Each entry once. Everything published of a merchant or platform belongs to its id, of a provider to its name;
/// passwords and spent tokens are in no snapshot.
std::vector<directory_change> changes_of(const unit_of_work& unit);

/// The note on the unit's command. If it has no subject, its subject becomes the id of what the unit makes; if it names
/// no merchant, the merchant becomes the one whose key or destination changes.
save_audit about_what_is_made(save_audit note, const unit_of_work& unit);

}  // namespace gateway::actors
