// Whose entries in the directory a unit of work changes.
#pragma once

#include <vector>

#include "gateway/store.hpp"

namespace gateway::actors {

/// Each once. What is published of a merchant or platform hangs on its id, of a provider on its name; passwords and
/// spent tokens are in nobody's snapshot.
std::vector<directory_change> changes_of(const unit_of_work& unit);

/// The note of whoever made the unit's command: one without a subject is about what the unit makes.
save_audit about_what_is_made(save_audit note, const unit_of_work& unit);

}  // namespace gateway::actors
