#include "persistence/statements.hpp"

#include <array>
#include <limits>

namespace gateway::persistence::statements {

namespace {

using enum write_shape::form;
using names = std::string_view;

constexpr names command_columns[] = {"merchant_id", "environment",  "principal",   "idempotency_key", "fingerprint",
                                     "operation",   "subject_kind", "subject_id",  "amount",          "reason",
                                     "created_at",  "body",         "finished_at", "status"};
constexpr names payment_columns[] = {"merchant_id", "environment",    "payment_id",   "state",    "amount",
                                     "currency",    "captured",       "refunded",     "flow",     "provider",
                                     "account",     "hides_provider", "provider_ref", "status",   "error",
                                     "hosted_url",  "open_command",   "due_at",       "next_seq", "created_at",
                                     "updated_at",  "captured_at",    "details",      "customer", "version"};
constexpr names payment_changes[] = {"merchant_id",  "environment",  "payment_id", "state",      "captured",
                                     "refunded",     "provider_ref", "status",     "error",      "hosted_url",
                                     "open_command", "due_at",       "next_seq",   "updated_at", "captured_at",
                                     "customer",     "version"};
constexpr names command_changes[] = {"merchant_id", "environment", "principal", "idempotency_key",
                                     "body",        "finished_at", "status"};
constexpr names attempt_columns[] = {"merchant_id", "environment", "subject_kind", "subject_id", "seq",
                                     "operation",   "status",      "error_code",   "message",    "occurred_at"};
constexpr names event_columns[] = {"merchant_id", "environment", "subject_kind", "subject_id", "seq",
                                   "type",        "status",      "occurred_at",  "event_id",   "data"};
constexpr names merchant_columns[] = {"merchant_id", "entity_id", "name", "entity_kind", "owner_email", "created_at"};
constexpr names api_key_columns[] = {"merchant_id", "key_id", "environment", "scopes", "sealed_secret", "created_at"};
constexpr names person_columns[] = {"user_id", "email", "email_key", "password_hash", "created_at"};
constexpr names membership_columns[] = {"merchant_id", "user_id", "role", "created_at"};
constexpr names membership_replaced[] = {"role"};
constexpr names invitation_columns[] = {"merchant_id", "user_id",    "invitation_id", "made_by",
                                        "role",        "created_at", "expires_at"};
constexpr names invitation_replaced[] = {"invitation_id", "made_by", "role", "created_at", "expires_at"};
constexpr names session_columns[] = {"user_id", "session_hash", "created_at", "used_at", "ends_at"};
constexpr names platform_columns[] = {"platform_id", "slug",          "name",           "contact",
                                      "status",      "redirect_uris", "return_origins", "created_at"};
constexpr names platform_key_columns[] = {"platform_id", "key_id", "scopes", "sealed_secret", "created_at"};
constexpr names binding_columns[] = {"merchant_id", "environment", "platform_id",   "grant_id", "scopes", "given_by",
                                     "granted_at",  "revoked_at",  "revoke_reason", "codes",    "version"};
constexpr names customer_columns[] = {"merchant_id",  "environment", "customer_id",          "platform_id",
                                      "customer_ref", "provider",    "provider_customer_id", "methods",
                                      "created_at",   "account",     "other_names",          "version"};
constexpr names subscription_columns[] = {
    "merchant_id", "environment",    "subscription_id", "platform_id", "provider", "provider_subscription_id",
    "status",      "open_operation", "due_at",          "document",    "version"};
constexpr names enrollment_columns[] = {"merchant_id", "environment", "enrollment_id", "due_at", "document", "version"};
constexpr names notification_columns[] = {
    "environment", "notification_id", "provider", "event_id",    "event_type", "account", "body",
    "state",       "about",           "attempts", "received_at", "settled_at", "due_at",  "version"};
constexpr names notification_changes[] = {"environment", "notification_id", "state",  "about",
                                          "attempts",    "settled_at",      "due_at", "version"};
constexpr names counted_event_columns[] = {"merchant_id", "environment", "event_id"};
constexpr names past_grant_columns[] = {"merchant_id", "environment", "platform_id", "grant_id",     "scopes",
                                        "given_by",    "granted_at",  "revoked_at",  "revoke_reason"};
constexpr names connection_columns[] = {"merchant_id", "environment", "provider", "connection_id", "status", "account"};
constexpr names connection_replaced[] = {"status", "account"};
constexpr names route_columns[] = {"merchant_id", "environment", "provider", "route_id",
                                   "position",    "currencies",  "methods"};
constexpr names route_replaced[] = {"currencies", "methods"};
constexpr names setup_token_columns[] = {"merchant_id", "token_id", "spent_at"};
constexpr names destination_columns[] = {"owner_id",      "destination_id",  "kind",           "environment",
                                         "url",           "events",          "status",         "disabled_reason",
                                         "sealed_secret", "sealed_previous", "previous_until", "created_at"};
constexpr names destination_replaced[] = {"environment",     "url",           "events",          "status",
                                          "disabled_reason", "sealed_secret", "sealed_previous", "previous_until"};
constexpr names delivery_columns[] = {"merchant_id",  "delivery_id",     "environment", "subject_kind", "subject_id",
                                      "event_seq",    "destination_id",  "created_at",  "status",       "attempts",
                                      "round_from",   "next_attempt_at", "last_at",     "last_result",  "last_status",
                                      "last_took_ms", "last_excerpt",    "version",     "is_partial"};
constexpr names delivery_changes[] = {"merchant_id", "delivery_id",     "status",       "attempts",
                                      "round_from",  "next_attempt_at", "last_at",      "last_result",
                                      "last_status", "last_took_ms",    "last_excerpt", "version"};
constexpr names meta_columns[] = {"name", "value"};
constexpr names meta_replaced[] = {"value"};
constexpr names migration_columns[] = {"version", "name", "applied_at"};
constexpr names daily_total_columns[] = {"merchant_id", "environment", "day",     "currency",
                                         "what",        "lane",        "counted", "amount"};
constexpr names daily_total_added[] = {"counted", "amount"};
constexpr names ledger_columns[] = {
    "merchant_id", "environment",     "occurred_at",     "payment_id",      "seq",      "kind",    "amount",
    "currency",    "customer_amount", "provider_amount", "merchant_amount", "provider", "account", "payment_ref",
    "movement_ref"};
constexpr names audit_columns[] = {"user_id", "occurred_at", "audit_id",    "address",
                                   "action",  "subject",     "merchant_id", "environment"};
constexpr names recovery_code_columns[] = {"user_id", "code_hash"};
constexpr names provider_columns[] = {"provider", "environment", "sealed_settings", "changed_at"};
constexpr names provider_replaced[] = {"sealed_settings", "changed_at"};

}  // namespace

const write_shape insert_command{insert, "commands", command_columns, 4};
const write_shape insert_payment{insert, "payments", payment_columns, 3};
const write_shape update_payment{
    .what = guarded_update,
    .table = "payments",
    .columns = payment_changes,
    .keys = 3,
    .guard = "version = {new} - 1",
    .unused_columns = "amount, currency, flow, provider, account, hides_provider, created_at, details",
    .unused_values = "9223372036854775807, '', '', '', '', 0, 0, ''"};
const write_shape finish_command{
    .what = guarded_update,
    .table = "commands",
    .columns = command_changes,
    .keys = 4,
    .guard = "status IS NULL",
    .unused_columns = "fingerprint, operation, subject_kind, subject_id, amount, reason, created_at",
    .unused_values = "'', '', '', '', 0, '', 0"};
const write_shape insert_attempt{insert, "attempts", attempt_columns, 5};
const write_shape insert_event{insert, "events", event_columns, 5};
const write_shape insert_merchant{insert, "merchants", merchant_columns, 1};
const write_shape insert_api_key{insert, "api_keys", api_key_columns, 2};
const write_shape insert_person{insert, "people", person_columns, 1};
const write_shape put_membership{
    .what = upsert, .table = "memberships", .columns = membership_columns, .keys = 2, .replaced = membership_replaced};
const write_shape put_invitation{
    .what = upsert, .table = "invitations", .columns = invitation_columns, .keys = 2, .replaced = invitation_replaced};
const write_shape insert_session{insert, "sessions", session_columns, 2};
const write_shape insert_platform{insert, "platforms", platform_columns, 1};
const write_shape insert_platform_key{insert, "platform_keys", platform_key_columns, 2};
const write_shape insert_binding{insert, "grants", binding_columns, 3};
const write_shape update_binding{.what = guarded_update,
                                 .table = "grants",
                                 .columns = binding_columns,
                                 .keys = 3,
                                 .guard = "version = {new} - 1",
                                 .another_unique_key = true};
const write_shape insert_customer{insert, "customers", customer_columns, 3};
const write_shape update_customer{.what = guarded_update,
                                  .table = "customers",
                                  .columns = customer_columns,
                                  .keys = 3,
                                  .guard = "version = {new} - 1"};
const write_shape insert_subscription{insert, "subscriptions", subscription_columns, 3};
const write_shape update_subscription{.what = guarded_update,
                                      .table = "subscriptions",
                                      .columns = subscription_columns,
                                      .keys = 3,
                                      .guard = "version = {new} - 1"};
const write_shape insert_enrollment{insert, "enrollments", enrollment_columns, 3};
const write_shape update_enrollment{.what = guarded_update,
                                    .table = "enrollments",
                                    .columns = enrollment_columns,
                                    .keys = 3,
                                    .guard = "version = {new} - 1"};
const write_shape insert_notification{insert, "notifications", notification_columns, 2};
const write_shape update_notification{.what = guarded_update,
                                      .table = "notifications",
                                      .columns = notification_changes,
                                      .keys = 2,
                                      .guard = "version = {new} - 1",
                                      .unused_columns = "provider, event_id, event_type, account, body, received_at",
                                      .unused_values = "'', '', '', '', '', 0"};
const write_shape insert_counted_event{insert, "counted_events", counted_event_columns, 3};
const write_shape insert_past_grant{insert, "past_grants", past_grant_columns, 4};
const write_shape put_connection{
    .what = upsert, .table = "connections", .columns = connection_columns, .keys = 3, .replaced = connection_replaced};
const write_shape put_route{
    .what = upsert, .table = "routes", .columns = route_columns, .keys = 3, .replaced = route_replaced};
const write_shape insert_setup_token{insert, "setup_tokens", setup_token_columns, 2};
const write_shape put_destination{.what = upsert,
                                  .table = "destinations",
                                  .columns = destination_columns,
                                  .keys = 2,
                                  .replaced = destination_replaced};
const write_shape insert_delivery{insert, "deliveries", delivery_columns, 2};
const write_shape update_delivery{
    .what = guarded_update,
    .table = "deliveries",
    .columns = delivery_changes,
    .keys = 2,
    .guard = "version = {new} - 1",
    .unused_columns = "environment, subject_kind, subject_id, event_seq, destination_id, created_at",
    .unused_values = "'', '', '', 0, '', 0",
    .another_unique_key = true};
const write_shape insert_meta{insert, "meta", meta_columns, 1};
const write_shape put_meta{
    .what = upsert, .table = "meta", .columns = meta_columns, .keys = 1, .replaced = meta_replaced};
const write_shape insert_migration{insert, "schema_migrations", migration_columns, 1};
const write_shape add_daily_total{
    .what = add, .table = "daily_totals", .columns = daily_total_columns, .keys = 6, .replaced = daily_total_added};
const write_shape insert_ledger_entry{insert, "ledger", ledger_columns, 5};
const write_shape insert_audit{insert, "audit_log", audit_columns, 3};
const write_shape insert_recovery_code{insert, "recovery_codes", recovery_code_columns, 2};
const write_shape put_provider{
    .what = upsert, .table = "providers", .columns = provider_columns, .keys = 2, .replaced = provider_replaced};

const statement revoke_api_key{
    "UPDATE api_keys SET revoked_at = ? WHERE merchant_id = ? AND key_id = ? AND revoked_at IS NULL"};
const statement update_platform{
    "UPDATE platforms SET name = ?, contact = ?, status = ?, redirect_uris = ?, return_origins = ? "
    "WHERE platform_id = ?"};
const statement revoke_platform_key{
    "UPDATE platform_keys SET revoked_at = ? WHERE platform_id = ? AND key_id = ? AND revoked_at IS NULL"};
const statement update_password{"UPDATE people SET password_hash = ?, password_set_at = ? WHERE user_id = ?"};
const statement drop_membership{"DELETE FROM memberships WHERE merchant_id = ? AND user_id = ?"};
const statement drop_invitation{"DELETE FROM invitations WHERE merchant_id = ? AND user_id = ?"};
const statement spend_invitation{
    "DELETE FROM invitations WHERE merchant_id = ? AND user_id = ? AND invitation_id = ? AND expires_at > ?"};
const statement purge_invitations{"DELETE FROM invitations WHERE merchant_id = ? AND expires_at <= ?"};
// MariaDB counts only rows that an UPDATE changes, so the statement counts its uses.
const statement check_credentials{
    "UPDATE people SET credential_uses = credential_uses + 1 "
    "WHERE user_id = ? AND password_hash = ? AND sealed_totp = ?"};
const statement set_first_password{
    "UPDATE people SET password_hash = ?, password_set_at = ?, password_shown_to = ? WHERE user_id = ? "
    "AND password_hash = '' AND NOT EXISTS (SELECT 1 FROM memberships AS m WHERE m.user_id = ?)"};
const statement end_shown_password{
    "UPDATE people SET password_hash = '', password_shown_to = '', sealed_totp = '', totp_step = 0 "
    "WHERE user_id = ? AND password_shown_to <> ''"};
#define ENDED "user_id = ? AND EXISTS (SELECT 1 FROM people AS p WHERE p.user_id = ? AND p.password_hash = '')"
const statement end_shown_sessions{"DELETE FROM sessions WHERE " ENDED};
const statement end_shown_codes{"DELETE FROM recovery_codes WHERE " ENDED};
#undef ENDED
const statement touch_session{"UPDATE sessions SET used_at = ? WHERE session_hash = ?"};
const statement end_session{"DELETE FROM sessions WHERE session_hash = ?"};
const statement end_other_sessions{"DELETE FROM sessions WHERE user_id = ? AND session_hash <> ?"};
const statement purge_sessions{"DELETE FROM sessions WHERE user_id = ? AND ends_at <= ?"};
const statement replace_second_factor{"UPDATE people SET sealed_totp = ?, totp_step = 0 WHERE user_id = ?"};
const statement drop_recovery_codes{"DELETE FROM recovery_codes WHERE user_id = ?"};
const statement spend_totp_step{
    "UPDATE people SET totp_step = ? WHERE user_id = ? AND totp_step < ? AND sealed_totp <> ''"};
const statement spend_recovery_code{
    "UPDATE recovery_codes SET spent_at = ? WHERE user_id = ? AND code_hash = ? AND spent_at IS NULL"};
const statement update_time_zone{"UPDATE people SET time_zone = ? WHERE user_id = ?"};

// The index is named because the planner may otherwise read and sort all commands for each step, for instance when most
// are old enough. Some builds of SQLite have no DELETE … LIMIT, so rows are found by their rowid, which is in the
// index. MySQL has no LIMIT inside IN, and accepts an index's name only in a SELECT.
#define OLD "WHERE created_at < ? AND status IS NOT NULL ORDER BY created_at LIMIT ?"
const statement purge_commands{
    "DELETE FROM commands WHERE rowid IN (SELECT rowid FROM commands INDEXED BY commands_by_age " OLD ")",
    "DELETE c FROM (SELECT merchant_id, environment, principal, idempotency_key "
    "FROM commands FORCE INDEX (commands_by_age) " OLD
    ") AS old STRAIGHT_JOIN commands AS c ON c.merchant_id = old.merchant_id AND c.environment = old.environment "
    "AND c.principal = old.principal AND c.idempotency_key = old.idempotency_key"};
#undef OLD
#define OLD "WHERE settled_at < ? ORDER BY settled_at LIMIT ?"
const statement purge_notifications{
    "DELETE FROM notifications WHERE rowid IN (SELECT rowid FROM notifications INDEXED BY notifications_settled " OLD
    ")",
    "DELETE n FROM (SELECT environment, notification_id "
    "FROM notifications FORCE INDEX (notifications_settled) " OLD
    ") AS old STRAIGHT_JOIN notifications AS n ON n.environment = old.environment "
    "AND n.notification_id = old.notification_id"};
#undef OLD

// Makes the same change as redelivered() in domain/webhook.hpp.
#define REDELIVERED "SET status = 'pending', round_from = attempts, next_attempt_at = ?, version = version + 1 "
const statement redeliver_number{"UPDATE deliveries " REDELIVERED "WHERE delivery_id = ?"};
const statement redeliver_failed{
    "UPDATE deliveries " REDELIVERED
    "WHERE (merchant_id, delivery_id) IN "
    "(SELECT merchant_id, delivery_id FROM deliveries INDEXED BY deliveries_by_status "
    "WHERE status = 'failed' AND destination_id = ? AND created_at >= ? AND created_at < ? LIMIT ?)",
    "UPDATE deliveries FORCE INDEX (deliveries_by_status) " REDELIVERED
    "WHERE status = 'failed' AND destination_id = ? AND created_at >= ? AND created_at < ? LIMIT ?"};
#undef REDELIVERED

#define PAYMENT                                                                                                 \
  "SELECT state, amount, currency, captured, refunded, flow, provider, account, hides_provider, provider_ref, " \
  "status, error, hosted_url, open_command, due_at, next_seq, created_at, updated_at, captured_at, details, "   \
  "customer, version"
const statement read_payment{PAYMENT " FROM payments WHERE merchant_id = ? AND environment = ? AND payment_id = ?"};

#define LISTED PAYMENT ", payment_id FROM "
// A page of a list of payments is read in the order of a named index, and no rows beyond the page are read. The page
// lies between two positions, which need not be those of payments.
#define OF_MERCHANT "WHERE merchant_id = ? AND environment = ? "
#define BETWEEN_POSITIONS                                       \
  "AND created_at <= ? AND (created_at < ? OR payment_id < ?) " \
  "AND created_at >= ? AND (created_at > ? OR payment_id > ?) "
#define IN_ORDER(direction) "ORDER BY created_at " direction ", payment_id " direction " LIMIT ?"
#define BY_AGE(index, direction) LISTED "payments " index " " OF_MERCHANT BETWEEN_POSITIONS IN_ORDER(direction)
#define EITHER_BY_AGE(direction) \
  {BY_AGE("INDEXED BY payments_by_age", direction), BY_AGE("FORCE INDEX (payments_by_age)", direction)}
const statement read_payments_by_age EITHER_BY_AGE("DESC");
const statement read_payments_by_age_back EITHER_BY_AGE("ASC");
#undef EITHER_BY_AGE
#undef BY_AGE
#define OF_RANGE OF_MERCHANT "AND state = ? AND currency = ? " BETWEEN_POSITIONS
#define ONE_RANGE(index, direction) LISTED "payments " index " " OF_RANGE IN_ORDER(direction)
#define EITHER_RANGE(direction) \
  {ONE_RANGE("INDEXED BY payments_by_state", direction), ONE_RANGE("FORCE INDEX (payments_by_state)", direction)}
const statement read_payments_of_range EITHER_RANGE("DESC");
const statement read_payments_of_range_back EITHER_RANGE("ASC");
#undef EITHER_RANGE
#undef ONE_RANGE
// Reads a page of index entries from each range, merges them into one page, and reads only the rows of that page.
#define KEYS(index, direction, name)                                                                                  \
  "SELECT * FROM (SELECT merchant_id AS m, environment AS e, created_at AS at, payment_id AS id FROM payments " index \
  " " OF_RANGE                                                                                                        \
  IN_ORDER(direction) ") AS " name " "
#define ALL_KEYS(index, direction) \
  KEYS(index, direction, "r1")     \
  "UNION ALL " KEYS(index, direction, "r2") "UNION ALL " KEYS(index, direction, "r3") \
  "UNION ALL " KEYS(index, direction, "r4") "UNION ALL " KEYS(index, direction, "r5") \
  "UNION ALL " KEYS(index, direction, "r6") "UNION ALL " KEYS(index, direction, "r7") \
  "UNION ALL " KEYS(index, direction, "r8") "ORDER BY at " direction ", id " direction " LIMIT ?"
#define RANGES(index, direction) \
  LISTED "(" ALL_KEYS(index, direction) ") AS chosen JOIN payments ON merchant_id = chosen.m AND " \
          "environment = chosen.e AND payment_id = chosen.id ORDER BY chosen.at " direction ", chosen.id " direction
#define EITHER_RANGES(direction) \
  {RANGES("INDEXED BY payments_by_state", direction), RANGES("FORCE INDEX (payments_by_state)", direction)}
const statement read_payments_of_ranges EITHER_RANGES("DESC");
const statement read_payments_of_ranges_back EITHER_RANGES("ASC");
#undef EITHER_RANGES
#undef RANGES
#undef ALL_KEYS
#undef KEYS
#undef OF_RANGE
#undef IN_ORDER
#undef BETWEEN_POSITIONS
// SQLite's partial index leaves out empty references; a statement can use it only if it excludes them, too.
#define BY_REF(index) LISTED "payments " index " " OF_MERCHANT "AND provider_ref = ? AND provider_ref <> '' LIMIT ?"
const statement read_payments_by_ref{BY_REF("INDEXED BY payments_by_provider_ref"),
                                     BY_REF("FORCE INDEX (payments_by_provider_ref)")};
#undef BY_REF
// For each merchant that is connected to the provider, one look-up in the index. The order of the join is prescribed to
// both databases, because there are many more payments than connections.
#define KEY_BY_REF(connections, join, payments)                                                      \
  "SELECT p.merchant_id, p.environment, p.payment_id FROM connections AS c " connections " " join    \
  " payments AS p " payments                                                                         \
  " ON p.merchant_id = c.merchant_id AND p.environment = c.environment AND p.provider = c.provider " \
  "WHERE c.provider = ? AND c.environment = ? AND p.provider_ref = ? AND p.provider_ref <> '' LIMIT 1"
const statement read_payment_key{
    KEY_BY_REF("INDEXED BY connections_by_provider", "CROSS JOIN", "INDEXED BY payments_by_provider_ref"),
    KEY_BY_REF("FORCE INDEX (connections_by_provider)", "STRAIGHT_JOIN", "FORCE INDEX (payments_by_provider_ref)")};
#undef KEY_BY_REF
#define NEXT(index) \
  "SELECT currency FROM payments " index " " OF_MERCHANT "AND state = ? AND currency > ? ORDER BY currency LIMIT 1"
const statement read_next_currency{NEXT("INDEXED BY payments_by_state"), NEXT("FORCE INDEX (payments_by_state)")};
#undef NEXT
#undef LISTED
#undef PAYMENT
// A sum is a DECIMAL on MySQL.
#define TOTALS(integer)                                                                         \
  "SELECT day, currency, what, CAST(SUM(counted) AS " integer "), CAST(SUM(amount) AS " integer \
  ") FROM daily_totals " OF_MERCHANT                                                            \
  "AND day >= ? AND day < ? GROUP BY day, currency, what ORDER BY day, currency, what"
const statement read_daily_totals{TOTALS("INTEGER"), TOTALS("SIGNED")};
#undef TOTALS

#define IN_TIME "AND occurred_at >= ? AND occurred_at < ? "
#define SUMS(day, integer)                                                           \
  "SELECT " day ", currency, provider, kind, COUNT(*), CAST(SUM(amount) AS " integer \
  ") FROM ledger " OF_MERCHANT IN_TIME "GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
const statement read_ledger_sums{SUMS("occurred_at / 86400000", "INTEGER"), SUMS("occurred_at DIV 86400000", "SIGNED")};
#undef SUMS
const statement read_next_ledger_merchant{
    "SELECT merchant_id FROM ledger WHERE merchant_id > ? ORDER BY merchant_id LIMIT 1"};
const statement read_ledger{
    "SELECT occurred_at, payment_id, seq, kind, amount, currency, customer_amount, provider_amount, merchant_amount, "
    "provider, account, payment_ref, movement_ref FROM ledger " OF_MERCHANT IN_TIME
    "AND (occurred_at > ? OR payment_id > ? OR (payment_id = ? AND seq > ?)) "
    "ORDER BY occurred_at, payment_id, seq LIMIT ?"};
#undef IN_TIME
#undef OF_MERCHANT

#define AUDIT(index, whose)                                                                                         \
  "SELECT user_id, occurred_at, audit_id, address, action, subject, merchant_id, environment FROM audit_log " index \
  " WHERE " whose                                                                                                   \
  " = ? AND occurred_at <= ? AND (occurred_at < ? OR audit_id < ?) "                                                \
  "ORDER BY occurred_at DESC, audit_id DESC LIMIT ?"
const statement read_audit_of_user{AUDIT("", "user_id")};
const statement read_audit_of_merchant{AUDIT("INDEXED BY audit_of_merchant", "merchant_id"),
                                       AUDIT("FORCE INDEX (audit_of_merchant)", "merchant_id")};
#undef AUDIT
const statement read_sessions_of{
    "SELECT session_hash, created_at, used_at, ends_at FROM sessions WHERE user_id = ? "
    "ORDER BY created_at DESC, session_hash"};

const statement read_command{
    "SELECT fingerprint, operation, subject_kind, subject_id, amount, reason, created_at, body, finished_at, status "
    "FROM commands WHERE merchant_id = ? AND environment = ? AND principal = ? AND idempotency_key = ?"};

const statement read_oldest_command{"SELECT MIN(created_at) FROM commands"};

const statement read_timeline{
    "SELECT seq, 0 AS is_event, operation AS what, status, error_code, message, occurred_at, '' AS event_id, '' AS "
    "data "
    "FROM attempts WHERE merchant_id = ? AND environment = ? AND subject_kind = ? AND subject_id = ? "
    "UNION ALL "
    "SELECT seq, 1, type, status, '', '', occurred_at, event_id, data "
    "FROM events WHERE merchant_id = ? AND environment = ? AND subject_kind = ? AND subject_id = ? ORDER BY seq"};

const statement read_due_payments{
    "SELECT merchant_id, environment, payment_id FROM payments WHERE due_at IS NOT NULL AND due_at <= ? ORDER BY "
    "due_at LIMIT ?"};

// For use while the clock may have jumped ahead: every open checkout would seem due, and would take places below the
// limit from operations that clients wait for.
const statement read_due_open_payments{
    "SELECT merchant_id, environment, payment_id FROM payments WHERE due_at <= ? AND due_at > ? AND "
    "open_command IS NOT NULL ORDER BY due_at LIMIT ?"};

const statement read_due_subscriptions{
    "SELECT merchant_id, environment, subscription_id FROM subscriptions WHERE due_at IS NOT NULL AND due_at <= ? "
    "ORDER BY due_at LIMIT ?"};
const statement read_due_open_subscriptions{
    "SELECT merchant_id, environment, subscription_id FROM subscriptions WHERE due_at <= ? AND due_at > ? AND "
    "open_operation = 1 ORDER BY due_at LIMIT ?"};
const statement read_due_enrollments{
    "SELECT merchant_id, environment, enrollment_id FROM enrollments WHERE due_at IS NOT NULL AND due_at <= ? "
    "ORDER BY due_at LIMIT ?"};
// Notifications belong to no merchant.
const statement read_due_notifications{
    "SELECT '' AS merchant_id, environment, notification_id FROM notifications "
    "WHERE due_at IS NOT NULL AND due_at <= ? ORDER BY due_at LIMIT ?"};

// The directory: the entries of one merchant or platform, and all platforms.
const statement read_merchant{
    "SELECT merchant_id, entity_id, name, entity_kind, owner_email, created_at FROM merchants WHERE merchant_id = ?"};
const statement read_api_keys_of{
    "SELECT merchant_id, key_id, environment, scopes, sealed_secret, created_at, revoked_at FROM api_keys "
    "WHERE merchant_id = ? ORDER BY key_id"};
const statement read_owner_of_key{"SELECT merchant_id FROM api_keys WHERE key_id = ?"};
#define PEOPLE "SELECT user_id, email, CASE WHEN password_hash = '' THEN 0 ELSE 1 END FROM people "
const statement read_people_of{
    PEOPLE "WHERE user_id IN (SELECT user_id FROM memberships WHERE merchant_id = ?) ORDER BY created_at, user_id"};
// A statement of its own, because MySQL reads every person for a UNION inside IN.
const statement read_invited_people_of{
    PEOPLE
    "WHERE user_id IN (SELECT user_id FROM invitations WHERE merchant_id = ?) "
    "AND NOT EXISTS (SELECT 1 FROM memberships AS m WHERE m.merchant_id = ? AND m.user_id = people.user_id) "
    "ORDER BY created_at, user_id"};
const statement read_user{PEOPLE "WHERE user_id = ?"};
const statement read_user_of_address{PEOPLE "WHERE email_key = ?"};
#undef PEOPLE
const statement read_memberships_of{
    "SELECT merchant_id, user_id, role, created_at FROM memberships WHERE merchant_id = ? "
    "ORDER BY created_at, user_id"};
#define INVITATION "i.merchant_id, i.user_id, i.invitation_id, i.made_by, i.role, i.created_at, i.expires_at"
const statement read_invitations_of{"SELECT " INVITATION
                                    " FROM invitations AS i WHERE i.merchant_id = ? ORDER BY i.created_at, i.user_id"};
// A row for each invitation, or one row whose last columns are null.
const statement read_invitations_of_user{
    "SELECT CASE WHEN p.password_hash = '' THEN 0 ELSE 1 END, p.password_shown_to, "
    "CASE WHEN EXISTS (SELECT 1 FROM memberships AS m WHERE m.user_id = p.user_id) THEN 1 ELSE 0 END, " INVITATION
    ", t.name FROM people AS p LEFT JOIN invitations AS i ON i.user_id = p.user_id "
    "LEFT JOIN merchants AS t ON t.merchant_id = i.merchant_id "
    "WHERE p.user_id = ? "
    "ORDER BY CASE WHEN i.made_by = 'operator' THEN 0 ELSE 1 END, i.expires_at DESC, i.merchant_id LIMIT ?"};
#undef INVITATION
const statement read_person{
    "SELECT p.user_id, p.email, p.password_hash, p.created_at, p.sealed_totp, p.totp_step, "
    "(SELECT COUNT(*) FROM recovery_codes AS r WHERE r.user_id = p.user_id AND r.spent_at IS NULL), p.time_zone "
    "FROM people AS p WHERE p.email_key = ?"};
const statement read_spent_token{"SELECT spent_at FROM setup_tokens WHERE merchant_id = ? AND token_id = ?"};
// A row for each membership, or one row whose last columns are null.
const statement read_session{
    "SELECT s.user_id, p.email, s.created_at, s.used_at, s.ends_at, p.time_zone, "
    "CASE WHEN p.sealed_totp = '' THEN 0 ELSE 1 END, m.merchant_id, t.name, m.role "
    "FROM sessions AS s JOIN people AS p ON p.user_id = s.user_id "
    "LEFT JOIN memberships AS m ON m.user_id = s.user_id LEFT JOIN merchants AS t ON t.merchant_id = m.merchant_id "
    "WHERE s.session_hash = ? ORDER BY t.name, m.merchant_id"};
#define PLATFORMS "SELECT platform_id, slug, name, contact, status, redirect_uris, return_origins FROM platforms "
const statement read_platforms{PLATFORMS "ORDER BY created_at, platform_id"};
const statement read_platform{PLATFORMS "WHERE platform_id = ?"};
#undef PLATFORMS
#define KEYS "SELECT platform_id, key_id, scopes, sealed_secret, created_at, revoked_at FROM platform_keys "
const statement read_platform_keys{KEYS "ORDER BY platform_id, key_id"};
const statement read_platform_keys_of{KEYS "WHERE platform_id = ? ORDER BY key_id"};
#undef KEYS

const statement read_binding{
    "SELECT grant_id, scopes, given_by, granted_at, revoked_at, revoke_reason, codes, version FROM grants "
    "WHERE merchant_id = ? AND environment = ? AND platform_id = ?"};
#define CUSTOMER                                                                                                      \
  "SELECT environment, customer_id, platform_id, customer_ref, provider, provider_customer_id, methods, created_at, " \
  "account, other_names, version FROM customers WHERE merchant_id = ? AND environment = ? AND "
const statement read_customer{CUSTOMER "customer_id = ?"};
const statement read_customers{CUSTOMER "customer_id > ? ORDER BY customer_id LIMIT ?"};
#undef CUSTOMER
#define SUBSCRIPTION                                                                               \
  "SELECT environment, subscription_id, platform_id, provider, provider_subscription_id, status, " \
  "open_operation, due_at, document, version FROM subscriptions WHERE merchant_id = ? AND environment = ? AND "
const statement read_subscription{SUBSCRIPTION "subscription_id = ?"};
const statement read_subscriptions{SUBSCRIPTION "subscription_id > ? ORDER BY subscription_id LIMIT ?"};
#undef SUBSCRIPTION
#define KEYS_BY(column)                                                               \
  "SELECT merchant_id, environment, subscription_id FROM subscriptions WHERE " column \
  " = ? "                                                                             \
  "ORDER BY merchant_id, environment, subscription_id LIMIT ?"
const statement read_subscription_keys_by_id{KEYS_BY("subscription_id")};
const statement read_subscription_keys_by_provider_id{KEYS_BY("provider_subscription_id")};
#undef KEYS_BY
const statement read_enrollment{
    "SELECT due_at, document, version FROM enrollments WHERE merchant_id = ? AND environment = ? AND "
    "enrollment_id = ?"};
#define NOTIFICATION(body)                                                              \
  "SELECT environment, notification_id, provider, event_id, event_type, account, " body \
  ", state, about, attempts, received_at, settled_at, due_at, version FROM notifications "
const statement read_notification{NOTIFICATION("body") "WHERE environment = ? AND notification_id = ?"};
// Lists omit the bodies. The index is named so that a page is read in its order.
#define LISTED(index, which)                                                                           \
  NOTIFICATION("''")                                                                                   \
  index " WHERE " which                                                                                \
        "received_at <= ? AND (received_at < ? OR notification_id < ?) AND environment IN (?, ?) AND " \
        "(? = '' OR provider = ?) ORDER BY received_at DESC, notification_id DESC LIMIT ?"
#define EITHER(name, which) {LISTED("INDEXED BY " name, which), LISTED("FORCE INDEX (" name ")", which)}
const statement read_notifications EITHER("notifications_by_age", "");
const statement read_notifications_of_state EITHER("notifications_by_state", "state = ? AND ");
#undef EITHER
#undef LISTED
#undef NOTIFICATION
const statement read_bindings_of{
    "SELECT merchant_id, environment, platform_id, scopes, revoked_at, version FROM grants WHERE merchant_id = ? "
    "ORDER BY environment, platform_id"};
const statement read_binding_of_grant{
    "SELECT merchant_id, environment, platform_id, 0 AS is_past FROM grants WHERE grant_id = ? "
    "UNION ALL SELECT merchant_id, environment, platform_id, 1 FROM past_grants WHERE grant_id = ? ORDER BY is_past"};

// Each half reads only its page, in the order of its index. The indexes are named because the planner may otherwise
// read all grants of a platform to find one merchant's, or sort all grants. For the lists of a merchant, the + makes
// SQLite use the primary key, which finds the merchant's few rows.
#define GRANT \
  "merchant_id, environment, platform_id, grant_id, scopes, given_by, granted_at, revoked_at, revoke_reason "
#define HALF(table, index, which, at)                                                        \
  "SELECT * FROM (SELECT " GRANT "FROM " table " " index " WHERE " which at " <= ? AND (" at \
  " < ? OR grant_id < ?) "                                                                   \
  "ORDER BY " at " DESC, grant_id DESC LIMIT ?) AS of_" table " "
#define NEWEST_FIRST "ORDER BY granted_at DESC, grant_id DESC LIMIT ?"
#define BOTH_HALVES(index, past_index, which, at) \
  HALF("grants", index, which, at) "UNION ALL " HALF("past_grants", past_index, which, at) NEWEST_FIRST
#define BY_INDEX(name, which)                                                                   \
  {BOTH_HALVES("INDEXED BY grants_" name, "INDEXED BY past_grants_" name, which, "granted_at"), \
   BOTH_HALVES("FORCE INDEX (grants_" name ")", "FORCE INDEX (past_grants_" name ")", which, "granted_at")}
#define BY_MERCHANT(which)                    \
  {BOTH_HALVES("", "", which, "+granted_at"), \
   BOTH_HALVES("FORCE INDEX (PRIMARY)", "FORCE INDEX (PRIMARY)", which, "granted_at")}
const statement read_grants BY_INDEX("by_age", "");
const statement read_grants_of_platform BY_INDEX("of_platform", "platform_id = ? AND ");
const statement read_grants_of_merchant BY_MERCHANT("merchant_id = ? AND ");
const statement read_grants_of_both BY_MERCHANT("merchant_id = ? AND +platform_id = ? AND ");
#undef BY_MERCHANT
#undef BY_INDEX
#undef BOTH_HALVES
#undef NEWEST_FIRST
#undef HALF
#undef GRANT
const statement read_connections_of{
    "SELECT merchant_id, environment, provider, connection_id, status, account FROM connections WHERE merchant_id = ? "
    "ORDER BY environment, provider"};
// The index on the account is named because few merchants share an account, and a provider has many.
#define WITH_ACCOUNT(index)                                                                           \
  "SELECT merchant_id, environment, provider, connection_id, status, account FROM connections " index \
  " WHERE account = ? AND provider = ? AND environment = ? ORDER BY merchant_id LIMIT ?"
const statement read_connections_with{WITH_ACCOUNT("INDEXED BY connections_by_account"),
                                      WITH_ACCOUNT("FORCE INDEX (connections_by_account)")};
#undef WITH_ACCOUNT
const statement read_routes_of{
    "SELECT merchant_id, environment, provider, route_id, position, currencies, methods FROM routes "
    "WHERE merchant_id = ? ORDER BY environment, position, provider"};
#define DESTINATION                                                                                            \
  "SELECT d.owner_id, d.destination_id, d.kind, d.environment, d.url, d.events, d.status, d.disabled_reason, " \
  "d.sealed_secret, d.sealed_previous, d.previous_until, d.created_at FROM "
const statement read_destinations_of{DESTINATION "destinations AS d WHERE d.owner_id = ? ORDER BY d.destination_id"};
const statement read_destinations_of_platforms{DESTINATION
                                               "platforms AS p JOIN destinations AS d ON d.owner_id = p.platform_id "
                                               "ORDER BY d.owner_id, d.destination_id"};
const statement list_destinations{DESTINATION
                                  "destinations AS d WHERE d.environment IN (?, ?) "
                                  "ORDER BY d.owner_id, d.destination_id LIMIT ?"};
const statement list_destinations_of{DESTINATION
                                     "destinations AS d WHERE d.environment IN (?, ?) AND d.owner_id = ? "
                                     "ORDER BY d.owner_id, d.destination_id LIMIT ?"};
#undef DESTINATION
#define COUNTED "SELECT COUNT(*) FROM destinations WHERE environment IN (?, ?)"
const statement count_destinations{COUNTED};
const statement count_destinations_of{COUNTED " AND owner_id = ?"};
#undef COUNTED
const statement read_owner_of_destination{"SELECT owner_id FROM destinations WHERE destination_id = ?"};
#define PROVIDERS "SELECT provider, environment, sealed_settings, changed_at FROM providers "
const statement read_providers{PROVIDERS "ORDER BY provider, environment"};
const statement read_provider{PROVIDERS "WHERE provider = ? ORDER BY environment"};
#undef PROVIDERS

// ---- several nodes ------------------------------------------------------------------------------

// A transaction makes its other changes first, because it holds the lock on this row until its end.
const statement take_turn{"UPDATE directory_head SET turn = turn + 1 WHERE id = 1 AND turn = ?"};
const statement raise_number{"UPDATE directory_head SET number = number + 1 WHERE id = 1"};
const statement log_change{"INSERT INTO directory_log (number, kind, id) SELECT number, ?, ? FROM directory_head"};
const statement read_head{"SELECT number, turn FROM directory_head"};
const statement read_log{"SELECT number, kind, id FROM directory_log WHERE number > ? ORDER BY number LIMIT ?"};
const statement trim_log{"DELETE FROM directory_log WHERE number < ?"};

#define NOW "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)"
const statement read_nodes{
    "SELECT name, incarnation, address, status, asked_to_drain, beats, published, yielded, payments, last_seen FROM "
    "nodes ORDER BY name"};
const statement insert_node{
    "INSERT INTO nodes (name, incarnation, address, status, asked_to_drain, beats, published, yielded, payments, "
    "last_seen) VALUES (?, ?, ?, 'joining', 0, 1, -1, -1, 0, " NOW ")"};
const statement take_name{
    "UPDATE nodes SET incarnation = ?, address = ?, status = 'joining', asked_to_drain = 0, beats = beats + 1, "
    "published = -1, yielded = -1, payments = 0, last_seen = " NOW " WHERE name = ? AND incarnation = ? AND beats = ?"};
const statement renew_lease{
    "UPDATE nodes SET status = ?, beats = beats + 1, published = ?, yielded = ?, payments = ?, last_seen = " NOW
    " WHERE name = ? AND incarnation = ?"};
const statement give_up_node{
    "UPDATE nodes SET status = 'gone' WHERE name = ? AND incarnation = ? AND beats = ? AND status <> 'gone'"};
const statement leave{"UPDATE nodes SET status = 'gone', beats = beats + 1 WHERE name = ? AND incarnation = ?"};
const statement ask_to_drain{"UPDATE nodes SET asked_to_drain = 1 WHERE name = ? AND status <> 'gone'"};
const statement is_locked_by_one{"SELECT IS_FREE_LOCK(CONCAT('gateway-database:', MD5(DATABASE())))"};
#undef NOW

// An outer join, so that a delivery without its event is read and reported as corrupt.
#define ROW_AND_EVENT                                                                                                 \
  "SELECT d.merchant_id, d.environment, d.subject_kind, d.subject_id, d.event_seq, d.delivery_id, d.destination_id, " \
  "d.created_at, "                                                                                                    \
  "d.status, "                                                                                                        \
  "d.attempts, d.round_from, d.next_attempt_at, d.last_at, d.last_result, d.last_status, d.last_took_ms, "            \
  "d.last_excerpt, "                                                                                                  \
  "d.version, d.is_partial, e.event_id, e.type, e.occurred_at, "
#define JOB ROW_AND_EVENT "e.data, 0 "
// An event's data may be large: lists omit it, and a read of due deliveries omits data above a size, which is read when
// it is sent.
#define LISTED ROW_AND_EVENT "'', 0 "
#define UP_TO(bytes)                                                                                            \
  ROW_AND_EVENT "CASE WHEN " bytes " <= ? THEN e.data ELSE '' END, CASE WHEN " bytes " <= ? THEN 0 ELSE " bytes \
                " END"                                                                                          \
                " "
#define ITS_EVENT                                                                                                  \
  "LEFT JOIN events AS e ON e.merchant_id = d.merchant_id AND e.environment = d.environment AND e.subject_kind = " \
  "d.subject_kind AND e.subject_id = d.subject_id AND e.seq = d.event_seq "
// The index is named because the planner may otherwise read all deliveries ever made: neither database has statistics
// that show how few rows are pending.
#define DUE \
  "WHERE d.status = 'pending' AND d.destination_id = ? AND d.next_attempt_at <= ? ORDER BY d.next_attempt_at LIMIT ?"
const statement read_due_deliveries{
    UP_TO("LENGTH(CAST(e.data AS BLOB))") "FROM deliveries AS d INDEXED BY deliveries_by_status " ITS_EVENT DUE,
    UP_TO("LENGTH(e.data)") "FROM deliveries AS d FORCE INDEX (deliveries_by_status) " ITS_EVENT DUE};
#undef UP_TO
#undef DUE
#define LATER "WHERE status = 'pending' AND destination_id = ? AND next_attempt_at > ?"
const statement read_next_due{"SELECT MIN(next_attempt_at) FROM deliveries INDEXED BY deliveries_by_status " LATER,
                              "SELECT MIN(next_attempt_at) FROM deliveries FORCE INDEX (deliveries_by_status) " LATER};
#undef LATER

// All columns are in the index, so the rows are not read.
#define BACKLOG "SELECT destination_id, COUNT(*), MIN(next_attempt_at), MIN(delivery_id) FROM deliveries "
#define PENDING "WHERE status = 'pending' GROUP BY destination_id ORDER BY destination_id"
const statement read_backlog{BACKLOG "INDEXED BY deliveries_by_status " PENDING,
                             BACKLOG "FORCE INDEX (deliveries_by_status) " PENDING};
#undef PENDING
// Reads the rows of the newest deliveries only, most of which are done.
#define PENDING "WHERE delivery_id >= ? AND status = 'pending' GROUP BY destination_id ORDER BY destination_id"
const statement read_fresh_backlog{BACKLOG "INDEXED BY deliveries_by_number " PENDING,
                                   BACKLOG "FORCE INDEX (deliveries_by_number) " PENDING};
#undef PENDING
#undef BACKLOG

#define COUNTED "WHERE status = ? AND destination_id = ? LIMIT ?) AS counted"
const statement count_deliveries_to{
    "SELECT COUNT(*) FROM (SELECT 1 FROM deliveries INDEXED BY deliveries_by_status " COUNTED,
    "SELECT COUNT(*) FROM (SELECT 1 FROM deliveries FORCE INDEX (deliveries_by_status) " COUNTED};
#undef COUNTED

const statement read_delivery{JOB "FROM deliveries AS d " ITS_EVENT "WHERE d.delivery_id = ?"};
// Reads in descending order of the numbers until the page is full.
const statement read_deliveries{LISTED "FROM deliveries AS d INDEXED BY deliveries_by_number " ITS_EVENT
                                       "WHERE d.delivery_id < ? ORDER BY d.delivery_id DESC LIMIT ?",
                                LISTED "FROM deliveries AS d FORCE INDEX (deliveries_by_number) " ITS_EVENT
                                       "WHERE d.delivery_id < ? ORDER BY d.delivery_id DESC LIMIT ?"};
// Deliveries with a status, or to a destination: the numbers of the page are found in the index, and only their rows
// are read.
#define CHOSEN(index, which)                                                                                     \
  LISTED                                                                                                         \
  "FROM (SELECT merchant_id, delivery_id FROM deliveries " index " WHERE " which                                 \
  " AND delivery_id < ? ORDER BY delivery_id DESC LIMIT ?) AS chosen "                                           \
  "JOIN deliveries AS d ON d.merchant_id = chosen.merchant_id AND d.delivery_id = chosen.delivery_id " ITS_EVENT \
  "ORDER BY d.delivery_id DESC"
#define EITHER_CHOSEN(which) \
  {CHOSEN("INDEXED BY deliveries_by_status", which), CHOSEN("FORCE INDEX (deliveries_by_status)", which)}
const statement read_deliveries_of_status EITHER_CHOSEN("status = ?");
const statement read_deliveries_to EITHER_CHOSEN("status IN (?, ?, ?) AND destination_id = ?");
#undef EITHER_CHOSEN
#undef CHOSEN
#define OF_SUBJECT                                                                                                   \
  "WHERE d.merchant_id = ? AND d.subject_id = ? AND d.environment = ? AND d.subject_kind = ? AND d.delivery_id < ? " \
  "ORDER BY d.delivery_id DESC LIMIT ?"
const statement read_deliveries_of_subject{
    LISTED "FROM deliveries AS d INDEXED BY deliveries_of_subject " ITS_EVENT OF_SUBJECT,
    LISTED "FROM deliveries AS d FORCE INDEX (deliveries_of_subject) " ITS_EVENT OF_SUBJECT};
#undef OF_SUBJECT
#undef ITS_EVENT
#undef JOB
#undef LISTED
#undef ROW_AND_EVENT
const statement read_delivery_destination{"SELECT destination_id FROM deliveries WHERE delivery_id = ?"};

#define EVENT                                                                                          \
  "SELECT merchant_id, environment, subject_kind, subject_id, seq, event_id, type, occurred_at, data " \
  "FROM events WHERE merchant_id = ? "
#define NEWEST_FIRST                                                                                               \
  "AND occurred_at < ? ORDER BY occurred_at DESC, environment DESC, subject_kind DESC, subject_id DESC, seq DESC " \
  "LIMIT ?"
const statement read_events{EVENT "AND environment IN (?, ?) " NEWEST_FIRST};
// The + keeps SQLite from using the index on the time: an entity has few events, which are adjacent in the primary key.
const statement read_events_of_subject{EVENT
                                       "AND environment IN (?, ?) AND subject_kind = ? AND subject_id = ? "
                                       "AND +occurred_at < ? "
                                       "ORDER BY +occurred_at DESC, environment DESC, seq DESC LIMIT ?"};
#undef NEWEST_FIRST
#undef EVENT

const statement read_meta{"SELECT value FROM meta WHERE name = ?"};
const statement read_migrations{"SELECT version FROM schema_migrations ORDER BY version"};

}  // namespace gateway::persistence::statements
