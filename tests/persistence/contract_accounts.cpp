// The store contract: second factors, time zones, lists of sessions, and the audit list.
#include <catch2/catch.hpp>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

const user_id eve{"user_eve"}, dan{"user_dan"};

commit_outcome store_records(contract_store& store, std::vector<inserted_row> records) {
  unit_parts unit;
  unit.records = std::move(records);
  return store.commit(unit);
}

commit_outcome claim_records(contract_store& store, std::vector<claimed_row> claims) {
  unit_parts unit;
  unit.record_claims = std::move(claims);
  return store.commit(unit);
}

void with_people(contract_store& store) {
  REQUIRE(store_records(store, {save_user{eve, "eve@example.com", "hash", at(0)},
                                save_user{dan, "dan@example.com", "hash", at(0)}}) == committed);
}

stored_person person_named(contract_store& store, const std::string& name) {
  return store.run(find_user{name + "@example.com"}).found.value();
}

save_audit an_audit(const user_id& who, std::int64_t when, const std::string& id, const std::string& merchant = "") {
  return {who, at(when), id, "192.0.2.7", "refund", "pay_1", merchant_id{merchant}, {}};
}

std::vector<std::string> ids_of(const audit_lookup& found) {
  std::vector<std::string> ids;
  for (const auto& entry : found.entries) ids.push_back(entry.id);
  return ids;
}

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("a second factor is set with its recovery codes, replaced, and removed") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_people(store);
  CHECK(person_named(store, "eve").sealed_totp.empty());
  CHECK(person_named(store, "eve").recovery_codes_left == 0);
  REQUIRE(claim_records(store, {set_second_factor{eve, "sealed", {"c1", "c2"}}}) == committed);
  REQUIRE(claim_records(store, {spend_totp_step{eve, 7}}) == committed);
  auto person = person_named(store, "eve");
  CHECK(person.sealed_totp == "sealed");
  CHECK(person.totp_step == 7);
  CHECK(person.recovery_codes_left == 2);
  CHECK(person_named(store, "dan").recovery_codes_left == 0);

  REQUIRE(claim_records(store, {set_second_factor{eve, "another", {"c2", "c3", "c4"}}}) == committed);
  person = person_named(store, "eve");
  CHECK(person.sealed_totp == "another");
  CHECK(person.totp_step == 0);
  CHECK(person.recovery_codes_left == 3);
  CHECK(claim_records(store, {spend_recovery_code{eve, "c1", at(1)}}) == lost_claim);

  REQUIRE(claim_records(store, {set_second_factor{eve, "", {}}}) == committed);
  person = person_named(store, "eve");
  CHECK(person.sealed_totp.empty());
  CHECK(person.recovery_codes_left == 0);
}

TEST_CASE("a step of a second factor is used once, and no earlier step after it") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_people(store);
  CHECK(claim_records(store, {spend_totp_step{eve, 100}}) == lost_claim);
  REQUIRE(claim_records(store, {set_second_factor{eve, "sealed", {}}}) == committed);
  CHECK(claim_records(store, {spend_totp_step{eve, 100}}) == committed);
  CHECK(claim_records(store, {spend_totp_step{eve, 100}}) == lost_claim);
  CHECK(claim_records(store, {spend_totp_step{eve, 99}}) == lost_claim);
  CHECK(claim_records(store, {spend_totp_step{dan, 101}}) == lost_claim);

  unit_parts first, second;
  first.records = {save_session{"s1", eve, at(0), at(90)}};
  first.record_claims = {spend_totp_step{eve, 101}};
  second.records = {save_session{"s2", eve, at(0), at(90)}};
  second.record_claims = {spend_totp_step{eve, 101}};
  CHECK(store.commit(std::vector{first, second}) == std::vector{committed, lost_claim});
  CHECK(store.run(find_session{"s1"}).found.has_value());
  CHECK_FALSE(store.run(find_session{"s2"}).found.has_value());
}

TEST_CASE("a recovery code is used once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_people(store);
  REQUIRE(claim_records(store, {set_second_factor{eve, "sealed", {"c1", "c2"}}}) == committed);
  CHECK(claim_records(store, {spend_recovery_code{dan, "c1", at(1)}}) == lost_claim);
  CHECK(claim_records(store, {spend_recovery_code{eve, "c1", at(1)}}) == committed);
  CHECK(claim_records(store, {spend_recovery_code{eve, "c1", at(1)}}) == lost_claim);
  CHECK(person_named(store, "eve").recovery_codes_left == 1);
  unit_parts one;
  one.record_claims = {spend_recovery_code{eve, "c2", at(2)}};
  CHECK(store.commit(std::vector{one, one}) == std::vector{committed, lost_claim});
}

TEST_CASE("a session shows its person's time zone, and whether there is a second factor") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_people(store);
  REQUIRE(store_records(store, {save_session{"s1", eve, at(0), at(90)}}) == committed);
  auto found = store.run(find_session{"s1"}).found.value();
  CHECK(found.time_zone.empty());
  CHECK_FALSE(found.has_second_factor);
  REQUIRE(claim_records(store, {set_time_zone{eve, "Asia/Hong_Kong"}, set_second_factor{eve, "sealed", {}}}) ==
          committed);
  found = store.run(find_session{"s1"}).found.value();
  CHECK(found.time_zone == "Asia/Hong_Kong");
  CHECK(found.has_second_factor);
  CHECK(person_named(store, "eve").time_zone == "Asia/Hong_Kong");
  CHECK(person_named(store, "dan").time_zone.empty());
}

TEST_CASE("a person's sessions are listed, newest first") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_people(store);
  REQUIRE(store_records(store, {save_session{"s1", eve, at(10), at(90), "2001:db8::1", "Firefox on Linux"},
                                save_session{"s2", eve, at(30), at(95)}, save_session{"s3", dan, at(20), at(90)}}) ==
          committed);
  REQUIRE(claim_records(store, {touch_session{"s1", at(40)}}) == committed);
  const std::vector<listed_session> expected{{"s2", at(30), at(30), at(95)},
                                             {"s1", at(10), at(40), at(90), "2001:db8::1", "Firefox on Linux"}};
  CHECK(store.run(find_sessions{eve}).sessions == expected);
}

TEST_CASE("the audit list is read newest first, of a person or of a merchant, page by page") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_people(store);
  auto first = an_audit(eve, 1, "a1", "merch_1");
  first.env = environment::live;
  REQUIRE(store_records(store, {first, an_audit(eve, 2, "a2"), an_audit(eve, 2, "a3", "merch_2"),
                                an_audit(dan, 3, "a4", "merch_1"), an_audit(eve, 4, "a5")}) == committed);
  CHECK(ids_of(store.run(find_audit{.user = eve})) == names{"a5", "a3", "a2", "a1"});
  CHECK(ids_of(store.run(find_audit{.user = eve, .limit = 2})) == names{"a5", "a3"});
  CHECK(ids_of(store.run(find_audit{.user = eve, .before = at(2), .before_id = "a3"})) == names{"a2", "a1"});
  CHECK(ids_of(store.run(find_audit{.merchant = merchant_id{"merch_1"}})) == names{"a4", "a1"});
  CHECK(ids_of(store.run(find_audit{.user = user_id{"user_none"}})).empty());
  CHECK(store.run(find_audit{.user = eve}).entries.back() == first);
}

TEST_CASE("a person's change is on the audit list exactly if it was committed") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  with_people(store);
  unit_parts refused;
  refused.records = {an_audit(eve, 1, "a1")};
  refused.record_claims = {spend_recovery_code{eve, "none", at(1)}};
  CHECK(store.commit(refused) == lost_claim);
  CHECK(store.run(find_audit{.user = eve}).entries.empty());
  CHECK(store_records(store, {an_audit(eve, 1, "a1")}) == committed);
}
