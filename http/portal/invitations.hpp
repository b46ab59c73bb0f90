// The link of an invitation, and how the person stands who follows it. What the link says is signed; that it is good,
// the store's row says alone, which ends when it is used, withdrawn or replaced. So nothing here is known beforehand:
// it is asked for each time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/ids.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/store.hpp"

namespace gateway::http {

struct invitation {
  merchant_id merchant;
  user_id user;
  std::string email;  ///< for the person to see
  std::string id;  ///< the row's
  time_point expires{};
};

std::string invitation_url(const invitation& what, std::string_view portal_url, std::string_view key);
/// Nothing if the token is forged or expired.
std::optional<invitation> read_invitation(std::string_view token, std::string_view key, time_point now);

/// To this merchant, while it lasts.
const named_invitation* find_standing(const invitations_lookup& person, const merchant_id& merchant, time_point now);

/// Whether an owner may see the link that was just made: to nobody else is the address known, so that a password chosen
/// by it opens nothing that is not the owner's own.
bool is_new_address(const invitations_lookup& person, const merchant_id& merchant, time_point now);
/// By the link alone. An owner's sets a first password, and only while it opens no other merchant.
bool may_choose_password(const invitations_lookup& person, const stored_invitation& by);
/// Signed in, with no more than a password: one that another merchant's owner may know accepts nothing.
bool may_accept(const invitations_lookup& person, const stored_invitation& what);

}  // namespace gateway::http
