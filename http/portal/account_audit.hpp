// Audit entries about a person's own account.
#pragma once

#include <string>
#include <string_view>

#include "gateway/base/crypto.hpp"
#include "gateway/ports/store/people_rows.hpp"
#include "http/call/call.hpp"

namespace gateway::http {

/// Commit the entry together with the change. `action` is the verb of the form's button, if there is one.
inline save_audit note_of(const call& c, const user_id& who, std::string_view action, std::string subject = {}) {
  save_audit note;
  note.user = who;
  note.at = c.here.shared.clock.now();
  note.id = "audit_" + crypto::random_hex(16);
  note.address = c.in.remote_address;
  note.action = action;
  note.subject = std::move(subject);
  return note;
}

}  // namespace gateway::http
