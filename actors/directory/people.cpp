#include "people.hpp"

#include <algorithm>
#include <utility>

#include "gateway/base/crypto.hpp"

namespace gateway::actors {
namespace {

constexpr std::string_view last_owner =
    "the last owner of a merchant stays its owner: make somebody else an owner first";

constexpr std::ptrdiff_t most_pending = 200;  ///< invitations of one merchant
constexpr std::size_t most_a_day = 400;       ///< invitations that a merchant's owners make

operator_problem conflict(std::string_view words) { return {operator_problem::kind::conflict, std::string{words}}; }

}  // namespace

// ---- the rows -----------------------------------------------------------------------------------

void people::adopt(const directory_lookup& rows) {
  for (const auto& row : rows.merchants) {
    members_.erase(row.id);
    invitations_.erase(row.id);
  }
  for (const auto& row : rows.users) {
    auto key = email_key_of(row.email);
    keys_.emplace(row.id, key);
    persons_.emplace(std::move(key), person{row.id, row.email});
  }
  for (const auto& row : rows.memberships) members_[row.merchant].push_back({row.user, row.role});
  for (const auto& row : rows.invitations) invitations_[row.merchant].push_back(row);
  for (const auto& row : rows.merchants)
    if (const auto members = members_.find(row.id); members != members_.end())
      merchants_.set_owner(row.id, owner_of(row.id, members->second));
}

std::string people::changes(const user_id& who) const {
  const auto key = keys_.find(who);
  return key == keys_.end() ? std::string{} : name_of(key->second);
}

std::string people::changes(const merchant_id& merchant, const std::string& email) const {
  const auto known = persons_.find(email_key_of(email));
  const bool is_member = known != persons_.end() && find_member(merchant, known->second.id);
  return is_member ? name_of_team(merchant) : name_of(email);
}

/// Setup links are made for the person that the merchant was created for, if that person is still an owner, else for
/// the owner who joined first.
user_id people::owner_of(const merchant_id& merchant, const std::vector<member>& members) const {
  const auto named = persons_.find(email_key_of(merchants_.owner_email(merchant)));
  const auto is_owner = [](const member& each) { return each.role == member_role::owner; };
  if (named != persons_.end())
    for (const auto& each : members)
      if (is_owner(each) && each.user == named->second.id) return each.user;
  const auto first = std::ranges::find_if(members, is_owner);
  return first == members.end() ? user_id{} : first->user;
}

std::vector<std::string> people::owners_of(const merchant_id& merchant) const {
  std::vector<std::string> addresses;
  const auto members = members_.find(merchant);
  if (members == members_.end()) return addresses;
  for (const auto& each : members->second)
    if (const auto key = keys_.find(each.user); each.role == member_role::owner && key != keys_.end())
      addresses.push_back(persons_.at(key->second).email);
  return addresses;
}

// ---- parts shared by commands -------------------------------------------------------------------

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

void people::distrust(unit_of_work& unit, const person& who) const {
  if (has(who.id)) unit.claims.push_back(end_shown_password{who.id});
}

stored_invitation people::invitation_for(const invite_user& wanted, const person& who, member_role role) const {
  const auto now = clock_.now();
  return {wanted.merchant, who.id, crypto::random_hex(16), wanted.by, role, now, now + invitation_lifetime};
}

void people::add_mail(unit_of_work& unit, const stored_invitation& what, const person& who) const {
  if (!mails_) return;
  mail_content content{mail_kind::invitation, who.email, {}};
  content.values = {{"merchant", merchants_.name(what.merchant)},
                    {"merchant_id", what.merchant.value},
                    {"user", what.user.value},
                    {"invitation", what.id},
                    {"expires", std::to_string(to_unix_ms(what.expires))},
                    {"role", std::string{to_string(what.role)}}};
  unit.inserts.push_back(mails_->seal(content, what.created_at, what.expires));
}

void people::add_notice(unit_of_work& unit, const std::string& email) const {
  if (!mails_) return;
  const auto now = clock_.now();
  unit.inserts.push_back(
      mails_->seal_notice({mail_kind::new_password, email, {{"at", std::to_string(to_unix_ms(now))}}}, now));
}

const stored_invitation* people::find_invitation(const merchant_id& merchant, const user_id& user) const {
  const auto all = invitations_.find(merchant);
  if (all == invitations_.end()) return nullptr;
  const auto at = std::ranges::find(all->second, user, &stored_invitation::user);
  return at == all->second.end() || at->expires <= clock_.now() ? nullptr : &*at;
}

void people::invited(const stored_invitation& what, const person& who) {
  auto key = email_key_of(who.email);
  keys_.emplace(who.id, key);
  persons_.emplace(std::move(key), who);
  auto& all = invitations_[what.merchant];
  // The store does the same.
  std::erase_if(all, [&](const auto& each) { return each.user == what.user || each.expires <= what.created_at; });
  all.push_back(what);
}

std::size_t& people::invited_today(const merchant_id& merchant) {
  const auto today = std::chrono::floor<std::chrono::days>(clock_.now());
  if (today != day_) invited_on_day_.clear();
  day_ = today;
  return invited_on_day_[merchant];
}

void people::forget_invitation(const merchant_id& merchant, const user_id& user) {
  const auto all = invitations_.find(merchant);
  if (all == invitations_.end()) return;
  std::erase_if(all->second, [&](const auto& each) { return each.user == user; });
  if (all->second.empty()) invitations_.erase(all);
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
  distrust(p.unit, owner);
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
  if (has(who.id)) {
    distrust(p.unit, who);
    p.unit.claims.push_back(set_user_password{who.id, wanted.password_hash, clock_.now(), {}});
    add_notice(p.unit, who.email);
  }
  p.unit.claims.push_back(drop_invitation{wanted.merchant, who.id});
  put_member(p.unit, wanted.merchant, who, role);
  p.when_duplicate = "such a user exists already";
  p.apply = [this, merchant = wanted.merchant, who, role]() -> operator_result {
    forget_invitation(merchant, who.id);
    joined(merchant, who, role);
    return added_user{who.id};
  };
  return p;
}

planned people::prepare(const invite_user& wanted) {
  if (!merchants_.has(wanted.merchant)) return no_such("merchant", wanted.merchant.value);
  return wanted.by == invited_by::owner ? owners_invitation(wanted) : operators_invitation(wanted);
}

planned people::owners_invitation(const invite_user& wanted) {
  plan p;
  const auto who = one_of(wanted.email, {}, p.unit);
  if (find_member(wanted.merchant, who.id)) return conflict("belongs to the merchant already");
  const auto now = clock_.now();
  const auto pending = invitations_.find(wanted.merchant);
  const auto waiting = [now](const stored_invitation& each) {
    return each.by == invited_by::owner && each.expires > now;
  };
  if (pending != invitations_.end() && !find_invitation(wanted.merchant, who.id) &&
      std::ranges::count_if(pending->second, waiting) >= most_pending)
    return conflict("too many invitations wait to be accepted: withdraw some first");
  if (invited_today(wanted.merchant) >= most_a_day) return conflict("too many invitations today");
  auto made = invitation_for(wanted, who, wanted.role.value_or(member_role::viewer));
  made.mailed = mails_ != nullptr;
  p.unit.inserts.push_back(save_invitation{made});
  add_mail(p.unit, made, who);
  p.when_duplicate = "such a user exists already";
  p.apply = [this, who, made = std::move(made)]() -> operator_result {
    ++invited_today(made.merchant);
    invited(made, who);
    return invited_user{made.user, made.id, made.expires};
  };
  return p;
}

planned people::operators_invitation(const invite_user& wanted) {
  plan p;
  const auto who = one_of(wanted.email, {}, p.unit);
  const auto role = role_for(wanted.merchant, who, wanted.role);
  if (auto why = refuses(wanted.merchant, who.id, role)) return *std::move(why);
  distrust(p.unit, who);
  auto made = invitation_for(wanted, who, role);
  p.unit.inserts.push_back(save_invitation{made});
  add_mail(p.unit, made, who);
  put_member(p.unit, wanted.merchant, who, role);
  p.when_duplicate = "such a user exists already";
  p.apply = [this, who, made = std::move(made)]() -> operator_result {
    joined(made.merchant, who, made.role);
    invited(made, who);
    return invited_user{made.user, made.id, made.expires};
  };
  return p;
}

planned people::prepare(const withdraw_invitation& wanted) {
  const auto* pending = find_invitation(wanted.merchant, wanted.user);
  if (!pending || pending->by != invited_by::owner) return no_such("invitation of", wanted.user.value);
  plan p;
  p.unit.claims.push_back(drop_invitation{wanted.merchant, wanted.user});
  p.apply = [this, wanted]() -> operator_result {
    forget_invitation(wanted.merchant, wanted.user);
    return added_user{wanted.user};
  };
  return p;
}

planned people::prepare(const accept_hashed_invitation& wanted) {
  if (!has(wanted.user)) return no_such("user", wanted.user.value);
  const auto* pending = find_invitation(wanted.merchant, wanted.user);
  if (!pending || pending->id != wanted.id) return no_such("invitation", wanted.id);
  const bool sets_password = !wanted.password_hash.empty();
  const bool by_owner = pending->by == invited_by::owner;
  if (!by_owner && !sets_password) return conflict("the invitation sets a password");
  plan p;
  const auto now = clock_.now();
  p.unit.claims.push_back(spend_invitation{wanted.merchant, wanted.user, wanted.id, now});
  if (sets_password && by_owner && pending->mailed)
    p.unit.claims.push_back(set_mailed_password{wanted.user, wanted.password_hash, now});
  if (sets_password && by_owner && !pending->mailed)
    p.unit.claims.push_back(set_first_password{wanted.user, wanted.password_hash, now, wanted.merchant});
  if (sets_password && !by_owner) {
    p.unit.claims.push_back(end_shown_password{wanted.user});
    p.unit.claims.push_back(set_user_password{wanted.user, wanted.password_hash, now, {}});
  }
  const person who{wanted.user, persons_.at(keys_.at(wanted.user)).email};
  if (sets_password) add_notice(p.unit, who.email);
  // An operator may have made the person an owner meanwhile.
  const auto* present = find_member(wanted.merchant, wanted.user);
  const auto role = present && present->role == member_role::owner ? member_role::owner : pending->role;
  if (by_owner) put_member(p.unit, wanted.merchant, who, role);
  p.when_duplicate = "the person has a password, or belongs to a merchant already";
  p.apply = [this, merchant = wanted.merchant, who, by_owner, role]() -> operator_result {
    forget_invitation(merchant, who.id);
    if (by_owner) joined(merchant, who, role);
    return added_user{who.id};
  };
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
  p.unit.claims.push_back(drop_invitation{wanted.merchant, wanted.user});
  p.apply = [this, merchant = wanted.merchant, user = wanted.user]() -> operator_result {
    forget_invitation(merchant, user);
    left(merchant, user);
    return added_user{user};
  };
  return p;
}

}  // namespace gateway::actors
