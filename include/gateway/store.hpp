// The store as the actors see it: units of work that commit whole or not at all, and reads.
// Implemented in persistence/ by actors that own a database connection each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/answer.hpp"
#include "gateway/domain/merchant.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway {

/// An idempotency key in use: open while `result` is empty.
struct command_record {
  command_key key;
  std::string fingerprint;  ///< lower-case hex SHA-256 of method, path and body hash
  operation what = operation::create;
  payment_id payment;
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
/// Inserts, or replaces the password of the user with this merchant and email.
struct save_user {
  user_id id;
  merchant_id merchant;
  std::string email;
  std::string password_hash;  ///< empty: invited, cannot sign in yet
  time_point created_at{};
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
struct spend_setup_token {
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
using directory_change = std::variant<save_merchant, save_api_key, revoke_api_key, save_user, save_connection,
                                      save_route, spend_setup_token, save_destination>;

// ---- units of work ------------------------------------------------------------------------------

/// What must become true together. Every part is optional; an empty unit commits trivially.
struct unit_of_work {
  std::optional<payment> insert_payment;            ///< a new row
  std::optional<payment> update_payment;            ///< the row must stand at version - 1
  std::optional<command_record> insert_command;     ///< takes the idempotency key
  std::optional<command_finish> finish_command;     ///< stores its result
  std::vector<timeline_entry> entries;              ///< of the inserted or updated payment
  std::vector<delivery> deliveries;                 ///< new rows, of the events among `entries`
  std::vector<delivery> update_deliveries;          ///< each row must stand at version - 1
  std::vector<directory_change> changes;
};

enum class commit_outcome : unsigned char {
  committed,
  duplicate_command,  ///< the idempotency key is taken; nothing of the unit happened
  payment_exists,     ///< the payment_id is taken; nothing happened
  lost_claim,  ///< the payment or the delivery moved on, or a delivery's number is taken; nothing happened: load it
               ///< again
  duplicate_record,  ///< an operator's change names something that exists already; nothing happened
  unavailable,  ///< the database did not say: it may have happened; only a read tells
  refused,  ///< the writer's queue is full; nothing happened. Told by actor_errc::overloaded, never by a row
};

constexpr std::string_view to_string(commit_outcome o) noexcept {
  constexpr std::string_view names[] = {"committed",        "duplicate_command", "payment_exists", "lost_claim",
                                        "duplicate_record", "unavailable",       "refused"};
  return names[static_cast<std::size_t>(o)];
}

// ---- reads --------------------------------------------------------------------------------------
// Each is answered with the value, or with caf::error store_errc::unavailable.

struct find_payment {
  payment_key key;
};
struct payment_lookup {
  std::optional<payment> found;
};
struct find_command {
  command_key key;
};
struct command_lookup {
  std::optional<command_record> found;
};
/// Oldest first.
struct find_timeline {
  payment_key key;
};
struct timeline_lookup {
  std::vector<timeline_entry> entries;
};
/// Payments whose due_at has come, oldest due first, at most `limit`.
struct find_due {
  time_point now{};
  std::uint32_t limit = 0;
};
struct due_lookup {
  std::vector<payment_key> keys;
};
/// The whole directory, read once at start.
struct find_directory {};
struct stored_user {
  user_id id;
  merchant_id merchant;
  std::string email;
  std::string password_hash;
};
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
/// Its events as a list of stored types.
using stored_destination = save_destination;
struct directory_lookup {
  std::vector<save_merchant> merchants;
  std::vector<stored_key> keys;
  std::vector<stored_user> users;
  std::vector<stored_connection> connections;
  std::vector<stored_route> routes;
  std::vector<stored_destination> destinations;
};
/// Deletes finished commands older than `before`, at most `limit`; answers how many.
struct purge_commands {
  time_point before{};
  std::uint32_t limit = 0;
};
struct purge_result {
  std::uint64_t deleted = 0;
};

// ---- deliveries ---------------------------------------------------------------------------------

/// A delivery and its event: all that an attempt needs, beside the destination.
struct delivery_job {
  delivery row;
  event_record event;

  bool operator==(const delivery_job&) const = default;
};
/// Pending deliveries to `to` whose next_attempt_at has come, most overdue first, at most `limit`.
struct find_due_deliveries {
  destination_id to;
  time_point now{};
  std::uint32_t limit = 0;
};
struct due_deliveries_lookup {
  std::vector<delivery_job> jobs;
  std::size_t unreadable = 0;  ///< rows among the `limit` that make no sense, and are left out
  std::optional<time_point> next_due;  ///< the earliest of those that are due only after `now`
};
/// What is pending, by destination: read at start, and now and then to find what another process left behind.
struct find_backlog {};
struct destination_backlog {
  destination_id to;
  std::uint64_t pending = 0;
  time_point next_attempt_at{};  ///< the earliest
  std::int64_t oldest_number = 0;  ///< the least delivery number: tells the age
};
struct backlog_lookup {
  std::vector<destination_backlog> destinations;
};
/// For operators: newest first, at most `limit`.
struct find_deliveries {
  destination_id to{};  ///< empty: any
  std::optional<delivery_status> status{};
  std::int64_t id = 0;  ///< not 0: this one only
  std::int64_t before = 0;  ///< not 0: only numbers below it, to page on
  std::uint32_t limit = 100;
};
struct deliveries_lookup {
  std::vector<delivery_job> jobs;
};
/// For operators: a merchant's events, newest first, at most `limit`.
struct find_events {
  merchant_id merchant;
  std::optional<environment> env{};
  payment_id payment{};  ///< empty: any
  std::optional<time_point> before{};  ///< only earlier ones, to page on
  std::uint32_t limit = 100;
};
struct events_lookup {
  std::vector<event_record> events;
};
/// Makes deliveries due at `now`, each with a whole schedule before it: the one with this number whatever its status,
/// or, of a destination, the failed ones that were created in [from, until). At most `limit`; answers how many.
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

}  // namespace gateway
