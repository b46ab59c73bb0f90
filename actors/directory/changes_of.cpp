#include "changes_of.hpp"

#include <set>
#include <variant>

namespace gateway::actors {

namespace {

using change_kind = directory_change::kind;

struct collector {
  std::set<directory_change>& into;

  void of(const merchant_id& id) const { into.insert({change_kind::merchant, id.value}); }
  void of(const platform_id& id) const { into.insert({change_kind::platform, id.value}); }

  void operator()(const save_merchant& m) const { of(m.id); }
  void operator()(const save_api_key& k) const { of(k.merchant); }
  void operator()(const revoke_api_key& k) const { of(k.merchant); }
  void operator()(const save_membership& m) const { of(m.merchant); }
  void operator()(const drop_membership& m) const { of(m.merchant); }
  void operator()(const save_invitation& i) const { of(i.what.merchant); }
  void operator()(const drop_invitation& i) const { of(i.merchant); }
  void operator()(const spend_invitation& i) const { of(i.merchant); }
  void operator()(const save_connection& c) const { of(c.merchant); }
  void operator()(const save_route& r) const { of(r.merchant); }
  void operator()(const save_branding& b) const { of(b.merchant); }
  void operator()(const save_logo& l) const { of(l.merchant); }
  void operator()(const insert_platform& p) const { of(p.what.id); }
  void operator()(const update_platform& p) const { of(p.what.id); }
  void operator()(const save_platform_key& k) const { of(k.platform); }
  void operator()(const revoke_platform_key& k) const { of(k.platform); }
  void operator()(const save_provider& p) const {
    into.insert({change_kind::provider, std::string{to_string(p.provider)}});
  }
  void operator()(const save_master_key& k) const { into.insert({change_kind::master_key, k.id}); }
  void operator()(const promote_key& k) const { into.insert({change_kind::master_key, k.id}); }
  void operator()(const withdraw_key& k) const { into.insert({change_kind::master_key, k.id}); }
  void operator()(const retire_key& k) const { into.insert({change_kind::master_key, k.id}); }
  void operator()(const save_destination& d) const {
    into.insert(
        {d.what.kind == destination_kind::merchant ? change_kind::merchant : change_kind::platform, d.what.owner});
  }
  /// Rows that change no entry.
  template <class Row>
  void operator()(const Row&) const {}
};

struct maker {
  std::string operator()(const save_api_key& k) const { return k.id.value; }
  std::string operator()(const save_membership& m) const { return m.user.value; }
  std::string operator()(const save_invitation& i) const { return i.what.user.value; }
  std::string operator()(const save_destination& d) const { return d.what.id.value; }
  std::string operator()(const save_master_key& k) const { return k.id; }
  std::string operator()(const save_provider& p) const {
    return std::string{to_string(p.provider)}.append(":").append(to_string(p.env));
  }
  template <class Row>
  std::string operator()(const Row&) const {
    return {};
  }
};

/// For a command that does not name the merchant.
void add_merchant_of(const inserted_row& row, save_audit& note) {
  if (!note.merchant.empty()) return;
  if (const auto* made = std::get_if<save_merchant>(&row)) note.merchant = made->id;
  const auto* to = std::get_if<save_destination>(&row);
  if (!to) return;
  if (to->what.kind == destination_kind::merchant) note.merchant = merchant_id{to->what.owner};
  note.env = to->what.env;
}

}  // namespace

std::vector<directory_change> changes_of(const unit_of_work& unit) {
  std::set<directory_change> found;
  for (const auto& row : unit.inserts) std::visit(collector{found}, row);
  for (const auto& row : unit.claims) std::visit(collector{found}, row);
  return {found.begin(), found.end()};
}

save_audit about_what_is_made(save_audit note, const unit_of_work& unit) {
  for (auto row = unit.inserts.begin(); note.subject.empty() && row != unit.inserts.end(); ++row)
    note.subject = std::visit(maker{}, *row);
  for (const auto& row : unit.inserts) add_merchant_of(row, note);
  for (const auto& row : unit.claims)
    if (const auto* key = std::get_if<revoke_api_key>(&row); key && note.merchant.empty())
      note.merchant = key->merchant;
  return note;
}

}  // namespace gateway::actors
