// Questions about people, their sessions and their changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/ports/store/people_rows.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

/// For signing in.
struct find_user {
  using answer = struct user_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  std::string email_key;
};

struct stored_person : save_user {
  std::string sealed_totp{};  ///< as in set_second_factor
  std::int64_t totp_step = 0;  ///< the last one that was used
  std::int64_t recovery_codes_left = 0;
  std::string time_zone{};
};

struct user_lookup {
  std::optional<stored_person> found;
};

/// The state of a person who is invited, or accepts an invitation.
struct find_invitations {
  using answer = struct invitations_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  user_id user;
};

struct named_invitation {
  stored_invitation what;
  std::string merchant_name;
};

/// Most invitations in an answer. If there are more, operators' invitations come first, then those that expire last.
inline constexpr std::uint32_t most_invitations_told = 100;

struct invitations_lookup {
  bool has_password = false;
  bool is_member = false;  ///< of any merchant
  merchant_id shown_to{};  ///< the merchant whose owner has seen the link that set the first password; empty: none
  std::vector<named_invitation> invitations;
};

/// A session, with the data about the person that a page needs.
struct find_session {
  using answer = struct session_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  std::string hash;
};

struct session_membership {
  merchant_id merchant;
  std::string merchant_name;
  member_role role = member_role::owner;
};

struct stored_session {
  user_id user;
  std::string email;
  time_point created_at{};
  time_point used_at{};
  time_point ends_at{};
  std::vector<session_membership> of;  ///< ordered by the merchant's name
  std::string time_zone{};
  bool has_second_factor = false;
};

struct session_lookup {
  std::optional<stored_session> found;
};

/// A person's sessions, newest first, including expired ones.
struct find_sessions {
  using answer = struct sessions_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  user_id user;
};

struct listed_session {
  std::string hash;
  time_point created_at{};
  time_point used_at{};
  time_point ends_at{};
  std::string address{};  ///< as in save_session; both are empty for a session that began before they were recorded
  std::string browser{};

  bool operator==(const listed_session&) const = default;
};

struct sessions_lookup {
  std::vector<listed_session> sessions;
};

/// The changes of a person, or of any person to a merchant; newest first, at most `limit`.
struct find_audit {
  using answer = struct audit_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  user_id user{};
  merchant_id merchant{};  ///< instead of the user
  std::optional<time_point> before{};  ///< only changes made earlier, or at that time with a smaller id, to page on
  std::string before_id{};
  std::uint32_t limit = 100;
};

struct audit_lookup {
  std::vector<save_audit> entries;
};

}  // namespace gateway
