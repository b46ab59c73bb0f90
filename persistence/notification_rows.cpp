// The rows of notifications. They belong to no merchant: a row stores none, and the merchant in its key is empty.
#include "persistence/row_cursor.hpp"

namespace gateway::persistence {

void insert_notification_row(row_buffer& rows, const notification& n) {
  rows.add(to_string(n.key.env)).add(n.key.id).add(to_string(n.provider)).add(n.event_id).add(n.type);
  rows.add(n.account).add(n.body).add(to_string(n.state)).add(n.about).add(std::int64_t{n.attempts});
  rows.add(n.received_at).add(n.settled_at).add(n.due_at).add(n.version);
}

void update_notification_row(row_buffer& rows, const notification& n) {
  rows.add(to_string(n.key.env)).add(n.key.id).add(to_string(n.state)).add(n.about).add(std::int64_t{n.attempts});
  rows.add(n.settled_at).add(n.due_at).add(n.version);
}

notification notification_from(const result_row& row) {
  cursor in{row};
  notification n;
  const auto env = in.named(parse_environment, "environment");
  const auto id = in.text();
  n.provider = in.named(parse_provider_kind, "provider");
  n.event_id = in.text();
  n.key = notification_key(n.provider, env, n.event_id);
  n.type = in.text();
  n.account = in.text();
  n.body = in.text();
  n.state = in.named(parse_notification_state, "state of a notification");
  n.about = in.text();
  n.attempts = in.number<unsigned>("attempts");
  n.received_at = in.time();
  n.settled_at = in.optional_time();
  n.due_at = in.optional_time();
  n.version = in.number("version", 1);
  if (n.key.id != id) throw corrupt_row("a notification's id contradicts its event's");
  // A notification has due_at exactly while it waits, and settled_at exactly when it does not.
  const bool waits = n.state == notification_state::waiting;
  if (n.due_at.has_value() != waits || n.settled_at.has_value() == waits)
    throw corrupt_row("a notification's times contradict its state");
  return n;
}

}  // namespace gateway::persistence
