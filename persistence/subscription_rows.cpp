// The rows of subscriptions and of the sandbox's side of them.
#include "persistence/row_cursor.hpp"
#include "persistence/subscription_document.hpp"

namespace gateway::persistence {

void subscription_row(row_buffer& rows, const subscription& s) {
  add_key(rows, s.key).add(s.platform.value).add(to_string(s.provider)).add(s.provider_subscription_id);
  rows.add(to_string(s.state.status)).add(std::int64_t{s.open.has_value()}).add(s.due_at);
  rows.keep(document_of(s)).add(s.version);
}

void enrollment_row(row_buffer& rows, const sandbox_enrollment& e) {
  add_key(rows, e.key).add(e.due_at).keep(document_of(e)).add(e.version);
}

void insert_counted_event_row(row_buffer& rows, const counted_event& e) {
  rows.add(e.merchant.value).add(to_string(e.env)).add(e.event_id);
}

subscription subscription_from(const result_row& row, const merchant_id& merchant) {
  cursor in{row};
  subscription s;
  s.key.merchant = merchant;
  s.key.env = in.named(parse_environment, "environment");
  s.key.kind = entity_kind::subscription;
  s.key.id = in.text();
  s.platform = platform_id{in.text()};
  s.provider = in.named(parse_provider_kind, "provider");
  s.provider_subscription_id = in.text();
  const auto status = in.named(parse_subscription_status, "subscription status");
  const bool open = in.flag("open_operation");
  s.due_at = in.optional_time();
  read_document(s, in.text());
  s.version = in.number("version", 1);
  // These two columns are only searched; the values are read from the document.
  if (s.state.status != status || s.open.has_value() != open)
    throw corrupt_row("a subscription's columns contradict its document");
  if (s.open && (s.open->claim < 0 || s.open->claim > s.version)) throw corrupt_row("an operation out of bounds");
  return s;
}

sandbox_enrollment enrollment_from(const result_row& row, const entity_key& key) {
  cursor in{row};
  sandbox_enrollment e;
  e.key = key;
  e.due_at = in.optional_time();
  read_document(e, in.text());
  e.version = in.number("version", 1);
  return e;
}

}  // namespace gateway::persistence
