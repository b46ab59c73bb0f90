// The entries that must be read before an operator's command is planned.
#pragma once

#include <string>
#include <vector>

#include "gateway/domain/person.hpp"
#include "gateway/ports/store/directory_questions.hpp"
#include "people.hpp"

namespace gateway::actors {

inline directory_name name_of(const merchant_id& id) { return {directory_name::kind::merchant, id.value}; }
inline directory_name name_of(const platform_id& id) { return {directory_name::kind::platform, id.value}; }
inline directory_name name_of(const key_id& id) { return {directory_name::kind::key, id.value}; }
inline directory_name name_of(const destination_id& id) { return {directory_name::kind::destination, id.value}; }
inline directory_name name_of(const user_id& id) { return {directory_name::kind::user, id.value}; }
inline directory_name name_of_address(const std::string& email) {
  return {directory_name::kind::email, email_key_of(email)};
}

inline directory_name name_of(provider_kind kind) {
  return {directory_name::kind::provider, std::string{to_string(kind)}};
}

inline directory_name name_of_master_keys() { return {directory_name::kind::master_keys, {}}; }

using directory_names = std::vector<directory_name>;

inline directory_names names_of(const create_merchant& wanted) {
  return wanted.owner_email.empty() ? directory_names{} : directory_names{name_of_address(wanted.owner_email)};
}
inline directory_names names_of(const mint_key& wanted) { return {name_of(wanted.merchant)}; }
inline directory_names names_of(const revoke_key& wanted) { return {name_of(wanted.id)}; }
inline directory_names names_of(const add_hashed_user& wanted) {
  return {name_of(wanted.merchant), name_of_address(wanted.email)};
}
inline directory_names names_of(const invite_user& wanted) {
  return {name_of(wanted.merchant), name_of_address(wanted.email)};
}
inline directory_names names_of(const withdraw_invitation& wanted) {
  return {name_of(wanted.merchant), name_of(wanted.user)};
}
inline directory_names names_of(const accept_hashed_invitation& wanted) {
  return {name_of(wanted.merchant), name_of(wanted.user)};
}
inline directory_names names_of(const change_role& wanted) { return {name_of(wanted.merchant), name_of(wanted.user)}; }
inline directory_names names_of(const remove_member& wanted) {
  return {name_of(wanted.merchant), name_of(wanted.user)};
}
inline directory_names names_of(const set_connection& wanted) { return {name_of(wanted.merchant)}; }
inline directory_names names_of(const follow_account& wanted) { return {name_of(wanted.merchant)}; }
inline directory_names names_of(const set_route& wanted) { return {name_of(wanted.merchant)}; }
inline directory_names names_of(const make_chargeable& wanted) { return {name_of(wanted.merchant)}; }
inline directory_names names_of(const set_branding& wanted) { return {name_of(wanted.merchant)}; }
inline directory_names names_of(const redeem_setup_token& wanted) { return {name_of(wanted.merchant)}; }
inline directory_names names_of(const set_destination& wanted) {
  return wanted.kind == destination_kind::merchant ? directory_names{name_of(merchant_id{wanted.owner})}
                                                   : directory_names{};
}
inline directory_names names_of(const set_destination_events& wanted) { return {name_of(wanted.id)}; }
inline directory_names names_of(const enable_destination& wanted) { return {name_of(wanted.id)}; }
inline directory_names names_of(const disable_destination& wanted) { return {name_of(wanted.id)}; }
inline directory_names names_of(const change_destination_url& wanted) { return {name_of(wanted.id)}; }
inline directory_names names_of(const name_destination& wanted) { return {name_of(wanted.id)}; }
inline directory_names names_of(const set_standard_webhooks& wanted) { return {name_of(wanted.id)}; }
inline directory_names names_of(const delete_destination& wanted) { return {name_of(wanted.id)}; }
inline directory_names names_of(const rotate_destination_secret& wanted) { return {name_of(wanted.id)}; }
inline directory_names names_of(const report_failing_destination& wanted) { return {name_of(wanted.id)}; }
/// The other commands concern platforms and providers, which are always known.
template <class Command>
directory_names names_of(const Command&) {
  return {};
}

}  // namespace gateway::actors
