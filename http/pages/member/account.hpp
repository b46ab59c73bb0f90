// A person's own page: password, second factor, time zone, sessions, and what was done in their name.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "http/pages/member_frame.hpp"

namespace gateway::http {

struct session_row {
  std::string session_id;
  shown_time began_at;
  shown_time used_at;
  bool is_this = false;
};
struct audit_row {
  shown_time at;
  std::string what;      ///< in words
  std::string about;     ///< the id of what was changed; may be empty
  std::string merchant;  ///< its name, and the environment; may be empty
  std::string address;   ///< from where
};
struct password_form {
  std::string password_fault;      ///< the present one: what was typed is never shown again
  std::string new_password_fault;
};
/// Of an owner: the person may accept it.
struct invitation_row {
  std::string merchant_id;
  std::string merchant;
  std::string role;
  shown_time until;
  bool distrusted = false;  ///< the operator must invite
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
  std::string disable_fault;         ///< beside that of second-factor-off
  std::string recovery_codes_fault;  ///< beside that of new-recovery-codes
  std::vector<std::string> zones;
  field zone;
  std::vector<session_row> sessions;
  std::vector<invitation_row> invitations;
  std::vector<audit_row> audit;  ///< the newest first
  std::string older;             ///< `cursor` of the audit's rows after these; empty: there are none
  bool at_newest = true;
};
response account_page(const account_view& view);

/// Between `second-factor-on` and `confirm-second-factor`: what the app is to learn, and its first code.
struct second_factor_view {
  member_frame frame;
  std::string qr_svg;  ///< ready markup
  std::string secret;  ///< in base32, in groups
  std::vector<hidden_field> hidden;
  field code;
};
response second_factor_page(const second_factor_view& view);

/// The answer to `confirm-second-factor` and `new-recovery-codes`: shown this once.
struct recovery_codes_view {
  member_frame frame;
  std::vector<std::string> codes;
};
response recovery_codes_page(const recovery_codes_view& view);

}  // namespace gateway::http
