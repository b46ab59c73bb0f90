// An invitation's link, and the state of the invited person. The link's content is signed, but its validity depends on
// the store's row alone, which ends when the invitation is used, withdrawn or replaced. So the row is read each time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/base/keyring.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/ports/store/people_questions.hpp"

namespace gateway::http {

struct invitation {
  merchant_id merchant;
  user_id user;
  std::string email;  ///< for the person to see
  std::string id;  ///< the row's id
  time_point expires{};
};

std::string invitation_url(const invitation& what, std::string_view portal_url, const crypto::derived_keys& key);
/// Nothing if the token is forged or expired.
std::optional<invitation> read_invitation(std::string_view token, const crypto::derived_keys& key, time_point now);

/// The invitation to this merchant that is in force, if any.
const named_invitation* find_standing(const invitations_lookup& person, const merchant_id& merchant, time_point now);

/// Whether an owner may see the new link: only if the address belongs to no member and no other merchant's invitation,
/// so that a password set with the link opens nothing beyond the owner's own merchant.
bool is_new_address(const invitations_lookup& person, const merchant_id& merchant, time_point now);
/// Whether the link alone suffices to set a password. An owner's invitation can set a first password; a link that an
/// owner has seen, only while the account belongs to no other merchant.
bool may_choose_password(const invitations_lookup& person, const stored_invitation& by);
/// Whether a signed-in person may accept, with no more than a password: not if another merchant's owner may know that
/// password.
bool may_accept(const invitations_lookup& person, const stored_invitation& what);

}  // namespace gateway::http
