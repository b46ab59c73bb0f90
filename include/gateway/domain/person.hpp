// A person who signs in: an e-mail address and a password, with a role in one or more merchants.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "text.hpp"

namespace gateway {

/// What a person may do for a merchant.
enum class member_role : unsigned char {
  owner,   ///< may do everything
  viewer,  ///< may read everything, and changes nothing
};

constexpr std::string_view to_string(member_role r) noexcept { return r == member_role::owner ? "owner" : "viewer"; }

constexpr std::optional<member_role> parse_member_role(std::string_view text) noexcept {
  for (auto r : {member_role::owner, member_role::viewer})
    if (to_string(r) == text) return r;
  return std::nullopt;
}

/// The maker of an invitation. Operators are trusted; an owner must not control another person's password.
enum class invited_by : unsigned char { owner, operators };

constexpr std::string_view to_string(invited_by who) noexcept {
  return who == invited_by::owner ? "owner" : "operator";
}

constexpr std::optional<invited_by> parse_invited_by(std::string_view text) noexcept {
  for (auto who : {invited_by::owner, invited_by::operators})
    if (to_string(who) == text) return who;
  return std::nullopt;
}

inline constexpr std::size_t least_password = 12;          ///< characters
inline constexpr std::size_t most_password_bytes = 1'024;  ///< limit of the sign-in form

/// Why a text cannot be a password: a password that is set must be accepted by the sign-in form.
enum class password_fault : unsigned char { too_short, too_long, holds_nul };

constexpr std::optional<password_fault> fault_of_password(std::string_view text) noexcept {
  if (count_characters(text) < least_password) return password_fault::too_short;
  if (text.size() > most_password_bytes) return password_fault::too_long;
  if (text.find('\0') != text.npos) return password_fault::holds_nul;
  return std::nullopt;
}

/// The form in which addresses are compared without case. Only ASCII letters are folded, because databases and locales
/// disagree about the case of others.
std::string email_key_of(std::string_view email);

}  // namespace gateway
