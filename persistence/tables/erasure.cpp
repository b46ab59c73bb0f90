// The erasure of personal data: replaces texts that no other unit of work changes.
#include "gateway/domain/erasure.hpp"
#include "persistence/tables/json_columns.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace statements {

const statement replace_details =
    sql("UPDATE payments SET details = ? WHERE merchant_id = ? AND environment = ? AND payment_id = ?");
const statement replace_event_data = sql(R"sql(
  UPDATE events SET data = ?
  WHERE merchant_id = ? AND environment = ? AND subject_kind = ? AND subject_id = ? AND seq = ?
)sql");
const statement replace_attempt_message = sql(R"sql(
  UPDATE attempts SET message = ?
  WHERE merchant_id = ? AND environment = ? AND subject_kind = ? AND subject_id = ? AND seq = ?
)sql");
const statement replace_answer = sql(R"sql(
  UPDATE commands SET body = ?, reason = ''
  WHERE merchant_id = ? AND environment = ? AND principal = ? AND idempotency_key = ? AND status IS NOT NULL
)sql");
const statement replace_notification_body =
    sql("UPDATE notifications SET body = ? WHERE environment = ? AND notification_id = ?");
// An entry whose subject is the payment's id alone contains no text by an operator. An erased entry still matches its
// hash (base/audit_chain.hpp).
const statement replace_audit_texts = sql(R"sql(
  UPDATE audit_log SET subject = '', before_state = NULL, after_state = NULL, details_salt = ''
  WHERE merchant_id = ? AND environment = ? AND SUBSTR(subject, 1, ?) = ?
)sql");

}  // namespace statements

void claim_row(gathered_rows& rows, const replace_text& r) {
  const auto entry_of = [&r](row_buffer& to) {
    to.add(r.text).add(r.of.merchant.value).add(to_string(r.of.env)).add(to_string(r.of.kind)).add(r.of.id);
    to.add(std::int64_t{r.seq});
  };
  switch (r.in) {
    case erased_column::event_data: return entry_of(rows.add_to(row_kind::event_data_replacement));
    case erased_column::attempt_message: return entry_of(rows.add_to(row_kind::attempt_message_replacement));
    case erased_column::answer:
      rows.add_to(row_kind::answer_replacement)
          .add(r.text)
          .add(r.of.merchant.value)
          .add(to_string(r.of.env))
          .add(r.principal)
          .add(r.command);
      return;
    case erased_column::notification_body:
      rows.add_to(row_kind::notification_body_replacement).add(r.text).add(to_string(r.of.env)).add(r.of.id);
      return;
    case erased_column::audit_texts: {
      auto subject = r.of.id + ": ";
      const auto length = static_cast<std::int64_t>(subject.size());
      rows.add_to(row_kind::audit_texts_replacement)
          .add(r.of.merchant.value)
          .add(to_string(r.of.env))
          .add(length)
          .keep(std::move(subject));
      return;
    }
  }
}

void claim_row(gathered_rows& rows, const replace_details& r) {
  const auto& key = r.of->key;
  rows.add_to(row_kind::details_replacement)
      .keep(to_json(r.of->details))
      .add(key.merchant.value)
      .add(to_string(key.env))
      .add(key.id);
}

/// The same for all texts of an entity, so that two erasures of it are written one after the other.
std::size_t row_hash(const replace_text& r) {
  return r.in == erased_column::answer ? hash_of_texts({r.principal, r.command}) : hash_of_texts({"erasure", r.of.id});
}
std::size_t row_hash(const replace_details& r) { return hash_of_texts({"erasure", r.of->key.id}); }
std::size_t row_bytes(const replace_text& r) { return 256 + r.text.size(); }
std::size_t row_bytes(const replace_details& r) { return row_bytes(r.of); }

personal_texts run(db_connection& db, const find_personal_texts& what) {
  return {read_commands_of(db, what.of), read_notifications_about(db, what.of, what.reference)};
}

}  // namespace gateway::persistence
