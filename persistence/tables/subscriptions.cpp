// Subscriptions, the sandbox's side of them (enrollments), and the counted events.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/base/log.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/subscription_document.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

/// The document: everything that has no column of its own.
template <class Row>
struct stored_document {
  Row& row;
};
template <class Row>
stored_document(Row&) -> stored_document<Row>;
template <class Row>
void put(row_buffer& to, const stored_document<Row>& value) {
  to.keep(document_of(value.row));
}
template <class Row>
void get(cursor& in, const stored_document<Row>& value, const char*) {
  read_document(value.row, in.text());
}

/// A text of the document that is also a column, for lists. Null in rows that are older than the column.
template <class Text>
struct listed_text {
  Text& text;
};
template <class Text>
listed_text(Text&) -> listed_text<Text>;
template <class Text>
void put(row_buffer& to, const listed_text<Text>& value) {
  to.add(value.text);
}
template <class Text>
void get(cursor& in, const listed_text<Text>&, const char*) {
  if (!in.skip_null()) static_cast<void>(in.text());
}

template <class Columns, class Subscription>
void subscription_columns(Columns& v, Subscription& s) {
  // These are only searched; a read takes the values from the document.
  auto status = s.state.status;
  bool is_open = s.open.has_value();
  std::optional<time_point> listed_at = s.created_at;
  v.given("merchant_id", s.key.merchant);
  v.key("environment", s.key.env);
  v.key("subscription_id", s.key.id);
  v("platform_id", s.platform);
  v("provider", s.provider);
  v("provider_subscription_id", s.provider_subscription_id);
  v("status", status);
  v("open_operation", is_open);
  v("due_at", s.due_at);
  v("document", stored_document{s});
  v("created_at", listed_at);
  v("customer_ref", listed_text{s.details.customer_ref});
  v("version", s.version, 1);
  v.must(s.state.status == status && s.open.has_value() == is_open && (!listed_at || *listed_at == s.created_at),
         "a subscription's columns contradict its document");
}

template <class Columns, class Enrollment>
void enrollment_columns(Columns& v, Enrollment& e) {
  v.given("merchant_id", e.key.merchant);
  v.given("environment", e.key.env);
  v.given("enrollment_id", e.key.id);
  v("due_at", e.due_at);
  v("document", stored_document{e});
  v("version", e.version, 1);
}

template <class Columns, class Event>
void counted_event_columns(Columns& v, Event& e) {
  v.given("merchant_id", e.merchant);
  v.given("environment", e.env);
  v.given("event_id", e.event_id);
}

const table_columns subscriptions_table{"subscriptions", [](column_names& v) {
                                          const subscription any{};
                                          subscription_columns(v, any);
                                        }};
const table_columns enrollments_table{"enrollments", [](column_names& v) {
                                        const sandbox_enrollment any{};
                                        enrollment_columns(v, any);
                                      }};
const table_columns counted_events_table{"counted_events", [](column_names& v) {
                                           const counted_event any{};
                                           counted_event_columns(v, any);
                                         }};

}  // namespace

namespace statements {

const write_shape insert_subscription = subscriptions_table.insert();
const write_shape update_subscription = subscriptions_table.update();
const write_shape insert_enrollment = enrollments_table.insert();
const write_shape update_enrollment = enrollments_table.update();
const write_shape insert_counted_event = counted_events_table.insert();

const statement read_subscription =
    sql("SELECT {columns} FROM subscriptions WHERE merchant_id = ? AND environment = ? AND subscription_id = ?",
        subscriptions_table);
const statement read_subscriptions = sql(R"sql(
  SELECT {columns} FROM subscriptions WHERE merchant_id = ? AND environment = ? AND subscription_id > ?
  ORDER BY subscription_id LIMIT ?
)sql",
                                         subscriptions_table);
/// Newest first. `where` names what else the index begins with.
std::string listed_subscriptions(std::string_view index, std::string_view where) {
  std::string text = "SELECT {columns} FROM subscriptions {by ";
  text.append(index).append("} WHERE merchant_id = ? AND environment = ? AND platform_id = ? AND ").append(where);
  return text.append(R"sql( AND created_at <= ? AND (created_at < ? OR subscription_id < ?)
    ORDER BY created_at DESC, subscription_id DESC LIMIT ?)sql");
}

const statement read_platforms_subscriptions =
    sql(listed_subscriptions("subscriptions_by_age", "subscription_id >= ?"), subscriptions_table);
const statement read_platforms_subscriptions_of_status =
    sql(listed_subscriptions("subscriptions_by_status", "status = ?"), subscriptions_table);
const statement read_platforms_subscriptions_of_customer =
    sql(listed_subscriptions("subscriptions_of_customer", "customer_ref = ?"), subscriptions_table);

const statement read_subscription_keys_by_id = sql(R"sql(
  SELECT merchant_id, environment, subscription_id FROM subscriptions WHERE subscription_id = ?
  ORDER BY merchant_id, environment, subscription_id LIMIT ?
)sql");
const statement read_subscription_keys_by_provider_id = sql(R"sql(
  SELECT merchant_id, environment, subscription_id FROM subscriptions WHERE provider_subscription_id = ?
  ORDER BY merchant_id, environment, subscription_id LIMIT ?
)sql");
const statement read_enrollment =
    sql("SELECT {columns} FROM enrollments WHERE merchant_id = ? AND environment = ? AND enrollment_id = ?",
        enrollments_table);

const statement read_due_subscriptions = sql(R"sql(
  SELECT merchant_id, environment, subscription_id FROM subscriptions WHERE due_at IS NOT NULL AND due_at <= ?
  ORDER BY due_at LIMIT ?
)sql");
const statement read_due_open_subscriptions = sql(R"sql(
  SELECT merchant_id, environment, subscription_id FROM subscriptions WHERE due_at <= ? AND due_at > ?
  AND open_operation = 1 ORDER BY due_at LIMIT ?
)sql");
const statement read_due_enrollments = sql(R"sql(
  SELECT merchant_id, environment, enrollment_id FROM enrollments WHERE due_at IS NOT NULL AND due_at <= ?
  ORDER BY due_at LIMIT ?
)sql");

}  // namespace statements

void insert_row(gathered_rows& rows, const subscription_ptr& s) {
  column_writer v{rows.add_to(row_kind::subscription)};
  subscription_columns(v, *s);
}

void claim_row(gathered_rows& rows, const subscription_ptr& s) {
  column_writer v{rows.add_to(row_kind::subscription_claim)};
  subscription_columns(v, *s);
}

void insert_row(gathered_rows& rows, const enrollment_ptr& e) {
  column_writer v{rows.add_to(row_kind::enrollment)};
  enrollment_columns(v, *e);
}

void claim_row(gathered_rows& rows, const enrollment_ptr& e) {
  column_writer v{rows.add_to(row_kind::enrollment_claim)};
  enrollment_columns(v, *e);
}

void insert_row(gathered_rows& rows, const counted_event& e) {
  column_writer v{rows.add_to(row_kind::counted_event)};
  counted_event_columns(v, e);
}

std::size_t row_hash(const counted_event& e) { return hash_of_texts({e.merchant.value, to_string(e.env), e.event_id}); }

namespace {

std::size_t bytes_of(const subscription_notification& n) {
  const auto action = action_of(n);
  return 1024 + (action ? action->hosted_url.size() : 0) + bytes_of_texts(n.state.metadata);
}

}  // namespace

std::size_t row_bytes(const subscription_ptr& s) {
  const auto& details = s->details;
  auto bytes = 1024 + s->hosted_url.size() + details.customer_ref.size() + details.success_url.size() +
               details.cancel_url.size() + details.description.size() + bytes_of_texts(s->state.metadata);
  for (const auto& n : s->waiting) bytes += bytes_of(n);
  for (const auto& c : s->owed)
    bytes +=
        768 + c.invoice.hosted_url.size() + c.customer_ref.size() + c.description.size() + bytes_of_texts(c.metadata);
  for (const auto& i : s->invoices) bytes += 512 + i.hosted_url.size();
  return bytes;
}

std::size_t row_bytes(const enrollment_ptr& e) {
  auto bytes = 1024 + e->what.page.size() + bytes_of_texts(e->what.metadata);
  for (const auto& n : e->undelivered) bytes += bytes_of(n);
  return bytes;
}

subscription subscription_from(const result_row& row, const merchant_id& merchant) {
  column_reader v{row};
  subscription s;
  s.key.merchant = merchant;
  s.key.kind = entity_kind::subscription;
  subscription_columns(v, s);
  if (s.open && (s.open->claim < 0 || s.open->claim > s.version)) throw corrupt_row("an operation out of bounds");
  return s;
}

sandbox_enrollment enrollment_from(const result_row& row, const entity_key& key) {
  column_reader v{row};
  sandbox_enrollment e;
  e.key = key;
  enrollment_columns(v, e);
  return e;
}

std::optional<entity_row> read_subscription_row(db_connection& db, const entity_key& key) {
  return read_entity(db, statements::read_subscription, key,
                     [&](const result_row& row) { return subscription_from(row, key.merchant); });
}

std::optional<entity_row> read_enrollment_row(db_connection& db, const entity_key& key) {
  return read_entity(db, statements::read_enrollment, key,
                     [&](const result_row& row) { return enrollment_from(row, key); });
}

subscriptions_lookup run(db_connection& db, const find_subscriptions& what) {
  const cell parameters[] = {std::string_view{what.merchant.value}, to_string(environment::live),
                             std::string_view{what.after}, std::int64_t{what.limit}};
  subscriptions_lookup answer;
  db.read(statements::read_subscriptions, parameters, [&](const result_row& row) {
    answer.subscriptions.push_back(std::make_shared<const subscription>(subscription_from(row, what.merchant)));
  });
  return answer;
}

namespace {

/// How many subscriptions of one customer are read at once, where some of them may not match.
constexpr std::uint32_t most_of_customer = 1'000;

/// MySQL ignores trailing spaces, so the customer is compared again.
bool is_listed(const subscription& s, const find_subscriptions_of_platform& what) {
  return (!what.status || s.state.status == *what.status) &&
         (what.customer_ref.empty() || s.details.customer_ref == what.customer_ref);
}

}  // namespace

subscriptions_page run(db_connection& db, const find_subscriptions_of_platform& what) {
  const bool of_customer = !what.customer_ref.empty();
  const auto& sql = of_customer   ? statements::read_platforms_subscriptions_of_customer
                    : what.status ? statements::read_platforms_subscriptions_of_status
                                  : statements::read_platforms_subscriptions;
  const auto chosen = of_customer   ? std::string_view{what.customer_ref}
                      : what.status ? to_string(*what.status)
                                    : std::string_view{};
  const auto limit = of_customer ? std::max(most_of_customer, what.limit + 1) : what.limit + 1;
  const auto before = what.before ? to_unix_ms(what.before->created_at) : no_bound;
  const cell parameters[] = {std::string_view{what.merchant.value},
                             to_string(environment::live),
                             std::string_view{what.platform.value},
                             chosen,
                             before,
                             before,
                             what.before ? std::string_view{what.before->id} : std::string_view{},
                             std::int64_t{limit}};
  subscriptions_page page;
  std::uint32_t rows = 0;
  std::optional<listed_position> last;
  db.read(sql, parameters, [&](const result_row& row) {
    ++rows;
    if (page.next) return;
    try {
      auto found = subscription_from(row, what.merchant);
      if (page.subscriptions.size() == what.limit && is_listed(found, what)) {
        const auto& end = *page.subscriptions.back();
        page.next = listed_position{end.created_at, end.key.id};
        return;
      }
      last = listed_position{found.created_at, found.key.id};
      if (is_listed(found, what)) page.subscriptions.push_back(std::make_shared<const subscription>(std::move(found)));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}});  // the other rows of the list are still shown
    }
  });
  if (!page.next && of_customer && rows == limit) page.next = last;
  return page;
}

subscription_keys_lookup run(db_connection& db, const find_subscription_keys& what) {
  const bool by_provider_id = !what.provider_id.empty();
  const cell parameters[] = {std::string_view{by_provider_id ? what.provider_id : what.id}, std::int64_t{what.limit}};
  const auto& sql =
      by_provider_id ? statements::read_subscription_keys_by_provider_id : statements::read_subscription_keys_by_id;
  subscription_keys_lookup answer;
  db.read(sql, parameters,
          [&](const result_row& row) { answer.keys.push_back(key_from(row, entity_kind::subscription)); });
  return answer;
}

}  // namespace gateway::persistence
