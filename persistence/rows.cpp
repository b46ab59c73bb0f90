#include "persistence/rows.hpp"

#include "persistence/json_columns.hpp"
#include "persistence/row_cursor.hpp"

namespace gateway::persistence {

namespace {

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

// The largest delivery number: receivers read it from JSON, where a double keeps integers exact up to here.
constexpr std::int64_t last_number = (std::int64_t{1} << 53) - 1;

bool fits(const open_operation& open, const payment& p) {
  const auto begun = to_unix_ms(open.begun_at);
  return open.amount >= 0 && open.amount <= p.amount.minor && open.claim >= 0 && open.claim <= p.version &&
         begun >= first_ms && begun <= last_ms;
}

template <class Value>
auto parser_among(std::initializer_list<Value> values) {
  return [values](std::string_view text) -> std::optional<Value> {
    for (const auto v : values)
      if (to_string(v) == text) return v;
    return std::nullopt;
  };
}

/// The scopes of a key. The text is empty for a key that was made without scopes.
scope_set scopes_from(cursor& in) {
  const auto text = in.text();
  if (text.empty()) return {};
  const auto parsed = parse_scopes(text);
  if (!parsed) throw corrupt_row("unknown scope");
  return *parsed;
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
  rows.add(p.created_at).add(p.updated_at).add(p.captured_at).keep(to_json(p.details));
  add_json(rows, p.customer).add(p.version);
}

void update_payment_row(row_buffer& rows, const payment& p) {
  add_key(rows, p.key)
      .add(to_string(p.state))
      .add(p.captured)
      .add(p.refunded)
      .add(p.provider_ref)
      .add(to_string(p.status));
  add_json(rows, p.error).add(p.hosted_url);
  add_json(rows, p.open).add(p.due_at).add(std::int64_t{p.next_seq}).add(p.updated_at).add(p.captured_at);
  add_json(rows, p.customer).add(p.version);
}

void insert_command_row(row_buffer& rows, const command_record& c) {
  add_key(rows, c.key)
      .add(c.fingerprint)
      .add(c.operation)
      .add(c.subject_kind)
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

void insert_person_row(row_buffer& rows, const save_user& u) {
  rows.add(u.id.value).add(u.email).keep(email_key_of(u.email)).add(u.password_hash).add(u.created_at);
}

void update_password_row(row_buffer& rows, const set_user_password& p) {
  rows.add(p.password_hash).add(p.set_at).add(p.user.value);
}

void end_other_sessions_row(row_buffer& rows, const set_user_password& p) {
  rows.add(p.user.value).add(p.kept_session);
}

void put_membership_row(row_buffer& rows, const save_membership& m) {
  rows.add(m.merchant.value).add(m.user.value).add(to_string(m.role)).add(m.created_at);
}

void drop_membership_row(row_buffer& rows, const drop_membership& m) { rows.add(m.merchant.value).add(m.user.value); }

void put_invitation_row(row_buffer& rows, const stored_invitation& i) {
  rows.add(i.merchant.value).add(i.user.value).add(i.id).add(to_string(i.by)).add(to_string(i.role));
  rows.add(i.created_at).add(i.expires);
}

void purge_invitations_row(row_buffer& rows, const stored_invitation& i) {
  rows.add(i.merchant.value).add(i.created_at);
}

void drop_invitation_row(row_buffer& rows, const drop_invitation& i) { rows.add(i.merchant.value).add(i.user.value); }

void spend_invitation_row(row_buffer& rows, const spend_invitation& i) {
  rows.add(i.merchant.value).add(i.user.value).add(i.id).add(i.at);
}

void set_first_password_row(row_buffer& rows, const set_first_password& p) {
  rows.add(p.password_hash).add(p.set_at).add(p.shown_to.value).add(p.user.value).add(p.user.value);
}

void check_credentials_row(row_buffer& rows, const check_credentials& c) {
  rows.add(c.user.value).add(c.password_hash).add(c.sealed_totp);
}

void add_user(row_buffer& rows, const user_id& user) { rows.add(user.value); }

void add_user_twice(row_buffer& rows, const user_id& user) { rows.add(user.value).add(user.value); }

void insert_session_row(row_buffer& rows, const save_session& s) {
  rows.add(s.user.value).add(s.hash).add(s.created_at).add(s.created_at).add(s.ends_at);
}

void purge_sessions_row(row_buffer& rows, const save_session& s) { rows.add(s.user.value).add(s.created_at); }

void touch_session_row(row_buffer& rows, const touch_session& s) { rows.add(s.used_at).add(s.hash); }

void end_session_row(row_buffer& rows, const end_session& s) { rows.add(s.hash); }

void insert_platform_row(row_buffer& rows, const insert_platform& p) {
  const auto& what = p.what;
  rows.add(what.id.value).add(what.slug).add(what.name).add(what.contact).add(to_string(what.status));
  rows.keep(to_json(what.redirect_uris)).keep(to_json(what.return_origins)).add(p.created_at);
}

void update_platform_row(row_buffer& rows, const update_platform& p) {
  const auto& what = p.what;
  rows.add(what.name).add(what.contact).add(to_string(what.status));
  rows.keep(to_json(what.redirect_uris)).keep(to_json(what.return_origins)).add(what.id.value);
}

void insert_platform_key_row(row_buffer& rows, const save_platform_key& k) {
  rows.add(k.platform.value).add(k.id.value).keep(to_string(k.scopes)).add(k.sealed_secret).add(k.created_at);
}

void revoke_platform_key_row(row_buffer& rows, const revoke_platform_key& k) {
  rows.add(k.revoked_at).add(k.platform.value).add(k.id.value);
}

namespace {

void add_grant(row_buffer& rows, const entity_key& binding, const grant& g) {
  add_key(rows, binding).add(g.id.value).keep(to_string(g.scopes)).add(g.given_by.value).add(g.granted_at);
  rows.add(g.revoked_at).add(g.revoke_reason);
}

}  // namespace

void binding_row(row_buffer& rows, const grant_binding& b) {
  add_grant(rows, b.key, b.newest.value());
  rows.keep(to_json(b.codes)).add(b.version);
}

void customer_row(row_buffer& rows, const customer& c) {
  add_key(rows, c.key).add(c.platform.value).add(c.ref).add(to_string(c.provider)).add(c.provider_id);
  rows.keep(to_json(c.methods)).add(c.created_at).add(c.account);
  c.other_names.empty() ? rows.null() : rows.keep(to_json(c.other_names));
  rows.add(c.version);
}

void insert_past_grant_row(row_buffer& rows, const past_grant& g) { add_grant(rows, g.binding, g.what); }

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

void insert_spent_token_row(row_buffer& rows, const spend_token& t) {
  rows.add(t.merchant.value).add(t.token_id).add(t.spent_at);
}

void put_provider_row(row_buffer& rows, const save_provider& p) {
  rows.add(to_string(p.provider)).add(to_string(p.env)).add(p.sealed_settings).add(p.changed_at);
}

void put_last_seen_row(row_buffer& rows, const save_last_seen& s) {
  rows.add(last_seen_name);
  rows.keep(std::to_string(to_unix_ms(s.at)));
}

void directory_change_row(row_buffer& rows, const directory_change& c) { rows.add(to_string(c.what)).add(c.id); }

void replace_second_factor_row(row_buffer& rows, const set_second_factor& f) {
  rows.add(f.sealed_totp).add(f.user.value);
}

void drop_recovery_codes_row(row_buffer& rows, const set_second_factor& f) { rows.add(f.user.value); }

void insert_recovery_code_row(row_buffer& rows, const user_id& user, const std::string& hash) {
  rows.add(user.value).add(hash);
}

void spend_totp_step_row(row_buffer& rows, const spend_totp_step& s) { rows.add(s.step).add(s.user.value).add(s.step); }

void spend_recovery_code_row(row_buffer& rows, const spend_recovery_code& c) {
  rows.add(c.spent_at).add(c.user.value).add(c.hash);
}

void update_time_zone_row(row_buffer& rows, const set_time_zone& z) { rows.add(z.zone).add(z.user.value); }

void insert_audit_row(row_buffer& rows, const save_audit& a) {
  rows.add(a.user.value).add(a.at).add(a.id).add(a.address).add(a.action).add(a.subject).add(a.merchant.value);
  rows.add(a.env ? to_string(*a.env) : std::string_view{});
}

void directory_turn_row(row_buffer& rows, const directory_turn& t) { rows.add(t.planned_in); }

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
  // Null for nearly all, as in rows that are older than the column.
  d.partial ? rows.add(std::int64_t{1}) : rows.null();
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
  if (!in.skip_null()) p.customer = customer_from_json(in.text());
  p.version = in.number("version");
  if (p.open && !fits(*p.open, p)) throw corrupt_row("open_command out of bounds");
  return p;
}

payment listed_payment_from(const result_row& row, const merchant_id& merchant, environment env) {
  constexpr unsigned id_column = 22;  // after the payment's columns
  return payment_from(row, payment_key(merchant, env, payment_id{row.text(id_column)}));
}

daily_total daily_total_from(const result_row& row) {
  cursor in{row};
  daily_total t;
  // The days from first_ms to last_ms.
  constexpr std::int64_t day_ms = 86'400'000;
  t.day = std::chrono::sys_days{std::chrono::days{in.number("day", first_ms / day_ms, last_ms / day_ms)}};
  t.amount.unit = in.named([](std::string_view text) { return currency::parse(text); }, "currency");
  t.what = in.named(parse_daily_counter, "daily counter");
  t.count = in.number("counted");
  t.amount.minor = in.number("amount");
  return t;
}

save_audit audit_from(const result_row& row) {
  cursor in{row};
  save_audit a;
  a.user = user_id{in.text()};
  a.at = in.time();
  a.id = in.text();
  a.address = in.text();
  a.action = in.text();
  a.subject = in.text();
  a.merchant = merchant_id{in.text()};
  const auto env = in.text();
  a.env = parse_environment(env);
  if (!a.env && !env.empty()) throw corrupt_row("unknown environment");
  return a;
}

listed_session listed_session_from(const result_row& row) {
  cursor in{row};
  listed_session s;
  s.hash = in.text();
  s.created_at = in.time();
  s.used_at = in.time();
  s.ends_at = in.time();
  return s;
}

command_record command_from(const result_row& row, const command_key& key) {
  cursor in{row};
  command_record c;
  c.key = key;
  c.fingerprint = in.text();
  c.operation = in.text();
  c.subject_kind = in.text();
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

entity_key key_from(const result_row& row, entity_kind kind) {
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
  k.key.scopes = scopes_from(in);
  k.key.sealed_secret = in.text();
  k.key.created_at = in.time();
  k.revoked = !in.skip_null();
  return k;
}

stored_user user_from(const result_row& row) {
  cursor in{row};
  stored_user u;
  u.id = user_id{in.text()};
  u.email = in.text();
  u.has_password = in.flag("has_password");
  return u;
}

stored_membership membership_from(const result_row& row) {
  cursor in{row};
  stored_membership m;
  m.merchant = merchant_id{in.text()};
  m.user = user_id{in.text()};
  m.role = in.named(parse_member_role, "role");
  m.created_at = in.time();
  return m;
}

namespace {

stored_invitation invitation_at(cursor& in) {
  stored_invitation i;
  i.merchant = merchant_id{in.text()};
  i.user = user_id{in.text()};
  i.id = in.text();
  i.by = in.named(parse_invited_by, "made_by");
  i.role = in.named(parse_member_role, "role");
  i.created_at = in.time();
  i.expires = in.time();
  return i;
}

}  // namespace

stored_invitation invitation_from(const result_row& row) {
  cursor in{row};
  return invitation_at(in);
}

void add_invitation_row(invitations_lookup& found, const result_row& row) {
  cursor in{row};
  found.has_password = in.flag("has_password");
  found.shown_to = merchant_id{in.text()};
  found.is_member = in.flag("is_member");
  if (in.skip_null()) return;
  named_invitation one;
  one.what = invitation_at(in);
  one.merchant_name = in.text();
  found.invitations.push_back(std::move(one));
}

stored_person person_from(const result_row& row) {
  cursor in{row};
  stored_person u;
  u.id = user_id{in.text()};
  u.email = in.text();
  u.password_hash = in.text();
  u.created_at = in.time();
  u.sealed_totp = in.text();
  u.totp_step = in.number("totp_step");
  u.recovery_codes_left = in.number("recovery codes");
  u.time_zone = in.text();
  return u;
}

void add_session_row(std::optional<stored_session>& found, const result_row& row) {
  cursor in{row};
  if (!found) found.emplace();
  found->user = user_id{in.text()};
  found->email = in.text();
  found->created_at = in.time();
  found->used_at = in.time();
  found->ends_at = in.time();
  found->time_zone = in.text();
  found->has_second_factor = in.flag("has_second_factor");
  if (in.skip_null()) return;
  session_membership member;
  member.merchant = merchant_id{in.text()};
  member.merchant_name = in.text();
  member.role = in.named(parse_member_role, "role");
  found->of.push_back(std::move(member));
}

platform platform_from(const result_row& row) {
  cursor in{row};
  platform p;
  p.id = platform_id{in.text()};
  p.slug = in.text();
  p.name = in.text();
  p.contact = in.text();
  p.status = in.named(parse_platform_status, "platform status");
  p.redirect_uris = texts_from_json(in.text());
  p.return_origins = texts_from_json(in.text());
  return p;
}

stored_platform_key platform_key_from(const result_row& row) {
  cursor in{row};
  stored_platform_key k;
  k.key.platform = platform_id{in.text()};
  k.key.id = key_id{in.text()};
  k.key.scopes = scopes_from(in);
  k.key.sealed_secret = in.text();
  k.key.created_at = in.time();
  k.revoked = !in.skip_null();
  return k;
}

namespace {

/// The scopes of a grant. A merchant grants scopes by name, so `*` is corrupt.
scope_set granted_scopes_from(cursor& in) {
  const auto scopes = in.named(parse_scopes, "scope");
  if (scopes.permits(scope::all)) throw corrupt_row("a grant of every scope");
  return scopes;
}

grant grant_from(cursor& in) {
  grant g;
  g.id = grant_id{in.text()};
  g.scopes = granted_scopes_from(in);
  g.given_by = user_id{in.text()};
  g.granted_at = in.time();
  g.revoked_at = in.optional_time();
  g.revoke_reason = in.text();
  return g;
}

entity_key binding_key_from(cursor& in) {
  entity_key key;
  key.merchant = merchant_id{in.text()};
  key.env = in.named(parse_environment, "environment");
  key.kind = entity_kind::grant;
  key.id = in.text();
  return key;
}

}  // namespace

grant_binding binding_from(const result_row& row, const entity_key& key) {
  cursor in{row};
  grant_binding b;
  b.key = key;
  b.newest = grant_from(in);
  b.codes = codes_from_json(in.text());
  b.version = in.number("version", 1);
  if (b.newest->revoked_at && !b.codes.empty()) throw corrupt_row("codes of a grant that was revoked");
  for (const auto& code : b.codes)
    if (const auto expires = to_unix_ms(code.expires_at); expires < first_ms || expires > last_ms)
      throw corrupt_row("codes out of bounds");
  return b;
}

customer customer_from(const result_row& row, const merchant_id& merchant) {
  cursor in{row};
  customer c;
  c.key.merchant = merchant;
  c.key.env = in.named(parse_environment, "environment");
  c.key.kind = entity_kind::customer;
  c.key.id = in.text();
  c.platform = platform_id{in.text()};
  c.ref = in.text();
  c.provider = in.named(parse_provider_kind, "provider");
  c.provider_id = in.text();
  c.methods = texts_from_json(in.text());
  c.created_at = in.time();
  if (!in.skip_null()) c.account = in.text();
  if (!in.skip_null()) c.other_names = names_from_json(in.text());
  c.version = in.number("version", 1);
  if (c.provider_id.empty()) throw corrupt_row("a customer that the provider does not know");
  return c;
}

stored_binding stored_binding_from(const result_row& row) {
  cursor in{row};
  stored_binding b;
  b.key = binding_key_from(in);
  b.scopes = granted_scopes_from(in);
  b.state = in.optional_time() ? grant_state::revoked : grant_state::active;
  b.version = in.number("version", 1);
  return b;
}

grant_lookup grant_lookup_from(const result_row& row) {
  cursor in{row};
  grant_lookup found;
  found.binding = binding_key_from(in);
  found.past = in.flag("is_past");
  return found;
}

std::pair<entity_key, grant> grant_from(const result_row& row) {
  cursor in{row};
  auto key = binding_key_from(in);
  return {std::move(key), grant_from(in)};
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
    const auto parsed = parse_payment_method_kind(word);
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

/// Whether the delivery satisfies the invariant that after_attempt() and redelivered() keep.
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
  d.partial = !in.skip_null() && in.number("is_partial", 1, 1) == 1;
  if (!holds_together(d)) throw corrupt_row("a delivery's status, attempts and next attempt do not go together");
  if (in.skip_null()) throw corrupt_row("a delivery without its event");
  job.event.id = in.text();
  job.event.subject = d.subject;
  job.event.seq = d.event_seq;
  job.event.type = in.text();
  job.event.created = in.time();
  job.event.data = in.text();
  job.left_out = static_cast<std::size_t>(in.number("event data", 0));
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

save_provider provider_from(const result_row& row) {
  cursor in{row};
  save_provider p;
  p.provider = in.named(parse_provider_kind, "provider");
  p.env = in.named(parse_environment, "environment");
  p.sealed_settings = in.text();
  p.changed_at = in.time();
  return p;
}

directory_change directory_change_from(const result_row& row) {
  cursor in{row};
  in.number("number");
  directory_change c;
  c.what = in.named(parse_change_kind, "kind of change");
  c.id = in.text();
  return c;
}

node_row node_from(const result_row& row) {
  cursor in{row};
  node_row n;
  n.name = in.text();
  n.incarnation = in.text();
  n.address = in.text();
  n.status = in.named(parse_node_status, "node status");
  n.asked_to_drain = in.number("asked_to_drain", 0, 1) == 1;
  n.beats = in.number("beats");
  n.published = in.number("published", -1);
  n.yielded = in.number("yielded", -1);
  n.payments = in.number("payments");
  n.last_seen = in.time();
  return n;
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
