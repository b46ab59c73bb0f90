// People and their permissions: one person for each address; durable first, then published; and the same after a
// restart.
#include "directory_fixture.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

constexpr auto owner = member_role::owner;
constexpr auto viewer = member_role::viewer;

user_id added(office& o, const operator_command& command) {
  const auto made = o.ask(command);
  if (const auto* one = std::get_if<invited_user>(&made)) return one->id;
  return std::get<added_user>(made).id;
}

invited_user invited(office& o, const operator_command& command) { return std::get<invited_user>(o.ask(command)); }

accept_invitation accepting(const merchant_id& m, const invited_user& who, std::string password = {}) {
  return {m, who.id, who.invitation, std::move(password)};
}

invite_user by_owner(const merchant_id& m, std::string email, member_role role = member_role::viewer) {
  return {m, std::move(email), role, invited_by::owner};
}

invitations_lookup standing(office& o, const user_id& who) { return o.rows().run(find_invitations{who}); }

std::string hash_of(office& o, const std::string& email) {
  const auto found = o.rows().run(find_user{email_key_of(email)}).found;
  return found ? found->password_hash : "nobody";
}

/// Stores a session of this user without the directory.
void sign_in(office& o, const user_id& user, const std::string& hash) {
  unit_of_work unit;
  unit.inserts.push_back(save_session{hash, user, o.clock.at, o.clock.at + 12h});
  REQUIRE(o.rows().commit(unit) == commit_outcome::committed);
}

bool has_session(office& o, const std::string& hash) { return o.rows().run(find_session{hash}).found.has_value(); }

std::vector<std::string> roles(office& o, const merchant_id& m) {
  std::vector<std::string> list;
  for (const auto& row : o.stored().memberships)
    if (row.merchant == m) list.push_back(row.user.value + " " + std::string{to_string(row.role)});
  return list;
}

}  // namespace

TEST_CASE("an address is one person in every merchant, whatever its upper and lower case") {
  office o;
  const auto m = new_shop(o), n = new_shop(o);
  const auto id = added(o, add_user{m, "Ada@Example.com", "correct horse", owner});
  CHECK(added(o, add_user{n, "ada@example.COM", "battery staple", viewer}) == id);
  CHECK(added(o, invite_user{n, "ADA@EXAMPLE.COM", viewer}) == id);
  REQUIRE(o.stored().users.size() == 1);
  CHECK(o.stored().users[0].email == "Ada@Example.com");
  CHECK(hash_of(o, "ada@example.com") == "hash of battery staple");
  CHECK(roles(o, m) == std::vector{id.value + " owner"});
  CHECK(roles(o, n) == std::vector{id.value + " viewer"});
}

TEST_CASE("a merchant is created for a person who exists already") {
  office o;
  const auto m = new_shop(o, "ada@example.com"), n = new_shop(o, "ADA@example.com");
  CHECK(o.stored().users.size() == 1);
  CHECK_FALSE(o.published.find_merchant(m)->owner.empty());
  CHECK(o.published.find_merchant(m)->owner == o.published.find_merchant(n)->owner);
}

TEST_CASE("two merchants created at once for one new address have one owner") {
  office o;
  const auto made = o.ask_together({create_merchant{"A", merchant_kind::standard, "ada@example.com"},
                                    create_merchant{"B", merchant_kind::standard, "Ada@example.com"}});
  REQUIRE(made.size() == 2);
  for (const auto& each : made) CHECK(std::holds_alternative<created_merchant>(*each.made));
  CHECK(o.stored().users.size() == 1);
}

TEST_CASE("setup links are for the owner for whom the merchant was created, else for the one who joined first") {
  auto rows = std::make_shared<failing_store>();
  merchant_id m, n, v;
  user_id ada, first;
  const auto check = [&](const office& o) {
    CHECK(o.published.find_merchant(m)->owner == ada);
    CHECK(o.published.find_merchant(n)->owner == first);
    CHECK(o.published.find_merchant(v)->owner.empty());
  };
  {
    office o{rows};
    o.know_all();
    m = new_shop(o, "ada@example.com");
    n = new_shop(o);
    v = new_shop(o);
    ada = o.published.find_merchant(m)->owner;
    added(o, invite_user{m, "earlier@example.com", owner});
    o.clock.at += 1s;
    added(o, invite_user{n, "looks@example.com", viewer});
    o.clock.at += 1s;
    first = added(o, invite_user{n, "first@example.com", owner});
    o.clock.at += 1s;
    added(o, invite_user{n, "second@example.com", owner});
    added(o, invite_user{v, "looks@example.com", viewer});
    check(o);
  }
  office o{rows};
  o.know_all();
  check(o);
  SECTION("an owner who becomes a viewer is the owner no more") {
    CHECK(added(o, invite_user{m, "ADA@example.com", viewer}) == ada);
    CHECK(o.published.find_merchant(m)->owner == added(o, invite_user{m, "earlier@example.com", owner}));
    added(o, invite_user{m, "ada@example.com", owner});
    CHECK(o.published.find_merchant(m)->owner == ada);
  }
}

TEST_CASE("an invited person has a role at once and no password, and an existing person keeps the password") {
  office o;
  const auto m = new_shop(o), n = new_shop(o);
  const auto ada = added(o, invite_user{m, "ada@example.com", viewer});
  CHECK(roles(o, m) == std::vector{ada.value + " viewer"});
  CHECK(hash_of(o, "ada@example.com").empty());
  added(o, add_user{m, "bob@example.com", "correct horse", owner});
  sign_in(o, added(o, invite_user{n, "bob@example.com", owner}), "s1");
  CHECK(hash_of(o, "bob@example.com") == "hash of correct horse");
  added(o, invite_user{n, "bob@example.com", owner});
  CHECK(has_session(o, "s1"));
}

TEST_CASE("a person added or invited again without a role keeps the present one, and a new one becomes an owner") {
  office o;
  const auto m = new_shop(o), n = new_shop(o);
  const auto ada = added(o, add_user{m, "ada@example.com", "correct horse", viewer});
  added(o, add_user{m, "ada@example.com", "battery staple"});
  CHECK(roles(o, m) == std::vector{ada.value + " viewer"});
  added(o, invite_user{m, "ADA@example.com"});
  CHECK(roles(o, m) == std::vector{ada.value + " viewer"});
  added(o, invite_user{n, "ada@example.com"});
  CHECK(roles(o, n) == std::vector{ada.value + " owner"});
  added(o, invite_user{m, "ada@example.com", owner});
  added(o, add_user{m, "ada@example.com", "another horse"});
  CHECK(roles(o, m) == std::vector{ada.value + " owner"});
  o.clock.at += 1s;  // members are listed in the order in which they joined
  const auto eve = added(o, add_user{n, "eve@example.com", "correct horse"});
  CHECK(roles(o, n) == std::vector{ada.value + " owner", eve.value + " owner"});
}

TEST_CASE("an operator's invitation sets a password once, and every session of the person ends") {
  office o;
  const auto m = new_shop(o);
  const auto first = invited(o, invite_user{m, "ada@example.com", owner});
  const auto& ada = first.id;
  CHECK(first.expires == o.clock.at + 7 * 24h);
  sign_in(o, ada, "s1");
  CHECK(o.problem(accepting(m, first)) == "the invitation sets a password");
  CHECK(added(o, accepting(m, first, "correct horse")) == ada);
  CHECK(hash_of(o, "ada@example.com") == "hash of correct horse");
  CHECK_FALSE(has_session(o, "s1"));
  sign_in(o, ada, "s2");
  const auto is_over = [&](const accept_invitation& command) {
    CHECK(o.problem(command, operator_problem::kind::not_found) == "There is no invitation " + command.id + ".");
  };
  is_over(accepting(m, first, "battery staple"));
  CHECK(hash_of(o, "ada@example.com") == "hash of correct horse");
  CHECK(has_session(o, "s2"));
  SECTION("another invitation works, and ends those before it") {
    const auto second = invited(o, invite_user{m, "ada@example.com"});
    const auto third = invited(o, invite_user{m, "ada@example.com"});
    is_over(accepting(m, second, "battery staple"));
    CHECK(added(o, accepting(m, third, "battery staple")) == ada);
    CHECK(hash_of(o, "ada@example.com") == "hash of battery staple");
  }
  SECTION("it expires after seven days") {
    const auto second = invited(o, invite_user{m, "ada@example.com"});
    o.clock.at += 7 * 24h;
    is_over(accepting(m, second, "battery staple"));
  }
  SECTION("it ends with the membership") {
    added(o, invite_user{m, "bob@example.com", owner});
    const auto second = invited(o, invite_user{m, "ada@example.com"});
    added(o, remove_member{m, ada});
    is_over(accepting(m, second, "battery staple"));
  }
  SECTION("an unknown one is not found, and no password is hashed for it") {
    o.hashing.asked.clear();
    CHECK(o.problem(accept_invitation{m, user_id{"user_x"}, "t3", "p"}, operator_problem::kind::not_found) ==
          "There is no user user_x.");
    CHECK(o.hashing.asked.empty());
  }
}

TEST_CASE("one invitation accepted many times at once sets one password") {
  office o;
  const auto m = new_shop(o);
  const auto by = GENERATE(invited_by::operators, invited_by::owner);
  const auto ada = invited(o, invite_user{m, "ada@example.com", viewer, by});
  std::vector<operator_command> commands;
  for (int i = 0; i < 8; ++i) commands.push_back(accepting(m, ada, "password " + std::to_string(i)));
  std::size_t accepted = 0;
  for (const auto& each : o.ask_together(commands)) accepted += std::holds_alternative<added_user>(*each.made);
  CHECK(accepted == 1);
  CHECK(hash_of(o, "ada@example.com") == "hash of password 0");
  CHECK(roles(o, m) == std::vector{ada.id.value + " viewer"});
}

TEST_CASE(
    "an owner's invitation gives no role before it is accepted, and its link sets a password only for a new person") {
  office o;
  const auto m = new_shop(o), n = new_shop(o);
  const auto ada = invited(o, by_owner(m, "ada@example.com", owner));
  CHECK(roles(o, m).empty());
  CHECK(o.published.find_merchant(m)->owner.empty());
  REQUIRE(o.stored().invitations.size() == 1);
  CHECK(standing(o, ada.id).invitations.size() == 1);
  SECTION("the password comes with the role") {
    CHECK(added(o, accepting(m, ada, "correct horse")) == ada.id);
    CHECK(roles(o, m) == std::vector{ada.id.value + " owner"});
    CHECK(o.published.find_merchant(m)->owner == ada.id);
    CHECK(o.stored().invitations.empty());
    CHECK(standing(o, ada.id).shown_to == m);
    CHECK(o.problem(accepting(m, ada, "battery staple"), operator_problem::kind::not_found).size() > 0);
    CHECK(o.problem(by_owner(m, "ADA@example.com")) == "belongs to the merchant already");
  }
  SECTION("a person who has a password by now keeps it, and accepts without one") {
    added(o, add_user{n, "ada@example.com", "correct horse", viewer});
    CHECK(o.problem(accepting(m, ada, "battery staple")) ==
          "the person has a password, or belongs to a merchant already");
    CHECK(hash_of(o, "ada@example.com") == "hash of correct horse");
    CHECK(roles(o, m).empty());
    CHECK(added(o, accepting(m, ada)) == ada.id);
    CHECK(roles(o, m) == std::vector{ada.id.value + " owner"});
    CHECK(standing(o, ada.id).shown_to.empty());
  }
  SECTION("a person who belongs to another merchant by now, with no password yet, gets none by this link") {
    if (GENERATE(true, false))
      added(o, invite_user{n, "ada@example.com", owner});
    else
      new_shop(o, "ada@example.com");
    CHECK(o.problem(accepting(m, ada, "battery staple")) ==
          "the person has a password, or belongs to a merchant already");
    CHECK(hash_of(o, "ada@example.com").empty());
    CHECK(roles(o, m).empty());
  }
  SECTION("a newer one, of an owner or of the operator, ends it") {
    const bool by_operator = GENERATE(true, false);
    const auto newer = by_operator ? invited(o, invite_user{m, "ada@example.com", viewer})
                                   : invited(o, by_owner(m, "ada@example.com"));
    CHECK(newer.id == ada.id);
    CHECK(o.problem(accepting(m, ada, "battery staple"), operator_problem::kind::not_found).size() > 0);
    CHECK(o.stored().invitations.size() == 1);
    CHECK(added(o, accepting(m, newer, "correct horse")) == ada.id);
    CHECK(roles(o, m) == std::vector{ada.id.value + " viewer"});
    CHECK(standing(o, ada.id).shown_to == (by_operator ? merchant_id{} : m));
  }
  SECTION("it ends when it is withdrawn, or after seven days") {
    if (GENERATE(true, false))
      CHECK(added(o, withdraw_invitation{m, ada.id}) == ada.id);
    else
      o.clock.at += 7 * 24h;
    CHECK(o.problem(accepting(m, ada, "battery staple"), operator_problem::kind::not_found).size() > 0);
    CHECK(o.problem(accepting(m, ada), operator_problem::kind::not_found).size() > 0);
    CHECK(o.problem(withdraw_invitation{m, ada.id}, operator_problem::kind::not_found).size() > 0);
    CHECK(hash_of(o, "ada@example.com").empty());
  }
}

TEST_CASE("a member who accepts another invitation to the merchant keeps the higher role") {
  auto rows = std::make_shared<failing_store>();
  const bool is_owner = GENERATE(true, false);
  merchant_id m;
  invited_user ada;
  {
    office o{rows};
    m = new_shop(o);
    added(o, add_user{new_shop(o), "ada@example.com", "correct horse", viewer});
    ada = invited(o, by_owner(m, "ada@example.com", is_owner ? viewer : owner));
    unit_of_work unit;
    unit.inserts.push_back(save_membership{m, ada.id, is_owner ? owner : viewer, o.clock.at});
    REQUIRE(o.rows().commit(unit) == commit_outcome::committed);
  }
  office o{rows};
  added(o, accepting(m, ada));
  CHECK(roles(o, m) == std::vector{ada.id.value + " owner"});
}

TEST_CASE("a merchant's owners make 400 invitations a day, withdrawn ones counted") {
  office o;
  const auto m = new_shop(o), n = new_shop(o);
  const auto by = [](const merchant_id& merchant, int i) {
    return by_owner(merchant, "p" + std::to_string(i) + "@example.com");
  };
  for (int i = 0; i < 400; ++i) added(o, withdraw_invitation{m, added(o, by(m, i))});
  CHECK(o.problem(by(m, 400), operator_problem::kind::conflict) == "too many invitations today");
  added(o, invite_user{m, "ada@example.com", viewer});  // the operator's
  added(o, by(n, 400));
  o.clock.at += 24h;
  added(o, by(m, 400));
}

TEST_CASE("a person who gets a role from the operator cannot sign in with a password that an owner may know") {
  office o;
  const auto m = new_shop(o), n = new_shop(o);
  const auto ada = invited(o, by_owner(m, "ada@example.com"));
  added(o, accepting(m, ada, "known to the owner"));
  sign_in(o, ada.id, "s1");
  unit_of_work unit;
  unit.claims.push_back(set_second_factor{ada.id, "sealed", {"code"}});
  unit.claims.push_back(set_user_password{ada.id, "changed by the owner", o.clock.at, "s1"});
  REQUIRE(o.rows().commit(unit) == commit_outcome::committed);
  std::string hash;
  SECTION("by an invitation") { added(o, invite_user{n, "ada@example.com", viewer}); }
  SECTION("by a merchant that is created for them") { new_shop(o, "ada@example.com"); }
  SECTION("by a password of the operator's") {
    added(o, add_user{n, "ada@example.com", "correct horse", viewer});
    hash = "hash of correct horse";
  }
  const auto found = o.rows().run(find_user{"ada@example.com"}).found;
  REQUIRE(found);
  CHECK(found->password_hash == hash);
  CHECK(found->sealed_totp.empty());
  CHECK(found->recovery_codes_left == 0);
  CHECK_FALSE(has_session(o, "s1"));
  CHECK(standing(o, ada.id).shown_to.empty());
}

TEST_CASE("a removed person's links are invalid, and so are those of merchants that no longer invite them") {
  office o;
  const auto m = new_shop(o);
  const auto ada = invited(o, by_owner(m, "ada@example.com"));
  added(o, accepting(m, ada, "correct horse"));
  added(o, remove_member{m, ada.id});
  CHECK(o.problem(accepting(m, ada, "battery staple"), operator_problem::kind::not_found).size() > 0);
  CHECK(o.problem(accepting(m, ada), operator_problem::kind::not_found).size() > 0);
  CHECK(roles(o, m).empty());
  CHECK(hash_of(o, "ada@example.com") == "hash of correct horse");
}

TEST_CASE("invitations are known after a restart, and on another node once one has been made or has ended") {
  auto rows = std::make_shared<failing_store>();
  office here{rows, true}, there{rows, true};
  const auto m = new_shop(here);
  REQUIRE(there.finds(directory_name::kind::merchant, m.value));
  const auto first = invited(here, by_owner(m, "ada@example.com"));
  const auto second = invited(here, by_owner(m, "ada@example.com"));
  there.catch_up_with_log();
  CHECK(there.problem(accepting(m, first, "stale"), operator_problem::kind::not_found).size() > 0);
  SECTION("accepted on both at once, it works once") {
    CHECK(added(there, accepting(m, second, "correct horse")) == second.id);
    // The other node has not read that: its commit is lost, and planned again with the change.
    CHECK(here.problem(accepting(m, second, "battery staple"), operator_problem::kind::not_found).size() > 0);
    CHECK(hash_of(here, "ada@example.com") == "hash of correct horse");
  }
  SECTION("withdrawn on one, it is invalid on the other") {
    added(here, withdraw_invitation{m, second.id});
    CHECK(there.problem(accepting(m, second, "stale"), operator_problem::kind::not_found).size() > 0);
    CHECK(roles(here, m).empty());
  }
}

TEST_CASE("a merchant's pending invitations are bounded, and an owner may renew one at the bound") {
  office o;
  const auto m = new_shop(o);
  for (int i = 0; i < 200; ++i) invited(o, by_owner(m, "p" + std::to_string(i) + "@example.com"));
  CHECK(o.problem(by_owner(m, "another@example.com")) ==
        "too many invitations wait to be accepted: withdraw some first");
  const auto again = invited(o, by_owner(m, "p0@example.com"));
  added(o, withdraw_invitation{m, again.id});
  invited(o, by_owner(m, "another@example.com"));
}

TEST_CASE("a new password for an existing person ends all of that person's sessions, and no others") {
  office o;
  const auto m = new_shop(o);
  const auto ada = added(o, add_user{m, "ada@example.com", "correct horse", owner});
  const auto bob = added(o, add_user{m, "bob@example.com", "correct horse", owner});
  sign_in(o, ada, "a");
  sign_in(o, bob, "b");
  added(o, add_user{m, "ada@example.com", "battery staple", owner});
  CHECK_FALSE(has_session(o, "a"));
  CHECK(has_session(o, "b"));
}

TEST_CASE("while a person's password is hashed, an invitation of the same person is answered") {
  office o;
  const auto m = new_shop(o);
  const auto ada = invited(o, invite_user{m, "ada@example.com", owner});
  o.hashing.held_up = true;
  const auto first = o.send(accepting(m, ada, "correct horse"));
  o.settle();
  CHECK(added(o, invite_user{m, "ada@example.com", owner}) == ada.id);
  CHECK_FALSE(first->done());
  o.let_hash();
  REQUIRE(first->made);
  CHECK(std::holds_alternative<operator_problem>(*first->made));  // the newer one has ended it
}

TEST_CASE("no command makes a merchant's last owner a viewer, and a refused one changes nothing") {
  office o;
  const auto m = new_shop(o);
  const auto ada = added(o, add_user{m, "ada@example.com", "correct horse", owner});
  sign_in(o, ada, "s1");
  const std::string words = "the last owner of a merchant stays its owner: make somebody else an owner first";
  CHECK(o.problem(invite_user{m, "ADA@example.com", viewer}) == words);
  CHECK(o.problem(add_user{m, "ada@example.com", "battery staple", viewer}) == words);
  CHECK(o.problem(change_role{m, ada, viewer}) == words);
  CHECK(o.problem(remove_member{m, ada}) == words);
  CHECK(roles(o, m) == std::vector{ada.value + " owner"});
  CHECK(hash_of(o, "ada@example.com") == "hash of correct horse");
  CHECK(has_session(o, "s1"));
  SECTION("beside another owner any owner may become one") {
    const auto bob = added(o, invite_user{m, "bob@example.com", owner});
    added(o, invite_user{m, "ada@example.com", viewer});
    CHECK(o.problem(invite_user{m, "bob@example.com", viewer}) == words);
    CHECK(o.published.find_merchant(m)->owner == bob);
  }
  SECTION("of two owners at once one stays") {
    added(o, invite_user{m, "bob@example.com", owner});
    std::size_t refused = 0;
    for (const auto& each :
         o.ask_together({invite_user{m, "ada@example.com", viewer}, invite_user{m, "bob@example.com", viewer}}))
      refused += std::holds_alternative<operator_problem>(*each.made);
    CHECK(refused == 1);
  }
}

TEST_CASE(
    "a person who sets a password by an invitation finds it on their list, and no other person's command is noted with "
    "it") {
  office o;
  const auto m = new_shop(o);
  const auto who = invited(o, invite_user{m, "ada@example.com", owner});
  const auto& ada = who.id;
  const auto noted = [&] { return o.rows().run(find_audit{ada}).entries; };
  const save_audit note{ada, o.clock.at, "audit_1", "192.0.2.1", "set-password", "by invitation"};
  o.hashing.held_up = true;
  const auto under_way = o.send(noted_command{accepting(m, who, "correct horse"), note});
  o.settle();
  added(o, invite_user{m, "bob@example.com", viewer});  // while the password is hashed
  CHECK(noted().empty());
  o.let_hash();
  CHECK(under_way->done());
  added(o, invite_user{m, "eve@example.com", viewer});
  REQUIRE(noted().size() == 1);
  auto entry = noted().front();
  CHECK(entry.after.find(R"("status":"set")") != std::string::npos);
  entry.before.clear();
  entry.after.clear();
  CHECK(entry == note);
}

TEST_CASE("a person who adds another with a password finds it on their list, although the password is hashed first") {
  office o;
  const auto m = new_shop(o);
  const auto ada = added(o, invite_user{m, "ada@example.com", owner});
  const save_audit note{ada, o.clock.at, "audit_1", "192.0.2.1", "add-person", "bob@example.com"};
  const auto adding = o.send(noted_command{add_user{m, "bob@example.com", "correct horse", viewer}, note});
  o.settle();
  CHECK(adding->done());
  auto entries = o.rows().run(find_audit{ada}).entries;
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].before.empty());
  CHECK(entries[0].after.find(R"("role":"viewer")") != std::string::npos);
  CHECK(entries[0].after.find("correct horse") == std::string::npos);
  entries[0].after.clear();
  CHECK(entries[0] == note);
}
