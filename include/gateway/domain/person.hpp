// A person who signs in: an e-mail address and a password, with a role in one or more merchants.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/enum_names.hpp"
#include "text.hpp"

namespace gateway {

/// What a person may do for a merchant.
enum class member_role : unsigned char {
  owner,   ///< may do everything
  viewer,  ///< may read everything, and changes nothing
};

template <>
inline constexpr auto enum_table<member_role> =
    enum_names<member_role>({{member_role::owner, "owner"}, {member_role::viewer, "viewer"}});
inline constexpr auto parse_member_role = parse_name<member_role>;

/// The maker of an invitation. Operators are trusted; an owner must not control another person's password.
enum class invited_by : unsigned char { owner, operators };

template <>
inline constexpr auto enum_table<invited_by> =
    enum_names<invited_by>({{invited_by::owner, "owner"}, {invited_by::operators, "operator"}});
inline constexpr auto parse_invited_by = parse_name<invited_by>;

inline constexpr std::size_t least_password = 12;          ///< characters
inline constexpr std::size_t most_password_bytes = 1'024;  ///< limit of the sign-in form

/// Why a text cannot be a password. The sign-in form must accept every password that is set.
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
