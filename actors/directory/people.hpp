// The directory's users: who may sign in, and each user's role at each merchant.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/directory/directory.hpp"
#include "gateway/ports/mail.hpp"
#include "merchants.hpp"
#include "plan.hpp"

namespace gateway::actors {

/// add_user, once its password is hashed.
struct add_hashed_user {
  merchant_id merchant;
  std::string email;
  std::string password_hash;
  std::optional<member_role> role;
};
/// accept_invitation, once its password is hashed; empty: no password is set.
struct accept_hashed_invitation {
  merchant_id merchant;
  user_id user;
  std::string id;
  std::string password_hash;
};

/// Holds the members of the known merchants, and other persons that were looked up; gives merchants the owner for whom
/// setup links are made. A person is the same at all merchants, and is identified by the e-mail address, ignoring case.
class people {
 public:
  /// The arguments must outlive it. `mails`: null if no mail is configured.
  people(merchants& of, const wall_clock& clock, const mail_sealer* mails)
      : merchants_{of}, clock_{clock}, mails_{mails} {}

  /// Stores the persons and the members among these rows, and gives merchants their owners. Publishes nothing yet. The
  /// rows of merchants must be adopted first.
  void adopt(const directory_lookup& rows);

  bool has(const user_id& id) const { return keys_.contains(id); }
  bool has_address(const std::string& email_key) const { return persons_.contains(email_key); }
  /// nullopt if the person is not a member, or the merchant is not known here.
  std::optional<member_role> role_of(const merchant_id& merchant, const user_id& user) const {
    const auto* at = find_member(merchant, user);
    return at ? std::optional{at->role} : std::nullopt;
  }
  bool has_invitation(const merchant_id& merchant, const user_id& user) const {
    return find_invitation(merchant, user) != nullptr;
  }
  /// Empty if the person is not known here.
  std::string email_of(const user_id& user) const {
    const auto key = keys_.find(user);
    const auto who = key == keys_.end() ? persons_.end() : persons_.find(key->second);
    return who == persons_.end() ? std::string{} : who->second.email;
  }

  /// The addresses of the merchant's owners.
  std::vector<std::string> owners_of(const merchant_id& merchant) const;

  /// As in merchants. A change of a person, or of a person's role, is named by the address.
  static std::string changes(const create_merchant& wanted) { return name_of(wanted.owner_email); }
  std::string changes(const add_hashed_user& wanted) const { return changes(wanted.merchant, wanted.email); }
  std::string changes(const invite_user& wanted) const { return changes(wanted.merchant, wanted.email); }
  std::string changes(const accept_hashed_invitation& wanted) const { return changes(wanted.user); }
  std::string changes(const withdraw_invitation& wanted) const { return changes(wanted.user); }
  // Whether a person is the last owner depends on all members.
  static std::string changes(const change_role& wanted) { return name_of_team(wanted.merchant); }
  static std::string changes(const remove_member& wanted) { return name_of_team(wanted.merchant); }

  planned prepare(const create_merchant& wanted);
  planned prepare(const add_hashed_user& wanted);
  planned prepare(const invite_user& wanted);
  planned prepare(const withdraw_invitation& wanted);
  planned prepare(const accept_hashed_invitation& wanted);
  planned prepare(const change_role& wanted);
  planned prepare(const remove_member& wanted);

 private:
  struct person {
    user_id id;
    std::string email;  ///< as first written
  };
  struct member {
    user_id user;
    member_role role = member_role::owner;
  };

  static std::string name_of(const std::string& email) {
    return email.empty() ? std::string{} : "person " + email_key_of(email);
  }
  static std::string name_of_team(const merchant_id& merchant) { return "team " + merchant.value; }
  std::string changes(const user_id& who) const;
  /// For a role that is given by address: the team if the person is a member, else the person.
  std::string changes(const merchant_id& merchant, const std::string& email) const;

  /// The person of this address; a new one is added to the unit.
  person one_of(const std::string& email, std::string password_hash, unit_of_work& unit) const;
  /// `named`, otherwise the present role, otherwise owner.
  member_role role_for(const merchant_id& merchant, const person& who, std::optional<member_role> named) const;
  /// Removes a password that an owner may know, before an operator gives the person a role.
  void distrust(unit_of_work& unit, const person& who) const;
  planned owners_invitation(const invite_user& wanted);
  planned operators_invitation(const invite_user& wanted);
  stored_invitation invitation_for(const invite_user& wanted, const person& who, member_role role) const;
  /// Queues the mail with the invitation's link, if mail is configured.
  void add_mail(unit_of_work& unit, const stored_invitation& what, const person& who) const;
  /// Queues the notice of a new password, if mail is configured.
  void add_notice(unit_of_work& unit, const std::string& email) const;
  /// Null if there is none, or it has expired.
  const stored_invitation* find_invitation(const merchant_id& merchant, const user_id& user) const;
  void invited(const stored_invitation& what, const person& who);
  /// How many invitations the merchant's owners have made today, including withdrawn ones: each may have created a
  /// person.
  std::size_t& invited_today(const merchant_id& merchant);
  void forget_invitation(const merchant_id& merchant, const user_id& user);
  void put_member(unit_of_work& unit, const merchant_id& merchant, const person& who, member_role role) const;
  /// Updates the known rows after put_member's change is durable.
  void joined(const merchant_id& merchant, const person& who, member_role role);
  const member* find_member(const merchant_id& merchant, const user_id& user) const;
  bool is_last_owner(const merchant_id& merchant, const user_id& user) const;
  /// The problem if a command would remove a merchant's last owner. `role`: the member's new role; empty if removed.
  std::optional<operator_problem> refuses(const merchant_id& merchant, const user_id& user,
                                          std::optional<member_role> role) const;
  void left(const merchant_id& merchant, const user_id& user);
  user_id owner_of(const merchant_id& merchant, const std::vector<member>& members) const;

  merchants& merchants_;
  const wall_clock& clock_;
  const mail_sealer* mails_;
  std::unordered_map<std::string, person> persons_;  ///< by email_key_of()
  std::unordered_map<user_id, std::string> keys_;  ///< email_key_of()
  std::unordered_map<merchant_id, std::vector<member>> members_;  ///< oldest first
  std::unordered_map<merchant_id, std::vector<stored_invitation>> invitations_;
  std::unordered_map<merchant_id, std::size_t> invited_on_day_;  ///< by this node, on day_
  std::chrono::sys_days day_{};
};

}  // namespace gateway::actors
