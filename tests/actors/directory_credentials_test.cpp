// API keys and the tokens of setup links.
#include "directory_fixture.hpp"

using namespace gateway;
using namespace gateway::testing;

TEST_CASE("a key's secret is sealed in the store") {
  office o;
  const auto m = new_shop(o);
  const auto k = std::get<minted_key>(o.ask(mint_key{m, environment::live, *parse_scopes("*")}));
  REQUIRE(o.stored().keys.size() == 1);
  CHECK(o.stored().keys[0].key.sealed_secret.find(k.secret) == std::string::npos);
}

TEST_CASE("a revoked key stays known as revoked") {
  office o;
  const auto m = new_shop(o);
  const auto k = std::get<minted_key>(o.ask(mint_key{m, environment::test, *parse_scopes("*")}));
  CHECK(std::get<named_result>(o.ask(revoke_key{k.id})).status == "revoked");
  CHECK(o.published.find_key(k.id)->revoked);
  CHECK(o.problem(revoke_key{key_id{"mk_test_none"}}, operator_problem::kind::not_found) ==
        "There is no key mk_test_none.");
}

TEST_CASE("a setup token is spent once") {
  office o;
  const auto m = new_shop(o);
  CHECK(std::get<spent_setup_token>(o.ask(redeem_setup_token{m, "t1"})).token_id == "t1");
  CHECK(o.problem(redeem_setup_token{m, "t1"}) == "the setup token has been used");
  CHECK(std::get<spent_setup_token>(o.ask(redeem_setup_token{m, "t2"})).token_id == "t2");
}

TEST_CASE("a merchant that does not exist gets no key and spends no setup token") {
  office o;
  const merchant_id unknown{"merch_none"};
  for (const operator_command& command : {operator_command{mint_key{unknown, environment::test, *parse_scopes("*")}},
                                          operator_command{redeem_setup_token{unknown, "t1"}}})
    CHECK(o.problem(command, operator_problem::kind::not_found) == "There is no merchant merch_none.");
}

TEST_CASE("a key whose secret cannot be opened is not published, and the others are") {
  auto rows = std::make_shared<failing_store>();
  merchant_id shop;
  key_id sound;
  {
    office o{rows};
    o.know_all();
    shop = new_shop(o);
    sound = std::get<minted_key>(o.ask(mint_key{shop, environment::test, *parse_scopes("*")})).id;
  }
  unit_of_work unit;
  unit.inserts.push_back(
      save_api_key{key_id{"mk_test_damaged"}, shop, environment::test, *parse_scopes("*"), "damaged", {}});
  REQUIRE(rows->commit(unit) == commit_outcome::committed);
  office o{rows};
  o.know_all();
  CHECK_FALSE(o.published.find_key(key_id{"mk_test_damaged"}));
  CHECK(o.published.find_key(sound));
}
