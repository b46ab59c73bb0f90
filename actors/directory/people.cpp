#include "people.hpp"

#include <algorithm>
#include <utility>

#include "gateway/base/crypto.hpp"

namespace gateway::actors {
namespace {

constexpr std::string_view last_owner =
    "the last owner of a merchant stays its owner: make somebody else an owner first";

operator_problem conflict(std::string_view words) { return {operator_problem::kind::conflict, std::string{words}}; }

}  // namespace

// ---- the rows -----------------------------------------------------------------------------------

void people::adopt(const directory_lookup& rows) {
  for (const auto& row : rows.merchants) members_.erase(row.id);
  for (const auto& row : rows.users) {
    auto key = email_key_of(row.email);
    keys_.emplace(row.id, key);
    persons_.emplace(std::move(key), person{row.id, row.email});
  }
  for (const auto& row : rows.memberships) members_[row.merchant].push_back({row.user, row.role});
  for (const auto& row : rows.merchants)
    if (const auto members = members_.find(row.id); members != members_.end())
      merchants_.set_owner(row.id, owner_of(row.id, members->second));
}

std::string people::changes(const accept_hashed_invitation& wanted) const {
  const auto key = keys_.find(wanted.user);
  return key == keys_.end() ? std::string{} : name_of(key->second);
}

std::string people::changes(const merchant_id& merchant, const std::string& email,
                            std::optional<member_role> role) const {
  const auto known = persons_.find(email_key_of(email));
  const auto* present = known == persons_.end() ? nullptr : find_member(merchant, known->second.id);
  const bool takes_an_owner = present && present->role == member_role::owner && role && *role != member_role::owner;
  return takes_an_owner ? name_of_team(merchant) : name_of(email);
}

/// Setup links are made for the person whom the merchant was created for, if that one is an owner still, else for the
/// owner who joined first.
user_id people::owner_of(const merchant_id& merchant, const std::vector<member>& members) const {
  const auto named = persons_.find(email_key_of(merchants_.owner_email(merchant)));
  const auto is_owner = [](const member& each) { return each.role == member_role::owner; };
  if (named != persons_.end())
    for (const auto& each : members)
      if (is_owner(each) && each.user == named->second.id) return each.user;
  const auto first = std::ranges::find_if(members, is_owner);
  return first == members.end() ? user_id{} : first->user;
}

// ---- what commands have in common ---------------------------------------------------------------

people::person people::one_of(const std::string& email, std::string password_hash, unit_of_work& unit) const {
  const auto known = persons_.find(email_key_of(email));
  if (known != persons_.end()) return known->second;
  person fresh{user_id{"user_" + crypto::random_hex(10)}, email};
  unit.inserts.push_back(save_user{fresh.id, email, std::move(password_hash), clock_.now()});
  return fresh;
}

member_role people::role_for(const merchant_id& merchant, const person& who, std::optional<member_role> named) const {
  if (named) return *named;
  const auto members = members_.find(merchant);
  if (members == members_.end()) return member_role::owner;
  const auto present = std::ranges::find(members->second, who.id, &member::user);
  return present == members->second.end() ? member_role::owner : present->role;
}

void people::put_member(unit_of_work& unit, const merchant_id& merchant, const person& who, member_role role) const {
  unit.inserts.push_back(save_membership{merchant, who.id, role, clock_.now()});
}

void people::joined(const merchant_id& merchant, const person& who, member_role role) {
  auto key = email_key_of(who.email);
  keys_.emplace(who.id, key);
  persons_.emplace(std::move(key), who);
  auto& members = members_[merchant];
  const auto same = std::ranges::find(members, who.id, &member::user);
  if (same == members.end())
    members.push_back({who.id, role});
  else
    same->role = role;
  merchants_.set_owner(merchant, owner_of(merchant, members));
  merchants_.publish(merchant);
}

void people::left(const merchant_id& merchant, const user_id& user) {
  auto& members = members_[merchant];
  std::erase_if(members, [&](const member& each) { return each.user == user; });
  merchants_.set_owner(merchant, owner_of(merchant, members));
  merchants_.publish(merchant);
}

const people::member* people::find_member(const merchant_id& merchant, const user_id& user) const {
  const auto members = members_.find(merchant);
  if (members == members_.end()) return nullptr;
  const auto at = std::ranges::find(members->second, user, &member::user);
  return at == members->second.end() ? nullptr : &*at;
}

bool people::is_last_owner(const merchant_id& merchant, const user_id& user) const {
  const auto* present = find_member(merchant, user);
  return present && present->role == member_role::owner &&
         std::ranges::none_of(members_.at(merchant),
                              [&](const member& each) { return each.role == member_role::owner && each.user != user; });
}

std::optional<operator_problem> people::refuses(const merchant_id& merchant, const user_id& user,
                                                std::optional<member_role> role) const {
  if (role == member_role::owner || !is_last_owner(merchant, user)) return std::nullopt;
  return conflict(last_owner);
}

// ---- commands -----------------------------------------------------------------------------------

planned people::prepare(const create_merchant& wanted) {
  auto [merchant, p] = merchants_.creation_of(wanted);
  if (wanted.owner_email.empty()) return std::move(p);
  const auto owner = one_of(wanted.owner_email, {}, p.unit);
  put_member(p.unit, merchant, owner, member_role::owner);
  p.apply = [this, merchant = std::move(merchant), owner, create = std::move(p.apply)] {
    auto created = create();
    joined(merchant, owner, member_role::owner);
    return created;
  };
  return std::move(p);
}

planned people::prepare(const add_hashed_user& wanted) {
  if (!merchants_.has(wanted.merchant)) return no_such("merchant", wanted.merchant.value);
  plan p;
  const auto who = one_of(wanted.email, wanted.password_hash, p.unit);
  const auto role = role_for(wanted.merchant, who, wanted.role);
  if (auto why = refuses(wanted.merchant, who.id, role)) return *std::move(why);
  if (has(who.id)) p.unit.claims.push_back(set_user_password{who.id, wanted.password_hash, clock_.now(), {}});
  put_member(p.unit, wanted.merchant, who, role);
  p.when_duplicate = "such a user exists already";
  p.apply = [this, merchant = wanted.merchant, who, role]() -> operator_result {
    joined(merchant, who, role);
    return added_user{who.id};
  };
  return p;
}

planned people::prepare(const invite_user& wanted) {
  if (!merchants_.has(wanted.merchant)) return no_such("merchant", wanted.merchant.value);
  plan p;
  const auto who = one_of(wanted.email, {}, p.unit);
  if (wanted.newcomer && find_member(wanted.merchant, who.id)) return conflict("belongs to the merchant already");
  const auto role = role_for(wanted.merchant, who, wanted.role);
  if (auto why = refuses(wanted.merchant, who.id, role)) return *std::move(why);
  put_member(p.unit, wanted.merchant, who, role);
  p.when_duplicate = "such a user exists already";
  p.apply = [this, merchant = wanted.merchant, who, role]() -> operator_result {
    joined(merchant, who, role);
    return added_user{who.id};
  };
  return p;
}

planned people::prepare(const accept_hashed_invitation& wanted) {
  if (!has(wanted.user)) return no_such("user", wanted.user.value);
  plan p;
  p.unit.inserts.push_back(spend_token{wanted.merchant, wanted.token_id, clock_.now()});
  p.unit.claims.push_back(set_user_password{wanted.user, wanted.password_hash, clock_.now(), {}});
  p.when_duplicate = "the invitation has been used";
  p.apply = [id = wanted.user]() -> operator_result { return added_user{id}; };
  return p;
}

planned people::prepare(const change_role& wanted) {
  const auto* present = find_member(wanted.merchant, wanted.user);
  if (!present) return no_such("member", wanted.user.value);
  if (present->role == wanted.role) return unchanged{added_user{wanted.user}};
  if (auto why = refuses(wanted.merchant, wanted.user, wanted.role)) return *std::move(why);
  const person who{wanted.user, persons_.at(keys_.at(wanted.user)).email};
  plan p;
  put_member(p.unit, wanted.merchant, who, wanted.role);
  p.apply = [this, merchant = wanted.merchant, who, role = wanted.role]() -> operator_result {
    joined(merchant, who, role);
    return added_user{who.id};
  };
  return p;
}

planned people::prepare(const remove_member& wanted) {
  if (!find_member(wanted.merchant, wanted.user)) return no_such("member", wanted.user.value);
  if (auto why = refuses(wanted.merchant, wanted.user, std::nullopt)) return *std::move(why);
  plan p;
  p.unit.claims.push_back(drop_membership{wanted.merchant, wanted.user});
  p.apply = [this, merchant = wanted.merchant, user = wanted.user]() -> operator_result {
    left(merchant, user);
    return added_user{user};
  };
  return p;
}

}  // namespace gateway::actors
