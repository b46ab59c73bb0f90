// The store contract: the directory's log, from which nodes read each other's changes, and the turns of operators'
// changes.
#include <catch2/catch.hpp>

#include "contract_store.hpp"
#include "persistence/connection/statements.hpp"
#include "persistence/connection/transaction.hpp"

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

/// The unit that inserts a merchant, as a node's directory makes it in this turn.
unit_parts making(const std::string& id, std::int64_t turn) {
  unit_parts unit;
  unit.records = {a_merchant(id)};
  unit.changes = {merchant_change(id)};
  unit.turn = directory_turn{turn};
  return unit;
}

directory_updates updates_since(contract_store& store, std::int64_t number) {
  return store.run(find_directory_updates{number});
}

}  // namespace

TEST_CASE("each logged change raises the number by one, however many entries it names") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  CHECK(updates_since(store, 0).head == directory_head{0, 0});
  REQUIRE(store.commit(making("merch_1", 0)) == committed);
  CHECK(updates_since(store, 0).head == directory_head{1, 1});
  unit_parts two;
  two.changes = {merchant_change("merch_1"), {kind_of_change::platform, "plat_1"}};
  REQUIRE(store.commit(two) == committed);
  CHECK(updates_since(store, 0).head == directory_head{2, 1});
  CHECK(updates_since(store, 1).changed.size() == 2);
}

TEST_CASE("a change planned for a turn that another change took fails whole") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(making("merch_1", 0)) == committed);
  CHECK(store.commit(making("merch_2", 0)) == lost_claim);
  CHECK(store.run(find_directory{{{directory_name::kind::merchant, "merch_2"}}}).merchants.empty());
  CHECK(updates_since(store, 0).head == directory_head{1, 1});
  CHECK(store.commit(making("merch_2", 1)) == committed);
}

TEST_CASE("changes of one batch take their turns in order, and one that fails takes the following ones with it") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const std::vector good{making("merch_1", 0), making("merch_2", 1), making("merch_3", 2)};
  CHECK(store.commit(good) == std::vector{committed, committed, committed});
  const std::vector spoilt{making("merch_4", 3), making("merch_1", 4), making("merch_5", 5)};
  CHECK(store.commit(spoilt) == std::vector{committed, duplicate_record, lost_claim});
  CHECK(updates_since(store, 0).head == directory_head{4, 4});
}

TEST_CASE("the log returns the changes since a number, and no others") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  for (const auto* id : {"merch_1", "merch_2", "merch_3"})
    REQUIRE(store.commit(making(id, updates_since(store, 0).head.turn)) == committed);
  unit_parts key;
  key.records = {save_api_key{key_id{"mk_test_1"}, merchant_id{"merch_2"}, environment::test, {1}, "sealed", at(2)}};
  key.changes = {merchant_change("merch_2")};
  REQUIRE(store.commit(key) == committed);

  const auto last = updates_since(store, 3);
  CHECK_FALSE(last.any);
  CHECK(last.complete_to == 4);
  CHECK(last.changed == std::vector{merchant_change("merch_2")});
  CHECK(updates_since(store, 4).changed.empty());
  CHECK(updates_since(store, 4).complete_to == 4);
  CHECK(updates_since(store, 1).changed == std::vector{merchant_change("merch_2"), merchant_change("merch_3")});
  const auto first = updates_since(store, -1);
  CHECK(first.head.number == 4);
  CHECK(first.complete_to == 4);
  CHECK(first.changed.empty());
}

TEST_CASE("the log names a provider") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  unit_parts unit;
  unit.records = {save_provider{provider_kind::stripe, environment::test, "sealed", at(1)}};
  unit.changes = {{kind_of_change::provider, "stripe"}};
  unit.turn = directory_turn{0};
  REQUIRE(store.commit(unit) == committed);
  CHECK(updates_since(store, 0).changed == std::vector<directory_change>{{kind_of_change::provider, "stripe"}});
}

TEST_CASE("of many changes the first are returned, up to a number whose changes are all included") {
  FOR_EACH_STORE(kind);
  const migrated_store store{kind};
  std::vector<unit_of_work> units;
  for (int i = 0; i < 251; ++i) {
    unit_parts unit;
    unit.changes = {merchant_change("merch_" + std::to_string(i)), {kind_of_change::platform, "plat_1"}};
    units.push_back(unit);
  }
  commit_units(*store.writer, units);
  const auto updates = run(*store.reader, find_directory_updates{0});
  CHECK(updates.head.number == 251);
  CHECK(updates.complete_to == 249);
  CHECK(updates.changed.size() == 250);
  const auto rest = run(*store.reader, find_directory_updates{updates.complete_to});
  CHECK(rest.complete_to == 251);
  CHECK(rest.changed.size() == 3);
}

TEST_CASE("a log that begins after the requested number says that anything may have changed") {
  FOR_EACH_STORE(kind);
  const migrated_store store{kind};
  unit_parts unit;
  unit.changes = {merchant_change("merch_1")};
  commit_units(*store.writer, std::vector<unit_of_work>(3, unit));
  in_transaction(*store.writer, [&] {
    const cell first[] = {std::int64_t{3}};
    store.writer->change(statements::trim_log, first);
  });
  CHECK(run(*store.reader, find_directory_updates{0}).any);
  CHECK(run(*store.reader, find_directory_updates{1}).any);
  CHECK_FALSE(run(*store.reader, find_directory_updates{2}).any);
}

TEST_CASE("one entry of the directory has all its own data, and no other entry's") {
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
    save_destination listening;
    listening.what.id = destination_id{"dest_" + of};
    listening.what.owner = merchant.value;
    listening.what.created_at = at(1);
    listening.sealed_secret = "sealed";
    unit.records.emplace_back(listening);
    REQUIRE(store.commit(unit) == committed);
  }
  using enum directory_name::kind;
  const auto name =
      GENERATE(directory_name{merchant, "merch_1"}, directory_name{key, "mk_1"}, directory_name{destination, "dest_1"});
  // An entry named twice is returned once.
  const auto one = store.run(find_directory{{name, {merchant, "merch_1"}}});
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
  REQUIRE(one.destinations.size() == 1);
  CHECK(one.destinations[0].what.id.value == "dest_1");
}

TEST_CASE("a person is found by the id, and by the address in any case, without any merchant") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  unit_parts unit;
  unit.records = {save_user{user_id{"user_1"}, "Ada@example.com", "hash", at(1)}};
  REQUIRE(store.commit(unit) == committed);
  using enum directory_name::kind;
  for (const auto& name : {directory_name{user, "user_1"}, directory_name{email, email_key_of("ADA@example.com")}}) {
    const auto found = store.run(find_directory{{name}});
    REQUIRE(found.users.size() == 1);
    CHECK(found.users[0].id.value == "user_1");
  }
}

TEST_CASE("unknown entries are left out, and all other named entries are found") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(making("merch_1", 0)) == committed);
  using enum directory_name::kind;
  const auto found = store.run(find_directory{{{merchant, "merch_0"},
                                               {platform, "plat_0"},
                                               {key, "mk_0"},
                                               {destination, "dest_0"},
                                               {user, "user_0"},
                                               {email, "nobody@example.com"},
                                               {merchant, "merch_1"}}});
  CHECK(found.merchants.size() == 1);
  CHECK(found.users.empty());
  CHECK(found.platforms.empty());
  CHECK(found.destinations.empty());
}

TEST_CASE("an unreadable row leaves out its own merchant's entry only") {
  FOR_EACH_STORE(kind);
  const migrated_store store{kind};
  for (const auto* id : {"merch_1", "merch_2"}) {
    unit_parts unit;
    unit.records = {
        a_merchant(id),
        save_api_key{key_id{std::string{"mk_"} + id}, merchant_id{id}, environment::test, {1}, "sealed", at(2)}};
    commit_units(*store.writer, std::vector<unit_of_work>{unit});
  }
  in_transaction(*store.writer, [&] {
    store.writer->execute("UPDATE api_keys SET environment = 'nowhere' WHERE merchant_id = 'merch_1'");
  });
  using enum directory_name::kind;
  const auto found = run(*store.reader, find_directory{{{merchant, "merch_1"}, {merchant, "merch_2"}}});
  REQUIRE(found.merchants.size() == 1);
  CHECK(found.merchants[0].id.value == "merch_2");
  CHECK(found.keys.size() == 1);
}

TEST_CASE("all platforms are found with their destinations, and no merchant's") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  unit_parts unit;
  const auto destination_of = [](destination_kind kind_of_owner, const std::string& owner) {
    save_destination row;
    row.what.id = destination_id{"dest_" + owner};
    row.what.kind = kind_of_owner;
    row.what.owner = owner;
    row.what.created_at = at(1);
    row.sealed_secret = "sealed";
    return row;
  };
  unit.records = {a_merchant("merch_1"), insert_platform{platform{platform_id{"plat_1"}, "acme", "Acme"}, at(1)},
                  destination_of(destination_kind::merchant, "merch_1"),
                  destination_of(destination_kind::platform, "plat_1")};
  REQUIRE(store.commit(unit) == committed);
  const auto found = store.run(find_directory{{}, true});
  CHECK(found.merchants.empty());
  REQUIRE(found.platforms.size() == 1);
  REQUIRE(found.destinations.size() == 1);
  CHECK(found.destinations[0].what.owner == "plat_1");
}

TEST_CASE("operators find destinations by owner and mode, in order, with the number left out") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  unit_parts unit;
  const auto add = [&](const std::string& id, const std::string& owner, environment env, int created) {
    save_destination row;
    row.what.id = destination_id{id};
    row.what.owner = owner;
    row.what.env = env;
    row.what.created_at = at(created);
    row.sealed_secret = "sealed";
    unit.records.emplace_back(row);
  };
  add("dest_1", "merch_2", environment::live, 1);
  add("dest_2", "merch_1", environment::live, 3);
  add("dest_3", "merch_1", environment::test, 4);
  add("dest_4", "merch_1", environment::live, 2);
  REQUIRE(store.commit(unit) == committed);
  const auto ids = [&](const find_destinations& wanted) {
    std::string text;
    for (const auto& row : store.run(wanted).destinations) text += row.what.id.value + ' ';
    return text;
  };
  CHECK(ids({}) == "dest_3 dest_4 dest_2 dest_1 ");
  CHECK(ids({"merch_1", std::nullopt}) == "dest_3 dest_4 dest_2 ");
  CHECK(ids({"merch_1", environment::live}) == "dest_4 dest_2 ");
  CHECK(ids({"", environment::live}) == "dest_4 dest_2 dest_1 ");
  CHECK(ids({"merch_3"}) == "");
  const auto some = store.run(find_destinations{"", std::nullopt, 3});
  CHECK(some.destinations.size() == 3);
  CHECK(some.left_out == 1);
  CHECK(store.run(find_destinations{}).left_out == 0);
}
