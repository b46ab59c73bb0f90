// Merchants, their users, connections and routes: durable first, then published; and the same after a restart.
#include "directory_fixture.hpp"

using namespace gateway;
using namespace gateway::testing;

TEST_CASE("a new merchant can charge in test at once, and is the same after a restart") {
  auto rows = std::make_shared<failing_store>();
  merchant_id id;
  merchant before;
  key_id key;
  std::string secret;
  {
    office o{rows};
    o.know_all();
    const auto made =
        std::get<created_merchant>(o.ask(create_merchant{"Tea & Co", merchant_kind::standard, "owner@example.com"}));
    id = made.merchant;
    CHECK(id.value.starts_with("merch_"));
    CHECK(made.entity.value.starts_with("ent_"));
    const auto minted =
        std::get<minted_key>(o.ask(mint_key{id, environment::test, *parse_scopes(default_merchant_scopes)}));
    key = minted.id;
    secret = minted.secret;
    CHECK(key.value.starts_with("mk_test_"));
    CHECK(secret.size() == 64);
    before = *o.published.find_merchant(id);
    CHECK_FALSE(before.owner.empty());
    REQUIRE(before.connections.size() == 1);
    CHECK(before.connections[0].provider == provider_kind::sandbox);
    CHECK(before.connections[0].status == connection_status::connected);
    REQUIRE(before.routes.size() == 1);
    CHECK(before.routes[0].currencies.empty());
  }
  office o{rows};
  o.know_all();
  CHECK(*o.published.find_merchant(id) == before);
  CHECK(o.published.find_key(key)->secret == secret);
}

TEST_CASE("a route keeps its position when it is replaced, new ones come last") {
  office o;
  const auto m = new_shop(o);
  const auto usd = *currency::parse("USD");
  const auto hosted = std::get<placed_route>(
      o.ask(set_route{m, {environment::test, provider_kind::sandbox_hosted, 0, {usd}, {payment_method_kind::card}}}));
  o.ask(set_route{m, {environment::test, provider_kind::sandbox, 0, {usd}, {payment_method_kind::card}}});
  const auto again = std::get<placed_route>(
      o.ask(set_route{m, {environment::test, provider_kind::sandbox_hosted, 0, {}, {payment_method_kind::card}}}));
  CHECK(again.id == hosted.id);
  const auto shown = o.published.find_merchant(m);
  REQUIRE(shown->routes.size() == 2);
  CHECK(shown->routes[0].provider == provider_kind::sandbox);
  CHECK(shown->routes[0].currencies == std::vector{usd});
  CHECK(shown->routes[1].provider == provider_kind::sandbox_hosted);
  CHECK(shown->routes[1].currencies.empty());
}

TEST_CASE("a user added with the owner's address is the owner; with no owner named, the first user is") {
  office o;
  const auto m = new_shop(o, "owner@example.com");
  const auto owner = o.published.find_merchant(m)->owner;
  CHECK(std::get<added_user>(o.ask(add_user{m, "owner@example.com", "correct horse"})).id == owner);
  const auto n = new_shop(o);
  CHECK(o.published.find_merchant(n)->owner.empty());
  const auto first = std::get<added_user>(o.ask(add_user{n, "a@example.com", "correct horse"}));
  CHECK(o.published.find_merchant(n)->owner == first.id);
}

TEST_CASE("a user is stored with the hash of the password, and again with that of the next") {
  office o;
  const auto m = new_shop(o);
  const auto id = std::get<added_user>(o.ask(add_user{m, "a@example.com", "correct horse"})).id;
  REQUIRE(o.stored().users.size() == 1);
  CHECK(o.stored().users[0].id == id);
  CHECK(o.stored().users[0].has_password);
  CHECK(std::get<added_user>(o.ask(add_user{m, "a@example.com", "battery staple"})).id == id);
  REQUIRE(o.stored().users.size() == 1);
  CHECK(o.stored().users[0].has_password);
}

TEST_CASE("a merchant who is not there gets no user, connection or route, and no password is hashed for it") {
  office o;
  const merchant_id nobody{"merch_none"};
  const operator_command commands[] = {
      add_user{nobody, "a@example.com", "correct horse"},
      set_connection{nobody, {environment::live, provider_kind::sandbox, connection_status::connected, {}}},
      set_route{nobody, {environment::live, provider_kind::sandbox, 0, {}, {payment_method_kind::card}}}};
  for (const auto& command : commands)
    CHECK(o.problem(command, operator_problem::kind::not_found) == "There is no merchant merch_none.");
  CHECK(o.hashing.asked.empty());
}
