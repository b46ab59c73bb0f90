// The changes of the directory's records and of people.
#include <algorithm>
#include <utility>

#include "gateway/ports/store/audit_check.hpp"
#include "memory_store.hpp"
#include "stored_names.hpp"

namespace gateway::testing {

template <class Key>
static void note_use(Key& key, std::chrono::sys_days day) {
  if (!key.last_used_on || *key.last_used_on < day) key.last_used_on = day;
}

/// False if it names a record that exists already and may not be replaced.
bool memory_store::directory_rows::apply(const inserted_row& record) {
  struct visitor {
    directory_rows& rows;
    bool operator()(const save_merchant& m) const { return rows.merchants.emplace(m.id.value, m).second; }
    bool operator()(const save_api_key& k) const { return rows.keys.emplace(k.id.value, stored_key{k, false}).second; }
    bool operator()(const save_user& u) const {
      if (std::ranges::any_of(rows.users, [&](const auto& one) { return one.second.id == u.id; })) return false;
      return rows.users.emplace(email_key_of(u.email), stored_person{u}).second;
    }
    bool operator()(const save_operator& o) const {
      return rows.operators.emplace(operator_key_of(o.name), stored_operator{o}).second;
    }
    bool operator()(const save_audit& a) const { return rows.apply(a); }
    bool operator()(const save_membership& m) const {
      rows.memberships.try_emplace({m.merchant.value, m.user.value}, m).first->second.role = m.role;
      return true;
    }
    bool operator()(const save_invitation& i) const {
      rows.invitations.insert_or_assign({i.what.merchant.value, i.what.user.value}, i.what);
      std::erase_if(rows.invitations, [&](const auto& one) {
        return one.second.merchant == i.what.merchant && one.second.expires <= i.what.created_at;
      });
      return true;
    }
    bool operator()(const save_session& s) const {
      if (!rows.sessions.emplace(s.hash, session{s, s.created_at}).second) return false;
      std::erase_if(rows.sessions, [&](const auto& one) {
        return one.second.what.user == s.user && one.second.what.ends_at <= s.created_at;
      });
      return true;
    }
    bool operator()(const save_mail& m) const { return rows.mails.emplace(m.what.id, m.what).second; }
    bool operator()(const save_password_link& l) const {
      rows.password_links.insert_or_assign(l.user.value, l);
      return true;
    }
    bool operator()(const insert_platform& p) const {
      const auto has_slug = [&](const auto& one) { return one.second.what.slug == p.what.slug; };
      return std::ranges::none_of(rows.platforms, has_slug) && rows.platforms.emplace(p.what.id.value, p).second;
    }
    bool operator()(const save_platform_key& k) const {
      return rows.platform_keys.emplace(k.id.value, stored_platform_key{k, false}).second;
    }
    bool operator()(const save_connection& c) const {
      const auto [row, fresh] = rows.connections.try_emplace(
          {c.merchant.value, text(c.link.env), text(c.link.provider)}, stored_connection{c.merchant, c.link, c.id});
      row->second.link = c.link;
      return true;
    }
    bool operator()(const save_route& r) const {
      const auto [row, fresh] = rows.routes.try_emplace({r.merchant.value, text(r.way.env), text(r.way.provider)},
                                                        stored_route{r.merchant, r.way, r.id});
      const auto position = row->second.way.position;
      row->second.way = r.way;
      row->second.way.position = position;
      return true;
    }
    bool operator()(const save_branding& b) const {
      rows.brandings.insert_or_assign(b.merchant.value, b);
      return true;
    }
    bool operator()(const save_logo& l) const {
      rows.logos.insert_or_assign(l.merchant.value, l);
      return true;
    }
    bool operator()(const save_destination& d) const {
      const auto [row, fresh] = rows.destinations.try_emplace({d.what.owner, d.what.id.value}, d);
      const auto [kind, created_at] = std::pair{row->second.what.kind, row->second.what.created_at};
      row->second = d;
      row->second.what.kind = kind;
      row->second.what.created_at = created_at;
      return true;
    }
    bool operator()(const save_provider& p) const {
      rows.providers.insert_or_assign({text(p.provider), text(p.env)}, p);
      return true;
    }
    bool operator()(const save_master_key& k) const {
      const bool taken = std::ranges::any_of(rows.master_keys, [&](const auto& one) { return one.second.id == k.id; });
      return !taken && rows.master_keys.emplace(k.position, k).second;
    }
    bool operator()(const spend_token& t) const {
      return rows.spent_tokens.emplace(t.merchant.value, t.token_id).second;
    }
  };
  return std::visit(
      [this]<class Record>(const Record& one) {
        if constexpr (std::is_invocable_v<visitor, const Record&>) return visitor{*this}(one);
        return false;  // an entity's row, not the directory's
      },
      record);
}

bool memory_store::directory_rows::apply(const save_audit& entry) {
  if (audit.contains(entry.id)) return false;
  const auto end = audit_end.value_or(audit_head{});
  auto link = audit_link_after(end.chain, end.number, end.hash, fields_of(entry));
  audit_end = audit_head{link.chain, link.number, link.hash, end.purged_to, end.purged_hash};
  audit.emplace(entry.id, audit_entry{entry, std::move(link)});
  return true;
}

void memory_store::directory_rows::apply(const revoke_api_key& k) {
  if (const auto row = keys.find(k.id.value); row != keys.end()) row->second.revoked = true;
}

stored_person* memory_store::directory_rows::person(const user_id& id) {
  const auto row = std::ranges::find_if(users, [&](const auto& one) { return one.second.id == id; });
  return row == users.end() ? nullptr : &row->second;
}

/// Null if there is no such mail, or if it has ended.
queued_mail* memory_store::directory_rows::pending_mail(const std::string& id) {
  const auto row = mails.find(id);
  return row == mails.end() || row->second.status != mail_status::pending ? nullptr : &row->second;
}

/// False if the claim is lost.
bool memory_store::directory_rows::apply(const claimed_row& record) {
  struct visitor {
    directory_rows& rows;
    void operator()(const set_second_factor& f) const {
      if (auto* who = rows.person(f.user)) {
        who->sealed_totp = f.sealed_totp;
        who->totp_step = 0;
      }
      std::erase_if(rows.recovery_codes, [&](const auto& code) { return code.first.first == f.user.value; });
      for (const auto& hash : f.recovery_hashes) rows.recovery_codes.emplace(std::pair{f.user.value, hash}, false);
    }
    bool operator()(const spend_totp_step& s) const {
      auto* who = rows.person(s.user);
      if (!who || who->sealed_totp.empty() || who->totp_step >= s.step) return false;
      who->totp_step = s.step;
      return true;
    }
    bool operator()(const spend_recovery_code& c) const {
      const auto code = rows.recovery_codes.find({c.user.value, c.hash});
      return code != rows.recovery_codes.end() && !std::exchange(code->second, true);
    }
    void operator()(const set_time_zone& z) const {
      if (auto* who = rows.person(z.user)) who->time_zone = z.zone;
    }
    void operator()(const update_platform& p) const {
      const auto row = rows.platforms.find(p.what.id.value);
      if (row == rows.platforms.end()) return;
      const auto slug = row->second.what.slug;
      row->second.what = p.what;
      row->second.what.slug = slug;
    }
    void operator()(const revoke_platform_key& k) const {
      const auto row = rows.platform_keys.find(k.id.value);
      if (row != rows.platform_keys.end() && row->second.key.platform == k.platform) row->second.revoked = true;
    }
    void operator()(const note_api_key_use& k) const {
      const auto row = rows.keys.find(k.id.value);
      if (row != rows.keys.end() && row->second.key.merchant == k.merchant) note_use(row->second, k.day);
    }
    void operator()(const note_platform_key_use& k) const {
      const auto row = rows.platform_keys.find(k.id.value);
      if (row != rows.platform_keys.end() && row->second.key.platform == k.platform) note_use(row->second, k.day);
    }
    void operator()(const set_user_password& p) const {
      for (auto& [key, user] : rows.users)
        if (user.id == p.user) user.password_hash = p.password_hash;
      std::erase_if(rows.sessions,
                    [&](const auto& one) { return one.second.what.user == p.user && one.first != p.kept_session; });
      rows.password_links.erase(p.user.value);
    }
    bool operator()(const set_mailed_password& p) const {
      auto* who = rows.person(p.user);
      if (!who || !who->password_hash.empty()) return false;
      who->password_hash = p.password_hash;
      return true;
    }
    bool operator()(const spend_password_link& l) const {
      const auto row = rows.password_links.find(l.user.value);
      if (row == rows.password_links.end() || row->second.hash != l.hash || row->second.expires <= l.at) return false;
      rows.password_links.erase(row);
      return true;
    }
    bool operator()(const lease_mail& m) const {
      auto* mail = rows.pending_mail(m.id);
      if (!mail || mail->attempts != m.attempts) return false;
      mail->attempts += 1;
      mail->leased_until = m.until;
      return true;
    }
    bool operator()(const finish_mail& m) const {
      auto* mail = rows.pending_mail(m.id);
      if (!mail || mail->attempts != m.attempts || !mail->leased_until) return false;
      mail->status = m.status;
      mail->due_at = m.due_at;
      mail->ended_at = m.ended_at;
      mail->last_error = m.error;
      mail->leased_until.reset();
      if (!m.keeps_content) mail->sealed.clear();
      return true;
    }
    bool operator()(const retry_mail& m) const {
      const auto row = rows.mails.find(m.id);
      if (row == rows.mails.end() || row->second.status == mail_status::sent || row->second.sealed.empty())
        return false;
      auto& mail = row->second;
      mail.status = mail_status::pending;
      mail.due_at = m.at;
      mail.expires_at = m.expires;
      mail.ended_at.reset();
      return true;
    }
    void operator()(const purge_mail& m) const {
      std::erase_if(rows.mails,
                    [&](const auto& one) { return one.second.ended_at && *one.second.ended_at <= m.ended_by; });
      for (auto& [id, mail] : rows.mails)
        if (mail.status == mail_status::failed && holds_link(mail.kind) && mail.expires_at <= m.now)
          mail.sealed.clear();
    }
    bool operator()(const set_first_password& p) const {
      auto* who = rows.person(p.user);
      const bool is_member =
          std::ranges::any_of(rows.memberships, [&](const auto& one) { return one.second.user == p.user; });
      if (!who || !who->password_hash.empty() || is_member) return false;
      who->password_hash = p.password_hash;
      rows.shown_passwords.insert_or_assign(p.user.value, p.shown_to);
      return true;
    }
    bool operator()(const check_credentials& c) const {
      const auto* who = rows.person(c.user);
      return who && who->password_hash == c.password_hash && who->sealed_totp == c.sealed_totp;
    }
    void operator()(const end_shown_password& p) const {
      if (rows.shown_passwords.erase(p.user.value) == 0) return;
      if (auto* who = rows.person(p.user)) {
        who->password_hash.clear();
        who->sealed_totp.clear();
        who->totp_step = 0;
      }
      std::erase_if(rows.recovery_codes, [&](const auto& code) { return code.first.first == p.user.value; });
      std::erase_if(rows.sessions, [&](const auto& one) { return one.second.what.user == p.user; });
    }
    void operator()(const drop_invitation& i) const { rows.invitations.erase({i.merchant.value, i.user.value}); }
    bool operator()(const spend_invitation& i) const {
      const auto row = rows.invitations.find({i.merchant.value, i.user.value});
      if (row == rows.invitations.end() || row->second.id != i.id || row->second.expires <= i.at) return false;
      rows.invitations.erase(row);
      return true;
    }
    void operator()(const drop_membership& m) const { rows.memberships.erase({m.merchant.value, m.user.value}); }
    void operator()(const touch_session& s) const {
      if (const auto row = rows.sessions.find(s.hash); row != rows.sessions.end()) row->second.used_at = s.used_at;
    }
    void operator()(const end_session& s) const { rows.sessions.erase(s.hash); }
    bool operator()(const promote_key& k) const { return rows.apply(k); }
    bool operator()(const withdraw_key& k) const { return rows.apply(k); }
    bool operator()(const retire_key& k) const { return rows.apply(k); }
    bool operator()(const reseal& r) const { return rows.apply(r); }
    bool operator()(const reset_operator& r) const {
      const auto row = rows.operators.find(r.key);
      if (row == rows.operators.end()) return false;
      auto& who = row->second;
      who.setup_id = r.setup_id;
      who.setup_ends_at = r.setup_ends_at;
      who.password_hash.clear();
      who.sealed_totp.clear();
      who.totp_step = 0;
      return true;
    }
    bool operator()(const drop_operator& d) const { return rows.operators.erase(d.key) != 0; }
    bool operator()(const set_up_operator& s) const {
      const auto row = rows.operators.find(s.key);
      if (row == rows.operators.end() || s.setup_id.empty()) return false;
      auto& who = row->second;
      if (who.setup_id != s.setup_id || who.setup_ends_at <= s.at) return false;
      who.setup_id.clear();
      who.password_hash = s.password_hash;
      who.sealed_totp = s.sealed_totp;
      who.totp_step = 0;
      return true;
    }
    bool operator()(const spend_operator_code& c) const {
      const auto row = rows.operators.find(c.key);
      if (row == rows.operators.end() || c.sealed_totp.empty()) return false;
      auto& who = row->second;
      if (who.password_hash != c.password_hash || who.sealed_totp != c.sealed_totp || who.totp_step >= c.step)
        return false;
      who.totp_step = c.step;
      return true;
    }
  };
  return std::visit(
      [this]<class Record>(const Record& one) {
        if constexpr (std::is_invocable_r_v<bool, visitor, const Record&>)
          return visitor{*this}(one);
        else if constexpr (std::is_invocable_v<visitor, const Record&>)
          visitor{*this}(one);
        return true;
      },
      record);
}

}  // namespace gateway::testing
