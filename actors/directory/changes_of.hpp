// Which directory entries a unit of work changes.
#pragma once

#include <vector>

#include "gateway/ports/store/unit_of_work.hpp"

namespace gateway::actors {

/// The entries, without repeats. All published data of a merchant or a platform belong to the entry of its id, and
/// those of a provider to the entry of its name. Passwords and spent tokens are not published.
std::vector<directory_change> changes_of(const unit_of_work& unit);

/// Completes the audit note of the unit's command. If it has no subject, the subject becomes the id of the object that
/// the unit creates; if it names no merchant, the merchant becomes the owner of the key or the destination that
/// changes.
save_audit about_what_is_made(save_audit note, const unit_of_work& unit);

}  // namespace gateway::actors
