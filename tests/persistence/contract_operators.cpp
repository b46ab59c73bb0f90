// The store contract: the operators of the console, their links, passwords and codes.
#include <catch2/catch.hpp>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

const save_operator ann{"Ann Lee", operator_role::admin, "link1", at(10), at(0)};

commit_outcome add_operator(contract_store& store, const save_operator& who) {
  unit_parts unit;
  unit.records = {who};
  return store.commit(unit);
}

unit_parts changing_operator(claimed_row what) {
  unit_parts unit;
  unit.record_claims = {std::move(what)};
  return unit;
}

commit_outcome change_operator(contract_store& store, claimed_row what) {
  return store.commit(changing_operator(std::move(what)));
}

stored_operator operator_named(contract_store& store, const std::string& key) {
  return store.run(find_operator{key}).found.value();
}

}  // namespace

TEST_CASE("an operator is found by the name without case, and the name exists once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(add_operator(store, ann) == committed);
  const auto found = operator_named(store, "ann lee");
  CHECK(static_cast<const save_operator&>(found) == ann);
  CHECK(found.password_hash.empty());
  CHECK(found.sealed_totp.empty());
  CHECK(found.totp_step == 0);
  CHECK_FALSE(store.run(find_operator{"ann"}).found);
  CHECK_FALSE(store.run(find_operator{"Ann Lee"}).found);
  CHECK(add_operator(store, {"ANN lee", operator_role::viewer, "link2", at(20), at(1)}) == duplicate_record);
  CHECK(operator_named(store, "ann lee").setup_id == "link1");

  REQUIRE(add_operator(store, {"bob", operator_role::viewer, "link3", at(20), at(1)}) == committed);
  REQUIRE(add_operator(store, {"Abe", operator_role::support, "link4", at(20), at(2)}) == committed);
  REQUIRE(change_operator(store, set_up_operator{"bob", "link3", "hash", "sealed", at(2)}) == committed);
  const std::vector<listed_operator> all{{"Abe", operator_role::support, false},
                                         {"Ann Lee", operator_role::admin, false},
                                         {"bob", operator_role::viewer, true}};
  CHECK(store.run(find_operators{}).operators == all);
}

TEST_CASE("an operator's link sets a password and a second factor once, and before it ends") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(add_operator(store, ann) == committed);
  const set_up_operator right{"ann lee", "link1", "hash", "sealed", at(9)};
  struct row {
    const char* what;
    set_up_operator claim;
  };
  for (const auto& [what, wrong] : {row{"another link", {"ann lee", "link2", "hash", "sealed", at(9)}},
                                    row{"another operator", {"bob", "link1", "hash", "sealed", at(9)}},
                                    row{"no link", {"ann lee", "", "hash", "sealed", at(9)}},
                                    row{"at its end", {"ann lee", "link1", "hash", "sealed", at(10)}}}) {
    INFO(what);
    CHECK(change_operator(store, wrong) == lost_claim);
    CHECK(operator_named(store, "ann lee").password_hash.empty());
  }
  CHECK(store.commit(std::vector{changing_operator(right), changing_operator(right)}) ==
        std::vector{committed, lost_claim});
  const auto found = operator_named(store, "ann lee");
  CHECK(found.password_hash == "hash");
  CHECK(found.sealed_totp == "sealed");
  CHECK(found.setup_id.empty());
  CHECK(change_operator(store, set_up_operator{"ann lee", "", "other", "sealed", at(9)}) == lost_claim);
}

TEST_CASE("a code of an operator is used once, and only with the password and second factor that were verified") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(add_operator(store, ann) == committed);
  CHECK(change_operator(store, spend_operator_code{"ann lee", "", "", 7}) == lost_claim);
  REQUIRE(change_operator(store, set_up_operator{"ann lee", "link1", "hash", "sealed", at(1)}) == committed);
  CHECK(change_operator(store, spend_operator_code{"ann lee", "old", "sealed", 7}) == lost_claim);
  CHECK(change_operator(store, spend_operator_code{"ann lee", "hash", "old", 7}) == lost_claim);
  CHECK(change_operator(store, spend_operator_code{"bob", "hash", "sealed", 7}) == lost_claim);
  const auto right = changing_operator(spend_operator_code{"ann lee", "hash", "sealed", 7});
  CHECK(store.commit(std::vector{right, right}) == std::vector{committed, lost_claim});
  CHECK(change_operator(store, spend_operator_code{"ann lee", "hash", "sealed", 6}) == lost_claim);
  CHECK(change_operator(store, spend_operator_code{"ann lee", "hash", "sealed", 8}) == committed);
  CHECK(operator_named(store, "ann lee").totp_step == 8);
}

TEST_CASE("resetting an operator ends the password, the second factor and the earlier link") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(add_operator(store, ann) == committed);
  REQUIRE(change_operator(store, reset_operator{"ann lee", "link2", at(20)}) == committed);
  CHECK(change_operator(store, set_up_operator{"ann lee", "link1", "hash", "sealed", at(1)}) == lost_claim);
  REQUIRE(change_operator(store, set_up_operator{"ann lee", "link2", "hash", "sealed", at(11)}) == committed);
  REQUIRE(change_operator(store, spend_operator_code{"ann lee", "hash", "sealed", 7}) == committed);
  REQUIRE(change_operator(store, reset_operator{"ann lee", "link3", at(30)}) == committed);
  const auto found = operator_named(store, "ann lee");
  CHECK(found.password_hash.empty());
  CHECK(found.sealed_totp.empty());
  CHECK(found.totp_step == 0);
  CHECK(found.setup_id == "link3");
  CHECK(found.setup_ends_at == at(30));
  CHECK(found.role == operator_role::admin);
  CHECK(change_operator(store, reset_operator{"bob", "link4", at(30)}) == lost_claim);
}

TEST_CASE("a removed operator is gone, and the name can be given again") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(add_operator(store, ann) == committed);
  REQUIRE(change_operator(store, set_up_operator{"ann lee", "link1", "hash", "sealed", at(1)}) == committed);
  REQUIRE(change_operator(store, drop_operator{"ann lee"}) == committed);
  CHECK_FALSE(store.run(find_operator{"ann lee"}).found);
  CHECK(store.run(find_operators{}).operators.empty());
  CHECK(change_operator(store, drop_operator{"ann lee"}) == lost_claim);
  CHECK(change_operator(store, spend_operator_code{"ann lee", "hash", "sealed", 9}) == lost_claim);
  REQUIRE(add_operator(store, {"ann lee", operator_role::viewer, "link5", at(40), at(3)}) == committed);
  CHECK(operator_named(store, "ann lee").password_hash.empty());
}
