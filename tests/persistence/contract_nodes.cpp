// The store contract: the directory's log, by which nodes hear of each other's changes, and the turns of operators'.
#include <catch2/catch.hpp>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;
using kind_of_change = directory_change::kind;

namespace {

directory_change merchant_change(const std::string& id) { return {kind_of_change::merchant, id}; }

save_merchant a_merchant(const std::string& id) {
  return {merchant_id{id}, entity_id{"ent_" + id}, "Shop " + id, merchant_kind::standard, "", at(1)};
}

/// A merchant, as the directory of a node makes it in this turn.
unit_parts making(const std::string& id, std::int64_t turn) {
  unit_parts unit;
  unit.records = {a_merchant(id)};
  unit.changes = {merchant_change(id)};
  unit.turn = directory_turn{turn};
  return unit;
}

directory_news news_since(contract_store& store, std::int64_t number) { return store.run(find_directory_news{number}); }

}  // namespace

TEST_CASE("each change that is logged raises the number by one, however many entries it names") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  CHECK(news_since(store, 0).head == directory_head{0, 0});
  REQUIRE(store.commit(making("merch_1", 0)) == committed);
  CHECK(news_since(store, 0).head == directory_head{1, 1});
  unit_parts two;
  two.changes = {merchant_change("merch_1"), {kind_of_change::platform, "plat_1"}};
  REQUIRE(store.commit(two) == committed);
  CHECK(news_since(store, 0).head == directory_head{2, 1});
  CHECK(news_since(store, 1).changed.size() == 2);
}

TEST_CASE("a change that was planned before another one came first is lost, whole") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(making("merch_1", 0)) == committed);
  CHECK(store.commit(making("merch_2", 0)) == lost_claim);
  CHECK(store.run(find_directory{}).merchants.size() == 1);
  CHECK(news_since(store, 0).head == directory_head{1, 1});
  CHECK(store.commit(making("merch_2", 1)) == committed);
}

TEST_CASE("changes of one batch take their turns in its order, and one that fails takes those behind it along") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const std::vector good{making("merch_1", 0), making("merch_2", 1), making("merch_3", 2)};
  CHECK(store.commit(good) == std::vector{committed, committed, committed});
  const std::vector spoilt{making("merch_4", 3), making("merch_1", 4), making("merch_5", 5)};
  CHECK(store.commit(spoilt) == std::vector{committed, duplicate_record, lost_claim});
  CHECK(news_since(store, 0).head == directory_head{4, 4});
}

TEST_CASE("news are of what has changed since, and of nothing else") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  for (const auto* id : {"merch_1", "merch_2", "merch_3"})
    REQUIRE(store.commit(making(id, news_since(store, 0).head.turn)) == committed);
  unit_parts key;
  key.records = {save_api_key{key_id{"mk_test_1"}, merchant_id{"merch_2"}, environment::test, {1}, "sealed", at(2)}};
  key.changes = {merchant_change("merch_2")};
  REQUIRE(store.commit(key) == committed);

  const auto last = news_since(store, 3);
  CHECK_FALSE(last.whole);
  CHECK(last.changed == std::vector{merchant_change("merch_2")});
  REQUIRE(last.rows.merchants.size() == 1);
  CHECK(last.rows.merchants[0].id.value == "merch_2");
  REQUIRE(last.rows.keys.size() == 1);
  CHECK(news_since(store, 4).changed.empty());
  CHECK(news_since(store, 4).rows.merchants.empty());
  CHECK(news_since(store, 1).rows.merchants.size() == 2);
  const auto all = news_since(store, -1);
  CHECK(all.whole);
  CHECK(all.rows.merchants.size() == 3);
}

TEST_CASE("one entry of the directory has all that belongs to it, and nothing of others") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  for (const std::string of : {"1", "2"}) {
    unit_parts unit;
    const merchant_id merchant{"merch_" + of};
    const user_id user{"user_" + of};
    unit.records = {
        a_merchant(merchant.value),
        save_api_key{key_id{"mk_" + of}, merchant, environment::test, {1}, "sealed", at(2)},
        save_user{user, of + "@example.com", "hash", at(1)},
        save_membership{merchant, user, member_role::owner, at(1)},
        save_connection{
            merchant, {environment::test, provider_kind::sandbox, connection_status::connected, "a"}, "conn_" + of},
        save_route{
            merchant, {environment::test, provider_kind::sandbox, 1, {}, {payment_method_kind::card}}, "route_" + of}};
    REQUIRE(store.commit(unit) == committed);
  }
  const auto one = store.run(find_directory{merchant_change("merch_1")});
  REQUIRE(one.merchants.size() == 1);
  CHECK(one.merchants[0].id.value == "merch_1");
  REQUIRE(one.keys.size() == 1);
  CHECK(one.keys[0].key.id.value == "mk_1");
  REQUIRE(one.users.size() == 1);
  CHECK(one.users[0].email == "1@example.com");
  REQUIRE(one.memberships.size() == 1);
  REQUIRE(one.connections.size() == 1);
  CHECK(one.connections[0].id == "conn_1");
  REQUIRE(one.routes.size() == 1);
  CHECK(one.routes[0].id == "route_1");
  CHECK(store.run(find_directory{directory_change{kind_of_change::node, "n1"}}).merchants.empty());
}
