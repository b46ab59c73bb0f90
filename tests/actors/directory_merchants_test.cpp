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

TEST_CASE("a merchant that does not exist gets no user, connection or route, and no password is hashed for it") {
  office o;
  const merchant_id no_one{"merch_none"};
  const operator_command commands[] = {
      add_user{no_one, "a@example.com", "correct horse"},
      set_connection{no_one, {environment::live, provider_kind::sandbox, connection_status::connected, {}}},
      set_route{no_one, {environment::live, provider_kind::sandbox, 0, {}, {payment_method_kind::card}}}};
  for (const auto& command : commands)
    CHECK(o.problem(command, operator_problem::kind::not_found) == "There is no merchant merch_none.");
  CHECK(o.hashing.asked.empty());
}

namespace {

const connection* stripe_of(office& o, const merchant_id& m) {
  for (const auto& link : o.published.find_merchant(m)->connections)
    if (link.provider == provider_kind::stripe && link.env == environment::live) return &link;
  return nullptr;
}
const route* stripe_route_of(office& o, const merchant_id& m) {
  for (const auto& way : o.published.find_merchant(m)->routes)
    if (way.provider == provider_kind::stripe && way.env == environment::live) return &way;
  return nullptr;
}
set_connection at_stripe(const merchant_id& m, connection_status status, std::string account = {}) {
  return {m, {environment::live, provider_kind::stripe, status, std::move(account)}};
}
follow_account stripe_says(const merchant_id& m, account_standing standing, std::string account = "acct_1") {
  return {m, environment::live, provider_kind::stripe, std::move(account), standing};
}

}  // namespace

TEST_CASE("a connection keeps its account when only its status is set") {
  office o;
  const auto m = new_shop(o);
  o.ask(at_stripe(m, connection_status::in_progress, "acct_1"));
  for (const auto status :
       {connection_status::unavailable, connection_status::not_connected, connection_status::connected}) {
    o.ask(at_stripe(m, status));
    CHECK(*stripe_of(o, m) == connection{environment::live, provider_kind::stripe, status, "acct_1"});
  }
  o.ask(at_stripe(m, connection_status::connected, "acct_2"));
  CHECK(stripe_of(o, m)->account == "acct_2");
}

TEST_CASE("a connection without an account is connected only where merchants need none") {
  using enum operator_problem::kind;
  office o;
  const auto m = new_shop(o);
  CHECK(o.problem(at_stripe(m, connection_status::connected), conflict).find("no account at stripe") !=
        std::string::npos);
  CHECK_FALSE(stripe_of(o, m));
  o.problem(make_chargeable{m, environment::live, provider_kind::stripe}, conflict);
  CHECK_FALSE(stripe_route_of(o, m));
  for (const auto status : {connection_status::in_progress, connection_status::unavailable}) {
    o.ask(at_stripe(m, status));
    o.problem(at_stripe(m, connection_status::connected), conflict);
    CHECK(stripe_of(o, m)->status == status);
  }
  o.ask(at_stripe(m, connection_status::connected, "acct_1"));
  CHECK(stripe_of(o, m)->status == connection_status::connected);
  const auto standing =
      o.ask(set_connection{m, {environment::live, provider_kind::jazzcash, connection_status::connected, {}}});
  CHECK(std::get<named_result>(standing).status == "connected");
}

TEST_CASE("making a provider chargeable keeps its account, and adds a route for what it takes, once") {
  office o;
  const auto m = new_shop(o);
  o.ask(at_stripe(m, connection_status::in_progress, "acct_1"));
  o.ask(make_chargeable{m, environment::live, provider_kind::stripe});
  CHECK(*stripe_of(o, m) ==
        connection{environment::live, provider_kind::stripe, connection_status::connected, "acct_1"});
  REQUIRE(stripe_route_of(o, m));
  CHECK(stripe_route_of(o, m)->methods == std::vector{payment_method_kind::card});
  CHECK(stripe_route_of(o, m)->currencies.empty());
  o.ask(set_route{m, {environment::live, provider_kind::stripe, 0, {*currency::parse("USD")}, {}}});
  o.ask(make_chargeable{m, environment::live, provider_kind::stripe});
  CHECK(stripe_route_of(o, m)->currencies == std::vector{*currency::parse("USD")});

  const auto wallet = std::get<created_merchant>(o.ask(create_merchant{"Kiosk", merchant_kind::wallet, {}})).merchant;
  o.ask(make_chargeable{wallet, environment::live, provider_kind::jazzcash});
  const auto shown = o.published.find_merchant(wallet);
  CHECK(shown->connections.back().account.empty());
  CHECK(shown->routes.back().methods == std::vector{payment_method_kind::pkr_wallet});
}

TEST_CASE("a connection follows its provider's reports about its account, durably") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto m = new_shop(o);
  o.ask(at_stripe(m, connection_status::in_progress, "acct_1"));
  const auto after = [&](account_standing standing) {
    const auto answer = std::get<named_result>(o.ask(stripe_says(m, standing))).status;
    CHECK(answer == to_string(stripe_of(o, m)->status));
    return stripe_of(o, m)->status;
  };
  CHECK(after(account_standing::incomplete) == connection_status::in_progress);
  CHECK_FALSE(stripe_route_of(o, m));
  CHECK(after(account_standing::ready) == connection_status::connected);
  CHECK(stripe_route_of(o, m));
  CHECK(after(account_standing::unknown) == connection_status::connected);
  CHECK(after(account_standing::restricted) == connection_status::unavailable);
  CHECK(after(account_standing::ready) == connection_status::connected);
  CHECK(after(account_standing::incomplete) == connection_status::unavailable);
  CHECK(stripe_of(o, m)->account == "acct_1");
  const auto commits = rows->commits;
  CHECK(after(account_standing::restricted) == connection_status::unavailable);
  CHECK(rows->commits == commits);
  office later{rows};
  later.know_all();
  CHECK(stripe_of(later, m)->status == connection_status::unavailable);
}

TEST_CASE("reports about another account, or about an abandoned connection, change nothing") {
  office o;
  const auto m = new_shop(o);
  const auto not_found = operator_problem::kind::not_found;
  o.problem(stripe_says(m, account_standing::ready), not_found);
  o.ask(at_stripe(m, connection_status::in_progress, "acct_2"));
  o.problem(stripe_says(m, account_standing::ready), not_found);
  o.problem(stripe_says(merchant_id{"merch_none"}, account_standing::ready), not_found);
  CHECK(stripe_of(o, m)->status == connection_status::in_progress);
  o.ask(at_stripe(m, connection_status::not_connected, "acct_1"));
  CHECK(std::get<named_result>(o.ask(stripe_says(m, account_standing::ready))).status == "not_connected");
  CHECK_FALSE(stripe_route_of(o, m));
}

TEST_CASE("a merchant with an unreadable connection is loaded, and reported as such") {
  auto rows = std::make_shared<failing_store>();
  merchant_id whole, torn;
  {
    office o{rows};
    whole = new_shop(o);
    torn = new_shop(o);
  }
  rows->unreadable_connections = {torn};
  office o{rows};
  o.know_all();
  CHECK(o.published.find_merchant(torn)->connections_unreadable);
  CHECK_FALSE(o.published.find_merchant(whole)->connections_unreadable);
}

TEST_CASE("a changed branding is published, stays where it is not named, and is the same after a restart") {
  auto rows = std::make_shared<failing_store>();
  merchant_id m;
  branding look;
  {
    office o{rows};
    o.know_all();
    m = new_shop(o);
    set_branding first{m};
    first.shop_name = "Tea House";
    first.colour = "#0A7D4F";
    first.logo = "a picture";
    CHECK(std::get<named_result>(o.ask(first)).status == "saved");
    set_branding second{m};
    second.support = "help@tea.example";
    o.ask(second);
    look = o.published.find_merchant(m)->look;
    CHECK(look.shop_name == "Tea House");
    CHECK(look.colour == "#0a7d4f");
    CHECK(look.support == "help@tea.example");
    CHECK(look.logo.size() == 64);
    CHECK(o.stored().brandings.size() == 1);
    set_branding unknown{merchant_id{"merch_none"}};
    CHECK(std::holds_alternative<operator_problem>(o.ask(unknown)));
  }
  office o{rows};
  o.know_all();
  CHECK(o.published.find_merchant(m)->look == look);
  set_branding bare{m};
  bare.logo = "";
  o.ask(bare);
  CHECK(o.published.find_merchant(m)->look.logo.empty());
  CHECK(o.published.find_merchant(m)->look.colour == "#0a7d4f");
}
