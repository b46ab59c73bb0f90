// Changes of people, their memberships and their sessions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/domain/merchant.hpp"
#include "gateway/domain/person.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

/// Inserts a person. A second person with the same address, compared without case, is a duplicate record.
struct save_user {
  user_id id;
  std::string email;
  std::string password_hash;  ///< empty: invited, cannot sign in yet
  time_point created_at{};
};

/// Replaces a person's password, and ends the person's sessions except the named one, and a link that was sent for a
/// forgotten password.
struct set_user_password {
  user_id user;
  std::string password_hash;
  time_point set_at{};
  std::string kept_session;  ///< hash of the session that stays; empty: all end
};

/// Replaces a person's second factor, its recovery codes, and its last used step.
struct set_second_factor {
  user_id user;
  std::string sealed_totp;  ///< AES-256-GCM under the master key, base64; empty: none from now on
  std::vector<std::string> recovery_hashes;  ///< lower-case hex SHA-256 of each code
};

/// A code of the second factor was used to sign in. The claim is lost if this step or a later one was used before.
struct spend_totp_step {
  user_id user;
  std::int64_t step = 0;  ///< RFC 6238: T
};

/// A recovery code was used to sign in. The claim is lost if the code does not exist or is spent.
struct spend_recovery_code {
  user_id user;
  std::string hash;
  time_point spent_at{};
};

/// Sets the time zone in which a person's pages show times.
struct set_time_zone {
  user_id user;
  std::string zone;  ///< a name of the IANA database, at most 64 bytes; empty: UTC
};

/// The name in the audit log for the gateway's own changes.
inline constexpr std::string_view gateway_on_audit_log = "gateway";

/// The other actors that an entry may name instead of a person: `operator:<name>`, and a platform by its id.
inline constexpr std::string_view operator_on_audit_log = "operator:";

/// Records what a person, an operator, a platform or the gateway changed, in the commit of the change. A record is
/// never changed. The writer links it to the record before in its chain (gateway/base/audit_chain.hpp).
struct save_audit {
  user_id user;
  time_point at{};
  std::string id;  ///< audit_<id>
  std::string address;  ///< the client's address, at most 64 bytes
  std::string action;  ///< at most 64 bytes
  std::string subject;  ///< the id of the changed object, at most 128 bytes
  merchant_id merchant{};  ///< empty: the change is to the person's own account, or belongs to no merchant
  std::optional<environment> env{};
  /// The state before and after the change, without secrets, as JSON objects; empty if there is none.
  std::string before{};
  std::string after{};

  bool operator==(const save_audit&) const = default;
};

/// Inserts the membership, or replaces its role.
struct save_membership {
  merchant_id merchant;
  user_id user;
  member_role role = member_role::owner;
  time_point created_at{};
};

struct drop_membership {
  merchant_id merchant;
  user_id user;
};

/// At most one for each merchant and person. A link is valid while the row has the link's id. An owner's invitation
/// gives the role when it is accepted. An operator's invitation exists in addition to the membership; its id shows
/// which link may still set a password.
struct stored_invitation {
  merchant_id merchant;
  user_id user;
  std::string id;  ///< 32 hex digits
  invited_by by = invited_by::owner;
  member_role role = member_role::viewer;
  time_point created_at{};
  time_point expires{};
  bool mailed = false;  ///< for an owner's invitation: the link was sent by mail, and no owner has seen it

  bool operator==(const stored_invitation&) const = default;
};

/// Inserts the invitation, or replaces the present one. Deletes the merchant's expired ones.
struct save_invitation {
  stored_invitation what;
};

/// Deletes the invitation, if there is one.
struct drop_invitation {
  merchant_id merchant;
  user_id user;
};

/// The invitation is accepted. The claim is lost if it has expired, or if the row has another id.
struct spend_invitation {
  merchant_id merchant;
  user_id user;
  std::string id;
  time_point at{};
};

/// Sets a password by a link that an owner of the merchant has seen, so that the owner may know the password. The claim
/// is lost if the person has a password or belongs to a merchant already.
struct set_first_password {
  user_id user;
  std::string password_hash;
  time_point set_at{};
  merchant_id shown_to;
};

/// Removes a password that an owner may know, because it was first set by a link that the owner has seen. The person's
/// second factor and sessions end with it.
struct end_shown_password {
  user_id user;
};

/// Requires that the person's password and second factor have not changed since the unit was made; otherwise the claim
/// is lost. It locks the person's row until the commit. So a unit that replaces the credentials either commits earlier,
/// and this claim is lost, or commits later, and ends the session that this unit began.
struct check_credentials {
  user_id user;
  std::string password_hash;
  std::string sealed_totp;
};

/// Begins a session after a sign-in. Only the hash of the browser's token is stored.
struct save_session {
  std::string hash;  ///< lower-case hex SHA-256
  user_id user;
  time_point created_at{};
  time_point ends_at{};
  std::string address{};  ///< of the client that signed in, at most 64 bytes
  std::string browser{};  ///< for display, such as `Firefox on Linux`, at most 64 bytes
};

/// The session was used.
struct touch_session {
  std::string hash;
  time_point used_at{};
};

struct end_session {
  std::string hash;
};

}  // namespace gateway
