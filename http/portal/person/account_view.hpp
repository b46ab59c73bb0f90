// A person's account page: password, second factor, time zone, sessions, and the audit list.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct session_row {
  std::string session_id;
  shown_time began_at;
  shown_time used_at;
  bool is_this = false;
  std::string address{};  ///< of the client that signed in; may be unknown
  std::string browser{};  ///< in words; may be unknown
};
struct audit_row {
  shown_time at;
  std::string what;      ///< the action in words
  std::string about;     ///< the id of the changed thing; may be empty
  std::string merchant;  ///< its name and the environment; may be empty
  std::string address;   ///< the client's address
};
struct password_form {
  std::string password_fault;      ///< about the current one. Typed passwords are never shown again
  std::string new_password_fault;
};
/// An owner's invitation that the person may accept.
struct invitation_row {
  std::string merchant_id;
  std::string merchant;
  std::string role;
  shown_time until;
  bool distrusted = false;  ///< only an operator's invitation can be accepted
};
/// Actions: set-password; second-factor-on (`password`; goes to second_factor_page), second-factor-off (`password`),
/// new-recovery-codes (`password`); set-zone (`zone`); end-session (`session_id`), end-other-sessions; accept
/// (`merchant_id`).
struct account_view {
  member_frame frame;
  password_form password;
  bool second_factor = false;
  std::size_t recovery_codes_left = 0;
  std::string enable_fault;          ///< beside the `password` of second-factor-on
  std::string disable_fault;         ///< beside the `password` of second-factor-off
  std::string recovery_codes_fault;  ///< beside the `password` of new-recovery-codes
  std::vector<std::string> zones;
  field zone;
  std::vector<session_row> sessions;
  std::vector<invitation_row> invitations;
  std::vector<audit_row> audit;  ///< newest first
  std::string older;             ///< `cursor` of the audit rows after these; empty if there are none
  bool at_newest = true;
};
response account_page(const account_view& view);

/// Between `second-factor-on` and `confirm-second-factor`: the secret for the app, and the field for its first code.
struct second_factor_view {
  member_frame frame;
  std::string qr_svg;  ///< ready markup
  std::string secret;  ///< in base32, in groups
  std::vector<hidden_field> hidden;
  field code;
};
response second_factor_page(const second_factor_view& view);

/// The answer to `confirm-second-factor` and `new-recovery-codes`: shown only once.
struct recovery_codes_view {
  member_frame frame;
  std::vector<std::string> codes;
};
response recovery_codes_page(const recovery_codes_view& view);

}  // namespace gateway::http
