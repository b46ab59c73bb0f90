// The store contract: what is recorded about keys besides their secrets.
#include <catch2/catch.hpp>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

const merchant_id keys_shop{"merch_shop"};
const platform_id keys_platform{"plat_1"};

std::chrono::sys_days day_of(std::string_view text) { return *parse_day(text); }

save_api_key named_key(const std::string& id, const std::string& name, const std::string& maker) {
  return {key_id{id}, keys_shop, environment::test, {}, "sealed", at(2), name, maker};
}

commit_outcome claim_one(contract_store& store, claimed_row row) {
  unit_of_work unit;
  unit.kind = unit_kind::record;
  unit.claims.push_back(std::move(row));
  return store.commit(unit);
}

commit_outcome insert_one(contract_store& store, inserted_row row) {
  unit_of_work unit;
  unit.inserts.push_back(std::move(row));
  return store.commit(unit);
}

}  // namespace

TEST_CASE("a key is read with its name and its maker") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::string longest;
  for (int i = 0; i < 100; ++i) longest += "店";
  REQUIRE(insert_one(store, named_key("mk_test_1", "the till's \"key\"", "ada@example.com")) == committed);
  REQUIRE(insert_one(store, named_key("mk_test_2", longest, std::string(320, 'a'))) == committed);
  REQUIRE(insert_one(store, named_key("mk_test_3", "", "")) == committed);
  REQUIRE(insert_one(store,
                     save_platform_key{key_id{"mk_platform_1"}, keys_platform, {}, "sealed", at(2), "front", "root"}) ==
          committed);
  const auto found = entries_of(store, {keys_shop});
  REQUIRE(found.keys.size() == 3);
  CHECK(found.keys[0].key.name == "the till's \"key\"");
  CHECK(found.keys[0].key.created_by == "ada@example.com");
  CHECK(found.keys[1].key.name == longest);
  CHECK(found.keys[1].key.created_by == std::string(320, 'a'));
  CHECK(found.keys[2].key.name.empty());
  CHECK_FALSE(found.keys[0].last_used_on);
  REQUIRE(found.platform_keys.size() == 1);
  CHECK(found.platform_keys[0].key.name == "front");
  CHECK(found.platform_keys[0].key.created_by == "root");
  CHECK_FALSE(found.platform_keys[0].last_used_on);
}

TEST_CASE("the latest day of a key's use is kept, whatever the order in which days are stored") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(insert_one(store, named_key("mk_test_1", "", "")) == committed);
  REQUIRE(insert_one(store, named_key("mk_test_2", "", "")) == committed);
  const auto used = [&](const std::string& day, const merchant_id& owner = keys_shop) {
    REQUIRE(claim_one(store, note_api_key_use{key_id{"mk_test_1"}, owner, day_of(day)}) == committed);
    return entries_of(store, {keys_shop}).keys.at(0).last_used_on;
  };
  CHECK_FALSE(used("2026-11-20", merchant_id{"merch_other"}));
  CHECK(used("2026-11-20") == day_of("2026-11-20"));
  CHECK(used("2026-11-20") == day_of("2026-11-20"));
  CHECK(used("2026-11-19") == day_of("2026-11-20"));
  CHECK(used("2026-12-01") == day_of("2026-12-01"));
  CHECK_FALSE(entries_of(store, {keys_shop}).keys.at(1).last_used_on);
}

TEST_CASE("a platform's key is used, and revoking it keeps the day") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const key_id id{"mk_platform_1"};
  REQUIRE(insert_one(store, save_platform_key{id, keys_platform, {}, "sealed", at(2)}) == committed);
  REQUIRE(claim_one(store, note_platform_key_use{id, platform_id{"plat_2"}, day_of("2026-11-20")}) == committed);
  CHECK_FALSE(entries_of(store, {}).platform_keys.at(0).last_used_on);
  REQUIRE(claim_one(store, note_platform_key_use{id, keys_platform, day_of("2026-11-20")}) == committed);
  REQUIRE(claim_one(store, revoke_platform_key{id, keys_platform, at(9)}) == committed);
  const auto found = entries_of(store, {}).platform_keys.at(0);
  CHECK(found.revoked);
  CHECK(found.last_used_on == day_of("2026-11-20"));
}

TEST_CASE("the uses of many keys and a revocation are one unit, and the use of a key that does not exist is no error") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  unit_of_work unit;
  unit.kind = unit_kind::record;
  for (int i = 0; i < 200; ++i) {
    const auto id = "mk_test_" + std::to_string(1000 + i);
    if (i > 0) REQUIRE(insert_one(store, named_key(id, "", "")) == committed);
    unit.claims.push_back(note_api_key_use{key_id{id}, keys_shop, day_of("2026-11-20")});
  }
  REQUIRE(store.commit(unit) == committed);
  const auto keys = entries_of(store, {keys_shop}).keys;
  REQUIRE(keys.size() == 199);
  for (const auto& each : keys) CHECK(each.last_used_on == day_of("2026-11-20"));
}
