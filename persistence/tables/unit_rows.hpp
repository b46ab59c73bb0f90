// The rows of units of work, by table: each function is in the file of its table. row_kinds.cpp calls them for the
// alternatives of inserted_row and claimed_row.
//
//   insert_row   adds the rows of statements that an inserted row needs
//   claim_row    the same for a claimed row
//   row_hash     the hash of the row's key: units that write the same row must have a hash in common
//   row_bytes    roughly the row's size
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>

#include "gateway/ports/store/store.hpp"
#include "persistence/tables/columns.hpp"
#include "persistence/tables/row_kinds.hpp"

namespace gateway::persistence {

inline std::size_t hash_of_texts(std::initializer_list<std::string_view> texts) {
  std::size_t seed = 0;
  for (const auto text : texts) seed = combine_hash(seed, std::hash<std::string_view>{}(text));
  return seed;
}
inline std::size_t bytes_of_texts(const metadata_map& metadata) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : metadata) bytes += name.size() + value.size() + 8;
  return bytes;
}

/// An entity has the same hash whether it is inserted or claimed.
template <class Entity>
std::size_t row_hash(const std::shared_ptr<const Entity>& entity) {
  return std::hash<entity_key>{}(entity->key);
}
/// The default, for small rows such as an operator's changes.
template <class Record>
std::size_t row_bytes(const Record&) {
  return 256;
}

// payments.cpp
void insert_row(gathered_rows& rows, const payment_ptr& p);
void claim_row(gathered_rows& rows, const payment_ptr& p);
std::size_t row_bytes(const payment_ptr& p);
std::optional<entity_row> read_payment_row(db_connection& db, const entity_key& key);
/// Also used by the lists of payments.
const table_columns& payments_table();

// customer_payments.cpp
/// Adds the entry by which the payment is found among those of its customer. The payment must have one.
void insert_customer_payment(gathered_rows& rows, const payment& p);

// commands.cpp
void insert_row(gathered_rows& rows, const command_record& c);
void claim_row(gathered_rows& rows, const command_finish& f);
std::size_t row_hash(const command_record& c);
std::size_t row_hash(const command_finish& f);
std::size_t row_bytes(const command_record& c);
std::size_t row_bytes(const command_finish& f);

// timeline.cpp. An entry needs no hash: the unit claims the entity that it belongs to.
void insert_entry(gathered_rows& rows, const entity_key& subject, const timeline_entry& e);
/// `position`: in the log of events.
void insert_event(gathered_rows& rows, const entity_key& subject, const timeline_entry& e, std::int64_t position);
std::size_t row_bytes(const timeline_entry& e);

// deliveries.cpp
void insert_row(gathered_rows& rows, const delivery& d);
void claim_row(gathered_rows& rows, const delivery& d);
std::size_t row_hash(const delivery& d);
std::size_t row_bytes(const delivery& d);

// ledger.cpp. An entry needs no hash: the unit claims the payment that it belongs to. The order of additions to a total
// does not matter.
void insert_row(gathered_rows& rows, const ledger_entry& e);
void insert_row(gathered_rows& rows, const count_daily& c);
/// The sum of a batch's additions to one total.
struct added_total {
  std::string_view merchant;
  environment env;
  std::chrono::sys_days day;
  std::string_view currency;
  daily_counter what;
  std::int64_t lane, counted, amount;
};
void insert_row(gathered_rows& rows, const added_total& t);

// disputes.cpp. An entry needs no hash: the unit claims the payment that it belongs to.
void insert_row(gathered_rows& rows, const dispute_entry& d);

// event_lists.cpp. A sandbox's event needs no hash: the unit claims the payment that it belongs to.
void insert_row(gathered_rows& rows, const save_event_position& p);
void insert_row(gathered_rows& rows, const sandbox_event& e);
std::size_t row_hash(const save_event_position& p);

// grants.cpp
void insert_row(gathered_rows& rows, const binding_ptr& b);
void claim_row(gathered_rows& rows, const binding_ptr& b);
void insert_row(gathered_rows& rows, const past_grant& g);
std::size_t row_hash(const past_grant& g);
std::size_t row_bytes(const binding_ptr& b);
std::size_t row_bytes(const past_grant& g);
std::optional<entity_row> read_binding_row(db_connection& db, const entity_key& key);

// customers.cpp
void insert_row(gathered_rows& rows, const customer_ptr& c);
void claim_row(gathered_rows& rows, const customer_ptr& c);
std::size_t row_bytes(const customer_ptr& c);
std::optional<entity_row> read_customer_row(db_connection& db, const entity_key& key);

// subscriptions.cpp
void insert_row(gathered_rows& rows, const subscription_ptr& s);
void claim_row(gathered_rows& rows, const subscription_ptr& s);
void insert_row(gathered_rows& rows, const enrollment_ptr& e);
void claim_row(gathered_rows& rows, const enrollment_ptr& e);
void insert_row(gathered_rows& rows, const counted_event& e);
std::size_t row_hash(const counted_event& e);
std::size_t row_bytes(const subscription_ptr& s);
std::size_t row_bytes(const enrollment_ptr& e);
std::optional<entity_row> read_subscription_row(db_connection& db, const entity_key& key);
std::optional<entity_row> read_enrollment_row(db_connection& db, const entity_key& key);

// notifications.cpp
void insert_row(gathered_rows& rows, const notification_ptr& n);
void claim_row(gathered_rows& rows, const notification_ptr& n);
std::size_t row_bytes(const notification_ptr& n);
std::optional<entity_row> read_notification_row(db_connection& db, const entity_key& key);

// merchants.cpp
void insert_row(gathered_rows& rows, const save_merchant& m);
void insert_row(gathered_rows& rows, const save_api_key& k);
void claim_row(gathered_rows& rows, const revoke_api_key& k);
void claim_row(gathered_rows& rows, const note_api_key_use& k);
std::size_t row_hash(const save_merchant& m);
std::size_t row_hash(const save_api_key& k);
std::size_t row_hash(const revoke_api_key& k);
std::size_t row_hash(const note_api_key_use& k);

// connections.cpp
void insert_row(gathered_rows& rows, const save_connection& c);
void insert_row(gathered_rows& rows, const save_route& r);
void insert_row(gathered_rows& rows, const spend_token& t);
std::size_t row_hash(const save_connection& c);
std::size_t row_hash(const save_route& r);
std::size_t row_hash(const spend_token& t);

// branding.cpp
void insert_row(gathered_rows& rows, const save_branding& b);
void insert_row(gathered_rows& rows, const save_logo& l);
std::size_t row_hash(const save_branding& b);
std::size_t row_hash(const save_logo& l);
std::size_t row_bytes(const save_logo& l);

// destination_health.cpp
void insert_row(gathered_rows& rows, const destination_health& h);
std::size_t row_hash(const destination_health& h);
std::size_t row_bytes(const destination_health& h);

// destinations.cpp
void insert_row(gathered_rows& rows, const save_destination& d);
std::size_t row_hash(const save_destination& d);

// platforms.cpp
void insert_row(gathered_rows& rows, const insert_platform& p);
void claim_row(gathered_rows& rows, const update_platform& p);
void insert_row(gathered_rows& rows, const save_platform_key& k);
void claim_row(gathered_rows& rows, const revoke_platform_key& k);
void claim_row(gathered_rows& rows, const note_platform_key_use& k);
std::size_t row_hash(const insert_platform& p);
std::size_t row_hash(const update_platform& p);
std::size_t row_hash(const save_platform_key& k);
std::size_t row_hash(const revoke_platform_key& k);
std::size_t row_hash(const note_platform_key_use& k);
std::size_t row_bytes(const insert_platform& p);
std::size_t row_bytes(const update_platform& p);

// people.cpp
void insert_row(gathered_rows& rows, const save_user& u);
void claim_row(gathered_rows& rows, const set_user_password& p);
void claim_row(gathered_rows& rows, const set_first_password& p);
void claim_row(gathered_rows& rows, const end_shown_password& p);
void claim_row(gathered_rows& rows, const check_credentials& c);
void claim_row(gathered_rows& rows, const set_second_factor& f);
void claim_row(gathered_rows& rows, const spend_totp_step& s);
void claim_row(gathered_rows& rows, const spend_recovery_code& c);
void claim_row(gathered_rows& rows, const set_time_zone& z);
std::size_t row_hash(const save_user& u);
std::size_t row_hash(const set_user_password& p);
std::size_t row_hash(const set_first_password& p);
std::size_t row_hash(const end_shown_password& p);
std::size_t row_hash(const check_credentials& c);
std::size_t row_hash(const set_second_factor& f);
std::size_t row_hash(const spend_totp_step& s);
std::size_t row_hash(const spend_recovery_code& c);
std::size_t row_hash(const set_time_zone& z);
/// A second hash of new sessions and memberships. It keeps their units in order with changes of the user's password: a
/// change ends sessions, and a first password is set only for a user without membership.
std::size_t owner_hash(const user_id& user);

// sessions.cpp
void insert_row(gathered_rows& rows, const save_session& s);
void claim_row(gathered_rows& rows, const touch_session& s);
void claim_row(gathered_rows& rows, const end_session& s);
std::size_t row_hash(const save_session& s);
std::size_t row_hash(const touch_session& s);
std::size_t row_hash(const end_session& s);

// memberships.cpp
void insert_row(gathered_rows& rows, const save_membership& m);
void claim_row(gathered_rows& rows, const drop_membership& m);
void insert_row(gathered_rows& rows, const save_invitation& i);
void claim_row(gathered_rows& rows, const drop_invitation& i);
void claim_row(gathered_rows& rows, const spend_invitation& i);
std::size_t row_hash(const save_membership& m);
std::size_t row_hash(const drop_membership& m);
std::size_t row_hash(const save_invitation& i);
std::size_t row_hash(const drop_invitation& i);
std::size_t row_hash(const spend_invitation& i);

// mail.cpp
void insert_row(gathered_rows& rows, const save_mail& m);
void claim_row(gathered_rows& rows, const lease_mail& m);
void claim_row(gathered_rows& rows, const finish_mail& m);
void claim_row(gathered_rows& rows, const retry_mail& m);
void claim_row(gathered_rows& rows, const purge_mail& m);
void insert_row(gathered_rows& rows, const save_password_link& l);
void claim_row(gathered_rows& rows, const spend_password_link& l);
void claim_row(gathered_rows& rows, const set_mailed_password& p);
std::size_t row_hash(const save_mail& m);
std::size_t row_hash(const lease_mail& m);
std::size_t row_hash(const finish_mail& m);
std::size_t row_hash(const retry_mail& m);
std::size_t row_hash(const purge_mail& m);
std::size_t row_hash(const save_password_link& l);
std::size_t row_hash(const spend_password_link& l);
std::size_t row_hash(const set_mailed_password& p);
std::size_t row_bytes(const save_mail& m);
// operators.cpp
void insert_row(gathered_rows& rows, const save_operator& o);
void claim_row(gathered_rows& rows, const reset_operator& r);
void claim_row(gathered_rows& rows, const drop_operator& d);
void claim_row(gathered_rows& rows, const set_up_operator& s);
void claim_row(gathered_rows& rows, const spend_operator_code& c);
std::size_t row_hash(const save_operator& o);
std::size_t row_hash(const reset_operator& r);
std::size_t row_hash(const drop_operator& d);
std::size_t row_hash(const set_up_operator& s);
std::size_t row_hash(const spend_operator_code& c);

// audit.cpp
void insert_row(gathered_rows& rows, const save_audit& a);
std::size_t row_hash(const save_audit& a);
std::size_t row_bytes(const save_audit& a);
/// Adds the rows of the gathered entries, linked to the chain of this lane, and the chain's new head.
void link_audits(db_connection& db, gathered_rows& rows, std::int64_t lane);

// providers.cpp
void insert_row(gathered_rows& rows, const save_provider& p);
std::size_t row_hash(const save_provider& p);
std::size_t row_bytes(const save_provider& p);

// master_keys.cpp
void insert_row(gathered_rows& rows, const save_master_key& k);
void claim_row(gathered_rows& rows, const promote_key& k);
void claim_row(gathered_rows& rows, const withdraw_key& k);
void claim_row(gathered_rows& rows, const retire_key& k);
void claim_row(gathered_rows& rows, const reseal& r);
std::size_t row_hash(const save_master_key& k);
std::size_t row_hash(const promote_key& k);
std::size_t row_hash(const withdraw_key& k);
std::size_t row_hash(const retire_key& k);
std::size_t row_hash(const reseal& r);
std::size_t row_bytes(const save_master_key& k);
std::size_t row_bytes(const reseal& r);

// erasure.cpp
void claim_row(gathered_rows& rows, const replace_text& r);
void claim_row(gathered_rows& rows, const replace_details& r);
std::size_t row_hash(const replace_text& r);
std::size_t row_hash(const replace_details& r);
std::size_t row_bytes(const replace_text& r);
std::size_t row_bytes(const replace_details& r);

// meta.cpp
void insert_row(gathered_rows& rows, const save_last_seen& s);
std::size_t row_hash(const save_last_seen& s);
void insert_row(gathered_rows& rows, const save_fact& f);
std::size_t row_hash(const save_fact& f);

// directory_log.cpp
void insert_row(gathered_rows& rows, const directory_change& c);
void claim_row(gathered_rows& rows, const directory_turn& t);
std::size_t row_hash(const directory_change& c);
std::size_t row_hash(const directory_turn& t);

}  // namespace gateway::persistence
