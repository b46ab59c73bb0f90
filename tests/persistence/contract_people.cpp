// The store contract: persons, their roles at merchants, and their sessions.
#include <catch2/catch.hpp>

#include <chrono>
#include <future>

#include "contract_store.hpp"
#include "persistence/tables/queries.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

const merchant_id shop{"merch_shop"}, cafe{"merch_cafe"};
const user_id ada{"user_ada"}, bob{"user_bob"};

template <class... Records>
commit_outcome save(contract_store& store, const Records&... records) {
  unit_parts unit;
  (unit.records.emplace_back(records), ...);
  return store.commit(unit);
}

template <class... Records>
commit_outcome change(contract_store& store, const Records&... records) {
  unit_parts unit;
  (unit.record_claims.emplace_back(records), ...);
  return store.commit(unit);
}

save_user a_person(const user_id& id, const std::string& email, const std::string& hash = "",
                   std::int64_t created = 0) {
  return {id, email, hash, at(created)};
}

save_merchant a_merchant(const merchant_id& id, const std::string& name) {
  return {id, entity_id{"ent_" + id.value}, name, merchant_kind::standard, "", at(0)};
}

save_session a_session(const std::string& hash, const user_id& user, std::int64_t created, std::int64_t ends) {
  return {hash, user, at(created), at(ends)};
}

bool has_session(contract_store& store, const std::string& hash) {
  return store.run(find_session{hash}).found.has_value();
}

}  // namespace

TEST_CASE("a person is found by the address in lower case, which is unique in any spelling") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, a_person(ada, "Ada@Zoë.example", "hash", 5)) == committed);
  CHECK(save(store, a_person(bob, "ADA@zoë.EXAMPLE")) == duplicate_record);
  CHECK(save(store, a_person(ada, "other@example.com")) == duplicate_record);
  const auto found = store.run(find_user{email_key_of("aDA@Zoë.example")}).found;
  REQUIRE(found);
  CHECK(found->id == ada);
  CHECK(found->email == "Ada@Zoë.example");
  CHECK(found->password_hash == "hash");
  CHECK(found->created_at == at(5));
  CHECK_FALSE(store.run(find_user{"other@example.com"}).found);
  // Only ASCII letters are folded.
  CHECK(save(store, a_person(bob, "ada@zoË.example")) == committed);
}

TEST_CASE("a merchant's members are listed in the order in which they joined, and whether they have a password") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, a_person(bob, "bob@example.com", "", 2), a_person(ada, "Ada@example.com", "hash", 1),
               save_membership{shop, bob, member_role::owner, at(2)},
               save_membership{shop, ada, member_role::owner, at(2)}) == committed);
  const auto users = entries_of(store, {shop}).users;
  REQUIRE(users.size() == 2);
  CHECK(users[0].id == ada);
  CHECK(users[0].email == "Ada@example.com");
  CHECK(users[0].has_password);
  CHECK(users[1].id == bob);
  CHECK_FALSE(users[1].has_password);
}

TEST_CASE("a merchant and a person have one membership: its role changes, and its time stays") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, save_membership{shop, bob, member_role::owner, at(2)},
               save_membership{shop, ada, member_role::viewer, at(1)},
               save_membership{cafe, bob, member_role::viewer, at(9)}) == committed);
  REQUIRE(save(store, save_membership{shop, bob, member_role::viewer, at(0)}) == committed);
  auto found = entries_of(store, {cafe, shop}).memberships;
  REQUIRE(found.size() == 3);
  CHECK(found[0].merchant == cafe);
  CHECK(found[1].user == ada);
  CHECK(found[1].merchant == shop);
  CHECK(found[2].user == bob);
  CHECK(found[2].role == member_role::viewer);
  CHECK(found[2].created_at == at(2));

  REQUIRE(change(store, drop_membership{shop, bob}) == committed);
  CHECK(change(store, drop_membership{shop, bob}) == committed);
  found = entries_of(store, {cafe, shop}).memberships;
  REQUIRE(found.size() == 2);
  CHECK(found[0].user == bob);
  CHECK(found[0].merchant == cafe);
  CHECK(found[1].user == ada);
}

TEST_CASE("a person and a first membership are stored together or not at all") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, a_person(ada, "ada@example.com")) == committed);
  CHECK(save(store, save_membership{shop, bob, member_role::owner, at(0)}, a_person(bob, "ADA@example.com")) ==
        duplicate_record);
  CHECK(entries_of(store, {shop}).memberships.empty());
}

TEST_CASE("a session is found with its person and the person's merchants, by name") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, a_merchant(shop, "Zebra"), a_merchant(cafe, "Alto"), a_person(ada, "Ada@example.com", "hash"),
               a_person(bob, "bob@example.com")) == committed);
  REQUIRE(save(store, save_membership{shop, ada, member_role::owner, at(0)},
               save_membership{cafe, ada, member_role::viewer, at(1)},
               save_membership{shop, bob, member_role::owner, at(1)}) == committed);
  REQUIRE(save(store, a_session("s1", ada, 10, 90)) == committed);
  auto found = store.run(find_session{"s1"}).found;
  REQUIRE(found);
  CHECK(found->user == ada);
  CHECK(found->email == "Ada@example.com");
  CHECK(found->created_at == at(10));
  CHECK(found->used_at == at(10));
  CHECK(found->ends_at == at(90));
  REQUIRE(found->of.size() == 2);
  CHECK(found->of[0].merchant == cafe);
  CHECK(found->of[0].merchant_name == "Alto");
  CHECK(found->of[0].role == member_role::viewer);
  CHECK(found->of[1].merchant == shop);
  CHECK(found->of[1].role == member_role::owner);

  REQUIRE(change(store, touch_session{"s1", at(20)}) == committed);
  found = store.run(find_session{"s1"}).found;
  REQUIRE(found);
  CHECK(found->created_at == at(10));
  CHECK(found->used_at == at(20));
  CHECK_FALSE(has_session(store, "s2"));
}

TEST_CASE("a session of a person without a merchant is found, and one without a person is not") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, a_person(ada, "ada@example.com")) == committed);
  REQUIRE(save(store, a_session("s1", ada, 0, 90), a_session("s2", bob, 0, 90)) == committed);
  const auto found = store.run(find_session{"s1"}).found;
  REQUIRE(found);
  CHECK(found->of.empty());
  CHECK_FALSE(has_session(store, "s2"));
}

TEST_CASE("a session ends alone, and its hash is used once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, a_person(ada, "ada@example.com"), a_person(bob, "bob@example.com")) == committed);
  REQUIRE(save(store, a_session("s1", ada, 0, 90), a_session("s2", ada, 0, 90)) == committed);
  CHECK(save(store, a_session("s1", bob, 0, 90)) == duplicate_record);
  REQUIRE(change(store, end_session{"s1"}) == committed);
  CHECK(change(store, end_session{"s1"}, touch_session{"s1", at(1)}) == committed);
  CHECK_FALSE(has_session(store, "s1"));
  CHECK(has_session(store, "s2"));
}

TEST_CASE("a new password ends the person's sessions except the named one") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, a_person(ada, "ada@example.com", "old"), a_person(bob, "bob@example.com", "his")) == committed);
  REQUIRE(save(store, a_session("s1", ada, 0, 90), a_session("s2", ada, 0, 90), a_session("s3", bob, 0, 90)) ==
          committed);
  const std::string kept = GENERATE("s1", "s3", "");
  INFO("kept is " << kept);
  REQUIRE(change(store, set_user_password{ada, "new", at(5), kept}) == committed);
  CHECK(store.run(find_user{"ada@example.com"}).found.value().password_hash == "new");
  CHECK(store.run(find_user{"bob@example.com"}).found.value().password_hash == "his");
  CHECK(has_session(store, "s1") == (kept == "s1"));
  CHECK_FALSE(has_session(store, "s2"));
  CHECK(has_session(store, "s3"));
}

TEST_CASE("a merchant and a person have one invitation, which is spent once, before it expires, by its id") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto owners = invited_by::owner, operators = invited_by::operators;
  const stored_invitation first{shop, ada, "i1", owners, member_role::owner, at(1), at(90)};
  const stored_invitation newer{shop, ada, "i2", operators, member_role::viewer, at(2), at(100)};
  const stored_invitation other{cafe, ada, "i3", owners, member_role::viewer, at(3), at(95)};
  REQUIRE(save(store, a_merchant(shop, "Shop"), a_merchant(cafe, "Café"), a_person(ada, "ada@example.com")) ==
          committed);
  REQUIRE(save(store, save_invitation{first}) == committed);
  REQUIRE(save(store, save_invitation{newer}, save_invitation{other}) == committed);
  CHECK(entries_of(store, {shop}).invitations == std::vector{newer});
  REQUIRE(entries_of(store, {shop}).users.size() == 1);
  CHECK(entries_of(store, {shop}).memberships.empty());
  auto found = store.run(find_invitations{ada});
  CHECK_FALSE(found.has_password);
  CHECK_FALSE(found.is_member);
  REQUIRE(found.invitations.size() == 2);
  CHECK(found.invitations[0].what == newer);
  CHECK(found.invitations[0].merchant_name == "Shop");
  CHECK(found.invitations[1].what == other);

  CHECK(change(store, spend_invitation{shop, ada, "i1", at(50)}) == lost_claim);
  CHECK(change(store, spend_invitation{shop, ada, "i3", at(50)}) == lost_claim);
  CHECK(change(store, spend_invitation{shop, ada, "i2", at(100)}) == lost_claim);
  REQUIRE(change(store, spend_invitation{shop, ada, "i2", at(99)}) == committed);
  CHECK(change(store, spend_invitation{shop, ada, "i2", at(99)}) == lost_claim);
  CHECK(entries_of(store, {shop}).invitations.empty());
  REQUIRE(change(store, drop_invitation{cafe, ada}) == committed);
  CHECK(change(store, drop_invitation{cafe, ada}) == committed);
  CHECK(store.run(find_invitations{ada}).invitations.empty());
  CHECK(store.run(find_invitations{bob}).invitations.empty());
}

TEST_CASE("a new invitation deletes the merchant's expired ones, and no other merchant's") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto by = invited_by::owner;
  const auto viewer = member_role::viewer;
  REQUIRE(save(store, save_invitation{{shop, ada, "i1", by, viewer, at(0), at(50)}},
               save_invitation{{cafe, ada, "i2", by, viewer, at(0), at(50)}}, a_merchant(shop, "Shop"),
               a_merchant(cafe, "Café")) == committed);
  REQUIRE(save(store, save_invitation{{shop, bob, "i3", by, viewer, at(50), at(100)}}) == committed);
  REQUIRE(entries_of(store, {shop}).invitations.size() == 1);
  CHECK(entries_of(store, {shop}).invitations[0].id == "i3");
  CHECK(entries_of(store, {cafe}).invitations.size() == 1);
}

TEST_CASE("a first password is set with the membership, for a person without a password whom no other merchant knows") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, a_person(ada, "ada@example.com"), a_person(bob, "bob@example.com", "his")) == committed);
  const auto accept = [](const user_id& who, const std::string& hash) {
    unit_parts unit;
    unit.record_claims = {set_first_password{who, hash, at(5), shop}};
    unit.records = {save_membership{shop, who, member_role::viewer, at(5)}};
    return unit;
  };
  CHECK(store.commit(accept(bob, "another")) == lost_claim);
  CHECK(store.run(find_user{"bob@example.com"}).found.value().password_hash == "his");
  CHECK_FALSE(store.run(find_invitations{bob}).is_member);
  SECTION("alone") {
    REQUIRE(store.commit(accept(ada, "hers")) == committed);
    CHECK(store.commit(accept(ada, "another")) == lost_claim);
    const auto found = store.run(find_invitations{ada});
    CHECK(found.has_password);
    CHECK(found.is_member);
    CHECK(found.shown_to == shop);
    CHECK(store.run(find_user{"ada@example.com"}).found.value().password_hash == "hers");
  }
  SECTION("another merchant's membership earlier in the batch prevents it") {
    unit_parts other;
    other.records = {save_membership{cafe, ada, member_role::owner, at(4)}};
    CHECK(store.commit(std::vector{other, accept(ada, "hers")}) == std::vector{committed, lost_claim});
    CHECK(store.run(find_user{"ada@example.com"}).found.value().password_hash.empty());
  }
}

TEST_CASE("a password set by a link that an owner was shown ends with everything made under it, and no other does") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, a_person(ada, "ada@example.com"), a_person(bob, "bob@example.com", "his")) == committed);
  REQUIRE(change(store, set_first_password{ada, "known", at(5), shop}) == committed);
  REQUIRE(save(store, a_session("s1", ada, 0, 90), a_session("s2", bob, 0, 90)) == committed);
  // The owner who knows the password may change it, so the record of who was shown the link stays.
  REQUIRE(change(store, set_user_password{ada, "changed", at(6), "s1"}, set_second_factor{ada, "sealed", {"c1"}},
                 set_second_factor{bob, "his", {"c2"}}) == committed);
  CHECK(store.run(find_invitations{ada}).shown_to == shop);

  const bool replaced = GENERATE(false, true);
  unit_parts unit;
  unit.record_claims = {end_shown_password{ada}, end_shown_password{bob}};
  if (replaced) unit.record_claims.emplace_back(set_user_password{ada, "new", at(7), ""});
  REQUIRE(store.commit(unit) == committed);
  const auto hers = store.run(find_user{"ada@example.com"}).found.value();
  CHECK(hers.password_hash == (replaced ? "new" : ""));
  CHECK(hers.sealed_totp.empty());
  CHECK(hers.recovery_codes_left == 0);
  CHECK_FALSE(has_session(store, "s1"));
  CHECK(store.run(find_invitations{ada}).shown_to.empty());
  const auto his = store.run(find_user{"bob@example.com"}).found.value();
  CHECK(his.password_hash == "his");
  CHECK(his.sealed_totp == "his");
  CHECK(his.recovery_codes_left == 1);
  CHECK(has_session(store, "s2"));
}

TEST_CASE("an action by password is not committed once the password or the second factor has changed") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, a_person(ada, "ada@example.com"), a_person(bob, "bob@example.com", "his")) == committed);
  REQUIRE(change(store, set_first_password{ada, "known", at(5), shop}) == committed);
  const auto begin = [](const user_id& who, const std::string& session, const std::string& hash,
                        const std::string& totp = "") {
    unit_parts unit;
    unit.records = {a_session(session, who, 0, 90)};
    unit.record_claims = {check_credentials{who, hash, totp}};
    return unit;
  };
  CHECK(store.commit(begin(ada, "s1", "known")) == committed);
  CHECK(store.commit(begin(ada, "s2", "known")) == committed);
  CHECK(store.commit(begin(ada, "s3", "another")) == lost_claim);
  CHECK(store.commit(begin(ada, "s3", "known", "sealed")) == lost_claim);
  CHECK(store.commit(begin(user_id{"user_none"}, "s3", "known")) == lost_claim);
  CHECK_FALSE(has_session(store, "s3"));
  SECTION("an owner who knows a password loses it even while setting another") {
    unit_parts end, set = begin(ada, "s3", "known");
    end.record_claims = {end_shown_password{ada}};
    set.record_claims.emplace_back(set_user_password{ada, "changed by the owner", at(6), "s3"});
    CHECK(store.commit(std::vector{end, set, begin(ada, "s4", "known"), begin(bob, "s5", "his")}) ==
          std::vector{committed, lost_claim, lost_claim, committed});
    for (const auto* session : {"s1", "s2", "s3", "s4"}) CHECK_FALSE(has_session(store, session));
    CHECK(has_session(store, "s5"));
    CHECK(store.run(find_user{"ada@example.com"}).found.value().password_hash.empty());
  }
  SECTION("the password is the same, but the second factor has changed") {
    REQUIRE(change(store, set_second_factor{ada, "sealed", {}}) == committed);
    CHECK(store.commit(begin(ada, "s3", "known")) == lost_claim);
    CHECK(store.commit(begin(ada, "s3", "known", "sealed")) == committed);
  }
}

TEST_CASE("a sign-in on one node during the end of its password on another leaves no session") {
  empty_store store{store_kind::mysql};
  migrate(*connect(store.where(), access::migrate));
  const auto one = connect(store.where(), access::write), other = connect(store.where(), access::write);
  unit_parts person, shown, sign_in;
  person.records = {a_person(ada, "ada@example.com")};
  shown.record_claims = {set_first_password{ada, "known", at(5), shop}};
  sign_in.records = {a_session("s1", ada, 0, 90)};
  sign_in.record_claims = {check_credentials{ada, "known", ""}};
  const unit_of_work before[] = {person, shown}, begin = sign_in;
  REQUIRE(commit_units(*one, before) == std::vector(2, committed));
  one->begin();
  const cell user[] = {std::string_view{ada.value}, std::string_view{ada.value}};
  REQUIRE(one->change(statements::end_shown_password, std::span{user}.first(1)) == 1);
  auto met = std::async(std::launch::async, [&] { return commit_units(*other, {&begin, 1}).front(); });
  // The sign-in waits for the row's lock. If it came later, it would find the row changed.
  CHECK(met.wait_for(std::chrono::milliseconds{100}) == std::future_status::timeout);
  one->change(statements::end_shown_sessions, user);
  one->commit();
  CHECK(met.get() == lost_claim);
  CHECK_FALSE(run(*connect(store.where(), access::read), find_session{"s1"}).found);
}

TEST_CASE("a sign-in after a new password keeps its session, even in the same batch") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, a_person(ada, "ada@example.com", "old")) == committed);
  unit_parts before, password, after;
  before.records = {a_session("s1", ada, 0, 90)};
  password.record_claims = {set_user_password{ada, "new", at(5), ""}};
  after.records = {a_session("s2", ada, 6, 90)};
  CHECK(store.commit(std::vector{before, password, after}) == std::vector(3, committed));
  CHECK_FALSE(has_session(store, "s1"));
  CHECK(has_session(store, "s2"));
}

TEST_CASE("a sign-in deletes the person's expired sessions") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, a_person(ada, "ada@example.com"), a_person(bob, "bob@example.com")) == committed);
  REQUIRE(save(store, a_session("over", ada, 0, 50), a_session("open", ada, 0, 51), a_session("his", bob, 0, 50)) ==
          committed);
  REQUIRE(save(store, a_session("new", ada, 50, 99)) == committed);
  CHECK_FALSE(has_session(store, "over"));
  CHECK(has_session(store, "open"));
  CHECK(has_session(store, "new"));
  CHECK(has_session(store, "his"));
}

TEST_CASE("an invitation is spent in the unit that uses it, once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, a_person(ada, "ada@example.com")) == committed);
  for (const bool first : {true, false}) {
    unit_parts redeem;
    redeem.records = {spend_token{shop, "token", at(0)}};
    redeem.record_claims = {set_user_password{ada, first ? "hers" : "another's", at(5), ""}};
    CHECK(store.run(find_spent_token{shop, "token"}).spent != first);
    CHECK(store.commit(redeem) == (first ? committed : duplicate_record));
  }
  CHECK(store.run(find_spent_token{shop, "token"}).spent);
  CHECK_FALSE(store.run(find_spent_token{shop, "another"}).spent);
  CHECK_FALSE(store.run(find_spent_token{merchant_id{"merch_other"}, "token"}).spent);
  CHECK(store.run(find_user{"ada@example.com"}).found.value().password_hash == "hers");
}

TEST_CASE("a restart finds persons, memberships and sessions unchanged") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  migrate(*connect(store.where(), access::migrate));
  {
    unit_parts unit;
    unit.records = {a_merchant(shop, "Shop"), a_person(ada, "Ada@example.com", "hash"),
                    save_membership{shop, ada, member_role::owner, at(0)}, a_session("s1", ada, 0, 90)};
    const unit_of_work whole = unit;
    REQUIRE(commit_units(*connect(store.where(), access::write), {&whole, 1}).front() == committed);
  }
  const auto reader = connect(store.where(), access::read);
  const auto found = run(*reader, find_session{"s1"}).found;
  REQUIRE(found);
  CHECK(found->email == "Ada@example.com");
  REQUIRE(found->of.size() == 1);
  CHECK(found->of[0].merchant_name == "Shop");
  CHECK(run(*reader, find_user{"ada@example.com"}).found.value().password_hash == "hash");
}
