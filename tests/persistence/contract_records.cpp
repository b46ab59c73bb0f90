// The store contract: operators' changes, and the directory that is read at start.
#include <catch2/catch.hpp>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

const merchant_id shop{"merch_shop"};

commit_outcome change(contract_store& store, std::vector<inserted_row> records) {
  unit_parts unit;
  unit.records = std::move(records);
  return store.commit(unit);
}

commit_outcome revoke(contract_store& store, const std::string& id, time_point now) {
  unit_parts unit;
  unit.revoked = revoke_api_key{key_id{id}, shop, now};
  return store.commit(unit);
}

directory_lookup directory_of(contract_store& store) { return entries_of(store, {shop}); }

save_merchant a_merchant(const std::string& id) {
  return {merchant_id{id}, entity_id{"ent_" + id}, "Zoë's 店", merchant_kind::wallet, "owner@example.com", at(1)};
}

scope_set scopes(std::string_view text) { return text.empty() ? scope_set{} : *parse_scopes(text); }

save_api_key a_key(const std::string& id, std::string_view permitted = "payments:write *") {
  return {key_id{id}, shop, environment::live, scopes(permitted), "sealed", at(2)};
}

}  // namespace

TEST_CASE("merchants are stored once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(change(store, {a_merchant("merch_shop")}) == committed);
  CHECK(change(store, {a_merchant("merch_shop")}) == duplicate_record);
  const auto found = directory_of(store).merchants;
  REQUIRE(found.size() == 1);
  CHECK(found[0].id == shop);
  CHECK(found[0].entity == entity_id{"ent_merch_shop"});
  CHECK(found[0].name == "Zoë's 店");
  CHECK(found[0].kind == merchant_kind::wallet);
  CHECK(found[0].owner_email == "owner@example.com");
  CHECK(found[0].created_at == at(1));
}

TEST_CASE("a change that fails takes the whole unit with it") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(change(store, {a_merchant("merch_1")}) == committed);
  CHECK(change(store, {a_merchant("merch_2"), a_key("mk_live_1"), a_merchant("merch_1")}) == duplicate_record);
  const directory_name other{directory_name::kind::merchant, "merch_2"};
  CHECK(store.run(find_directory{{other}}).merchants.empty());
  CHECK(store.run(find_directory{{{directory_name::kind::key, "mk_live_1"}}}).keys.empty());
}

TEST_CASE("a key id is unique among all merchants, and a revoke is permanent") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(change(store, {a_key("mk_live_1"), a_key("mk_live_2", "")}) == committed);
  auto elsewhere = a_key("mk_live_1");
  elsewhere.merchant = merchant_id{"merch_other"};
  CHECK(change(store, {elsewhere}) == duplicate_record);

  auto keys = directory_of(store).keys;
  REQUIRE(keys.size() == 2);
  CHECK(keys[0].key.id == key_id{"mk_live_1"});
  CHECK(keys[0].key.merchant == shop);
  CHECK(keys[0].key.env == environment::live);
  CHECK(keys[0].key.scopes == scopes("payments:write *"));
  CHECK(keys[0].key.sealed_secret == "sealed");
  CHECK(keys[0].key.created_at == at(2));
  CHECK(keys[1].key.scopes == scope_set{});
  CHECK_FALSE(keys[0].revoked);

  for (int times = 0; times < 2; ++times) {
    CHECK(revoke(store, "mk_live_1", at(times)) == committed);
    keys = directory_of(store).keys;
    CHECK(keys[0].revoked);
    CHECK_FALSE(keys[1].revoked);
  }
}

TEST_CASE("each environment and provider has one connection, whose id stays") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const connection test_link{environment::test, provider_kind::sandbox, connection_status::in_progress, "acct_1"};
  const connection live_link{environment::live, provider_kind::sandbox, connection_status::connected, "acct_2"};
  connection replaced = test_link;
  replaced.status = connection_status::unavailable;
  replaced.account = "acct_3";
  REQUIRE(change(store, {save_connection{shop, test_link, "conn_1"}, save_connection{shop, live_link, "conn_2"}}) ==
          committed);
  REQUIRE(change(store, {save_connection{shop, replaced, "conn_9"}}) == committed);
  const auto found = directory_of(store).connections;
  REQUIRE(found.size() == 2);
  CHECK(found[0].link == live_link);
  CHECK(found[0].id == "conn_2");
  CHECK(found[1].link == replaced);
  CHECK(found[1].id == "conn_1");
  CHECK(found[1].merchant == shop);
}

TEST_CASE("connections are found by their account, mode and provider") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto save = [&](const std::string& id, environment env, provider_kind provider, const std::string& account) {
    return save_connection{merchant_id{id}, {env, provider, connection_status::connected, account}, "conn_" + id};
  };
  using enum environment;
  REQUIRE(change(store, {a_merchant("merch_a"), a_merchant("merch_b"), a_merchant("merch_c"), a_merchant("merch_d"),
                         a_merchant("merch_e"), save("merch_b", live, provider_kind::stripe, "acct_1"),
                         save("merch_a", live, provider_kind::stripe, "acct_1"),
                         save("merch_c", test, provider_kind::stripe, "acct_1"),
                         save("merch_d", live, provider_kind::sandbox, "acct_1"),
                         save("merch_e", live, provider_kind::stripe, "acct_1 ")}) == committed);
  const auto owners = [&](environment env, const std::string& account) {
    find_directory wanted;
    wanted.account = named_account{env, provider_kind::stripe, account};
    const auto found = store.run(wanted);
    CHECK(found.merchants.empty());
    std::string all;
    for (const auto& each : found.connections) all += each.merchant.value + " ";
    return all;
  };
  CHECK(owners(live, "acct_1") == "merch_a merch_b ");
  CHECK(owners(test, "acct_1") == "merch_c ");
  CHECK(owners(live, "acct_2").empty());
}

TEST_CASE("an unreadable connection is left out and reported, and its merchant is still found") {
  FOR_EACH_STORE(kind);
  const migrated_store store{kind};
  const connection whole{environment::live, provider_kind::sandbox, connection_status::connected, "acct_1"};
  const connection torn{environment::live, provider_kind::stripe, connection_status::connected, "acct_2"};
  unit_parts unit;
  unit.records = {a_merchant(shop.value), save_connection{shop, whole, "conn_1"},
                  save_connection{shop, torn, "conn_2"}};
  const unit_of_work saved = unit;
  REQUIRE(commit_units(*store.writer, {&saved, 1}).front() == committed);
  store.writer->begin();
  store.writer->execute("UPDATE connections SET status = 'of_later' WHERE provider = 'stripe'");
  store.writer->commit();
  const auto found = run(*store.reader, find_directory{{{directory_name::kind::merchant, shop.value}}});
  CHECK(found.merchants.size() == 1);
  REQUIRE(found.connections.size() == 1);
  CHECK(found.connections[0].link == whole);
  CHECK(found.unreadable_connections == std::vector{shop});
}

TEST_CASE("each environment and provider has one route, whose id and position stay") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto hkd = *currency::parse("HKD"), eur = *currency::parse("EUR");
  const route first{environment::test, provider_kind::sandbox_hosted, 1, {hkd}, {payment_method_kind::card}};
  const route second{environment::test, provider_kind::sandbox, 2, {}, {}};
  route replaced = first;
  replaced.position = 9;
  replaced.currencies = {eur, hkd};
  replaced.methods = {payment_method_kind::pkr_wallet, payment_method_kind::card};
  REQUIRE(change(store, {save_route{shop, second, "route_2"}, save_route{shop, first, "route_1"}}) == committed);
  REQUIRE(change(store, {save_route{shop, replaced, "route_9"}}) == committed);
  const auto found = directory_of(store).routes;
  REQUIRE(found.size() == 2);
  replaced.position = 1;
  CHECK(found[0].way == replaced);
  CHECK(found[0].id == "route_1");
  CHECK(found[1].way == second);
}

TEST_CASE("a setup link is spent once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  CHECK(change(store, {spend_token{shop, "token", at(0)}}) == committed);
  CHECK(change(store, {spend_token{shop, "token", at(1)}}) == duplicate_record);
  CHECK(change(store, {spend_token{shop, "other", at(1)}}) == committed);
}

TEST_CASE("a provider has one row for each environment, which the newest settings replace, empty ones too") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  using enum provider_kind;
  const save_provider in_test{stripe, environment::test, "sealed for test", at(1)},
      in_live{stripe, environment::live, "sealed for live", at(2)}, other{jazzcash, environment::test, "other", at(3)};
  REQUIRE(change(store, {in_test, in_live, other}) == committed);
  REQUIRE(change(store, {save_provider{stripe, environment::test, "sealed again", at(4)}}) == committed);
  REQUIRE(change(store, {save_provider{stripe, environment::live, "", at(5)}}) == committed);

  const auto rows = store.run(find_directory{{{directory_name::kind::provider, "stripe"}}}).providers;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].provider == stripe);
  CHECK(rows[0].env == environment::live);
  CHECK(rows[0].sealed_settings.empty());
  CHECK(rows[0].changed_at == at(5));
  CHECK(rows[1].env == environment::test);
  CHECK(rows[1].sealed_settings == "sealed again");
  CHECK(rows[1].changed_at == at(4));
  CHECK(store.run(find_directory{{{directory_name::kind::provider, "paypal"}}}).providers.empty());
}

TEST_CASE("all providers are found with all platforms, and without merchants") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  using enum provider_kind;
  REQUIRE(change(store, {a_merchant("merch_shop"), save_provider{stripe, environment::test, "a", at(1)},
                         save_provider{jazzcash, environment::live, "b", at(2)}}) == committed);
  const auto all = store.run(find_directory{{}, true}).providers;
  REQUIRE(all.size() == 2);
  CHECK(all[0].provider == jazzcash);
  CHECK(all[1].provider == stripe);
  CHECK(store.run(find_directory{{{directory_name::kind::merchant, "merch_shop"}}}).providers.empty());
}

TEST_CASE("a provider's settings may be long") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const std::string sealed(200'000, 's');
  REQUIRE(change(store, {save_provider{provider_kind::stripe, environment::test, sealed, at(1)}}) == committed);
  CHECK(store.run(find_directory{{}, true}).providers.at(0).sealed_settings == sealed);
}

TEST_CASE("a row of a provider that this program does not know does not hide the other rows") {
  FOR_EACH_STORE(kind);
  const migrated_store store{kind};
  unit_parts unit;
  unit.records = {save_provider{provider_kind::stripe, environment::test, "sealed", at(1)}};
  const unit_of_work whole = unit;
  REQUIRE(commit_units(*store.writer, {&whole, 1}).front() == committed);
  store.writer->begin();
  store.writer->execute(
      "INSERT INTO providers (provider, environment, sealed_settings, changed_at) "
      "VALUES ('of_later', 'test', 'sealed', 1)");
  store.writer->commit();
  CHECK(run(*store.reader, find_directory{{}, true}).providers.size() == 1);
}

TEST_CASE("the last time seen is the one stored last, even if it is earlier") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  CHECK_FALSE(store.last_seen());
  for (const int second : {10, 40, 5}) {
    unit_parts unit;
    unit.last_seen = at(second);
    CHECK(store.commit(unit) == committed);
    CHECK(store.last_seen() == at(second));
  }
}

TEST_CASE("two nodes may store the time in one batch, together with their other records") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  unit_parts one, other;
  one.last_seen = at(10);
  other.last_seen = at(11);
  CHECK(store.commit(std::vector{one, begin_unit("1"), other}) == std::vector{committed, committed, committed});
  CHECK(store.last_seen() == at(11));
  CHECK(payment_in(store.run(find_entity{key_of("1")})));
}

TEST_CASE("a fact about the database is the one stored last, beside the records of the same commit") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  CHECK_FALSE(store.fact("witness:"));
  for (const auto* value : {"1", "2", "", "3"}) {
    unit_parts unit;
    unit.facts = {{"witness:", value}, {"backup_made_at", "never"}};
    unit.last_seen = at(1);
    CHECK(store.commit(unit) == committed);
    CHECK(store.fact("witness:") == value);
    CHECK(store.fact("backup_made_at") == "never");
  }
}

TEST_CASE("an operator's change that fails does not affect the payments of its batch") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  unit_parts spend;
  spend.records.emplace_back(spend_token{shop, "token", at(0)});
  const unit_of_work batch[] = {begin_unit("1"), spend, spend, begin_unit("2")};
  CHECK(store.commit(batch) == std::vector{committed, committed, duplicate_record, committed});
  CHECK(payment_in(store.run(find_entity{key_of("2")})));
}
