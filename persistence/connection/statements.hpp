// The statements that several files or the tests name. Each is defined in the file of its table (tables/), beside its
// use. dialect.hpp renders the writes for one row or many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gateway::persistence {

/// A statement that writes rows. A row's cells are in the order of `columns`.
struct write_shape {
  enum class form : unsigned char { insert, upsert, add, guarded_update };

  form what;
  std::string_view table;
  std::span<const std::string_view> columns;
  std::size_t keys = 0;  ///< how many of the first columns are the row's key

  /// upsert: the columns that change in an existing row. add: those to which the row's values are added there.
  /// guarded_update: indexed columns that most changes leave unchanged, in the order of `columns`. SQLite leaves the
  /// unchanged ones out of the update; its table must have row ids.
  std::span<const std::string_view> replaced{};

  /// guarded_update: the condition on the stored row under which it changes. `{new}` is the incoming value of the last
  /// column, which is the only one that the guard may read.
  std::string_view guard{};
  /// guarded_update: the table's other NOT NULL columns, with values that satisfy its checks. MySQL's form is an insert
  /// that becomes an update where the row exists. Where it does insert, the row is rolled back.
  std::string_view unused_columns{};
  std::string_view unused_values{};
  /// guarded_update: the table has another unique key, by which MySQL's insert could find a row with another primary
  /// key.
  bool another_unique_key = false;
};

/// A statement that is not rendered from a shape: its text for each database. Connections keep a prepared statement by
/// the address of this object.
struct statement {
  std::string sqlite;
  std::string mysql;

  statement(std::string_view both) : sqlite(both), mysql(both) {}
  statement(std::string_view for_sqlite, std::string_view for_mysql) : sqlite(for_sqlite), mysql(for_mysql) {}
};

namespace statements {

extern const write_shape insert_command;
extern const write_shape insert_payment;
extern const write_shape update_payment;
extern const write_shape finish_command;
extern const write_shape insert_attempt;
extern const write_shape insert_event;
extern const write_shape insert_merchant;
extern const write_shape insert_api_key;
extern const write_shape insert_person;
extern const write_shape put_membership;
extern const write_shape put_invitation;
extern const write_shape insert_session;
extern const write_shape insert_operator;
extern const write_shape insert_platform;
extern const write_shape insert_platform_key;
extern const write_shape insert_binding;
extern const write_shape update_binding;
extern const write_shape insert_customer;
extern const write_shape update_customer;
extern const write_shape insert_subscription;
extern const write_shape update_subscription;
extern const write_shape insert_enrollment;
extern const write_shape update_enrollment;
extern const write_shape insert_notification;
extern const write_shape update_notification;
extern const write_shape insert_counted_event;
extern const write_shape insert_past_grant;
extern const write_shape put_connection;
extern const write_shape put_route;
extern const write_shape put_branding;
extern const write_shape put_logo;
extern const write_shape insert_setup_token;
extern const write_shape put_destination;
extern const write_shape put_destination_health;
extern const write_shape insert_delivery;
extern const write_shape update_delivery;
extern const write_shape insert_meta;
extern const write_shape put_meta;
extern const write_shape insert_migration;
extern const write_shape add_daily_total;
extern const write_shape insert_ledger_entry;
extern const write_shape put_dispute;
extern const write_shape insert_customer_payment;
extern const write_shape insert_sandbox_event;
extern const write_shape put_event_position;
extern const write_shape insert_audit;
extern const write_shape put_audit_head;
extern const write_shape insert_recovery_code;
extern const write_shape insert_mail;
extern const write_shape put_password_link;
extern const write_shape put_provider;
extern const write_shape insert_master_key;
extern const write_shape insert_purged_payment;

extern const statement revoke_api_key;
extern const statement note_api_key_use;
extern const statement update_platform;
extern const statement revoke_platform_key;
extern const statement note_platform_key_use;
extern const statement update_password;
extern const statement drop_membership;
extern const statement drop_invitation;
extern const statement spend_invitation;
extern const statement purge_invitations;
extern const statement check_credentials;
extern const statement set_first_password;
extern const statement end_shown_password;
extern const statement end_shown_sessions;
extern const statement end_shown_codes;
extern const statement touch_session;
extern const statement end_session;
extern const statement end_other_sessions;
extern const statement purge_sessions;
extern const statement replace_second_factor;
extern const statement drop_recovery_codes;
extern const statement spend_totp_step;
extern const statement spend_recovery_code;
extern const statement update_time_zone;
extern const statement demote_master_keys;
extern const statement promote_master_key;
extern const statement withdraw_master_key;
extern const statement retire_master_key;
extern const statement unwrap_master_keys;
extern const statement reseal_api_key;
extern const statement reseal_platform_key;
extern const statement reseal_destination;
extern const statement reseal_previous_secret;
extern const statement reseal_provider;
extern const statement reseal_second_factor;
extern const statement reseal_operator_factor;
extern const statement reseal_mail;
extern const statement replace_details;
extern const statement replace_event_data;
extern const statement replace_attempt_message;
extern const statement replace_answer;
extern const statement replace_notification_body;
extern const statement replace_audit_texts;
extern const statement lease_mail;
extern const statement finish_mail;
extern const statement retry_mail;
extern const statement purge_mail;
extern const statement forget_mail;
extern const statement spend_password_link;
extern const statement drop_password_link;
extern const statement set_mailed_password;
extern const statement reset_operator;
extern const statement drop_operator;
extern const statement set_up_operator;
extern const statement spend_operator_code;
extern const statement purge_commands;
extern const statement purge_notifications;
extern const statement next_merchant_with_payments;
extern const statement read_old_payments;
extern const statement delete_deliveries_of_payment;

extern const statement read_payment;
// Payments newest first; oldest first (`_back`) to page back.
extern const statement read_payments_by_age;
extern const statement read_payments_by_age_back;
extern const statement read_payments_of_range;
extern const statement read_payments_of_range_back;
/// For up to `ranges_at_once` states or currencies.
extern const statement read_payments_of_ranges;
extern const statement read_payments_of_ranges_back;
inline constexpr std::size_t ranges_at_once = 8;
/// For more of them. On MariaDB each range costs some time, also one without payments.
extern const statement read_payments_of_more_ranges;
extern const statement read_payments_of_many_ranges;
inline constexpr std::size_t more_ranges_at_once = 24, many_ranges_at_once = 64;
extern const statement read_payments_by_ref;
extern const statement count_payments_of_range;
extern const statement read_payment_key;
// Payments newest first, of one customer and of one reference.
extern const statement read_payments_of_customer;
extern const statement read_payments_of_ref;
// Disputes newest first.
extern const statement read_disputes;
extern const statement read_disputes_of_status;
extern const statement read_dispute;
extern const statement read_next_currency;
extern const statement read_next_payments_merchant;
extern const statement read_unknown_payments;
extern const statement read_daily_totals;
extern const statement read_ledger;
extern const statement read_audit_of_user;
extern const statement read_audit_of_merchant;
extern const statement read_audit;
extern const statement read_audit_back;
extern const statement read_merchants_audit;
extern const statement read_merchants_audit_back;
extern const statement read_audit_chain;
extern const statement read_command;
extern const statement read_oldest_command;
extern const statement read_due_payments;
extern const statement read_due_open_payments;
extern const statement read_due_subscriptions;
extern const statement read_due_open_subscriptions;
extern const statement read_due_enrollments;
extern const statement read_due_notifications;
extern const statement read_merchant;
extern const statement read_api_keys_of;
extern const statement read_owner_of_key;
extern const statement read_people_of;
extern const statement read_user;
extern const statement read_user_of_address;
extern const statement read_memberships_of;
extern const statement read_invited_people_of;
extern const statement read_invitations_of;
extern const statement read_invitations_of_user;
extern const statement read_due_mail;
extern const statement read_mail;
extern const statement read_newest_mail;
extern const statement read_password_link;
extern const statement read_session;
extern const statement read_platforms;
extern const statement read_platform;
extern const statement read_platform_keys;
extern const statement read_platform_keys_of;
extern const statement read_bindings_of;
extern const statement read_subscription;
extern const statement read_subscriptions;
// Subscriptions of a platform, newest first.
extern const statement read_platforms_subscriptions;
extern const statement read_platforms_subscriptions_of_status;
extern const statement read_platforms_subscriptions_of_customer;
extern const statement read_customers_of_platform;
extern const statement read_subscription_keys_by_id;
extern const statement read_customer_keys;
extern const statement read_subscription_keys_by_provider_id;
extern const statement read_enrollment;
extern const statement read_notification;
extern const statement read_notifications;
extern const statement read_event_lists;
extern const statement read_sandbox_events;
extern const statement read_notifications_of_state;
extern const statement read_binding_of_grant;
extern const statement read_grants;
extern const statement read_grants_of_platform;
extern const statement read_grants_of_merchant;
extern const statement read_grants_of_both;
extern const statement read_connections_of;
extern const statement read_connections_with;
extern const statement read_routes_of;
extern const statement read_branding_of;
extern const statement read_destinations_of;
extern const statement read_destinations_of_platforms;
extern const statement read_owner_of_destination;
extern const statement read_destination_health;
extern const statement read_health_of_destination;
extern const statement read_due_deliveries;
extern const statement read_backlog;
extern const statement read_delivery;
extern const statement read_deliveries;
extern const statement read_deliveries_to;
extern const statement read_deliveries_of_owner;
extern const statement read_deliveries_of_subject;
extern const statement read_events;
extern const statement read_events_of_subject;
extern const statement take_turn;
extern const statement raise_number;
extern const statement log_change;
extern const statement read_providers;
extern const statement read_provider;
extern const statement trim_log;
extern const statement read_migrations;
extern const statement read_schema_table;
extern const statement read_merchants_by_age;
extern const statement read_people_by_id;
extern const statement read_payments_of_id;
extern const statement search_payments_of_ref;
extern const statement read_payments_of_dispute;
extern const statement read_events_of_id;
extern const statement read_requests;

}  // namespace statements

}  // namespace gateway::persistence
