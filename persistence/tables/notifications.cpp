// Notifications belong to no merchant: a row stores none, and the merchant in its key is empty.
#include "gateway/base/log.hpp"
#include "gateway/domain/erasure.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Notification>
void notification_columns(Columns& v, Notification& n) {
  v.key("environment", n.key.env);
  v.key("notification_id", n.key.id);
  v.fixed("provider", n.provider);
  v.fixed("event_id", n.event_id);
  v.fixed("event_type", n.type);
  v.fixed("account", n.account);
  v.fixed("body", n.body);
  v("state", n.state);
  v("about", n.about);
  v("attempts", n.attempts);
  v.fixed("received_at", n.received_at);
  v("settled_at", n.settled_at);
  v("due_at", n.due_at);
  v("version", n.version, 1);
}

const table_columns notifications_table{"notifications", [](column_names& v) {
                                          const notification any{};
                                          notification_columns(v, any);
                                        }};

/// Lists omit the bodies.
statement listed_notifications(std::string_view from) {
  auto columns = notifications_table.selected();
  constexpr std::string_view body = " body,";
  columns.replace(columns.find(body), body.size(), " '',");
  return sql("SELECT " + columns + " FROM notifications " + std::string{from});
}

}  // namespace

namespace statements {

const write_shape insert_notification = notifications_table.insert();
const write_shape update_notification = notifications_table.update();

const statement read_notification =
    sql("SELECT {columns} FROM notifications WHERE environment = ? AND notification_id = ?", notifications_table);

// The index is named so that a page is read in its order.
const statement read_notifications = listed_notifications(R"sql(
  {by notifications_by_age} WHERE received_at <= ? AND (received_at < ? OR notification_id < ?)
  AND environment IN (?, ?) AND (? = '' OR provider = ?) ORDER BY received_at DESC, notification_id DESC LIMIT ?
)sql");
const statement read_notifications_of_state = listed_notifications(R"sql(
  {by notifications_by_state} WHERE state = ? AND received_at <= ? AND (received_at < ? OR notification_id < ?)
  AND environment IN (?, ?) AND (? = '' OR provider = ?) ORDER BY received_at DESC, notification_id DESC LIMIT ?
)sql");

// Notifications belong to no merchant.
const statement read_due_notifications = sql(R"sql(
  SELECT '' AS merchant_id, environment, notification_id FROM notifications
  WHERE due_at IS NOT NULL AND due_at <= ? ORDER BY due_at LIMIT ?
)sql");

// Reads all notifications of the environment: only erasure uses it.
const statement read_notifications_about = sql(R"sql(
  SELECT {columns} FROM notifications WHERE environment = ? AND (about = ? OR (? <> '' AND INSTR(body, ?) > 0))
  ORDER BY received_at, notification_id
)sql",
                                               notifications_table);

// As purge_commands: the index is named, and each database finds the rows in its own way.
const statement purge_notifications = sql(R"sql(
  DELETE FROM notifications WHERE rowid IN (
    SELECT rowid FROM notifications {by notifications_settled} WHERE settled_at < ? ORDER BY settled_at LIMIT ?)
)sql",
                                          R"sql(
  DELETE n FROM (
    SELECT environment, notification_id FROM notifications {by notifications_settled}
    WHERE settled_at < ? ORDER BY settled_at LIMIT ?) AS old
  STRAIGHT_JOIN notifications AS n ON n.environment = old.environment AND n.notification_id = old.notification_id
)sql");

}  // namespace statements

void insert_row(gathered_rows& rows, const notification_ptr& n) {
  column_writer v{rows.add_to(row_kind::notification)};
  notification_columns(v, *n);
}

void claim_row(gathered_rows& rows, const notification_ptr& n) {
  column_writer v{rows.add_to(row_kind::notification_claim), column_writer::cells::of_change};
  notification_columns(v, *n);
}

std::size_t row_bytes(const notification_ptr& n) { return 1024 + n->body.size() + n->about.size(); }

notification notification_from(const result_row& row) {
  column_reader v{row};
  notification n;
  notification_columns(v, n);
  const auto id = std::move(n.key.id);
  n.key = notification_key(n.provider, n.key.env, n.event_id);
  if (n.key.id != id) throw corrupt_row("a notification's id contradicts its event's");
  // A notification has due_at exactly while it waits, and settled_at exactly when it does not.
  const bool waits = n.state == notification_state::waiting;
  if (n.due_at.has_value() != waits || n.settled_at.has_value() == waits)
    throw corrupt_row("a notification's times contradict its state");
  return n;
}

std::optional<entity_row> read_notification_row(db_connection& db, const entity_key& key) {
  const cell of[] = {to_string(key.env), std::string_view{key.id}};
  std::optional<entity_row> found;
  db.read(statements::read_notification, of,
          [&](const result_row& row) { found = std::make_shared<const notification>(notification_from(row)); });
  return found;
}

notifications_lookup run(db_connection& db, const find_notifications& what) {
  std::vector<cell> parameters;
  if (what.state) parameters.emplace_back(to_string(*what.state));
  const auto before = bound(what.before, no_bound);
  const auto provider = what.provider ? to_string(*what.provider) : std::string_view{};
  parameters.insert(parameters.end(), {before, before, std::string_view{what.before_id}});
  parameters.insert(parameters.end(), {to_string(what.env.value_or(environment::test)),
                                       to_string(what.env.value_or(environment::live)), provider, provider});
  parameters.emplace_back(std::int64_t{what.limit});
  notifications_lookup answer;
  db.read(what.state ? statements::read_notifications_of_state : statements::read_notifications, parameters,
          [&](const result_row& row) {
            try {
              answer.notifications.push_back(std::make_shared<const notification>(notification_from(row)));
            } catch (const corrupt_row& error) {
              log::error("store.corrupt_row", {{"why", error.what()}});  // the other rows of the list are still shown
            }
          });
  return answer;
}

std::vector<notification_ptr> read_notifications_about(db_connection& db, const entity_key& what,
                                                       std::string_view reference) {
  const auto about = in_words_of(what);
  const cell parameters[] = {to_string(what.env), std::string_view{about}, reference, reference};
  std::vector<notification_ptr> found;
  db.read(statements::read_notifications_about, parameters, [&](const result_row& row) {
    auto one = notification_from(row);
    if (one.about != about && !names_reference(one.body, reference)) return;
    found.push_back(std::make_shared<const notification>(std::move(one)));
  });
  return found;
}

}  // namespace gateway::persistence
