// The store as the actors see it: reads, and units of work that commit whole or not at all. Actors in persistence/
// implement it; each owns a database connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/answer.hpp"
#include "gateway/base/compiled_once.hpp"
#include "gateway/domain/customer.hpp"
#include "gateway/domain/daily_total.hpp"
#include "gateway/domain/grant.hpp"
#include "gateway/domain/ledger.hpp"
#include "gateway/domain/merchant.hpp"
#include "gateway/domain/notification.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/person.hpp"
#include "gateway/domain/platform.hpp"
#include "gateway/domain/sandbox_biller.hpp"
#include "gateway/domain/subscription.hpp"
#include "gateway/domain/webhook.hpp"
#include "gateway/trace_context.hpp"

namespace gateway {

/// An idempotency key in use; without a result while the operation is open.
struct command_record {
  command_key key;
  std::string fingerprint;  ///< lower-case hex SHA-256 of method, path and body hash
  std::string operation = "create";       ///< the requested operation, at most 16 bytes
  std::string subject_kind = "payment";  ///< the kind of what the command was for: an entity_kind, or `platform_key`
  std::string subject_id;  ///< the id of what the command was for
  std::int64_t amount = 0;  ///< minor units, as requested
  std::string reason;  ///< refunds and voids: the caller's words, for audit
  time_point created_at{};
  std::optional<answer> result;
  std::optional<time_point> finished_at;

  bool operator==(const command_record&) const = default;
};

struct command_finish {
  command_key key;
  answer_ptr result;
  time_point finished_at{};
};

// ---- operator changes ---------------------------------------------------------------------------

struct save_merchant {
  merchant_id id;
  entity_id entity;
  std::string name;
  merchant_kind kind = merchant_kind::standard;
  std::string owner_email;  ///< may be empty
  time_point created_at{};
};
struct save_api_key {
  key_id id;
  merchant_id merchant;
  environment env = environment::test;
  scope_set scopes;
  std::string sealed_secret;  ///< AES-256-GCM under the master key, base64
  time_point created_at{};
};
struct revoke_api_key {
  key_id id;
  merchant_id merchant;
  time_point revoked_at{};
};
/// Inserts a person. A second person with the same address, compared without case, is a duplicate record.
struct save_user {
  user_id id;
  std::string email;
  std::string password_hash;  ///< empty: invited, cannot sign in yet
  time_point created_at{};
};
/// Replaces a person's password, and ends the person's sessions except the named one.
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
/// Records what a person changed, in the commit of the change. A record is never changed.
struct save_audit {
  user_id user;
  time_point at{};
  std::string id;  ///< audit_<id>
  std::string address;  ///< the client's address, at most 64 bytes
  std::string action;  ///< at most 64 bytes
  std::string subject;  ///< what was changed, at most 128 bytes
  merchant_id merchant{};  ///< empty: the change is to the person's own account
  std::optional<environment> env{};

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
/// At most one for each merchant and person. A link is valid while the row has the id that the link carries. An owner's
/// invitation gives the role when it is accepted. An operator's exists beside the membership, and its id says which
/// link may still set a password.
struct stored_invitation {
  merchant_id merchant;
  user_id user;
  std::string id;  ///< 32 hex digits
  invited_by by = invited_by::owner;
  member_role role = member_role::viewer;
  time_point created_at{};
  time_point expires{};

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
/// Ends a password that an owner may know, because it was first set by a link that the owner has seen. The person's
/// second factor and sessions end with it.
struct end_shown_password {
  user_id user;
};
/// Requires that the person's password and second factor are those that the unit was made with; else the claim is lost.
/// It locks the person's row until the commit. So a unit that replaces the credentials either commits earlier, and this
/// claim is lost, or commits later, and ends the session that this unit began.
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
};
/// The session was used.
struct touch_session {
  std::string hash;
  time_point used_at{};
};
struct end_session {
  std::string hash;
};
/// Inserts or replaces the merchant's connection to that provider.
struct save_connection {
  merchant_id merchant;
  connection link;
  std::string id;  ///< conn_<id>, kept when replaced
};
/// Inserts or replaces the merchant's route by that provider; a replaced route keeps its position.
struct save_route {
  merchant_id merchant;
  route way;
  std::string id;  ///< route_<id>, kept when replaced
};
/// Spends a setup link. A second one with the same token id is a duplicate record.
struct spend_token {
  merchant_id merchant;
  std::string token_id;
  time_point spent_at{};
};
/// Inserts or replaces the destination with this owner and id; a replaced one keeps `created_at` and `kind`.
struct save_destination {
  destination what;
  std::string sealed_secret;  ///< AES-256-GCM under the master key, base64
  std::string sealed_previous;  ///< the previous secret, while both sign; may be empty
  std::optional<time_point> previous_until;

  bool operator==(const save_destination&) const = default;
};

/// A platform's slug and key ids are unique: a second one is a duplicate record.
struct insert_platform {
  platform what;
  time_point created_at{};
};
/// Replaces everything except the slug.
struct update_platform {
  platform what;
};
struct save_platform_key {
  key_id id;
  platform_id platform;
  scope_set scopes;
  std::string sealed_secret;  ///< AES-256-GCM under the master key, base64
  time_point created_at{};
};
struct revoke_platform_key {
  key_id id;
  platform_id platform;
  time_point revoked_at{};
};
/// A grant that a new one replaces. Never changed.
struct past_grant {
  entity_key binding;
  grant what;  ///< revoked
};

/// Inserts or replaces the settings of a provider in one environment.
struct save_provider {
  provider_kind provider = provider_kind::sandbox;
  environment env = environment::test;
  std::string sealed_settings;  ///< JSON object, AES-256-GCM under the master key, base64; empty: not configured
  time_point changed_at{};
};

// ---- the clock ----------------------------------------------------------------------------------

/// The name under which the database keeps the last time that a trusted clock has shown, in milliseconds since 1970.
inline constexpr std::string_view last_seen_name = "clock_last_seen";
/// Replaces that time, possibly by an earlier one: a clock that was ahead has then been corrected.
struct save_last_seen {
  time_point at{};
};

// ---- several nodes ------------------------------------------------------------------------------

/// Whose entry in the directory changes: a merchant's, with its keys, destinations, grants and people; a platform's,
/// with its keys and destinations; or a provider's settings, by the name of its kind. A node's change says that the
/// node comes or goes, and needs no read.
struct directory_change {
  enum class kind : unsigned char { merchant, platform, node, provider };
  kind what = kind::merchant;
  std::string id;

  bool operator==(const directory_change&) const = default;
  auto operator<=>(const directory_change&) const = default;
};
constexpr std::string_view to_string(directory_change::kind k) noexcept {
  constexpr std::string_view names[] = {"merchant", "platform", "node", "provider"};
  return names[static_cast<std::size_t>(k)];
}
constexpr std::optional<directory_change::kind> parse_change_kind(std::string_view text) noexcept {
  using enum directory_change::kind;
  for (const auto k : {merchant, platform, node, provider})
    if (to_string(k) == text) return k;
  return std::nullopt;
}
/// The turn in which an operator's change was planned. The claim is lost if another node's change came first.
struct directory_turn {
  std::int64_t planned_in = 0;
};

// ---- units of work ------------------------------------------------------------------------------

/// Adds to a merchant's daily total, in the commit of the payment's change. A writer first adds up those of a batch.
struct count_daily {
  merchant_id merchant;
  environment env = environment::test;
  daily_total added;
};

/// Shared with the owning actor: a row must not change while it is on its way to the store.
using payment_ptr = std::shared_ptr<const payment>;

using binding_ptr = std::shared_ptr<const grant_binding>;
using customer_ptr = std::shared_ptr<const customer>;
using subscription_ptr = std::shared_ptr<const subscription>;
using enrollment_ptr = std::shared_ptr<const sandbox_enrollment>;
using notification_ptr = std::shared_ptr<const notification>;

/// An entity as it is stored: one alternative for each kind.
using entity_row =
    std::variant<payment_ptr, binding_ptr, customer_ptr, subscription_ptr, enrollment_ptr, notification_ptr>;

/// A new row, or an operator's record that may be replaced.
struct inserted_row
    : compiled_once<std::variant<
          command_record, payment_ptr, binding_ptr, customer_ptr, subscription_ptr, enrollment_ptr, notification_ptr,
          counted_event, past_grant, timeline_entry, delivery, save_merchant, save_api_key, save_user, save_membership,
          save_invitation, save_session, save_connection, save_route, spend_token, save_destination, insert_platform,
          save_platform_key, save_last_seen, directory_change, save_audit, count_daily, save_provider, ledger_entry>> {
  using compiled_once::compiled_once;
};
/// A change of an existing row. It requires: an entity or a delivery one version before the given one, an open command,
/// an unspent code of a second factor, a valid invitation link.
struct claimed_row
    : compiled_once<std::variant<
          payment_ptr, binding_ptr, customer_ptr, subscription_ptr, enrollment_ptr, notification_ptr, command_finish,
          delivery, revoke_api_key, update_platform, revoke_platform_key, set_user_password, set_first_password,
          end_shown_password, check_credentials, drop_membership, drop_invitation, spend_invitation, touch_session,
          end_session, set_second_factor, spend_totp_step, spend_recovery_code, set_time_zone, directory_turn>> {
  using compiled_once::compiled_once;
};

/// Which step a unit is. The writer derives from it how long the sender can wait.
enum class unit_kind : unsigned char {
  begin,  ///< takes an idempotency key and claims or inserts the entity; the provider is called next
  conclude,  ///< the only step of a command that needs no provider
  finish,  ///< the outcome of a provider's call, of a hosted page or of time: the entity, its events, the stored result
  record,  ///< results of delivery attempts, or save_last_seen: no caller waits for it
  change,  ///< an operator's change to the directory
};

/// Rows that must be committed together, or not at all.
struct unit_of_work {
  unit_kind kind = unit_kind::change;
  entity_key subject;  ///< of begin, conclude and finish; the timeline entries belong to it
  std::vector<inserted_row> inserts;
  std::vector<claimed_row> claims;
};

enum class commit_outcome : unsigned char {
  committed,
  duplicate_command,  ///< the idempotency key is taken; nothing was committed
  entity_exists,  ///< an entity with this key exists; nothing was committed
  /// The entity or the delivery has changed, or a delivery's number is taken; nothing was committed: load it again.
  lost_claim,
  /// An operator's change names something that exists already, or an event has been counted; nothing was committed.
  duplicate_record,
  unavailable,  ///< the database did not answer: the unit may have been committed; only a read tells
  rejected,  ///< the writer's queue is full; nothing was committed
};

inline constexpr std::size_t commit_outcome_count = 7;

constexpr std::string_view to_string(commit_outcome o) noexcept {
  constexpr std::string_view names[] = {"committed",        "duplicate_command", "entity_exists", "lost_claim",
                                        "duplicate_record", "unavailable",       "rejected"};
  return names[static_cast<std::size_t>(o)];
}

// ---- reads --------------------------------------------------------------------------------------
// Each question names its answer type. The reply is that, or a caf::error of actor_errc::store_unavailable.

struct find_entity {
  using answer = struct entity_lookup;

  entity_key key;
};
struct entity_lookup {
  std::optional<entity_row> found;
};
struct find_command {
  using answer = struct command_lookup;

  command_key key;
};
struct command_lookup {
  std::optional<command_record> found;
};
/// Where a list of payments continues.
struct payment_position {
  time_point created_at{};
  std::string payment_id;

  bool operator==(const payment_position&) const = default;
  auto operator<=>(const payment_position&) const = default;
};
/// A page of a merchant's payments, newest first. However few payments match, at most a page of rows is read,
/// multiplied by the number of states or of the merchant's currencies where one of the two is not given.
struct find_payments {
  using answer = struct payments_lookup;

  merchant_id merchant;
  environment env = environment::live;
  std::optional<payment_state> state{};
  std::string currency{};  ///< ISO 4217; empty: any
  std::optional<time_point> from{};  ///< only payments created then or later
  std::optional<time_point> until{};  ///< only payments created earlier
  /// The last payment of the previous page: only payments behind it, to page on.
  std::optional<payment_position> before{};
  /// Instead of `before`: the page that ends before this payment, to page back.
  std::optional<payment_position> after{};
  std::uint32_t limit = 50;
  /// The page ends before the row with which its texts exceed this many bytes, but has at least one row. 0: no limit.
  /// Not for paging back.
  std::size_t most_bytes = 0;
};
/// All payments with this reference, newest first. A provider normally gives each reference once.
struct find_payments_by_ref {
  using answer = struct payments_lookup;

  merchant_id merchant;
  environment env = environment::live;
  std::string provider_ref;  ///< an empty reference finds none
  std::uint32_t limit = 50;
};
/// The payment with this reference at that provider, of any merchant connected to it. The read's time grows with the
/// number of those merchants.
struct find_payment_key {
  using answer = struct payment_key_lookup;

  environment env = environment::live;
  provider_kind provider = provider_kind::sandbox;
  std::string provider_ref;  ///< an empty reference finds none
};
struct payment_key_lookup {
  std::optional<entity_key> found;
};
struct payments_lookup {
  std::vector<payment_ptr> payments;
  bool more = false;  ///< there are more in the direction of paging
};
/// Keeps the first rows whose texts fit into this many bytes, and at least one row (find_payments::most_bytes).
void cut_to_bytes(payments_lookup& page, std::size_t most_bytes);
/// A merchant's totals of the days in [from_day, until_day): by day, currency and counter. Days without any are left
/// out.
struct find_daily_totals {
  using answer = struct daily_totals_lookup;

  merchant_id merchant;
  environment env = environment::live;
  std::chrono::sys_days from_day{};
  std::chrono::sys_days until_day{};
};
struct daily_totals_lookup {
  std::vector<daily_total> totals;
};
/// The sums of the ledger's entries of the days in [from_day, until_day), by day, currency, provider and kind: of one
/// merchant, or of all merchants in batches.
struct find_ledger_sums {
  using answer = struct ledger_sums_lookup;

  merchant_id merchant{};  ///< empty: all merchants
  merchant_id after{};  ///< for all merchants: only those with a greater id, to continue
  environment env = environment::live;
  std::chrono::sys_days from_day{};
  std::chrono::sys_days until_day{};
};
struct ledger_sums_lookup {
  std::vector<ledger_sum> sums;  ///< added up over several merchants
  merchant_id next{};  ///< not empty: there are more merchants behind this one
};
/// Where the ledger continues: behind this entry.
struct ledger_position {
  merchant_id merchant;
  time_point at{};
  std::string payment_id{};
  std::uint32_t seq = 0;

  bool operator==(const ledger_position&) const = default;
};
/// The ledger's entries in [from, until) of a provider, ordered by time: of one merchant, or of all merchants one after
/// the other. About `limit` entries of any provider are read, so that a page may be empty although a next one exists.
struct find_ledger {
  using answer = struct ledger_lookup;

  merchant_id merchant{};  ///< empty: all merchants
  environment env = environment::live;
  provider_kind provider = provider_kind::sandbox;
  time_point from{};
  time_point until{};
  std::optional<ledger_position> after{};
  std::uint32_t limit = 100;
};
struct ledger_lookup {
  std::vector<ledger_entry> entries;
  std::optional<ledger_position> next;  ///< there may be more entries behind it
};
/// Oldest first.
struct find_timeline {
  using answer = struct timeline_lookup;

  entity_key key;
};
struct timeline_lookup {
  std::vector<timeline_entry> entries;
};
/// Entities that are due, per kind the longest due first, at most `limit` of each.
struct find_due {
  using answer = struct due_lookup;

  time_point now{};
  std::uint32_t limit = 0;
  bool open_only = false;  ///< only those with an open operation, without those that only wait for their customer
  time_point later_than = time_point::min();  ///< with open_only: only those due later than this
};
struct due_lookup {
  std::vector<entity_key> keys;
};
/// The binding that a grant of this id belongs or belonged to.
struct find_grant {
  using answer = struct grant_lookup;

  grant_id id;
};
struct grant_lookup {
  std::optional<entity_key> binding;
  bool past = false;  ///< a new grant has replaced it
};
/// For operators: newest first, at most `limit`; of a merchant, of a platform, of both, or all.
struct find_grants {
  using answer = struct grants_lookup;

  merchant_id merchant{};
  platform_id platform{};
  std::optional<time_point> before{};  ///< only grants granted earlier, or at that time with a smaller id, to page on
  grant_id before_id{};
  std::uint32_t limit = 100;
};
struct grants_lookup {
  std::vector<std::pair<entity_key, grant>> grants;
};
/// For operators: a merchant's live customers (customers exist only in live), ordered by their keys' ids, at most
/// `limit`.
struct find_customers {
  using answer = struct customers_lookup;

  merchant_id merchant;
  std::string after{};  ///< an entity key's id: only customers behind it, to page on
  std::uint32_t limit = 100;
};
struct customers_lookup {
  std::vector<customer_ptr> customers;
};
/// Subscriptions of any merchant by the caller's id, or by the provider's: at most `limit`.
struct find_subscription_keys {
  using answer = struct subscription_keys_lookup;

  std::string id{};
  std::string provider_id{};  ///< not empty: search by this id
  std::uint32_t limit = 100;
};
struct subscription_keys_lookup {
  std::vector<entity_key> keys;
};
/// For operators: a merchant's live subscriptions (subscriptions exist only in live), ordered by their ids, at most
/// `limit`.
struct find_subscriptions {
  using answer = struct subscriptions_lookup;

  merchant_id merchant;
  std::string after{};  ///< an id: only subscriptions behind it, to page on
  std::uint32_t limit = 100;
};
struct subscriptions_lookup {
  std::vector<subscription_ptr> subscriptions;
};
/// For signing in.
struct find_user {
  using answer = struct user_lookup;

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
/// Whether a spend_token with these values was committed.
struct find_spent_token {
  using answer = struct spent_token_lookup;

  merchant_id merchant;
  std::string token_id;
};
struct spent_token_lookup {
  bool spent = false;
};
/// The state of a person who is invited, or accepts an invitation.
struct find_invitations {
  using answer = struct invitations_lookup;

  user_id user;
};
struct named_invitation {
  stored_invitation what;
  std::string merchant_name;
};
/// If there are more, the operator's come first, then those that expire last.
inline constexpr std::uint32_t most_invitations_told = 100;
struct invitations_lookup {
  bool has_password = false;
  bool is_member = false;  ///< of any merchant
  merchant_id shown_to{};  ///< the merchant whose owner has seen the link that set the first password; empty: none
  std::vector<named_invitation> invitations;
};
/// A session, with what a page needs to know about the person, in one answer.
struct find_session {
  using answer = struct session_lookup;

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

  user_id user;
};
struct listed_session {
  std::string hash;
  time_point created_at{};
  time_point used_at{};
  time_point ends_at{};

  bool operator==(const listed_session&) const = default;
};
struct sessions_lookup {
  std::vector<listed_session> sessions;
};
/// Newest first, at most `limit`: what a person has changed, or what any person has changed of a merchant.
struct find_audit {
  using answer = struct audit_lookup;

  user_id user{};
  merchant_id merchant{};  ///< instead of the user
  std::optional<time_point> before{};  ///< only changes made earlier, or at that time with a smaller id, to page on
  std::string before_id{};
  std::uint32_t limit = 100;
};
struct audit_lookup {
  std::vector<save_audit> entries;
};
/// For operators: newest first, at most `limit`.
struct find_notifications {
  using answer = struct notifications_lookup;

  std::optional<provider_kind> provider{};
  std::optional<environment> env{};
  std::optional<notification_state> state{};
  std::optional<time_point> before{};  ///< only those received earlier, or at that time with a smaller id, to page on
  std::string before_id{};  ///< of its entity key
  std::uint32_t limit = 100;
};
struct notifications_lookup {
  std::vector<notification_ptr> notifications;  ///< without their bodies
};
/// How an entry of the directory is named. A merchant's entry, with its keys, people, connections, routes, destinations
/// and bindings: by the merchant, or by one of its keys or destinations. A platform's, with its keys and destinations.
/// A person's: by the id or by the address (email_key_of). A provider's, in both environments: by the name of its kind.
struct directory_name {
  enum class kind : unsigned char { merchant, platform, key, destination, user, email, provider };
  kind what = kind::merchant;
  std::string text;

  bool operator==(const directory_name&) const = default;
  auto operator<=>(const directory_name&) const = default;
};
/// A merchant's account, as its provider names it.
struct named_account {
  environment env = environment::test;
  provider_kind provider = provider_kind::sandbox;
  std::string account;
};
/// Several merchants may share one account: at most this many of them are returned.
inline constexpr std::uint32_t most_sharing_an_account = 100;
/// The entries of these names. Names without an entry are left out, and so are entries that cannot be read.
struct find_directory {
  using answer = struct directory_lookup;

  std::vector<directory_name> of;
  bool every_platform = false;  ///< adds the entries of all platforms and of all providers
  std::optional<named_account> account{};  ///< adds the connections with that account, ordered by merchant
};
struct stored_user {
  user_id id;
  std::string email;
  bool has_password = false;
};
using stored_membership = save_membership;
struct stored_connection {
  merchant_id merchant;
  connection link;
  std::string id;
};
struct stored_route {
  merchant_id merchant;
  route way;
  std::string id;
};
struct stored_key {
  save_api_key key;
  bool revoked = false;
};
struct stored_platform_key {
  save_platform_key key;
  bool revoked = false;
};
/// The published part of a binding.
struct stored_binding {
  entity_key key;
  grant_state state = grant_state::none;
  scope_set scopes;
  std::int64_t version = 0;
};
/// Its `events` are stored types.
using stored_destination = save_destination;
struct directory_lookup {
  std::vector<save_merchant> merchants;
  std::vector<stored_key> keys;
  std::vector<stored_user> users;
  std::vector<stored_membership> memberships;  ///< by merchant, oldest first
  std::vector<stored_invitation> invitations;  ///< by merchant, oldest first, including expired ones
  std::vector<stored_connection> connections;
  std::vector<stored_route> routes;
  std::vector<stored_destination> destinations;
  std::vector<platform> platforms;
  std::vector<stored_platform_key> platform_keys;
  std::vector<stored_binding> bindings;
  std::vector<save_provider> providers;
  /// Merchants with a connection whose row cannot be read: that connection is left out.
  std::vector<merchant_id> unreadable_connections;
};
/// The latest number in the directory's log, and its latest turn.
struct directory_head {
  std::int64_t number = 0;
  std::int64_t turn = 0;

  bool operator==(const directory_head&) const = default;
};
/// The log's entries of changes after `since`. With a negative `since`: the head alone.
struct find_directory_news {
  using answer = struct directory_news;

  std::int64_t since = -1;
};
struct directory_news {
  directory_head head;
  /// `changed` is complete up to this number: the head's, or a smaller one if there were many
  std::int64_t told_to = -1;
  bool any = false;  ///< everything may have changed: the log no longer holds all changes
  std::vector<directory_change> changed;  ///< each once
};
/// For operators: ordered by owner, mode and age, at most `limit`.
struct find_destinations {
  using answer = struct destinations_lookup;

  std::string owner{};  ///< empty: any owner
  std::optional<environment> env{};
  std::uint32_t limit = 100;
};
struct destinations_lookup {
  std::vector<stored_destination> destinations;
  std::uint64_t left_out = 0;  ///< the number of further destinations
};
// ---- maintenance --------------------------------------------------------------------------------
// Answered like the reads, but by a writer. Maintenance delays the writer's units by at most one small transaction.

/// Deletes finished commands created before `before`, and notifications settled before it, oldest first, at most
/// `limit` of each. If either count reaches `limit`, there may be more. A writer does it in many small transactions.
struct purge_commands {
  time_point before{};
  std::uint32_t limit = 0;
};
struct purge_result {
  std::uint64_t deleted = 0;
  std::uint64_t notifications = 0;  ///< deleted besides the commands
};

// ---- deliveries ---------------------------------------------------------------------------------

/// A delivery and its event: what an attempt needs, besides the destination.
struct delivery_job {
  delivery row;
  event_record event;
  std::size_t left_out = 0;  ///< size in bytes of the event's data, where the query left the data out
  /// Of the request that made the event, as long as the gateway remembers it: it is not stored.
  trace_context trace{};

  bool operator==(const delivery_job&) const = default;
};
/// Pending deliveries to `to` that are due, most overdue first, at most `limit`.
struct find_due_deliveries {
  using answer = struct due_deliveries_lookup;

  destination_id to;
  time_point now{};
  std::uint32_t limit = 0;
  /// Larger event data is left out, so that `limit` also bounds the bytes.
  std::uint32_t most_data_bytes = 4 * 1024;
};
struct due_deliveries_lookup {
  std::vector<delivery_job> jobs;
  std::size_t unreadable = 0;  ///< malformed rows among the `limit`, which are left out
  std::optional<time_point> next_due;  ///< the earliest time after `now` at which one is due
};
/// What is pending, by destination: read at start, and at intervals to find what another process left behind.
struct find_backlog {
  using answer = struct backlog_lookup;

  std::int64_t from_number = 0;  ///< only deliveries with this number or a higher one
};
struct destination_backlog {
  destination_id to;
  std::uint64_t pending = 0;
  time_point next_attempt_at{};  ///< the earliest
  std::int64_t oldest_number = 0;  ///< the smallest delivery number, which gives the age
};
struct backlog_lookup {
  std::vector<destination_backlog> destinations;
};
/// Newest first, at most `limit`. The event's data is read only for a single delivery (`id`).
struct find_deliveries {
  using answer = struct deliveries_lookup;

  /// Only deliveries of this entity's events; then neither `to` nor `status` is given.
  std::optional<entity_key> subject{};
  destination_id to{};  ///< empty: any
  std::optional<delivery_status> status{};
  std::int64_t id = 0;  ///< not 0: this one only
  std::int64_t before = 0;  ///< not 0: only numbers below it, to page on
  std::uint32_t limit = 100;
};
struct deliveries_lookup {
  std::vector<delivery_job> jobs;
};
/// The number of deliveries to `to` with this status, counted up to `most`.
struct count_deliveries {
  using answer = struct delivery_count;

  destination_id to;
  delivery_status status = delivery_status::failed;
  std::uint32_t most = 0;
};
struct delivery_count {
  std::uint64_t count = 0;
};
/// For operators: a merchant's events, newest first, at most `limit`.
struct find_events {
  using answer = struct events_lookup;

  merchant_id merchant;
  std::optional<environment> env{};
  entity_kind kind = entity_kind::payment;  ///< the kind of `subject`
  std::string subject{};  ///< an entity's id; empty: all entities of all kinds
  std::optional<time_point> before{};  ///< only earlier events, to page on
  std::uint32_t limit = 100;
};
struct events_lookup {
  std::vector<event_record> events;
};
/// Maintenance, too. Makes deliveries due at `now`, each with a full retry schedule: the one with this number, whatever
/// its status, or the failed ones of a destination that were created in [from, until). At most `limit`, in one
/// transaction; answers how many.
struct redeliver_rows {
  std::int64_t id = 0;  ///< not 0: this one only
  destination_id to{};
  std::optional<time_point> from{};
  std::optional<time_point> until{};
  time_point now{};
  std::uint32_t limit = 0;
};
struct redeliver_rows_result {
  std::uint64_t changed = 0;
  destination_id to;  ///< the destination of the one delivery, where one was named
};

// ---- messages of the readers --------------------------------------------------------------------

/// All reads, in one message. A new read is added here and in persistence/queries.hpp.
struct store_question
    : compiled_once<std::variant<
          find_entity, find_command, find_timeline, find_due, find_directory, find_directory_news, find_due_deliveries,
          find_backlog, find_deliveries, count_deliveries, find_events, find_grant, find_grants, find_customers,
          find_subscription_keys, find_subscriptions, find_user, find_session, find_destinations, find_payments,
          find_payments_by_ref, find_daily_totals, find_ledger_sums, find_ledger, find_sessions, find_audit,
          find_notifications, find_payment_key, find_spent_token, find_invitations>> {
  using compiled_once::compiled_once;
};
struct store_answer
    : compiled_once<std::variant<
          entity_lookup, command_lookup, timeline_lookup, due_lookup, directory_lookup, directory_news,
          due_deliveries_lookup, backlog_lookup, deliveries_lookup, delivery_count, events_lookup, grant_lookup,
          grants_lookup, customers_lookup, subscription_keys_lookup, subscriptions_lookup, user_lookup, session_lookup,
          destinations_lookup, payments_lookup, daily_totals_lookup, ledger_sums_lookup, ledger_lookup, sessions_lookup,
          audit_lookup, notifications_lookup, payment_key_lookup, spent_token_lookup, invitations_lookup>> {
  using compiled_once::compiled_once;
};

}  // namespace gateway

// Compiled in gateway/store.cpp.
extern template class std::vector<gateway::inserted_row>;
extern template class std::vector<gateway::claimed_row>;
extern template class std::vector<gateway::timeline_entry>;
extern template class std::vector<gateway::delivery_job>;
extern template class std::vector<gateway::platform>;
extern template class std::vector<gateway::stored_key>;
extern template class std::vector<gateway::save_destination>;
extern template class std::vector<std::string>;
