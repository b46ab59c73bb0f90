// What the directory is asked to change, one command for each gatewayctl call that this node answers, and what it
// answers.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/base/compiled_once.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/merchant.hpp"
#include "gateway/domain/person.hpp"
#include "gateway/domain/platform.hpp"
#include "gateway/domain/provider_settings.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/domain/webhook.hpp"
#include "gateway/provider.hpp"

namespace gateway {

struct create_merchant {
  std::string name;
  merchant_kind kind = merchant_kind::standard;
  std::string owner_email;
};
struct mint_key {
  merchant_id merchant;
  environment env = environment::test;
  scope_set scopes;
};
/// Of a merchant or of a platform: the id tells which.
struct revoke_key {
  key_id id;
};
/// A platform revokes a key of its own: another's is not found. `write` is its idempotency key, kept in the same
/// commit.
struct revoke_own_key {
  key_id id;
  platform_id platform;
  command_key write;
  std::string fingerprint;
};
/// A person with this password and role. Of one who is known already the password is replaced, and every session ends.
struct add_user {
  merchant_id merchant;
  std::string email;
  std::string password;
  std::optional<member_role> role = {};  ///< nothing: the present one, of a newcomer owner
};
inline constexpr duration_ms invitation_lifetime = std::chrono::hours{7 * 24};

/// A link of an earlier invitation to this merchant is dead from now on. The operator's role holds at once, and what
/// owners may know of the person's password ends. An owner's holds once it is accepted; who is one of the merchant's
/// already is a conflict.
struct invite_user {
  merchant_id merchant;
  std::string email;
  std::optional<member_role> role = {};  ///< as in add_user
  invited_by by = invited_by::operators;
};
/// Of an owner, before it is accepted.
struct withdraw_invitation {
  merchant_id merchant;
  user_id user;
};
/// Of a member. The last owner stays one.
struct change_role {
  merchant_id merchant;
  user_id user;
  member_role role = member_role::viewer;
};
/// The last owner stays.
struct remove_member {
  merchant_id merchant;
  user_id user;
};
/// It works once. With a password: somebody opened the link and chose one, which by an owner's invitation only a person
/// can who has none and belongs to no merchant. Without: the person is signed in, and may accept an owner's.
struct accept_invitation {
  merchant_id merchant;
  user_id user;
  std::string id;
  std::string password{};
};
/// Sees to it that the merchant can be charged in this environment: nothing if it can, else a connected sandbox
/// provider and a route by it. A connection that is there keeps its account, and a route that is there stays.
struct make_chargeable {
  merchant_id merchant;
  environment env = environment::test;
  /// Whose onboarding was finished: this one is connected whatever else is. Empty: the sandbox of its kind of entity.
  std::optional<provider_kind> provider;
};
struct create_platform {
  std::string name;
  std::string slug;
  std::string contact;
  std::vector<std::string> redirect_uris;
  std::vector<std::string> return_origins;
};
/// What is given replaces what is there.
struct change_platform {
  platform_id id;
  std::optional<std::string> name;
  std::optional<std::string> contact;
  std::optional<std::vector<std::string>> redirect_uris;
  std::optional<std::vector<std::string>> return_origins;
};
struct set_platform_status {
  platform_id id;
  platform_status status = platform_status::active;
};
struct mint_platform_key {
  platform_id platform;
  scope_set scopes;
};
struct set_connection {
  merchant_id merchant;
  connection link;
};
/// Its provider has told how a merchant's account stands. The connection with exactly that account follows
/// (gateway/connected_account.hpp), and one that can be charged from now on has a route.
struct follow_account {
  merchant_id merchant;
  environment env = environment::test;
  provider_kind provider = provider_kind::sandbox;
  std::string account;
  account_standing standing = account_standing::unknown;
};
struct set_route {
  merchant_id merchant;
  route way;
};
/// Replaces all settings of a provider in one environment; with none of them it is not configured there any more. They
/// have been checked.
struct configure_provider {
  provider_kind provider = provider_kind::sandbox;
  environment env = environment::test;
  provider_settings settings;
};
struct redeem_setup_token {
  merchant_id merchant;
  std::string token_id;
};
/// Creates the destination, or changes and enables the one that is there already: a merchant has one per mode and URL,
/// a platform one per mode. The URL has been checked. The secret of one that is there already stays.
struct set_destination {
  destination_kind kind = destination_kind::merchant;
  std::string owner;
  environment env = environment::test;
  std::string url;
  std::vector<std::string> events;  ///< stored types; empty: the default
};
/// Whether it is enabled stays as it is.
struct set_destination_events {
  destination_id id;
  std::vector<std::string> events;  ///< stored types; empty: the default
};
struct enable_destination {
  destination_id id;
};
/// What waits for it, and what happens from now on, is kept until it is enabled.
struct disable_destination {
  destination_id id;
  std::string reason;
};
/// A new secret; the old one signs too until `overlap` has passed.
struct rotate_destination_secret {
  destination_id id;
  duration_ms overlap = std::chrono::hours{24};
};

// ---- what they made -------------------------------------------------------------------------------

struct created_merchant {
  merchant_id merchant;
  entity_id entity;
};
struct minted_key {
  key_id id;
  std::string secret;
  scope_set scopes;
};
/// Of set_destination.
struct destination_secret {
  destination_id id;
  std::string secret;
};
/// Of rotate_destination_secret.
struct rotated_secret {
  destination_id id;
  std::string secret;
  std::optional<time_point> previous_until;  ///< the old one signs until then; empty: not any more
};
/// Of create_platform and change_platform.
struct saved_platform {
  platform_id id;
  std::string client_id;
};
/// Of invite_user.
struct invited_user {
  user_id id;
  std::string invitation;  ///< its id
  time_point expires{};
};
/// Of add_user, accept_invitation, withdraw_invitation, change_role and remove_member: the person's id.
struct added_user {
  user_id id;
};
/// Of set_route.
struct placed_route {
  std::string id;
};
/// Of redeem_setup_token: nobody has spent it before, and nobody will again.
struct spent_setup_token {
  std::string token_id;
};
/// Of the others: what was changed, and how it stands now.
struct named_result {
  std::string id;
  std::string status;
};

/// Why a command changed nothing, in words for whoever sent it.
struct operator_problem {
  enum class kind : unsigned char {
    not_found,  ///< what it names is not there
    conflict,  ///< it contradicts what is there
  };
  kind what = kind::conflict;
  std::string words;
};

/// There is no `what` of that name.
inline operator_problem no_such(std::string_view what, std::string_view name) {
  std::string words{"There is no "};
  words.append(what).append(1, ' ').append(name).append(1, '.');
  return {operator_problem::kind::not_found, std::move(words)};
}

struct operator_command
    : compiled_once<
          std::variant<create_merchant, mint_key, revoke_key, revoke_own_key, add_user, invite_user,
                       withdraw_invitation, accept_invitation, change_role, remove_member, set_connection, set_route,
                       make_chargeable, redeem_setup_token, set_destination, set_destination_events, enable_destination,
                       disable_destination, rotate_destination_secret, create_platform, change_platform,
                       set_platform_status, mint_platform_key, configure_provider, follow_account>> {
  using compiled_once::compiled_once;
};
struct operator_result
    : compiled_once<
          std::variant<created_merchant, minted_key, saved_platform, added_user, invited_user, placed_route,
                       spent_setup_token, destination_secret, rotated_secret, named_result, operator_problem>> {
  using compiled_once::compiled_once;
};

}  // namespace gateway
