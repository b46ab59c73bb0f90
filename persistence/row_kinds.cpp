#include "persistence/row_kinds.hpp"

#include <functional>
#include <string_view>
#include <variant>

namespace gateway::persistence {

namespace {

using enum commit_outcome;

struct table_row {
  row_kind kind;
  row_writing how;
};

constexpr table_row table[] = {
    {row_kind::command, {&statements::insert_command, nullptr, 0, duplicate_command}},
    {row_kind::counted_event, {&statements::insert_counted_event, nullptr, 0, duplicate_record}},
    {row_kind::payment, {&statements::insert_payment, nullptr, 0, entity_exists}},
    {row_kind::binding, {&statements::insert_binding, nullptr, 0, entity_exists}},
    {row_kind::customer, {&statements::insert_customer, nullptr, 0, entity_exists}},
    {row_kind::subscription, {&statements::insert_subscription, nullptr, 0, entity_exists}},
    {row_kind::enrollment, {&statements::insert_enrollment, nullptr, 0, entity_exists}},
    {row_kind::notification, {&statements::insert_notification, nullptr, 0, entity_exists}},
    {row_kind::payment_claim, {&statements::update_payment, nullptr, 0, lost_claim}},
    {row_kind::binding_claim, {&statements::update_binding, nullptr, 0, lost_claim}},
    {row_kind::customer_claim, {&statements::update_customer, nullptr, 0, lost_claim}},
    {row_kind::subscription_claim, {&statements::update_subscription, nullptr, 0, lost_claim}},
    {row_kind::enrollment_claim, {&statements::update_enrollment, nullptr, 0, lost_claim}},
    {row_kind::notification_claim, {&statements::update_notification, nullptr, 0, lost_claim}},
    {row_kind::past_grant, {&statements::insert_past_grant, nullptr, 0, lost_claim}},
    {row_kind::command_finish, {&statements::finish_command, nullptr, 0, lost_claim}},
    {row_kind::attempt, {&statements::insert_attempt, nullptr, 0, lost_claim}},
    {row_kind::event, {&statements::insert_event, nullptr, 0, lost_claim}},
    {row_kind::delivery, {&statements::insert_delivery, nullptr, 0, lost_claim}},
    {row_kind::delivery_claim, {&statements::update_delivery, nullptr, 0, lost_claim}},
    {row_kind::merchant, {&statements::insert_merchant, nullptr, 0, duplicate_record}},
    {row_kind::api_key, {&statements::insert_api_key, nullptr, 0, duplicate_record}},
    {row_kind::person, {&statements::insert_person, nullptr, 0, duplicate_record}},
    {row_kind::credentials_check, {nullptr, &statements::check_credentials, 3, duplicate_record, true}},
    {row_kind::first_password, {nullptr, &statements::set_first_password, 5, duplicate_record, true}},
    {row_kind::membership, {&statements::put_membership, nullptr, 0, duplicate_record}},
    {row_kind::invitation, {&statements::put_invitation, nullptr, 0, duplicate_record}},
    {row_kind::session, {&statements::insert_session, nullptr, 0, duplicate_record}},
    {row_kind::connection, {&statements::put_connection, nullptr, 0, duplicate_record}},
    {row_kind::route, {&statements::put_route, nullptr, 0, duplicate_record}},
    {row_kind::setup_token, {&statements::insert_setup_token, nullptr, 0, duplicate_record}},
    {row_kind::destination, {&statements::put_destination, nullptr, 0, duplicate_record}},
    {row_kind::platform, {&statements::insert_platform, nullptr, 0, duplicate_record}},
    {row_kind::platform_key, {&statements::insert_platform_key, nullptr, 0, duplicate_record}},
    {row_kind::provider, {&statements::put_provider, nullptr, 0, duplicate_record}},
    {row_kind::last_seen, {&statements::put_meta, nullptr, 0, duplicate_record}},
    // Revoking a revoked key changes nothing and is no error; the first time of revocation stays.
    {row_kind::api_key_revocation, {nullptr, &statements::revoke_api_key, 3, duplicate_record}},
    {row_kind::platform_change, {nullptr, &statements::update_platform, 6, duplicate_record}},
    {row_kind::platform_key_revocation, {nullptr, &statements::revoke_platform_key, 3, duplicate_record}},
    {row_kind::shown_password_end, {nullptr, &statements::end_shown_password, 1, duplicate_record}},
    {row_kind::shown_sessions_end, {nullptr, &statements::end_shown_sessions, 2, duplicate_record}},
    {row_kind::shown_codes_end, {nullptr, &statements::end_shown_codes, 2, duplicate_record}},
    {row_kind::password_change, {nullptr, &statements::update_password, 3, duplicate_record}},
    {row_kind::membership_end, {nullptr, &statements::drop_membership, 2, duplicate_record}},
    {row_kind::invitation_end, {nullptr, &statements::drop_invitation, 2, duplicate_record}},
    {row_kind::invitation_use, {nullptr, &statements::spend_invitation, 4, duplicate_record, true}},
    {row_kind::invitations_purge, {nullptr, &statements::purge_invitations, 2, duplicate_record}},
    {row_kind::session_use, {nullptr, &statements::touch_session, 2, duplicate_record}},
    {row_kind::session_end, {nullptr, &statements::end_session, 1, duplicate_record}},
    {row_kind::other_sessions_end, {nullptr, &statements::end_other_sessions, 2, duplicate_record}},
    {row_kind::sessions_purge, {nullptr, &statements::purge_sessions, 2, duplicate_record}},
    {row_kind::second_factor, {nullptr, &statements::replace_second_factor, 2, duplicate_record}},
    {row_kind::recovery_codes_end, {nullptr, &statements::drop_recovery_codes, 1, duplicate_record}},
    {row_kind::recovery_code, {&statements::insert_recovery_code, nullptr, 0, duplicate_record}},
    {row_kind::totp_step_use, {nullptr, &statements::spend_totp_step, 3, duplicate_record, true}},
    {row_kind::recovery_code_use, {nullptr, &statements::spend_recovery_code, 3, duplicate_record, true}},
    {row_kind::time_zone_change, {nullptr, &statements::update_time_zone, 2, duplicate_record}},
    {row_kind::audit, {&statements::insert_audit, nullptr, 0, duplicate_record}},
    {row_kind::ledger_entry, {&statements::insert_ledger_entry, nullptr, 0, lost_claim}},
    // Late, because other transactions that add to the same total wait for its row until the commit.
    {row_kind::daily_total, {&statements::add_daily_total, nullptr, 0, duplicate_record}},
    // Last, because all nodes wait for this row until the commit.
    {row_kind::directory_turn, {nullptr, &statements::take_turn, 1, duplicate_record, true}},
    {row_kind::directory_number, {nullptr, &statements::raise_number, 0, duplicate_record}},
    {row_kind::directory_change, {nullptr, &statements::log_change, 2, duplicate_record}},
};
static_assert(std::size(table) == row_kind_count);
static_assert(
    [] {
      for (std::size_t i = 0; i < row_kind_count; ++i)
        if (table[i].kind != static_cast<row_kind>(i)) return false;
      return true;
    }(),
    "each row stands at its kind");

struct insert_gatherer {
  gathered_rows& rows;
  const entity_key& subject;

  void operator()(const command_record& c) const { insert_command_row(rows.add_to(row_kind::command), c); }
  void operator()(const payment_ptr& p) const { insert_payment_row(rows.add_to(row_kind::payment), *p); }
  void operator()(const timeline_entry& e) const {
    if (e.kind == timeline_kind::attempt)
      insert_attempt_row(rows.add_to(row_kind::attempt), subject, e);
    else
      insert_event_row(rows.add_to(row_kind::event), subject, e);
  }
  void operator()(const delivery& d) const { insert_delivery_row(rows.add_to(row_kind::delivery), d); }
  void operator()(const save_merchant& m) const { insert_merchant_row(rows.add_to(row_kind::merchant), m); }
  void operator()(const save_api_key& k) const { insert_api_key_row(rows.add_to(row_kind::api_key), k); }
  void operator()(const binding_ptr& b) const { binding_row(rows.add_to(row_kind::binding), *b); }
  void operator()(const customer_ptr& c) const { customer_row(rows.add_to(row_kind::customer), *c); }
  void operator()(const subscription_ptr& s) const { subscription_row(rows.add_to(row_kind::subscription), *s); }
  void operator()(const enrollment_ptr& e) const { enrollment_row(rows.add_to(row_kind::enrollment), *e); }
  void operator()(const notification_ptr& n) const { insert_notification_row(rows.add_to(row_kind::notification), *n); }
  void operator()(const counted_event& e) const { insert_counted_event_row(rows.add_to(row_kind::counted_event), e); }
  void operator()(const past_grant& g) const { insert_past_grant_row(rows.add_to(row_kind::past_grant), g); }
  void operator()(const save_user& u) const { insert_person_row(rows.add_to(row_kind::person), u); }
  void operator()(const save_membership& m) const { put_membership_row(rows.add_to(row_kind::membership), m); }
  void operator()(const save_invitation& i) const {
    put_invitation_row(rows.add_to(row_kind::invitation), i.what);
    purge_invitations_row(rows.add_to(row_kind::invitations_purge), i.what);
  }
  /// Also deletes the user's sessions that have ended, so that they do not accumulate.
  void operator()(const save_session& s) const {
    insert_session_row(rows.add_to(row_kind::session), s);
    purge_sessions_row(rows.add_to(row_kind::sessions_purge), s);
  }
  void operator()(const insert_platform& p) const { insert_platform_row(rows.add_to(row_kind::platform), p); }
  void operator()(const save_platform_key& k) const { insert_platform_key_row(rows.add_to(row_kind::platform_key), k); }
  void operator()(const save_connection& c) const { put_connection_row(rows.add_to(row_kind::connection), c); }
  void operator()(const save_route& r) const { put_route_row(rows.add_to(row_kind::route), r); }
  void operator()(const spend_token& t) const { insert_spent_token_row(rows.add_to(row_kind::setup_token), t); }
  void operator()(const save_destination& d) const { put_destination_row(rows.add_to(row_kind::destination), d); }
  void operator()(const save_provider& p) const { put_provider_row(rows.add_to(row_kind::provider), p); }
  void operator()(const save_audit& a) const { insert_audit_row(rows.add_to(row_kind::audit), a); }
  void operator()(const count_daily& c) const { rows.count(c); }
  void operator()(const ledger_entry& e) const { insert_ledger_entry_row(rows.add_to(row_kind::ledger_entry), e); }
  void operator()(const save_last_seen& s) const { put_last_seen_row(rows.add_to(row_kind::last_seen), s); }
  /// All changes of a unit share one number.
  void operator()(const directory_change& c) const {
    rows.add_to(row_kind::directory_number);
    directory_change_row(rows.add_to(row_kind::directory_change), c);
  }
};

struct claim_gatherer {
  gathered_rows& rows;

  void operator()(const payment_ptr& p) const { update_payment_row(rows.add_to(row_kind::payment_claim), *p); }
  void operator()(const command_finish& f) const { finish_command_row(rows.add_to(row_kind::command_finish), f); }
  void operator()(const delivery& d) const { update_delivery_row(rows.add_to(row_kind::delivery_claim), d); }
  void operator()(const binding_ptr& b) const { binding_row(rows.add_to(row_kind::binding_claim), *b); }
  void operator()(const customer_ptr& c) const { customer_row(rows.add_to(row_kind::customer_claim), *c); }
  void operator()(const subscription_ptr& s) const { subscription_row(rows.add_to(row_kind::subscription_claim), *s); }
  void operator()(const enrollment_ptr& e) const { enrollment_row(rows.add_to(row_kind::enrollment_claim), *e); }
  void operator()(const notification_ptr& n) const {
    update_notification_row(rows.add_to(row_kind::notification_claim), *n);
  }
  void operator()(const update_platform& p) const { update_platform_row(rows.add_to(row_kind::platform_change), p); }
  void operator()(const revoke_platform_key& k) const {
    revoke_platform_key_row(rows.add_to(row_kind::platform_key_revocation), k);
  }
  void operator()(const set_user_password& p) const {
    update_password_row(rows.add_to(row_kind::password_change), p);
    end_other_sessions_row(rows.add_to(row_kind::other_sessions_end), p);
  }
  void operator()(const set_first_password& p) const {
    set_first_password_row(rows.add_to(row_kind::first_password), p);
  }
  void operator()(const end_shown_password& p) const {
    add_user(rows.add_to(row_kind::shown_password_end), p.user);
    add_user_twice(rows.add_to(row_kind::shown_sessions_end), p.user);
    add_user_twice(rows.add_to(row_kind::shown_codes_end), p.user);
  }
  void operator()(const check_credentials& c) const {
    check_credentials_row(rows.add_to(row_kind::credentials_check), c);
  }
  void operator()(const drop_invitation& i) const { drop_invitation_row(rows.add_to(row_kind::invitation_end), i); }
  void operator()(const spend_invitation& i) const { spend_invitation_row(rows.add_to(row_kind::invitation_use), i); }
  void operator()(const drop_membership& m) const { drop_membership_row(rows.add_to(row_kind::membership_end), m); }
  void operator()(const touch_session& s) const { touch_session_row(rows.add_to(row_kind::session_use), s); }
  void operator()(const end_session& s) const { end_session_row(rows.add_to(row_kind::session_end), s); }
  void operator()(const set_second_factor& f) const {
    replace_second_factor_row(rows.add_to(row_kind::second_factor), f);
    drop_recovery_codes_row(rows.add_to(row_kind::recovery_codes_end), f);
    for (const auto& hash : f.recovery_hashes)
      insert_recovery_code_row(rows.add_to(row_kind::recovery_code), f.user, hash);
  }
  void operator()(const spend_totp_step& s) const { spend_totp_step_row(rows.add_to(row_kind::totp_step_use), s); }
  void operator()(const spend_recovery_code& c) const {
    spend_recovery_code_row(rows.add_to(row_kind::recovery_code_use), c);
  }
  void operator()(const set_time_zone& z) const { update_time_zone_row(rows.add_to(row_kind::time_zone_change), z); }
  void operator()(const revoke_api_key& k) const { revoke_api_key_row(rows.add_to(row_kind::api_key_revocation), k); }
  void operator()(const directory_turn& t) const { directory_turn_row(rows.add_to(row_kind::directory_turn), t); }
};

/// The hash of a row's key. An entity has the same hash whether it is inserted or claimed.
struct row_hasher {
  std::size_t operator()(const command_record& c) const { return std::hash<command_key>{}(c.key); }
  std::size_t operator()(const command_finish& f) const { return std::hash<command_key>{}(f.key); }
  std::size_t operator()(const payment_ptr& p) const { return std::hash<entity_key>{}(p->key); }
  std::size_t operator()(const delivery& d) const { return std::hash<std::int64_t>{}(d.id); }
  std::size_t operator()(const save_merchant& m) const { return of({m.id.value}); }
  std::size_t operator()(const save_api_key& k) const { return of({k.id.value}); }
  std::size_t operator()(const revoke_api_key& k) const { return of({k.id.value}); }
  std::size_t operator()(const binding_ptr& b) const { return std::hash<entity_key>{}(b->key); }
  std::size_t operator()(const customer_ptr& c) const { return std::hash<entity_key>{}(c->key); }
  std::size_t operator()(const subscription_ptr& s) const { return std::hash<entity_key>{}(s->key); }
  std::size_t operator()(const enrollment_ptr& e) const { return std::hash<entity_key>{}(e->key); }
  std::size_t operator()(const notification_ptr& n) const { return std::hash<entity_key>{}(n->key); }
  std::size_t operator()(const counted_event& e) const { return of({e.merchant.value, to_string(e.env), e.event_id}); }
  std::size_t operator()(const past_grant& g) const { return of({g.what.id.value}); }
  std::size_t operator()(const save_user& u) const { return of({u.id.value}); }
  std::size_t operator()(const set_user_password& p) const { return of({p.user.value}); }
  std::size_t operator()(const set_second_factor& f) const { return of({f.user.value}); }
  std::size_t operator()(const spend_totp_step& s) const { return of({s.user.value}); }
  std::size_t operator()(const spend_recovery_code& c) const { return of({c.user.value}); }
  std::size_t operator()(const set_time_zone& z) const { return of({z.user.value}); }
  std::size_t operator()(const save_audit& a) const { return of({a.id}); }
  std::size_t operator()(const save_membership& m) const { return of({m.merchant.value, m.user.value}); }
  std::size_t operator()(const drop_membership& m) const { return of({m.merchant.value, m.user.value}); }
  std::size_t operator()(const save_invitation& i) const { return of({i.what.merchant.value, i.what.user.value}); }
  std::size_t operator()(const drop_invitation& i) const { return of({i.merchant.value, i.user.value}); }
  std::size_t operator()(const spend_invitation& i) const { return of({i.merchant.value, i.user.value}); }
  std::size_t operator()(const set_first_password& p) const { return of({p.user.value}); }
  std::size_t operator()(const end_shown_password& p) const { return of({p.user.value}); }
  std::size_t operator()(const check_credentials& c) const { return of({c.user.value}); }
  std::size_t operator()(const save_session& s) const { return of({s.hash}); }
  std::size_t operator()(const touch_session& s) const { return of({s.hash}); }
  std::size_t operator()(const end_session& s) const { return of({s.hash}); }
  std::size_t operator()(const insert_platform& p) const { return of({p.what.id.value}); }
  std::size_t operator()(const update_platform& p) const { return of({p.what.id.value}); }
  std::size_t operator()(const save_platform_key& k) const { return of({k.id.value}); }
  std::size_t operator()(const revoke_platform_key& k) const { return of({k.id.value}); }
  std::size_t operator()(const save_connection& c) const { return of({c.id}); }
  std::size_t operator()(const save_route& r) const { return of({r.id}); }
  std::size_t operator()(const spend_token& t) const { return of({t.merchant.value, t.token_id}); }
  std::size_t operator()(const save_destination& d) const { return of({d.what.id.value}); }
  std::size_t operator()(const save_provider& p) const { return of({to_string(p.provider), to_string(p.env)}); }
  std::size_t operator()(const save_last_seen&) const { return of({last_seen_name}); }
  std::size_t operator()(const directory_change&) const { return of({"directory_head"}); }
  std::size_t operator()(const directory_turn&) const { return of({"directory_head"}); }

  /// Changing a password ends the user's sessions, and a first password is set only for a user without membership. The
  /// common hash keeps such units in their order.
  std::size_t owner_of(const save_session& s) const { return of({s.user.value}); }
  std::size_t owner_of(const save_membership& m) const { return of({m.user.value}); }

 private:
  static std::size_t of(std::initializer_list<std::string_view> texts) {
    std::size_t seed = 0;
    for (const auto text : texts) seed = combine_hash(seed, std::hash<std::string_view>{}(text));
    return seed;
  }
};

struct size_estimator {
  std::size_t operator()(const command_record& c) const {
    return 256 + c.reason.size() + (c.result ? c.result->body.size() : 0);
  }
  std::size_t operator()(const command_finish& f) const { return f.result ? f.result->body.size() : 0; }
  std::size_t operator()(const payment_ptr& p) const {
    const auto& details = p->details;
    auto bytes = 512 + p->hosted_url.size() + details.description.size() + details.success_url.size() +
                 details.cancel_url.size() + details.customer_email.size() + details.customer_name.size() +
                 details.customer_mobile.size();
    bytes += of(details.metadata);
    if (p->customer) bytes += 256 + p->customer->ref.size() + p->customer->saved_method.size();
    return bytes;
  }
  std::size_t operator()(const timeline_entry& e) const { return 256 + e.message.size() + e.event_data.size(); }
  std::size_t operator()(const delivery& d) const { return 384 + (d.last ? d.last->excerpt.size() : 0); }
  std::size_t operator()(const binding_ptr& b) const {
    auto bytes = 512 + b->newest.value().revoke_reason.size();
    for (const auto& code : b->codes) bytes += 128 + code.redirect_uri.size();
    return bytes;
  }
  std::size_t operator()(const customer_ptr& c) const {
    auto bytes = 384 + c->ref.size();
    for (const auto& method : c->methods) bytes += method.size() + 4;
    for (const auto& name : c->other_names) {
      bytes += 384 + name.id.size();
      for (const auto& method : name.methods) bytes += method.size() + 4;
    }
    return bytes;
  }
  std::size_t operator()(const subscription_ptr& s) const {
    const auto& details = s->details;
    auto bytes = 1024 + s->hosted_url.size() + details.customer_ref.size() + details.success_url.size() +
                 details.cancel_url.size() + details.description.size() + of(s->state.metadata);
    for (const auto& n : s->waiting) bytes += of(n);
    for (const auto& c : s->owed) bytes += 768 + c.customer_ref.size() + c.description.size() + of(c.metadata);
    return bytes;
  }
  std::size_t operator()(const enrollment_ptr& e) const {
    auto bytes = 1024 + of(e->what.metadata);
    for (const auto& n : e->untold) bytes += of(n);
    return bytes;
  }
  std::size_t operator()(const notification_ptr& n) const { return 1024 + n->body.size() + n->about.size(); }
  std::size_t operator()(const past_grant& g) const { return 384 + g.what.revoke_reason.size(); }
  std::size_t operator()(const insert_platform& p) const { return of(p.what); }
  std::size_t operator()(const update_platform& p) const { return of(p.what); }
  std::size_t operator()(const save_provider& p) const { return 256 + p.sealed_settings.size(); }
  template <class Record>
  std::size_t operator()(const Record&) const {
    return 256;  // for an operator's change
  }

 private:
  static std::size_t of(const metadata_map& metadata) {
    std::size_t bytes = 0;
    for (const auto& [name, value] : metadata) bytes += name.size() + value.size() + 8;
    return bytes;
  }
  static std::size_t of(const subscription_notification& n) { return 1024 + of(n.state.metadata); }
  static std::size_t of(const platform& p) {
    auto bytes = 256 + p.name.size() + p.contact.size();
    for (const auto& uri : p.redirect_uris) bytes += uri.size() + 4;
    for (const auto& origin : p.return_origins) bytes += origin.size() + 4;
    return bytes;
  }
};

}  // namespace

const row_writing& writing_of(row_kind kind) noexcept { return table[static_cast<std::size_t>(kind)].how; }

row_buffer& gathered_rows::add_to(row_kind kind) {
  auto& rows = rows_[static_cast<std::size_t>(kind)];
  if (!rows) rows.emplace();
  return *rows;
}

void gathered_rows::count(const count_daily& what) {
  const auto& added = what.added;
  auto& total = totals_[{what.merchant.value, what.env, added.day, added.amount.unit.code(), added.what}];
  total.counted += added.count;
  total.amount += added.amount.minor;
}

void gathered_rows::add_up(std::int64_t lane) {
  for (const auto& [key, total] : totals_) {
    const auto& [merchant, env, day, currency, what] = key;
    auto& rows = add_to(row_kind::daily_total).add(merchant).add(to_string(env)).add(day_number(day));
    rows.add(currency).add(to_string(what)).add(lane).add(total.counted).add(total.amount);
  }
}

void gathered_rows::gather(const unit_of_work& unit) {
  for (const auto& row : unit.inserts) std::visit(insert_gatherer{*this, unit.subject}, row);
  for (const auto& row : unit.claims) std::visit(claim_gatherer{*this}, row);
}

void append_row_hashes(std::vector<std::size_t>& hashes, const unit_of_work& unit) {
  // A timeline entry and a ledger's entry need no hash of their own: the unit claims the entity that they belong to.
  // The order of additions to a total does not matter.
  for (const auto& row : unit.inserts)
    std::visit(
        [&]<class Row>(const Row& one) {
          if constexpr (!std::is_same_v<Row, timeline_entry> && !std::is_same_v<Row, count_daily> &&
                        !std::is_same_v<Row, ledger_entry>)
            hashes.push_back(row_hasher{}(one));
          if constexpr (std::is_same_v<Row, save_session> || std::is_same_v<Row, save_membership>)
            hashes.push_back(row_hasher{}.owner_of(one));
        },
        row);
  for (const auto& row : unit.claims) hashes.push_back(std::visit(row_hasher{}, row));
}

std::size_t estimated_bytes(const unit_of_work& unit) noexcept {
  std::size_t bytes = 256;
  for (const auto& row : unit.inserts) bytes += std::visit(size_estimator{}, row);
  for (const auto& row : unit.claims) bytes += std::visit(size_estimator{}, row);
  return bytes;
}

}  // namespace gateway::persistence
