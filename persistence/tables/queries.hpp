// The store's reads. Most are one statement, which sees one snapshot. They throw database_error and corrupt_row.
#pragma once

#include "gateway/ports/store/store.hpp"
#include "persistence/connection/connection.hpp"

namespace gateway::persistence {

entity_lookup run(db_connection& db, const find_entity& what);
payments_lookup run(db_connection& db, const find_payments& what);
payments_lookup run(db_connection& db, const find_payments_by_ref& what);
payment_counts run(db_connection& db, const count_payments& what);
payments_of_merchants_lookup run(db_connection& db, const find_payments_of_merchants& what);
payments_lookup run(db_connection& db, const find_unknown_payments& what);
payment_key_lookup run(db_connection& db, const find_payment_key& what);
purged_payment_lookup run(db_connection& db, const find_purged_payment& what);
daily_totals_lookup run(db_connection& db, const find_daily_totals& what);
// A question about all merchants takes one statement for each. An answer covers some of them, and contains where the
// next one starts.
ledger_sums_lookup run(db_connection& db, const find_ledger_sums& what);
ledger_lookup run(db_connection& db, const find_ledger& what);
command_lookup run(db_connection& db, const find_command& what);
timeline_lookup run(db_connection& db, const find_timeline& what);
due_lookup run(db_connection& db, const find_due& what);
directory_lookup run(db_connection& db, const find_directory& what);
directory_updates run(db_connection& db, const find_directory_updates& what);
destinations_lookup run(db_connection& db, const find_destinations& what);
due_deliveries_lookup run(db_connection& db, const find_due_deliveries& what);
backlog_lookup run(db_connection& db, const find_backlog& what);
deliveries_lookup run(db_connection& db, const find_deliveries& what);
delivery_count run(db_connection& db, const count_deliveries& what);
waiting_deliveries run(db_connection& db, const find_waiting_deliveries& what);
destination_health_lookup run(db_connection& db, const find_destination_health& what);
events_lookup run(db_connection& db, const find_events& what);
grant_lookup run(db_connection& db, const find_grant& what);
grants_lookup run(db_connection& db, const find_grants& what);
customers_lookup run(db_connection& db, const find_customers& what);
customer_keys_lookup run(db_connection& db, const find_customer_keys& what);
customers_page run(db_connection& db, const find_customers_of_platform& what);
subscription_keys_lookup run(db_connection& db, const find_subscription_keys& what);
subscriptions_lookup run(db_connection& db, const find_subscriptions& what);
subscriptions_page run(db_connection& db, const find_subscriptions_of_platform& what);
user_lookup run(db_connection& db, const find_user& what);
session_lookup run(db_connection& db, const find_session& what);
sessions_lookup run(db_connection& db, const find_sessions& what);
audit_lookup run(db_connection& db, const find_audit& what);
audit_entries_lookup run(db_connection& db, const find_audit_entries& what);
// The head, the entries and the head again, one statement each.
audit_chain_lookup run(db_connection& db, const find_audit_chain& what);
audit_heads_lookup run(db_connection& db, const find_audit_heads& what);
notifications_lookup run(db_connection& db, const find_notifications& what);
spent_token_lookup run(db_connection& db, const find_spent_token& what);
invitations_lookup run(db_connection& db, const find_invitations& what);
disputes_lookup run(db_connection& db, const find_disputes& what);
event_lists_lookup run(db_connection& db, const find_event_lists& what);
sandbox_events_lookup run(db_connection& db, const find_sandbox_events& what);
merchants_lookup run(db_connection& db, const find_merchants& what);
people_lookup run(db_connection& db, const find_people& what);
payments_everywhere_lookup run(db_connection& db, const find_payments_everywhere& what);
events_by_id_lookup run(db_connection& db, const find_events_by_id& what);
requests_lookup run(db_connection& db, const find_requests& what);
// Several statements: the first reads up to which position the log no longer changes, and the others read only events
// before it.
logged_events_lookup run(db_connection& db, const find_logged_events& what);
event_news_lookup run(db_connection& db, const find_event_news& what);
logo_lookup run(db_connection& db, const find_logo& what);
master_keys_lookup run(db_connection& db, const find_master_keys& what);
sealed_lookup run(db_connection& db, const find_sealed& what);
mail_lookup run(db_connection& db, const find_due_mail& what);
mail_lookup run(db_connection& db, const find_mail& what);
password_link_lookup run(db_connection& db, const find_password_link& what);
operator_lookup run(db_connection& db, const find_operator& what);
operators_lookup run(db_connection& db, const find_operators& what);
// Two statements.
personal_texts run(db_connection& db, const find_personal_texts& what);

// These change rows in transactions of their own, and need a connection opened for writing.
purge_result run(db_connection& db, const purge_commands& what);
redeliver_rows_result run(db_connection& db, const redeliver_rows& what);

// Parts of find_personal_texts.
std::vector<command_record> read_commands_of(db_connection& db, const entity_key& of);
std::vector<notification_ptr> read_notifications_about(db_connection& db, const entity_key& what,
                                                       std::string_view reference);

// Parts of a purge, each within the caller's transaction. The first two return how many rows they examined.
std::uint64_t purge_events(db_connection& db, time_point before, std::uint32_t limit);
/// `behind`: only deliveries with a greater number; moved to the last one examined.
std::uint64_t purge_deliveries(db_connection& db, time_point before, std::uint32_t limit, std::int64_t& behind);

/// Moves `answer.payments_behind` to the last payment examined.
void purge_payments(db_connection& db, const purge_commands& what, purge_result& answer);
/// Purges the oldest entries of the chains. Returns the heads of the chains that it has shortened, with the new
/// purged_to and purged_hash, and adds the number of deleted entries to `deleted`.
std::vector<audit_head> purge_audit(db_connection& db, time_point before, std::uint32_t limit, std::uint64_t& deleted);

/// Whether one of these payments was purged, so that its id must not be used again.
bool any_purged(db_connection& db, const std::vector<const entity_key*>& payments);
/// Whether any payment was ever purged.
bool has_purged_payments(db_connection& db);

/// When the oldest command was begun; nullopt if there is none.
std::optional<time_point> oldest_command(db_connection& db);

directory_head read_head(db_connection& db);

std::optional<std::string> read_meta(db_connection& db, std::string_view name);
/// Returns false, and keeps the stored value, if the name already has one.
bool put_meta_if_absent(db_connection& db, std::string_view name, std::string_view value);
std::vector<save_master_key> read_master_key_rows(db_connection& db);
/// Returns false, and keeps the stored row, if its id or position is taken.
bool insert_master_key_if_absent(db_connection& db, const save_master_key& key);
/// Proves that this connection can commit.
void probe_write(db_connection& db);

}  // namespace gateway::persistence
