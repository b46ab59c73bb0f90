// The questions about the directory and about people.
#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "gateway/base/crypto.hpp"
#include "memory_store.hpp"
#include "stored_names.hpp"

namespace gateway::testing {

directory_lookup memory_store::run(const find_directory& what) const {
  std::set<std::string> owners, platforms, persons, providers;
  bool master_keys = what.every_platform;
  for (const auto& name : what.of) {
    switch (name.what) {
      case directory_name::kind::merchant: owners.insert(name.text); break;
      case directory_name::kind::platform: platforms.insert(name.text); break;
      case directory_name::kind::key:
        if (const auto at = directory_.keys.find(name.text); at != directory_.keys.end())
          owners.insert(at->second.key.merchant.value);
        break;
      case directory_name::kind::destination:
        for (const auto& [key, row] : directory_.destinations)
          if (row.what.id.value == name.text) owners.insert(row.what.owner);
        break;
      case directory_name::kind::user: persons.insert(name.text); break;
      case directory_name::kind::email:
        if (const auto at = directory_.users.find(name.text); at != directory_.users.end())
          persons.insert(at->second.id.value);
        break;
      case directory_name::kind::provider: providers.insert(name.text); break;
      case directory_name::kind::master_keys: master_keys = true; break;
    }
  }
  if (what.every_platform)
    for (const auto& [id, row] : directory_.platforms) platforms.insert(id);
  if (what.every_platform)
    for (const auto& [id, row] : directory_.platform_keys) platforms.insert(row.key.platform.value);
  if (what.every_platform)
    for (const auto& [key, row] : directory_.providers) providers.insert(key.first);
  std::erase_if(owners, [&](const auto& id) { return !directory_.merchants.contains(id); });

  auto found = whole_directory();
  const auto keep = [](auto& rows, auto of) { std::erase_if(rows, [&](const auto& row) { return !of(row); }); };
  keep(found.merchants, [&](const auto& row) { return owners.contains(row.id.value); });
  keep(found.brandings, [&](const auto& row) { return owners.contains(row.merchant.value); });
  keep(found.keys, [&](const auto& row) { return owners.contains(row.key.merchant.value); });
  keep(found.memberships, [&](const auto& row) { return owners.contains(row.merchant.value); });
  keep(found.invitations, [&](const auto& row) { return owners.contains(row.merchant.value); });
  for (const auto& member : found.memberships) persons.insert(member.user.value);
  for (const auto& one : found.invitations) persons.insert(one.user.value);
  keep(found.users, [&](const auto& row) { return persons.contains(row.id.value); });
  keep(found.connections, [&](const auto& row) {
    const bool is_named = what.account && row.link.account == what.account->account &&
                          row.link.provider == what.account->provider && row.link.env == what.account->env;
    return is_named || owners.contains(row.merchant.value);
  });
  keep(found.routes, [&](const auto& row) { return owners.contains(row.merchant.value); });
  keep(found.bindings, [&](const auto& row) { return owners.contains(row.key.merchant.value); });
  keep(found.platforms, [&](const auto& row) { return platforms.contains(row.id.value); });
  keep(found.platform_keys, [&](const auto& row) { return platforms.contains(row.key.platform.value); });
  keep(found.destinations,
       [&](const auto& row) { return owners.contains(row.what.owner) || platforms.contains(row.what.owner); });
  keep(found.providers, [&](const auto& row) { return providers.contains(text(row.provider)); });
  if (!master_keys) found.master_keys.clear();
  return found;
}

logo_lookup memory_store::run(const find_logo& what) const {
  const auto row = directory_.logos.find(what.merchant.value);
  if (row == directory_.logos.end()) return {};
  return {crypto::from_base64url(row->second.file).value_or(std::string{})};
}

directory_updates memory_store::run(const find_directory_updates& what) const {
  directory_updates updates;
  updates.head = head;
  updates.complete_to = head.number;
  if (what.since < 0) return updates;
  std::set<directory_change> changed;
  for (const auto& [number, change] : log)
    if (number > what.since) changed.insert(change);
  updates.changed.assign(changed.begin(), changed.end());
  return updates;
}

destinations_lookup memory_store::run(const find_destinations& what) const {
  destinations_lookup found;
  for (const auto& [key, row] : directory_.destinations) {
    if (!what.owner.empty() && row.what.owner != what.owner) continue;
    if (what.env && row.what.env != *what.env) continue;
    if (row.what.status == destination_status::deleted) continue;
    if (found.destinations.size() < what.limit)
      found.destinations.push_back(row);
    else
      ++found.left_out;
  }
  std::ranges::sort(found.destinations, {}, [](const stored_destination& row) {
    return std::tie(row.what.owner, row.what.env, row.what.created_at, row.what.id);
  });
  return found;
}

directory_lookup memory_store::whole_directory() const {
  directory_lookup found;
  for (const auto& [key, row] : directory_.merchants) found.merchants.push_back(row);
  std::ranges::stable_sort(found.merchants, {}, &save_merchant::created_at);
  for (const auto& [key, row] : directory_.brandings) found.brandings.push_back(row);
  for (const auto& [key, row] : directory_.keys) found.keys.push_back(row);
  std::vector<save_user> users;
  for (const auto& [key, row] : directory_.users) users.push_back(row);
  std::ranges::stable_sort(users, {}, [](const save_user& u) { return std::tuple{u.created_at, u.id.value}; });
  for (const auto& row : users) found.users.push_back({row.id, row.email, !row.password_hash.empty()});
  for (const auto& [key, row] : directory_.memberships) found.memberships.push_back(row);
  std::ranges::stable_sort(found.memberships, {}, [](const stored_membership& m) {
    return std::tuple{m.merchant.value, m.created_at, m.user.value};
  });
  for (const auto& [key, row] : directory_.invitations) found.invitations.push_back(row);
  std::ranges::stable_sort(found.invitations, {}, [](const stored_invitation& i) {
    return std::tuple{i.merchant.value, i.created_at, i.user.value};
  });
  std::vector<insert_platform> platforms;
  for (const auto& [key, row] : directory_.platforms) platforms.push_back(row);
  std::ranges::stable_sort(platforms, {}, &insert_platform::created_at);
  for (auto& row : platforms) found.platforms.push_back(std::move(row.what));
  for (const auto& [key, row] : directory_.platform_keys) found.platform_keys.push_back(row);
  std::ranges::stable_sort(found.platform_keys, {}, [](const stored_platform_key& k) {
    return std::tuple{k.key.platform.value, k.key.id.value};
  });
  for (const auto& [key, row] : bindings)
    found.bindings.push_back({row.key, state_of(row.newest), row.newest.value().scopes, row.version});
  for (const auto& [key, row] : directory_.connections) found.connections.push_back(row);
  for (const auto& [key, row] : directory_.routes) found.routes.push_back(row);
  for (const auto& [key, row] : directory_.destinations) found.destinations.push_back(row);
  for (const auto& [key, row] : directory_.providers) found.providers.push_back(row);
  for (const auto& [position, row] : directory_.master_keys) found.master_keys.push_back(row);
  std::ranges::stable_sort(found.routes, {}, [](const stored_route& r) {
    return std::tuple{r.merchant.value, text(r.way.env), r.way.position};
  });
  return found;
}

user_lookup memory_store::run(const find_user& what) const {
  const auto row = directory_.users.find(what.email_key);
  if (row == directory_.users.end()) return {};
  auto found = row->second;
  found.recovery_codes_left = std::ranges::count_if(
      directory_.recovery_codes, [&](const auto& code) { return code.first.first == found.id.value && !code.second; });
  return {std::move(found)};
}

operator_lookup memory_store::run(const find_operator& what) const {
  const auto row = directory_.operators.find(what.key);
  return row == directory_.operators.end() ? operator_lookup{} : operator_lookup{row->second};
}

operators_lookup memory_store::run(const find_operators&) const {
  operators_lookup found;
  for (const auto& [key, who] : directory_.operators)
    found.operators.push_back({who.name, who.role, !who.password_hash.empty()});
  return found;
}

session_lookup memory_store::run(const find_session& what) const {
  const auto row = directory_.sessions.find(what.hash);
  if (row == directory_.sessions.end()) return {};
  const auto& session = row->second;
  const auto user =
      std::ranges::find_if(directory_.users, [&](const auto& one) { return one.second.id == session.what.user; });
  if (user == directory_.users.end()) return {};
  stored_session found{user->second.id,         user->second.email,
                       session.what.created_at, session.used_at,
                       session.what.ends_at,    {},
                       user->second.time_zone,  !user->second.sealed_totp.empty()};
  for (const auto& [key, member] : directory_.memberships) {
    if (member.user != found.user) continue;
    const auto merchant = directory_.merchants.find(member.merchant.value);
    found.of.push_back(
        {member.merchant, merchant == directory_.merchants.end() ? "" : merchant->second.name, member.role});
  }
  std::ranges::sort(found.of, {},
                    [](const session_membership& m) { return std::tuple{m.merchant_name, m.merchant.value}; });
  return {std::move(found)};
}

sessions_lookup memory_store::run(const find_sessions& what) const {
  sessions_lookup found;
  for (const auto& [hash, row] : directory_.sessions)
    if (row.what.user == what.user)
      found.sessions.push_back(
          {hash, row.what.created_at, row.used_at, row.what.ends_at, row.what.address, row.what.browser});
  std::ranges::stable_sort(found.sessions, std::greater{}, &listed_session::created_at);
  return found;
}

audit_lookup memory_store::run(const find_audit& what) const {
  audit_lookup found;
  for (const auto& [id, entry] : directory_.audit) {
    const auto& row = entry.what;
    if (what.user.empty() ? row.merchant != what.merchant : row.user != what.user) continue;
    if (!what.before || std::tie(row.at, row.id) < std::tie(*what.before, what.before_id)) found.entries.push_back(row);
  }
  std::ranges::sort(found.entries, std::greater{}, [](const save_audit& a) { return std::tie(a.at, a.id); });
  if (found.entries.size() > what.limit) found.entries.resize(what.limit);
  return found;
}

audit_entries_lookup memory_store::run(const find_audit_entries& what) const {
  audit_entries_lookup found;
  const auto place = [](const audit_entry& one) { return std::tie(one.what.at, one.what.id); };
  for (const auto& [id, entry] : directory_.audit) {
    const auto& row = entry.what;
    if (!what.merchant.empty() && row.merchant != what.merchant) continue;
    if ((what.from && row.at < *what.from) || (what.until && row.at >= *what.until)) continue;
    if (what.after) {
      const auto behind = std::tie(what.after->at, what.after->id);
      if (what.oldest_first ? place(entry) <= behind : place(entry) >= behind) continue;
    }
    found.entries.push_back(entry);
    for (const auto& [key, user] : directory_.users)
      if (user.id == row.user) found.entries.back().email = user.email;
  }
  if (what.oldest_first)
    std::ranges::sort(found.entries, std::less{}, place);
  else
    std::ranges::sort(found.entries, std::greater{}, place);
  if (found.entries.size() > what.limit) found.entries.resize(what.limit);
  return found;
}

audit_chain_lookup memory_store::run(const find_audit_chain& what) const {
  audit_chain_lookup found;
  if (!directory_.audit_end || what.chain.value_or(0) != 0) return found;
  found.chain = 0;
  found.head = directory_.audit_end;
  found.later = found.head;
  for (const auto& [id, entry] : directory_.audit)
    if (entry.link->number > what.after) found.entries.push_back(entry);
  std::ranges::sort(found.entries, {}, [](const audit_entry& one) { return one.link->number; });
  if (found.entries.size() > what.limit) found.entries.resize(what.limit);
  return found;
}

audit_heads_lookup memory_store::run(const find_audit_heads&) const {
  audit_heads_lookup found;
  if (directory_.audit_end) found.heads.push_back(*directory_.audit_end);
  if (const auto made = facts.find(std::string{last_backup_name}); made != facts.end())
    found.backup_made_at = from_unix_ms(std::stoll(made->second));
  return found;
}

invitations_lookup memory_store::run(const find_invitations& what) const {
  invitations_lookup found;
  for (const auto& [key, user] : directory_.users)
    if (user.id == what.user) found.has_password = !user.password_hash.empty();
  found.is_member =
      std::ranges::any_of(directory_.memberships, [&](const auto& one) { return one.second.user == what.user; });
  if (const auto shown = directory_.shown_passwords.find(what.user.value); shown != directory_.shown_passwords.end())
    found.shown_to = shown->second;
  for (const auto& [key, row] : directory_.invitations) {
    if (row.user != what.user) continue;
    const auto merchant = directory_.merchants.find(row.merchant.value);
    found.invitations.push_back({row, merchant == directory_.merchants.end() ? "" : merchant->second.name});
  }
  std::ranges::stable_sort(found.invitations, std::greater{}, [](const auto& one) {
    return std::pair{one.what.by == invited_by::operators, one.what.expires};
  });
  if (found.invitations.size() > most_invitations_told) found.invitations.resize(most_invitations_told);
  return found;
}

spent_token_lookup memory_store::run(const find_spent_token& what) const {
  return {directory_.spent_tokens.contains({what.merchant.value, what.token_id})};
}

}  // namespace gateway::testing
