// An invitation's link, and the state of the invited person. The link is signed, but valid only while the store has the
// invitation's row, which ends when the invitation is used, withdrawn or replaced. So the row is read for each request.
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
  std::string email;  ///< shown to the person
  std::string id;  ///< of the row
  time_point expires{};
};

std::string invitation_url(const invitation& what, std::string_view portal_url, const crypto::derived_keys& key);
/// nullopt if the token is forged or expired.
std::optional<invitation> read_invitation(std::string_view token, const crypto::derived_keys& key, time_point now);

/// The unexpired invitation to this merchant; null if there is none.
const named_invitation* find_standing(const invitations_lookup& person, const merchant_id& merchant, time_point now);

/// Whether an owner may see the new link: only if the address has no membership, no other merchant's invitation and no
/// password that another owner may know. So a password set with the link opens only the owner's merchant.
bool is_new_address(const invitations_lookup& person, const merchant_id& merchant, time_point now);
/// Whether the link alone suffices to set a password. An operator's invitation always does. An owner's permits only a
/// first password; if the owner has seen the link, only while the person is a member of no merchant.
bool may_choose_password(const invitations_lookup& person, const stored_invitation& by);
/// Whether a signed-in person may accept without a further proof: only an owner's invitation, and only if no other
/// merchant's owner may know the person's password.
bool may_accept(const invitations_lookup& person, const stored_invitation& what);

}  // namespace gateway::http
