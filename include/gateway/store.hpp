// The store as the actors see it: units of work that commit whole or not at all, and reads.
// Implemented in persistence/ by actors that own a database connection each.
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

/// An idempotency key in use: open while `result` is empty.
struct command_record {
  command_key key;
  std::string fingerprint;  ///< lower-case hex SHA-256 of method, path and body hash
  std::string operation = "create";       ///< what was asked for, at most 16 bytes
  std::string subject_kind = "payment";   ///< of what the command was for: an entity_kind, or `platform_key`
  std::string subject_id;                 ///< of what the command was for
  std::int64_t amount = 0;  ///< minor units, as asked for
  std::string reason;       ///< refunds and voids: the caller's words, for audit
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
/// Inserts a person. Another with the same address, however its letters are cased, is a duplicate record.
struct save_user {
  user_id id;
  std::string email;
  std::string password_hash;  ///< empty: invited, cannot sign in yet
  time_point created_at{};
};
/// Replaces a person's password, and ends the person's sessions but the one named.
struct set_user_password {
  user_id user;
  std::string password_hash;
  time_point set_at{};
  std::string kept_session;  ///< hash; empty: all end
};
/// Replaces a person's second factor, and with it the recovery codes and the last step that was used.
struct set_second_factor {
  user_id user;
  std::string sealed_totp;  ///< AES-256-GCM under the master key, base64; empty: none from now on
  std::vector<std::string> recovery_hashes;  ///< lower-case hex SHA-256 of each code
};
/// A code of the second factor was used to sign in. One of this step or of a later one before has lost the claim.
struct spend_totp_step {
  user_id user;
  std::int64_t step = 0;  ///< RFC 6238: T
};
/// A recovery code was used to sign in. One that does not exist, or is spent, has lost the claim.
struct spend_recovery_code {
  user_id user;
  std::string hash;
  time_point spent_at{};
};
/// In which time zone a person's pages show times.
struct set_time_zone {
  user_id user;
  std::string zone;  ///< a name of the IANA database, at most 64 bytes; empty: UTC
};
/// What a person has changed, in the commit of the change. Never changed.
struct save_audit {
  user_id user;
  time_point at{};
  std::string id;       ///< audit_<id>
  std::string address;  ///< from where: the client's, at most 64 bytes
  std::string action;   ///< at most 64 bytes
  std::string subject;  ///< of what, at most 128 bytes
  merchant_id merchant{};  ///< empty: what changed is the person's own
  std::optional<environment> env{};

  bool operator==(const save_audit&) const = default;
};
/// Inserts, or replaces the role.
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
/// One for each merchant and person. Its link is good while the row stands with the id that the link says. An owner's
/// gives the role when it is accepted; an operator's stands beside the membership, and says which link may still set a
/// password.
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
/// Inserts, or replaces the one that is there. The merchant's that are over are deleted.
struct save_invitation {
  stored_invitation what;
};
/// Whichever there is; none is no error.
struct drop_invitation {
  merchant_id merchant;
  user_id user;
};
/// The invitation is accepted. One that is over, or does not stand with this id, has lost the claim.
struct spend_invitation {
  merchant_id merchant;
  user_id user;
  std::string id;
  time_point at{};
};
/// By a link that an owner of the merchant was shown, so that the owner may know the password. The claim is lost by a
/// person who has a password, or belongs to a merchant already.
struct set_first_password {
  user_id user;
  std::string password_hash;
  time_point set_at{};
  merchant_id shown_to;
};
/// What an owner may know of the person is worth nothing any more: the password, where it was first set by a link that
/// an owner was shown, with the second factor and the sessions that came with it.
struct end_shown_password {
  user_id user;
};
/// The person's password and second factor are still those that the unit was made after; else the claim is lost. It
/// holds the person's row until the commit. So a unit that replaces the credentials commits before, and this one loses
/// its claim, or after, and ends the session that this one began.
struct check_credentials {
  user_id user;
  std::string password_hash;
  std::string sealed_totp;
};
/// Somebody signed in. Only the hash of what the browser carries is kept.
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
/// Inserts or replaces the merchant's route by that provider; the position of a replaced one stays.
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
/// Inserts, or replaces the destination with this owner and id; `created_at` and `kind` of a replaced one stay.
struct save_destination {
  destination what;
  std::string sealed_secret;    ///< AES-256-GCM under the master key, base64
  std::string sealed_previous;  ///< the secret before, while both sign; may be empty
  std::optional<time_point> previous_until;

  bool operator==(const save_destination&) const = default;
};

/// A platform's slug and key ids are unique: a second one is a duplicate record.
struct insert_platform {
  platform what;
  time_point created_at{};
};
/// All but its slug.
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

/// Inserts or replaces what is configured of a provider in one environment.
struct save_provider {
  provider_kind provider = provider_kind::sandbox;
  environment env = environment::test;
  std::string sealed_settings;  ///< JSON object, AES-256-GCM under the master key, base64; empty: not configured
  time_point changed_at{};
};

// ---- the clock ----------------------------------------------------------------------------------

/// Under this name the database keeps the last time that a trusted clock has shown, in milliseconds since 1970.
inline constexpr std::string_view last_seen_name = "clock_last_seen";
/// Replaces that time, by an earlier one too: a clock that was ahead has been corrected then.
struct save_last_seen {
  time_point at{};
};

// ---- several nodes ------------------------------------------------------------------------------

/// Whose entry in the directory changes: the merchant's, with its keys, destinations, grants and people, or the
/// platform's, with its keys and destinations, or a provider's settings (its kind's name). A node's has nothing to be
/// read: it comes or goes.
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
/// The turn in which an operator's change was planned: lost if another node's came first.
struct directory_turn {
  std::int64_t planned_in = 0;
};

// ---- units of work ------------------------------------------------------------------------------

/// Adds to a merchant's total of a day, in the commit of the payment's change. A writer adds up those of a batch first.
struct count_daily {
  merchant_id merchant;
  environment env = environment::test;
  daily_total added;
};

/// Shared with the actor that owns it: nobody changes a row that is on its way to the store.
using payment_ptr = std::shared_ptr<const payment>;

using binding_ptr = std::shared_ptr<const grant_binding>;
using customer_ptr = std::shared_ptr<const customer>;
using subscription_ptr = std::shared_ptr<const subscription>;
using enrollment_ptr = std::shared_ptr<const sandbox_enrollment>;
using notification_ptr = std::shared_ptr<const notification>;

/// An entity as it is stored: one alternative for each kind.
using entity_row =
    std::variant<payment_ptr, binding_ptr, customer_ptr, subscription_ptr, enrollment_ptr, notification_ptr>;

/// A row that is not there yet, or an operator's record that may be replaced.
struct inserted_row
    : compiled_once<std::variant<
          command_record, payment_ptr, binding_ptr, customer_ptr, subscription_ptr, enrollment_ptr, notification_ptr,
          counted_event, past_grant, timeline_entry, delivery, save_merchant, save_api_key, save_user, save_membership,
          save_invitation, save_session, save_connection, save_route, spend_token, save_destination, insert_platform,
          save_platform_key, save_last_seen, directory_change, save_audit, count_daily, save_provider, ledger_entry>> {
  using compiled_once::compiled_once;
};
/// A row that is there. An entity and a delivery must stand at the version before the one given, a command must be
/// open, a code of a second factor unspent, an invitation's link good.
struct claimed_row
    : compiled_once<std::variant<
          payment_ptr, binding_ptr, customer_ptr, subscription_ptr, enrollment_ptr, notification_ptr, command_finish,
          delivery, revoke_api_key, update_platform, revoke_platform_key, set_user_password, set_first_password,
          end_shown_password, check_credentials, drop_membership, drop_invitation, spend_invitation, touch_session,
          end_session, set_second_factor, spend_totp_step, spend_recovery_code, set_time_zone, directory_turn>> {
  using compiled_once::compiled_once;
};

/// Which step a unit is. It tells the writer how long its sender can wait.
enum class unit_kind : unsigned char {
  begin,  ///< takes an idempotency key and claims or inserts the entity; the provider is called next
  conclude,  ///< a command that needs no provider, whole
  finish,  ///< what came of a provider's call, of a hosted page or of time: the entity, what it tells, the stored
           ///< result
  record,  ///< what came of attempts to deliver, or the time: nobody waits for it
  change,  ///< an operator's change to the directory
};

/// What must become true together: all of its rows, or none.
struct unit_of_work {
  unit_kind kind = unit_kind::change;
  entity_key subject;  ///< of begin, conclude and finish; the timeline entries are its
  std::vector<inserted_row> inserts;
  std::vector<claimed_row> claims;
};

enum class commit_outcome : unsigned char {
  committed,
  duplicate_command,  ///< the idempotency key is taken; nothing of the unit happened
  entity_exists,  ///< an entity with this key is there; nothing happened
  lost_claim,  ///< the entity or the delivery moved on, or a delivery's number is taken; nothing happened: load it
               ///< again
  duplicate_record,  ///< an operator's change names something that exists already, or an event has been counted;
                     ///< nothing happened
  unavailable,  ///< the database did not say: it may have happened; only a read tells
  rejected,  ///< the writer's queue is full; nothing happened
};

inline constexpr std::size_t commit_outcome_count = 7;

constexpr std::string_view to_string(commit_outcome o) noexcept {
  constexpr std::string_view names[] = {"committed",        "duplicate_command", "entity_exists", "lost_claim",
                                        "duplicate_record", "unavailable",       "rejected"};
  return names[static_cast<std::size_t>(o)];
}

// ---- reads --------------------------------------------------------------------------------------
// Each names its answer. It is answered with that, or with a caf::error of actor_errc::store_unavailable.

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
/// Where a list of payments goes on.
struct payment_position {
  time_point created_at{};
  std::string payment_id;

  bool operator==(const payment_position&) const = default;
  auto operator<=>(const payment_position&) const = default;
};
/// A page of a merchant's payments, newest first. However few of them match, no more than the page is read, times the
/// number of states or of the merchant's currencies where one of the two is not given.
struct find_payments {
  using answer = struct payments_lookup;

  merchant_id merchant;
  environment env = environment::live;
  std::optional<payment_state> state{};
  std::string currency{};  ///< ISO 4217; empty: any
  std::optional<time_point> from{};  ///< only those created then or later
  std::optional<time_point> until{};  ///< only those created earlier
  std::optional<payment_position> before{};  ///< only those behind it, to page on: the last of the page before
  std::optional<payment_position> after{};  ///< instead: the page that ends before it, to page back
  std::uint32_t limit = 50;
  /// The page ends before the row whose texts pass so many bytes, unless that row is its first. 0: no bound. Not for
  /// paging back.
  std::size_t most_bytes = 0;
};
/// All with this reference, which a provider gives once: newest first.
struct find_payments_by_ref {
  using answer = struct payments_lookup;

  merchant_id merchant;
  environment env = environment::live;
  std::string provider_ref;  ///< an empty one finds none
  std::uint32_t limit = 50;
};
/// The one with this reference at that provider, of whatever merchant is connected to it: how long that takes grows
/// with their number.
struct find_payment_key {
  using answer = struct payment_key_lookup;

  environment env = environment::live;
  provider_kind provider = provider_kind::sandbox;
  std::string provider_ref;  ///< an empty one finds none
};
struct payment_key_lookup {
  std::optional<entity_key> found;
};
struct payments_lookup {
  std::vector<payment_ptr> payments;
  bool more = false;  ///< there are more in the direction in which was paged
};
/// Leaves the first rows whose texts have so many bytes at most, and one row at least (find_payments::most_bytes).
void cut_to_bytes(payments_lookup& page, std::size_t most_bytes);
/// A merchant's totals of the days in [from_day, until_day): by day, currency and counter. Days without any have none.
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
/// Of one merchant, or of all from one on, the sums of its ledger's entries of the days in [from_day, until_day): by
/// day, currency, provider and kind.
struct find_ledger_sums {
  using answer = struct ledger_sums_lookup;

  merchant_id merchant{};  ///< empty: of all
  merchant_id after{};  ///< of all: only those with a greater id, to go on
  environment env = environment::live;
  std::chrono::sys_days from_day{};
  std::chrono::sys_days until_day{};
};
struct ledger_sums_lookup {
  std::vector<ledger_sum> sums;  ///< of several merchants added up
  merchant_id next{};  ///< not empty: there are merchants behind this one
};
/// Where the ledger goes on: behind this entry.
struct ledger_position {
  merchant_id merchant;
  time_point at{};
  std::string payment_id{};
  std::uint32_t seq = 0;

  bool operator==(const ledger_position&) const = default;
};
/// The ledger's entries of one merchant, or of all merchants one after the other, of a provider, in [from, until): by
/// time. About `limit` are read, of whatever provider, so that there may be a next page although this one is empty.
struct find_ledger {
  using answer = struct ledger_lookup;

  merchant_id merchant{};  ///< empty: of all
  environment env = environment::live;
  provider_kind provider = provider_kind::sandbox;
  time_point from{};
  time_point until{};
  std::optional<ledger_position> after{};
  std::uint32_t limit = 100;
};
struct ledger_lookup {
  std::vector<ledger_entry> entries;
  std::optional<ledger_position> next;  ///< there may be more behind it
};
/// Oldest first.
struct find_timeline {
  using answer = struct timeline_lookup;

  entity_key key;
};
struct timeline_lookup {
  std::vector<timeline_entry> entries;
};
/// Entities whose due_at has come, of each kind oldest due first, at most `limit` of each.
struct find_due {
  using answer = struct due_lookup;

  time_point now{};
  std::uint32_t limit = 0;
  bool open_only = false;  ///< only those whose operation is open, none that only waits for its customer
  time_point later_than = time_point::min();  ///< with open_only: and is due later than this
};
struct due_lookup {
  std::vector<entity_key> keys;
};
/// Which binding a grant of this id is or was of.
struct find_grant {
  using answer = struct grant_lookup;

  grant_id id;
};
struct grant_lookup {
  std::optional<entity_key> binding;
  bool past = false;  ///< a new one has replaced it
};
/// For operators: newest first, at most `limit`, of a merchant, of a platform, of both, or all.
struct find_grants {
  using answer = struct grants_lookup;

  merchant_id merchant{};
  platform_id platform{};
  std::optional<time_point> before{};  ///< only those granted earlier, or then with a lesser id, to page on
  grant_id before_id{};
  std::uint32_t limit = 100;
};
struct grants_lookup {
  std::vector<std::pair<entity_key, grant>> grants;
};
/// For operators: a merchant's in live, where they all are, by the keys' ids, at most `limit`.
struct find_customers {
  using answer = struct customers_lookup;

  merchant_id merchant;
  std::string after{};  ///< an entity key's id: only those behind it, to page on
  std::uint32_t limit = 100;
};
struct customers_lookup {
  std::vector<customer_ptr> customers;
};
/// Subscriptions by the caller's id, or by the provider's, of whatever merchant: at most `limit`.
struct find_subscription_keys {
  using answer = struct subscription_keys_lookup;

  std::string id{};
  std::string provider_id{};  ///< not empty: by this
  std::uint32_t limit = 100;
};
struct subscription_keys_lookup {
  std::vector<entity_key> keys;
};
/// For operators: a merchant's in live, where they all are, by their ids, at most `limit`.
struct find_subscriptions {
  using answer = struct subscriptions_lookup;

  merchant_id merchant;
  std::string after{};  ///< an id: only those behind it, to page on
  std::uint32_t limit = 100;
};
struct subscriptions_lookup {
  std::vector<subscription_ptr> subscriptions;
};
/// For somebody who signs in.
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
/// Whether a spend_token of these was committed.
struct find_spent_token {
  using answer = struct spent_token_lookup;

  merchant_id merchant;
  std::string token_id;
};
struct spent_token_lookup {
  bool spent = false;
};
/// How a person stands who is invited, or accepts.
struct find_invitations {
  using answer = struct invitations_lookup;

  user_id user;
};
struct named_invitation {
  stored_invitation what;
  std::string merchant_name;
};
/// Of more, the operator's are told, then those that last longest.
inline constexpr std::uint32_t most_invitations_told = 100;
struct invitations_lookup {
  bool has_password = false;
  bool is_member = false;  ///< of any merchant
  merchant_id shown_to{};  ///< whose owner was shown the link that set the first password; empty: nobody's
  std::vector<named_invitation> invitations;
};
/// With what a page needs of the person, in one answer.
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
  std::vector<session_membership> of;  ///< by the merchant's name
  std::string time_zone{};
  bool has_second_factor = false;
};
struct session_lookup {
  std::optional<stored_session> found;
};
/// Where a person is signed in: newest first, those that have ended by themselves, too.
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
/// Newest first, at most `limit`: what a person has changed, or what was changed of a merchant, whoever did.
struct find_audit {
  using answer = struct audit_lookup;

  user_id user{};
  merchant_id merchant{};  ///< instead of the user
  std::optional<time_point> before{};  ///< only earlier ones, or then those with a lesser id, to page on
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
  std::optional<time_point> before{};  ///< only those received earlier, or then with a lesser id, to page on
  std::string before_id{};  ///< of its entity key
  std::uint32_t limit = 100;
};
struct notifications_lookup {
  std::vector<notification_ptr> notifications;  ///< without their bodies
};
/// What an entry of the directory is known by: a merchant's, with its keys, people, connections, routes, destinations
/// and bindings, by the merchant or by one of its keys or destinations; a platform's, with its keys and destinations; a
/// person's by the id or by the address (email_key_of); a provider's, in both environments, by its kind's name.
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
/// Several merchants may have one account: of more than these, the others are not told.
inline constexpr std::uint32_t most_sharing_an_account = 100;
/// The entries of these names; those that do not exist are left out, and so are those that cannot be read.
struct find_directory {
  using answer = struct directory_lookup;

  std::vector<directory_name> of;
  bool every_platform = false;  ///< and of all platforms, and of all providers
  std::optional<named_account> account{};  ///< and the connections with that account, ordered by merchant
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
/// What is published of a binding.
struct stored_binding {
  entity_key key;
  grant_state state = grant_state::none;
  scope_set scopes;
  std::int64_t version = 0;
};
/// Its events as a list of stored types.
using stored_destination = save_destination;
struct directory_lookup {
  std::vector<save_merchant> merchants;
  std::vector<stored_key> keys;
  std::vector<stored_user> users;
  std::vector<stored_membership> memberships;  ///< by merchant, oldest first
  std::vector<stored_invitation> invitations;  ///< by merchant, oldest first, those that are over, too
  std::vector<stored_connection> connections;
  std::vector<stored_route> routes;
  std::vector<stored_destination> destinations;
  std::vector<platform> platforms;
  std::vector<stored_platform_key> platform_keys;
  std::vector<stored_binding> bindings;
  std::vector<save_provider> providers;
  std::vector<merchant_id> unreadable_connections;  ///< these have one whose row cannot be read: it is left out
};
/// How far the directory's log and its turns have come.
struct directory_head {
  std::int64_t number = 0;
  std::int64_t turn = 0;

  bool operator==(const directory_head&) const = default;
};
/// What the log says of changes after `since`. With a negative one: the head alone.
struct find_directory_news {
  using answer = struct directory_news;

  std::int64_t since = -1;
};
struct directory_news {
  directory_head head;
  std::int64_t told_to = -1;  ///< the number up to which `changed` tells: the head's, or a lesser one if that were many
  bool any = false;  ///< everything may have changed: the log no longer tells all
  std::vector<directory_change> changed;  ///< each once
};
/// For operators: by owner, mode and age, at most `limit`.
struct find_destinations {
  using answer = struct destinations_lookup;

  std::string owner{};  ///< empty: anybody's
  std::optional<environment> env{};
  std::uint32_t limit = 100;
};
struct destinations_lookup {
  std::vector<stored_destination> destinations;
  std::uint64_t left_out = 0;  ///< how many more there are
};
// ---- maintenance --------------------------------------------------------------------------------
// Answered like the reads, but by a writer, which never holds up its units for it longer than one small transaction.

/// Deletes finished commands older than `before`, and notifications that have been settled before, oldest first, at
/// most `limit` of each. Where there is no less of either, there may be more. A writer does it in many small
/// transactions.
struct purge_commands {
  time_point before{};
  std::uint32_t limit = 0;
};
struct purge_result {
  std::uint64_t deleted = 0;
  std::uint64_t notifications = 0;  ///< deleted beside the commands
};

// ---- deliveries ---------------------------------------------------------------------------------

/// A delivery and its event: all that an attempt needs, beside the destination.
struct delivery_job {
  delivery row;
  event_record event;
  std::size_t left_out = 0;  ///< bytes of the event's data, where a query was not to read it
  /// Of the request that has made the event, as long as that is remembered: no store keeps it.
  trace_context trace{};

  bool operator==(const delivery_job&) const = default;
};
/// Pending deliveries to `to` whose next_attempt_at has come, most overdue first, at most `limit`.
struct find_due_deliveries {
  using answer = struct due_deliveries_lookup;

  destination_id to;
  time_point now{};
  std::uint32_t limit = 0;
  /// Of events whose data is larger the data is left out, so that `limit` bounds the bytes, too.
  std::uint32_t most_data_bytes = 4 * 1024;
};
struct due_deliveries_lookup {
  std::vector<delivery_job> jobs;
  std::size_t unreadable = 0;  ///< rows among the `limit` that make no sense, and are left out
  std::optional<time_point> next_due;  ///< the earliest of those that are due only after `now`
};
/// What is pending, by destination: read at start, and now and then to find what another process left behind.
struct find_backlog {
  using answer = struct backlog_lookup;

  std::int64_t from_number = 0;  ///< only deliveries with this number or a higher one
};
struct destination_backlog {
  destination_id to;
  std::uint64_t pending = 0;
  time_point next_attempt_at{};  ///< the earliest
  std::int64_t oldest_number = 0;  ///< the least delivery number: tells the age
};
struct backlog_lookup {
  std::vector<destination_backlog> destinations;
};
/// Newest first, at most `limit`. Only of a single one (`id`) the event's data is read.
struct find_deliveries {
  using answer = struct deliveries_lookup;

  std::optional<entity_key> subject{};  ///< only of its events; then neither `to` nor `status` is given
  destination_id to{};  ///< empty: any
  std::optional<delivery_status> status{};
  std::int64_t id = 0;  ///< not 0: this one only
  std::int64_t before = 0;  ///< not 0: only numbers below it, to page on
  std::uint32_t limit = 100;
};
struct deliveries_lookup {
  std::vector<delivery_job> jobs;
};
/// How many deliveries to `to` have this status, counted up to `most`.
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
  entity_kind kind = entity_kind::payment;  ///< of `subject`
  std::string subject{};  ///< an entity's id; empty: any of any kind
  std::optional<time_point> before{};  ///< only earlier ones, to page on
  std::uint32_t limit = 100;
};
struct events_lookup {
  std::vector<event_record> events;
};
/// Maintenance, too. Makes deliveries due at `now`, each with a whole schedule before it: the one with this number
/// whatever its status, or, of a destination, the failed ones that were created in [from, until). At most `limit`, in
/// one transaction; answers how many.
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
  destination_id to;  ///< of the one delivery, where one was named
};

// ---- what readers of the store are sent, and answer ---------------------------------------------

/// All reads, in one message: a new one is added here, and to persistence/queries.hpp.
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
