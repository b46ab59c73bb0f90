// A person's account page: password, second factor, time zone, sessions, and audit entries.
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
  std::string merchant;  ///< the merchant's name and the mode; may be empty
  std::string address;   ///< the client's address
};
struct password_form {
  std::string password_fault;      ///< of the current password. Typed passwords are never shown again
  std::string new_password_fault;
};
/// An owner's invitation to the person.
struct invitation_row {
  std::string merchant_id;
  std::string merchant;
  std::string role;
  shown_time until;
  bool distrusted = false;  ///< another owner may know the password: only an operator's invitation is accepted
};
/// Actions and their fields: set-password; second-factor-on (`password`; leads to second_factor_page),
/// second-factor-off (`password`), new-recovery-codes (`password`); set-zone (`zone`); end-session (`session_id`),
/// end-other-sessions; accept (`merchant_id`).
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
  std::string older;             ///< `cursor` of the next older audit rows; empty if there are none
  bool at_newest = true;
};
response account_page(const account_view& view);

/// The page between `second-factor-on` and `confirm-second-factor`: the app's secret, and the field for its first
/// code.
struct second_factor_view {
  member_frame frame;
  std::string qr_svg;  ///< markup
  std::string secret;  ///< in base32, in groups
  std::vector<hidden_field> hidden;
  field code;
};
response second_factor_page(const second_factor_view& view);

/// The answer to `confirm-second-factor` and `new-recovery-codes`. The codes are shown only once.
struct recovery_codes_view {
  member_frame frame;
  std::vector<std::string> codes;
};
response recovery_codes_page(const recovery_codes_view& view);

}  // namespace gateway::http
