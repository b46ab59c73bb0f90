#include "persistence/rows.hpp"

#include <limits>

#include "persistence/json_columns.hpp"

namespace gateway::persistence {

namespace {

/// The key of an entity in the table of its kind.
row_buffer& add_key(row_buffer& rows, const entity_key& key) {
  return rows.add(key.merchant.value).add(to_string(key.env)).add(key.id);
}

/// The key of an entity in a table that several kinds share.
row_buffer& add_subject(row_buffer& rows, const entity_key& key) {
  return rows.add(key.merchant.value).add(to_string(key.env)).add(to_string(key.kind)).add(key.id);
}

row_buffer& add_key(row_buffer& rows, const command_key& key) {
  return rows.add(key.merchant.value).add(to_string(key.env)).add(key.principal).add(key.key);
}

template <class Value>
row_buffer& add_json(row_buffer& rows, const std::optional<Value>& value) {
  return value ? rows.keep(to_json(*value)) : rows.null();
}

template <class Items, class Name>
std::string joined(const Items& items, Name name) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += ' ';
    text += name(item);
  }
  return text;
}

template <class Visit>
void each_word(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const auto end = text.find(' ');
    visit(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
}

// The times whose year has four digits.
constexpr std::int64_t first_ms = -62'135'596'800'000;  ///< 0001-01-01T00:00:00.000Z
constexpr std::int64_t last_ms = 253'402'300'799'999;   ///< 9999-12-31T23:59:59.999Z

/// Reads a row from left to right, in the order of its SELECT. A value that the program could not have written is
/// corrupt.
class cursor {
 public:
  explicit cursor(const result_row& row) noexcept : row_(row) {}

  std::string text() { return row_.text(at_++); }
  template <class Number = std::int64_t>
  Number number(const char* what, std::int64_t least = 0, std::int64_t most = std::numeric_limits<Number>::max()) {
    const auto stored = row_.integer(at_++);
    if (stored < least || stored > most) throw corrupt_row(std::string{what} + " out of bounds");
    return static_cast<Number>(stored);
  }
  bool flag(const char* what) { return number(what, 0, 1) != 0; }
  time_point time() { return from_unix_ms(number("time", first_ms, last_ms)); }
  bool skip_null() {
    if (!row_.is_null(at_)) return false;
    ++at_;
    return true;
  }
  std::optional<time_point> optional_time() { return skip_null() ? std::nullopt : std::optional{time()}; }

  /// Reads a name, which must be one that this program knows.
  template <class Parse>
  auto named(Parse parse, const char* what) {
    const auto parsed = parse(std::string_view{text()});
    if (!parsed) throw corrupt_row(std::string{"unknown "} + what);
    return *parsed;
  }

 private:
  const result_row& row_;
  unsigned at_ = 0;
};

// The largest delivery number: receivers read it from JSON, where a double keeps integers exact up to here.
constexpr std::int64_t last_number = (std::int64_t{1} << 53) - 1;

bool fits(const open_operation& open, const payment& p) {
  const auto begun = to_unix_ms(open.begun_at);
  return open.amount >= 0 && open.amount <= p.amount.minor && open.claim >= 0 && open.claim <= p.version &&
         begun >= first_ms && begun <= last_ms;
}

std::optional<environment> parse_environment(std::string_view text) {
  if (text == "test") return environment::test;
  if (text == "live") return environment::live;
  return std::nullopt;
}

template <class Value>
auto parser_among(std::initializer_list<Value> values) {
  return [values](std::string_view text) -> std::optional<Value> {
    for (const auto v : values)
      if (to_string(v) == text) return v;
    return std::nullopt;
  };
}

entity_key subject_from(cursor& in) {
  entity_key subject;
  subject.merchant = merchant_id{in.text()};
  subject.env = in.named(parse_environment, "environment");
  subject.kind = in.named(parse_entity_kind, "kind of entity");
  subject.id = in.text();
  return subject;
}

}  // namespace

void insert_payment_row(row_buffer& rows, const payment& p) {
  add_key(rows, p.key).add(to_string(p.state)).add(p.amount.minor).add(p.amount.unit.code());
  rows.add(p.captured).add(p.refunded).add(to_string(p.how)).add(to_string(p.provider)).add(p.account);
  rows.add(std::int64_t{p.hides_provider}).add(p.provider_ref).add(to_string(p.status));
  add_json(rows, p.error).add(p.hosted_url);
  add_json(rows, p.open).add(p.due_at).add(std::int64_t{p.next_seq});
  rows.add(p.created_at).add(p.updated_at).add(p.captured_at).keep(to_json(p.details)).add(p.version);
}

void update_payment_row(row_buffer& rows, const payment& p) {
  add_key(rows, p.key)
      .add(to_string(p.state))
      .add(p.captured)
      .add(p.refunded)
      .add(p.provider_ref)
      .add(to_string(p.status));
  add_json(rows, p.error).add(p.hosted_url);
  add_json(rows, p.open)
      .add(p.due_at)
      .add(std::int64_t{p.next_seq})
      .add(p.updated_at)
      .add(p.captured_at)
      .add(p.version);
}

void insert_command_row(row_buffer& rows, const command_record& c) {
  add_key(rows, c.key)
      .add(c.fingerprint)
      .add(to_string(c.what))
      .add(to_string(c.subject_kind))
      .add(c.subject_id)
      .add(c.amount)
      .add(c.reason)
      .add(c.created_at);
  if (c.result) {
    rows.add(c.result->body).add(c.finished_at).add(std::int64_t{c.result->status});
  } else {
    rows.null().null().null();
  }
}

void finish_command_row(row_buffer& rows, const command_finish& f) {
  add_key(rows, f.key).add(f.result->body).add(f.finished_at).add(std::int64_t{f.result->status});
}

void insert_attempt_row(row_buffer& rows, const entity_key& subject, const timeline_entry& e) {
  add_subject(rows, subject)
      .add(std::int64_t{e.seq})
      .add(e.operation)
      .add(e.status)
      .add(e.error_code)
      .add(e.message)
      .add(e.occurred_at);
}

void insert_event_row(row_buffer& rows, const entity_key& subject, const timeline_entry& e) {
  add_subject(rows, subject)
      .add(std::int64_t{e.seq})
      .add(e.operation)
      .add(e.status)
      .add(e.occurred_at)
      .add(e.event_id)
      .add(e.event_data);
}

void insert_merchant_row(row_buffer& rows, const save_merchant& m) {
  rows.add(m.id.value).add(m.entity.value).add(m.name).add(to_string(m.kind)).add(m.owner_email).add(m.created_at);
}

void insert_api_key_row(row_buffer& rows, const save_api_key& k) {
  rows.add(k.merchant.value)
      .add(k.id.value)
      .add(to_string(k.env))
      .keep(to_string(k.scopes))
      .add(k.sealed_secret)
      .add(k.created_at);
}

void revoke_api_key_row(row_buffer& rows, const revoke_api_key& k) {
  rows.add(k.revoked_at).add(k.merchant.value).add(k.id.value);
}

void put_user_row(row_buffer& rows, const save_user& u) {
  rows.add(u.merchant.value).add(u.email).add(u.id.value).add(u.password_hash).add(u.created_at);
}

void put_connection_row(row_buffer& rows, const save_connection& c) {
  rows.add(c.merchant.value).add(to_string(c.link.env)).add(to_string(c.link.provider));
  rows.add(c.id).add(to_string(c.link.status)).add(c.link.account);
}

void put_route_row(row_buffer& rows, const save_route& r) {
  rows.add(r.merchant.value)
      .add(to_string(r.way.env))
      .add(to_string(r.way.provider))
      .add(r.id)
      .add(std::int64_t{r.way.position});
  rows.keep(joined(r.way.currencies, [](currency c) { return std::string{c.code()}; }));
  rows.keep(joined(r.way.methods, [](payment_method_kind m) { return std::string{to_string(m)}; }));
}

void insert_setup_token_row(row_buffer& rows, const spend_setup_token& t) {
  rows.add(t.merchant.value).add(t.token_id).add(t.spent_at);
}

void put_last_seen_row(row_buffer& rows, const save_last_seen& s) {
  rows.add(last_seen_name);
  rows.keep(std::to_string(to_unix_ms(s.at)));
}

void put_destination_row(row_buffer& rows, const save_destination& d) {
  const auto& what = d.what;
  rows.add(what.owner).add(what.id.value).add(to_string(what.kind)).add(to_string(what.env)).add(what.url);
  rows.keep(joined(what.events, [](const std::string& type) { return type; }));
  rows.add(to_string(what.status)).add(what.disabled_reason).add(d.sealed_secret).add(d.sealed_previous);
  rows.add(d.previous_until).add(what.created_at);
}

namespace {

/// The columns that an attempt may change.
void add_progress(row_buffer& rows, const delivery& d) {
  rows.add(to_string(d.status)).add(std::int64_t{d.attempts}).add(std::int64_t{d.round_from}).add(d.next_attempt_at);
  if (d.last) {
    rows.add(d.last->at)
        .add(to_string(d.last->result))
        .add(std::int64_t{d.last->status})
        .add(std::int64_t{d.last->took_ms});
    rows.add(d.last->excerpt);
  } else {
    rows.null().null().null().null().null();
  }
  rows.add(d.version);
}

}  // namespace

void insert_delivery_row(row_buffer& rows, const delivery& d) {
  rows.add(d.subject.merchant.value).add(d.id).add(to_string(d.subject.env));
  rows.add(to_string(d.subject.kind))
      .add(d.subject.id)
      .add(std::int64_t{d.event_seq})
      .add(d.to.value)
      .add(d.created_at);
  add_progress(rows, d);
}

void update_delivery_row(row_buffer& rows, const delivery& d) {
  rows.add(d.subject.merchant.value).add(d.id);
  add_progress(rows, d);
}

payment payment_from(const result_row& row, const entity_key& key) {
  cursor in{row};
  payment p;
  p.key = key;
  p.state = in.named(parse_payment_state, "payment state");
  p.amount.minor = in.number("amount");
  p.amount.unit = in.named([](std::string_view t) { return currency::parse(t); }, "currency");
  p.captured = in.number("captured", 0, p.amount.minor);
  p.refunded = in.number("refunded", 0, p.captured);
  p.how = in.named(parser_among({flow::server, flow::redirect, flow::embedded}), "flow");
  p.provider = in.named(parse_provider_kind, "provider");
  p.account = in.text();
  p.hides_provider = in.flag("hides_provider");
  p.provider_ref = in.text();
  p.status = in.named(parse_provider_status, "provider status");
  if (!in.skip_null()) p.error = error_from_json(in.text());
  p.hosted_url = in.text();
  if (!in.skip_null()) p.open = open_operation_from_json(in.text(), key);
  p.due_at = in.optional_time();
  p.next_seq = in.number<std::uint32_t>("next_seq");
  p.created_at = in.time();
  p.updated_at = in.time();
  p.captured_at = in.optional_time();
  p.details = details_from_json(in.text());
  p.version = in.number("version");
  if (p.open && !fits(*p.open, p)) throw corrupt_row("open_command out of bounds");
  return p;
}

command_record command_from(const result_row& row, const command_key& key) {
  cursor in{row};
  command_record c;
  c.key = key;
  c.fingerprint = in.text();
  c.what = in.named(parse_operation, "operation");
  c.subject_kind = in.named(parse_entity_kind, "kind of entity");
  c.subject_id = in.text();
  c.amount = in.number("amount");
  c.reason = in.text();
  c.created_at = in.time();
  answer result;
  result.body = in.text();
  c.finished_at = in.optional_time();
  if (!in.skip_null()) {
    result.status = in.number<std::uint16_t>("status", 200, 599);
    c.result = std::move(result);
  }
  if (c.result.has_value() != c.finished_at.has_value()) throw corrupt_row("an answer and its time go together");
  return c;
}

timeline_entry timeline_entry_from(const result_row& row) {
  cursor in{row};
  timeline_entry e;
  e.seq = in.number<std::uint32_t>("seq");
  e.kind = in.flag("is_event") ? timeline_kind::event : timeline_kind::attempt;
  e.operation = in.text();
  e.status = in.text();
  e.error_code = in.text();
  e.message = in.text();
  e.occurred_at = in.time();
  e.event_id = in.text();
  e.event_data = in.text();
  return e;
}

entity_key due_from(const result_row& row, entity_kind kind) {
  cursor in{row};
  entity_key key;
  key.merchant = merchant_id{in.text()};
  key.env = in.named(parse_environment, "environment");
  key.kind = kind;
  key.id = in.text();
  return key;
}

save_merchant merchant_from(const result_row& row) {
  cursor in{row};
  save_merchant m;
  m.id = merchant_id{in.text()};
  m.entity = entity_id{in.text()};
  m.name = in.text();
  m.kind = in.named(parser_among({merchant_kind::standard, merchant_kind::wallet}), "entity kind");
  m.owner_email = in.text();
  m.created_at = in.time();
  return m;
}

stored_key api_key_from(const result_row& row) {
  cursor in{row};
  stored_key k;
  k.key.merchant = merchant_id{in.text()};
  k.key.id = key_id{in.text()};
  k.key.env = in.named(parse_environment, "environment");
  const auto scopes = in.text();
  if (!scopes.empty()) {
    const auto parsed = parse_scopes(scopes);
    if (!parsed) throw corrupt_row("unknown scope");
    k.key.scopes = *parsed;
  }
  k.key.sealed_secret = in.text();
  k.key.created_at = in.time();
  k.revoked = !in.skip_null();
  return k;
}

stored_user user_from(const result_row& row) {
  cursor in{row};
  stored_user u;
  u.merchant = merchant_id{in.text()};
  u.id = user_id{in.text()};
  u.email = in.text();
  u.password_hash = in.text();
  return u;
}

stored_connection connection_from(const result_row& row) {
  cursor in{row};
  stored_connection c;
  c.merchant = merchant_id{in.text()};
  c.link.env = in.named(parse_environment, "environment");
  c.link.provider = in.named(parse_provider_kind, "provider");
  c.id = in.text();
  c.link.status = in.named(parse_connection_status, "connection status");
  c.link.account = in.text();
  return c;
}

stored_route route_from(const result_row& row) {
  cursor in{row};
  stored_route r;
  r.merchant = merchant_id{in.text()};
  r.way.env = in.named(parse_environment, "environment");
  r.way.provider = in.named(parse_provider_kind, "provider");
  r.id = in.text();
  r.way.position = in.number<std::uint32_t>("position");
  each_word(in.text(), [&](std::string_view word) {
    const auto parsed = currency::parse(word);
    if (!parsed) throw corrupt_row("unknown currency");
    r.way.currencies.push_back(*parsed);
  });
  each_word(in.text(), [&](std::string_view word) {
    const auto parsed = parser_among({payment_method_kind::card, payment_method_kind::pkr_wallet})(word);
    if (!parsed) throw corrupt_row("unknown payment method kind");
    r.way.methods.push_back(*parsed);
  });
  return r;
}

stored_destination destination_from(const result_row& row) {
  cursor in{row};
  stored_destination d;
  d.what.owner = in.text();
  d.what.id = destination_id{in.text()};
  d.what.kind = in.named(parser_among({destination_kind::merchant, destination_kind::platform}), "destination kind");
  d.what.env = in.named(parse_environment, "environment");
  d.what.url = in.text();
  each_word(in.text(), [&](std::string_view word) {
    if (stored_event_type(word) != word) throw corrupt_row("unknown event type");
    d.what.events.emplace_back(word);
  });
  d.what.status =
      in.named(parser_among({destination_status::enabled, destination_status::disabled}), "destination status");
  d.what.disabled_reason = in.text();
  d.sealed_secret = in.text();
  d.sealed_previous = in.text();
  d.previous_until = in.optional_time();
  d.what.created_at = in.time();
  return d;
}

namespace {

/// The invariant of deliveries that after_attempt() and redelivered() keep.
bool holds_together(const delivery& d) {
  if ((d.status == delivery_status::pending) != d.next_attempt_at.has_value()) return false;
  if ((d.attempts > 0) != d.last.has_value()) return false;
  if (d.status == delivery_status::pending) return true;
  return d.last && (d.status == delivery_status::delivered) == (d.last->result == attempt_result::delivered);
}

}  // namespace

delivery_job delivery_job_from(const result_row& row) {
  cursor in{row};
  delivery_job job;
  auto& d = job.row;
  d.subject = subject_from(in);
  d.event_seq = in.number<std::uint32_t>("event_seq");
  d.id = in.number("delivery_id", 1, last_number);
  d.to = destination_id{in.text()};
  d.created_at = in.time();
  d.status = in.named(parse_delivery_status, "delivery status");
  d.attempts = in.number<std::uint32_t>("attempts");
  d.round_from = in.number<std::uint32_t>("round_from", 0, d.attempts);
  d.next_attempt_at = in.optional_time();
  if (in.skip_null()) {
    for (int i = 0; i < 4; ++i)
      if (!in.skip_null()) throw corrupt_row("an attempt without its time");
  } else {
    delivery_attempt last;
    last.at = in.time();
    last.result = in.named(parse_attempt_result, "attempt result");
    last.status = in.number<std::uint16_t>("last_status", 0, 999);
    last.took_ms = in.number<std::uint32_t>("last_took_ms");
    last.excerpt = in.text();
    d.last = std::move(last);
  }
  d.version = in.number("version", 1);
  if (!holds_together(d)) throw corrupt_row("a delivery's status, attempts and next attempt do not go together");
  if (in.skip_null()) throw corrupt_row("a delivery without its event");
  job.event.id = in.text();
  job.event.subject = d.subject;
  job.event.seq = d.event_seq;
  job.event.type = in.text();
  job.event.created = in.time();
  job.event.data = in.text();
  return job;
}

destination_backlog backlog_from(const result_row& row) {
  cursor in{row};
  destination_backlog b;
  b.to = destination_id{in.text()};
  b.pending = static_cast<std::uint64_t>(in.number("count"));
  const auto earliest = in.optional_time();
  if (!earliest) throw corrupt_row("pending deliveries without a next attempt");
  b.next_attempt_at = *earliest;
  b.oldest_number = in.number("delivery_id", 1, last_number);
  return b;
}

event_record event_from(const result_row& row) {
  cursor in{row};
  event_record e;
  e.subject = subject_from(in);
  e.seq = in.number<std::uint32_t>("seq");
  e.id = in.text();
  e.type = in.text();
  e.created = in.time();
  e.data = in.text();
  return e;
}

}  // namespace gateway::persistence
