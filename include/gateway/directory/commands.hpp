// The commands that change the directory, one for each gatewayctl call that this node answers, and their results.
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
#include "gateway/ports/provider.hpp"

namespace gateway {

struct create_merchant {
  std::string name;
  merchant_kind kind = merchant_kind::standard;
  std::string owner_email;
};
/// The longest name of a key.
inline constexpr std::size_t most_key_name = 100;  ///< characters

struct mint_key {
  merchant_id merchant;
  environment env = environment::test;
  scope_set scopes;
  std::string name{};        ///< may be empty
  std::string created_by{};  ///< the person's e-mail address, or the operator's name
};
/// Revokes a key of a merchant or of a platform; the id shows which.
struct revoke_key {
  key_id id;
};
/// A platform revokes a key of its own; another platform's key is not found. `write` is the request's idempotency key,
/// stored in the same commit.
struct revoke_own_key {
  key_id id;
  platform_id platform;
  command_key write;
  std::string fingerprint;
};
/// Creates a person with this password and role. A known person's password is replaced, and all of that person's
/// sessions end.
struct add_user {
  merchant_id merchant;
  std::string email;
  std::string password;
  std::optional<member_role> role = {};  ///< empty: the present role; owner for a new member
};
inline constexpr duration_ms invitation_lifetime = std::chrono::hours{7 * 24};

/// Invalidates the link of any earlier invitation of the person to this merchant. An operator's invitation gives the
/// role at once, and removes a password that an owner may know. An owner's invitation gives the role once it is
/// accepted; inviting a present member is a conflict.
struct invite_user {
  merchant_id merchant;
  std::string email;
  std::optional<member_role> role = {};  ///< as in add_user
  invited_by by = invited_by::operators;
};
/// Withdraws an owner's invitation that has not been accepted.
struct withdraw_invitation {
  merchant_id merchant;
  user_id user;
};
/// Changes a member's role. The last owner must stay an owner.
struct change_role {
  merchant_id merchant;
  user_id user;
  member_role role = member_role::viewer;
};
/// The last owner cannot be removed.
struct remove_member {
  merchant_id merchant;
  user_id user;
};
/// Works once. With a password: the person opened the link and chose a password. If an owner sent the invitation, this
/// requires a person without a password and without a merchant. Without a password: the person is signed in, and
/// accepts an owner's invitation.
struct accept_invitation {
  merchant_id merchant;
  user_id user;
  std::string id;
  std::string password{};
};
/// Changes how the merchant's checkout looks. Absent members stay unchanged. The values have been validated.
struct set_branding {
  merchant_id merchant;
  std::optional<std::string> shop_name{};
  std::optional<std::string> colour{};
  std::optional<std::string> support{};
  std::optional<std::string> logo{};  ///< a PNG file; empty: removes the logo
};
/// Makes the merchant chargeable in this environment: does nothing if it already is, else connects a sandbox provider
/// and adds a route by it. An existing connection keeps its account, and an existing route stays.
struct make_chargeable {
  merchant_id merchant;
  environment env = environment::test;
  /// The provider whose onboarding was finished: it is connected in any case. Empty: the sandbox of the merchant's
  /// kind.
  std::optional<provider_kind> provider;
};
struct create_platform {
  std::string name;
  std::string slug;
  std::string contact;
  std::vector<std::string> redirect_uris;
  std::vector<std::string> return_origins;
};
/// Each member that is present replaces the stored one.
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
  std::string name{};  ///< may be empty
  std::string created_by{};  ///< the operator's name
};
struct set_connection {
  merchant_id merchant;
  connection link;
};
/// The provider has reported the standing of a merchant's account. The connection with exactly that account follows it
/// (gateway/directory/connected_account.hpp), and a connection that becomes chargeable gets a route.
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
/// Replaces all settings of a provider in one environment; without any settings the provider is no longer configured
/// there. The settings have been validated.
struct configure_provider {
  provider_kind provider = provider_kind::sandbox;
  environment env = environment::test;
  provider_settings settings;
};
/// The steps of a rotation of the master key. First a key is made and offered to all nodes. If an interrupted rotation
/// has left an offered key, that key is offered again.
struct offer_master_key {};
/// Makes an offered key the current one, once every live node has it.
struct promote_master_key {
  std::string id;
};
/// Cancels a rotation, because a node cannot get the offered key.
struct withdraw_master_key {
  std::string id;
};
/// The key must be old, and nothing may be sealed under it.
struct retire_master_key {
  std::string id;
};
struct redeem_setup_token {
  merchant_id merchant;
  std::string token_id;
};
/// Creates the destination, or changes and enables the existing one: a merchant has one per mode and URL, a platform
/// one per mode. The URL has been validated. An existing destination keeps its secret.
struct set_destination {
  destination_kind kind = destination_kind::merchant;
  std::string owner;
  environment env = environment::test;
  std::string url;
  std::vector<std::string> events;  ///< stored types; empty: the default
  std::optional<std::string> name{};  ///< nullopt: an existing destination keeps its name
  std::optional<bool> standard_webhooks{};  ///< nullopt: an existing destination keeps its signatures
};
/// Does not change whether the destination is enabled.
struct set_destination_events {
  destination_id id;
  std::vector<std::string> events;  ///< stored types; empty: the default
};
struct enable_destination {
  destination_id id;
};
/// Pending deliveries, and those of later events, wait until the destination is enabled.
struct disable_destination {
  destination_id id;
  std::string reason;
  bool by_gateway = false;  ///< the owners are sent a mail, if mail is configured
};
/// All attempts at the destination have failed since then. If mail is configured, its owners are sent one mail.
struct report_failing_destination {
  destination_id id;
  time_point since{};
};
/// Changes the URL, also for pending deliveries. The secret, the events and the status stay. It is a conflict if
/// another destination of the owner has the URL in this mode. The URL has been validated.
struct change_destination_url {
  destination_id id;
  std::string url;
};
struct name_destination {
  destination_id id;
  std::string name;  ///< may be empty
};
/// Whether its webhooks are also signed in the Standard Webhooks form.
struct set_standard_webhooks {
  destination_id id;
  bool on = false;
};
/// Ends the pending deliveries, and sends no more. The rows of the deliveries stay, and so does the destination's, as
/// deleted.
struct delete_destination {
  destination_id id;
};
/// Makes a new secret; the old one also signs until `overlap` has passed.
struct rotate_destination_secret {
  destination_id id;
  duration_ms overlap = std::chrono::hours{24};
};

// ---- results --------------------------------------------------------------------------------------

struct created_merchant {
  merchant_id merchant;
  entity_id entity;
};
struct minted_key {
  key_id id;
  std::string secret;
  scope_set scopes;
};
/// Result of set_destination.
struct destination_secret {
  destination_id id;
  std::string secret;
};
/// Result of rotate_destination_secret.
struct rotated_secret {
  destination_id id;
  std::string secret;
  std::optional<time_point> previous_until;  ///< the old one signs until then; empty: it no longer signs
};
/// Result of create_platform and change_platform.
struct saved_platform {
  platform_id id;
  std::string client_id;
};
/// Result of invite_user.
struct invited_user {
  user_id id;
  std::string invitation;  ///< the invitation's id
  time_point expires{};
};
/// Result of add_user, accept_invitation, withdraw_invitation, change_role and remove_member: the person's id.
struct added_user {
  user_id id;
};
/// Result of set_route.
struct placed_route {
  std::string id;
};
/// Result of redeem_setup_token: the token had not been spent before, and now is.
struct spent_setup_token {
  std::string token_id;
};
/// Result of the other commands: the id and the present status of what was changed.
struct named_result {
  std::string id;
  std::string status;
};

/// Why a command changed nothing, as a text for its sender.
struct operator_problem {
  enum class kind : unsigned char {
    not_found,  ///< what the command names does not exist
    conflict,  ///< the command contradicts the present state
  };
  kind what = kind::conflict;
  std::string words;
};

/// The problem that there is no `what` with this name.
inline operator_problem no_such(std::string_view what, std::string_view name) {
  std::string words{"There is no "};
  words.append(what).append(1, ' ').append(name).append(1, '.');
  return {operator_problem::kind::not_found, std::move(words)};
}

struct operator_command
    : compiled_once<std::variant<
          create_merchant, mint_key, revoke_key, revoke_own_key, add_user, invite_user, withdraw_invitation,
          accept_invitation, change_role, remove_member, set_connection, set_route, make_chargeable, redeem_setup_token,
          set_destination, set_destination_events, enable_destination, disable_destination, change_destination_url,
          name_destination, set_standard_webhooks, delete_destination, rotate_destination_secret, create_platform,
          change_platform, set_platform_status, mint_platform_key, configure_provider, follow_account, set_branding,
          offer_master_key, promote_master_key, withdraw_master_key, retire_master_key, report_failing_destination>> {
  using compiled_once::compiled_once;
};
struct operator_result
    : compiled_once<
          std::variant<created_merchant, minted_key, saved_platform, added_user, invited_user, placed_route,
                       spent_setup_token, destination_secret, rotated_secret, named_result, operator_problem>> {
  using compiled_once::compiled_once;
};

}  // namespace gateway
