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
    // Only an exchange takes a single code away from an active grant, but for those that have expired.
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

void grant_promises::let_in(const entity_key& binding) {
  const auto key = testing::memory_store::id(binding);
  const auto row = rows_.bindings.find(key);
  if (row == rows_.bindings.end()) return all_.break_("a platform acts by a grant that is not stored");
  if (!row->second.newest->revoked_at) return;
  if (const auto cut = cut_off_.find(key); cut != cut_off_.end() && cut->second == row->second.version)
    all_.break_("the platform " + binding.id + " acts after it was told that its grant is revoked");
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
