#include "grants.hpp"

#include <algorithm>

namespace gateway::simulation {

namespace {

bool has_code(const grant_binding& b, const std::string& hash) {
  return std::ranges::find(b.codes, hash, &auth_code::hash) != b.codes.end();
}

}  // namespace

void grant_promises::committed(const testing::unit_parts& unit) {
  for (const auto& past : unit.past_grants)
    if (!past.what.revoked_at) all_.break_("the grant " + past.what.id.value + " is past, and was never revoked");
  const auto* next = unit.changed_binding();
  if (!next) return;
  const auto id = testing::memory_store::id(next->key);
  if (!next->newest) return all_.break_("a binding is stored without a grant");
  const auto& newest = *next->newest;
  if (const auto [at, fresh] = bound_.emplace(newest.id.value, id); !fresh && at->second != id)
    all_.break_("the grant " + newest.id.value + " binds two pairs");

  if (const auto before = last_.find(id); before != last_.end()) {
    const auto& was = before->second;
    if (next->version != was.version + 1) all_.break_("a binding skips a version");
    if (was.newest->id != newest.id) {
      if (!was.newest->revoked_at) all_.break_("the active grant " + was.newest->id.value + " is replaced by another");
      if (unit.past_grants.size() != 1 || unit.past_grants.front().what != *was.newest)
        all_.break_("the grant " + was.newest->id.value + " is forgotten");
    } else if (without(was.newest->scopes, newest.scopes).bits != 0) {
      all_.break_("the grant " + newest.id.value + " has lost a scope");
    }
    // Only an exchange, or expiry, removes a single code from an active grant.
    if (unit.insert_command && unit.insert_command->operation == "exchange")
      for (const auto& code : was.codes)
        if (!has_code(*next, code.hash) && code.expires_at > unit.insert_command->created_at && ++spent_[code.hash] > 1)
          all_.break_("a code is spent twice");
  } else if (next->version != 1) {
    all_.break_("a binding begins with another version than the first");
  }

  if (const auto ended = ended_.find(newest.id.value); ended != ended_.end() && ended->second != newest)
    all_.break_("the grant " + newest.id.value + " has changed since it was revoked");
  if (newest.revoked_at) {
    ended_.emplace(newest.id.value, newest);
    if (!next->codes.empty()) all_.break_("the grant " + newest.id.value + " is revoked and keeps its codes");
  }
  last_.insert_or_assign(id, *next);
}

void grant_promises::revoked(const entity_key& binding, const grant_id& id) {
  const auto key = testing::memory_store::id(binding);
  if (!ended_.contains(id.value)) return all_.break_("the revoke of " + id.value + " is told, and not stored");
  const auto row = rows_.bindings.find(key);
  if (row->second.newest->id == id) cut_off_[key] = row->second.version;
}

/// Whether the revoke of the stored grant was answered, and no consent has followed.
bool grant_promises::is_cut_off(const entity_key& binding) const {
  const auto key = testing::memory_store::id(binding);
  const auto row = rows_.bindings.find(key);
  if (row == rows_.bindings.end() || !row->second.newest->revoked_at) return false;
  const auto cut = cut_off_.find(key);
  return cut != cut_off_.end() && cut->second == row->second.version;
}

void grant_promises::let_in(const entity_key& binding) {
  if (!rows_.bindings.contains(testing::memory_store::id(binding)))
    return all_.break_("a platform acts by a grant that is not stored");
  if (is_cut_off(binding))
    all_.break_("the platform " + binding.id + " acts after it was told that its grant is revoked");
}

void grant_promises::asked(const entity_request& request) {
  if (request.by) asked_.insert_or_assign(testing::memory_store::id(request.write->key), *request.by);
}

void grant_promises::composed(const unit_of_work& unit) {
  if (unit.subject.kind != entity_kind::payment) return;
  const testing::unit_parts parts{unit};
  if (!parts.insert_command) return;
  const auto asked = asked_.find(testing::memory_store::id(parts.insert_command->key));
  if (asked == asked_.end()) return;
  const auto& by = asked->second;
  const auto what = "the " + parts.insert_command->operation + " of " + unit.subject.id + " begins for " +
                    by.platform.value + " after ";
  if (revoked_keys_.contains(by.key.value)) all_.break_(what + "its key was revoked");
  if (suspended_.contains(by.platform.value)) all_.break_(what + "it was suspended");
  if (is_cut_off(binding_key(unit.subject.merchant, unit.subject.env, by.platform)))
    all_.break_(what + "its grant was revoked");
}

void grant_promises::exchanged(const std::string& code_hash, const std::string& command) {
  const auto [at, fresh] = exchanges_.emplace(code_hash, command);
  if (!fresh && at->second != command) all_.break_("one code buys two exchanges");
}

void grant_promises::at_rest(const directory& published) {
  for (const auto& [key, row] : rows_.bindings) {
    const auto seen = published.find_grants({platform_id{row.key.id}, row.key.merchant}).in(row.key.env);
    if (seen.version != row.version || seen.state != state_of(row.newest) || seen.scopes != row.newest->scopes)
      all_.break_("what is published of " + row.key.id + "'s grant is not what is stored");
  }
}

}  // namespace gateway::simulation
