// Operators' commands: durable first, then published; and the same after a restart.
#include <catch2/catch.hpp>

#include <functional>
#include <set>
#include <thread>

#include "directory_actor.hpp"
#include "failing_store.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;

namespace {

struct plain_config : caf::actor_system_config {
  plain_config() { add_message_types<caf::id_block::gateway>(); }
};

/// A directory actor over a memory store, asked synchronously.
class office {
 public:
  explicit office(failing_store_ptr rows) : rows_{std::move(rows)} {
    const store_line line{rows_};
    store_handles store{{system_.spawn(failing_writer, line)}, {system_.spawn(failing_reader, line)}, {}, {}, {}};
    actor_ = actors::spawn_directory(system_, store, published, keys_, clock_);
    bool loaded = false;
    self_->request(actor_, 10s, load_atom::value).receive([&](bool ok) { loaded = ok; }, [](const caf::error&) {});
    REQUIRE(loaded);
  }
  ~office() {
    system_.await_actors_before_shutdown(false);
    caf::anon_send_exit(actor_, caf::exit_reason::kill);
  }

  operator_result ask(operator_command command) {
    operator_result result{refused{"no answer"}};
    self_->request(actor_, 10s, std::move(command))
        .receive([&](operator_result& r) { result = std::move(r); },
                 [&](const caf::error&) { result = refused{"unavailable"}; });
    return result;
  }

  /// All sent before the first is answered; the results in the same order.
  std::vector<operator_result> ask_together(const std::vector<operator_command>& commands) {
    std::vector<operator_result> results(commands.size(), refused{"no answer"});
    std::vector<std::unique_ptr<caf::scoped_actor>> askers;
    for (const auto& command : commands) {
      askers.push_back(std::make_unique<caf::scoped_actor>(system_));
      (*askers.back())->send(caf::actor_cast<caf::actor>(actor_), command);
    }
    for (std::size_t i = 0; i < commands.size(); ++i)
      (*askers[i])
          ->receive([&](operator_result& r) { results[i] = std::move(r); },
                    [&](const caf::error&) { results[i] = refused{"unavailable"}; }, caf::after(10s) >> [] {});
    return results;
  }

  /// The dispatcher's ear: which destinations it was told of, in order.
  std::vector<std::string> listen_while(const std::function<void()>& act) {
    caf::scoped_actor ear{system_};
    const auto relay =
        system_.spawn([to = caf::actor{ear}](dispatcher_actor::pointer) -> dispatcher_actor::behavior_type {
          return {[](const fresh_deliveries&) {},
                  [to](const destination_changed& news) { caf::anon_send(to, news.id.value); },
                  [](const redeliver&) { return redeliver_result{}; }, [](drain_atom) { return true; },
                  [](wake_atom) {}};
        });
    self_->send(actor_, join_atom::value, relay);
    act();
    std::vector<std::string> heard;
    bool more = true;
    while (more)
      ear->receive([&](std::string& id) { heard.push_back(std::move(id)); },
                   caf::after(200ms) >> [&] { more = false; });
    caf::anon_send_exit(relay, caf::exit_reason::kill);
    return heard;
  }

  directory published;

 private:
  failing_store_ptr rows_;
  crypto::master_key keys_{std::string(32, 'k')};
  system_wall_clock clock_;
  plain_config config_;
  caf::actor_system system_{config_};
  caf::scoped_actor self_{system_};
  directory_actor actor_;
};

merchant_id new_shop(office& o) {
  return std::get<created_merchant>(o.ask(create_merchant{"Shop", merchant_kind::standard, {}})).merchant;
}

set_destination to_url(const merchant_id& owner, std::string url, std::vector<std::string> events = {}) {
  return {destination_kind::merchant, owner.value, environment::test, std::move(url), std::move(events)};
}

}  // namespace

TEST_CASE("a new merchant can charge in test at once, and is the same after a restart") {
  auto rows = std::make_shared<failing_store>();
  merchant_id id;
  merchant before;
  key_id key;
  std::string secret;
  {
    office o{rows};
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
  CHECK(*o.published.find_merchant(id) == before);
  CHECK(o.published.find_key(key)->secret == secret);
}

TEST_CASE("a key's secret is sealed in the store") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto m = std::get<created_merchant>(o.ask(create_merchant{"Shop", merchant_kind::standard, {}}));
  const auto k = std::get<minted_key>(o.ask(mint_key{m.merchant, environment::live, *parse_scopes("*")}));
  REQUIRE(rows->run(find_directory{}).keys.size() == 1);
  CHECK(rows->run(find_directory{}).keys[0].key.sealed_secret.find(k.secret) == std::string::npos);
}

TEST_CASE("a revoked key stays known as revoked") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto m = std::get<created_merchant>(o.ask(create_merchant{"Shop", merchant_kind::standard, {}}));
  const auto k = std::get<minted_key>(o.ask(mint_key{m.merchant, environment::test, *parse_scopes("*")}));
  CHECK(std::get<named_result>(o.ask(revoke_key{k.id})).status == "revoked");
  CHECK(o.published.find_key(k.id)->revoked);
  CHECK(std::holds_alternative<refused>(o.ask(revoke_key{key_id{"mk_test_unknown"}})));
}

TEST_CASE("a route keeps its place when it is replaced, new ones come last") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto m = std::get<created_merchant>(o.ask(create_merchant{"Shop", merchant_kind::standard, {}})).merchant;
  const auto usd = *currency::parse("USD");
  const auto hosted = std::get<named_result>(
      o.ask(set_route{m, {environment::test, provider_kind::sandbox_hosted, 0, {usd}, {payment_method_kind::card}}}));
  o.ask(set_route{m, {environment::test, provider_kind::sandbox, 0, {usd}, {payment_method_kind::card}}});
  const auto again = std::get<named_result>(
      o.ask(set_route{m, {environment::test, provider_kind::sandbox_hosted, 0, {}, {payment_method_kind::card}}}));
  CHECK(again.id == hosted.id);
  const auto shown = o.published.find_merchant(m);
  REQUIRE(shown->routes.size() == 2);
  CHECK(shown->routes[0].provider == provider_kind::sandbox);
  CHECK(shown->routes[0].currencies == std::vector{usd});
  CHECK(shown->routes[1].provider == provider_kind::sandbox_hosted);
  CHECK(shown->routes[1].currencies.empty());
}

TEST_CASE("a setup token is spent once") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto m = std::get<created_merchant>(o.ask(create_merchant{"Shop", merchant_kind::standard, {}})).merchant;
  CHECK(std::holds_alternative<named_result>(o.ask(redeem_setup_token{m, "t1"})));
  CHECK(std::holds_alternative<refused>(o.ask(redeem_setup_token{m, "t1"})));
  CHECK(std::holds_alternative<named_result>(o.ask(redeem_setup_token{m, "t2"})));
}

TEST_CASE("a user added with the owner's address is the owner; with no owner named, the first user is") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto m =
      std::get<created_merchant>(o.ask(create_merchant{"Shop", merchant_kind::standard, "owner@example.com"})).merchant;
  const auto owner = o.published.find_merchant(m)->owner;
  CHECK(std::get<named_result>(o.ask(add_user{m, "owner@example.com", "correct horse"})).id == owner.value);
  const auto n = std::get<created_merchant>(o.ask(create_merchant{"Shop", merchant_kind::standard, {}})).merchant;
  CHECK(o.published.find_merchant(n)->owner.empty());
  const auto first = std::get<named_result>(o.ask(add_user{n, "a@example.com", "correct horse"}));
  CHECK(o.published.find_merchant(n)->owner.value == first.id);
}

TEST_CASE("a command whose commit is in doubt is refused, and what is known is what the store holds") {
  for (auto how : {fault::before_commit, fault::after_commit}) {
    auto rows = std::make_shared<failing_store>();
    office o{rows};
    const auto m = std::get<created_merchant>(o.ask(create_merchant{"Shop", merchant_kind::standard, {}})).merchant;
    rows->faults.push_back(how);
    CHECK(std::get<refused>(o.ask(add_user{m, "a@example.com", "correct horse"})).why == "unavailable");
    o.ask(add_user{m, "b@example.com", "correct horse"});
    CHECK(o.published.find_merchant(m)->owner == user_id{rows->run(find_directory{}).users.front().id});
  }
}

TEST_CASE("after a commit in doubt the directory asks the store until it hears what is true") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto m = std::get<created_merchant>(o.ask(create_merchant{"Shop", merchant_kind::standard, {}})).merchant;
  const auto key = std::get<minted_key>(o.ask(mint_key{m, environment::test, *parse_scopes("*")})).id;
  rows->faults.push_back(fault::after_commit);
  rows->reads_fail = true;
  CHECK(std::get<refused>(o.ask(revoke_key{key})).why == "unavailable");
  CHECK(std::get<refused>(o.ask(create_merchant{"Other", merchant_kind::standard, {}})).why == "unavailable");
  rows->reads_fail = false;
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (!o.published.find_key(key)->revoked && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(10ms);
  CHECK(o.published.find_key(key)->revoked);
}

TEST_CASE("of commands that wait together those for one merchant follow each other, as they came") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto m = new_shop(o);
  const auto n = new_shop(o);
  const auto way = [](provider_kind to) { return route{environment::live, to, 0, {}, {payment_method_kind::card}}; };
  // While the password is hashed, the others arrive.
  const auto results =
      o.ask_together({add_user{n, "a@example.com", "correct horse"}, set_route{m, way(provider_kind::sandbox)},
                      set_route{n, way(provider_kind::sandbox)}, set_route{m, way(provider_kind::sandbox_hosted)},
                      mint_key{m, environment::test, *parse_scopes("*")}});
  for (const auto& result : results) CHECK_FALSE(std::holds_alternative<refused>(result));
  const auto positions = [&](const merchant_id& id) {
    std::vector<std::uint32_t> list;
    for (const auto& one : o.published.find_merchant(id)->routes)
      if (one.env == environment::live) list.push_back(one.position);
    return list;
  };
  CHECK(positions(m) == std::vector<std::uint32_t>{2, 3});
  CHECK(positions(n) == std::vector<std::uint32_t>{2});
  CHECK(rows->run(find_directory{}).routes.size() == 5);
  CHECK(o.published.find_key(std::get<minted_key>(results.back()).id)->merchant == m);
}

TEST_CASE("commands that wait together for what does not exist are all refused") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto m = new_shop(o);
  const set_route nowhere{merchant_id{"merch_none"},
                          {environment::live, provider_kind::sandbox, 0, {}, {payment_method_kind::card}}};
  const auto results = o.ask_together({add_user{m, "a@example.com", "correct horse"}, nowhere, nowhere, nowhere});
  CHECK(std::holds_alternative<named_result>(results[0]));
  for (std::size_t i = 1; i < results.size(); ++i) CHECK(std::get<refused>(results[i]).why == "no merchant merch_none");
}

TEST_CASE("of commands that wait together, one whose commit is in doubt does not take the others with it") {
  for (auto how : {fault::before_commit, fault::after_commit}) {
    auto rows = std::make_shared<failing_store>();
    office o{rows};
    std::vector<merchant_id> shops;
    for (int i = 0; i < 4; ++i) shops.push_back(new_shop(o));
    rows->faults = {fault::none, fault::none, how};
    // While the password is hashed, the others arrive.
    std::vector<operator_command> commands{add_user{shops[0], "a@example.com", "correct horse"}};
    for (std::size_t i = 1; i < shops.size(); ++i)
      commands.push_back(
          set_route{shops[i], {environment::live, provider_kind::sandbox, 0, {}, {payment_method_kind::card}}});
    const auto results = o.ask_together(commands);
    for (std::size_t i = 0; i < results.size(); ++i) CHECK(std::holds_alternative<refused>(results[i]) == (i == 2));
    // Until what is true has been read again, the next waits.
    o.ask(mint_key{shops[0], environment::test, *parse_scopes("*")});
    for (std::size_t i = 1; i < shops.size(); ++i)
      CHECK(o.published.find_merchant(shops[i])->routes.size() == (i == 2 && how == fault::before_commit ? 1U : 2U));
  }
}

TEST_CASE("a destination is published with its secret, belongs to its merchant, and is the same after a restart") {
  auto rows = std::make_shared<failing_store>();
  destination_secret made;
  merchant_id shop;
  webhook_endpoint before;
  {
    office o{rows};
    shop = new_shop(o);
    made = std::get<destination_secret>(
        o.ask(to_url(shop, "https://shop.example/hooks", {"payment.captured", "payment.voided"})));
    CHECK(made.id.value.size() == 25);
    CHECK(made.id.value.starts_with("dest_"));
    CHECK(made.secret.starts_with("whsec_"));
    CHECK(made.secret.size() == 6 + 64);
    CHECK_FALSE(made.previous_until);
    const auto shown = o.published.find_destination(made.id);
    REQUIRE(shown);
    CHECK(shown->secret == made.secret);
    CHECK(shown->previous_secret.empty());
    CHECK(shown->what.owner == shop.value);
    CHECK(shown->what.url == "https://shop.example/hooks");
    CHECK(shown->what.events == std::vector<std::string>{"payment.captured", "payment.voided"});
    CHECK(shown->what.status == destination_status::enabled);
    CHECK(o.published.find_merchant(shop)->destinations == std::vector{shown->what});
    before = *shown;
  }
  office o{rows};
  const auto after = o.published.find_destination(made.id);
  REQUIRE(after);
  CHECK(after->what == before.what);
  CHECK(after->secret == before.secret);
  CHECK(o.published.find_merchant(shop)->destinations == std::vector{before.what});
}

TEST_CASE("a destination's secrets are sealed in the store, and bound to it") {
  auto rows = std::make_shared<failing_store>();
  const crypto::master_key keys{std::string(32, 'k')};
  office o{rows};
  const auto made = std::get<destination_secret>(o.ask(to_url(new_shop(o), "https://shop.example/hooks")));
  const auto rotated = std::get<destination_secret>(o.ask(rotate_destination_secret{made.id}));
  const auto stored = rows->run(find_directory{}).destinations;
  REQUIRE(stored.size() == 1);
  for (const auto& secret : {made.secret, rotated.secret})
    for (const auto& sealed : {stored[0].sealed_secret, stored[0].sealed_previous})
      CHECK(sealed.find(secret) == std::string::npos);
  CHECK(keys.open(stored[0].sealed_secret, "destination:" + made.id.value) == rotated.secret);
  CHECK(keys.open(stored[0].sealed_previous, "destination:" + made.id.value) == made.secret);
  CHECK_FALSE(keys.open(stored[0].sealed_secret, "destination:dest_other"));
}

TEST_CASE("setting a destination again keeps its id and secret, changes its events, and enables it") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto shop = new_shop(o);
  const auto first = std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/hooks")));
  const auto created = o.published.find_destination(first.id)->what.created_at;
  CHECK(std::get<named_result>(o.ask(disable_destination{first.id, "too many failures"})).status == "disabled");
  CHECK(o.published.find_destination(first.id)->what.disabled_reason == "too many failures");
  CHECK(o.published.find_merchant(shop)->destinations.front().status == destination_status::disabled);

  const auto again =
      std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/hooks", {"payment.failed"})));
  CHECK(again.id == first.id);
  CHECK(again.secret == first.secret);
  const auto shown = o.published.find_destination(first.id)->what;
  CHECK(shown.events == std::vector<std::string>{"payment.failed"});
  CHECK(shown.status == destination_status::enabled);
  CHECK(shown.disabled_reason.empty());
  CHECK(shown.created_at == created);
  CHECK(o.published.find_merchant(shop)->destinations == std::vector{shown});
}

TEST_CASE("a merchant's destinations are told apart by URL and mode") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto shop = new_shop(o), other = new_shop(o);
  auto live = to_url(shop, "https://shop.example/hooks");
  live.env = environment::live;
  std::set<std::string> ids;
  for (const auto& wanted : {to_url(shop, "https://shop.example/hooks"), live,
                             to_url(shop, "https://shop.example/more"), to_url(other, "https://shop.example/hooks")})
    ids.insert(std::get<destination_secret>(o.ask(wanted)).id.value);
  CHECK(ids.size() == 4);
  CHECK(o.published.find_merchant(shop)->destinations.size() == 3);
  CHECK(o.published.find_merchant(other)->destinations.size() == 1);
}

TEST_CASE("a destination's id is derived, so that two nodes cannot make two") {
  using actors::destination_id_of;
  const auto id = destination_id_of(destination_kind::merchant, "merch_1", environment::test, "https://a.example/");
  CHECK(id == destination_id_of(destination_kind::merchant, "merch_1", environment::test, "https://a.example/"));
  CHECK(id != destination_id_of(destination_kind::merchant, "merch_1", environment::live, "https://a.example/"));
  CHECK(destination_id_of(destination_kind::platform, "plat_1", environment::live, "https://a.example/") ==
        destination_id_of(destination_kind::platform, "plat_1", environment::live, "https://b.example/"));
}

TEST_CASE("an owner that does not exist gets no destination") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  CHECK(std::get<refused>(o.ask(to_url(merchant_id{"merch_none"}, "https://a.example/"))).why ==
        "no merchant merch_none");
  CHECK(std::get<refused>(o.ask(set_destination{
                              destination_kind::platform, "plat_none", environment::live, "https://a.example/", {}}))
            .why == "no platform plat_none");
  CHECK(std::get<refused>(o.ask(enable_destination{destination_id{"dest_none"}})).why == "no destination dest_none");
  CHECK(std::get<refused>(o.ask(disable_destination{destination_id{"dest_none"}, {}})).why ==
        "no destination dest_none");
  CHECK(std::get<refused>(o.ask(rotate_destination_secret{destination_id{"dest_none"}})).why ==
        "no destination dest_none");
}

TEST_CASE("a merchant has so many destinations in one mode, and can still change each") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto shop = new_shop(o);
  for (std::size_t i = 0; i < actors::most_destinations; ++i)
    REQUIRE(
        std::holds_alternative<destination_secret>(o.ask(to_url(shop, "https://shop.example/" + std::to_string(i)))));
  CHECK(std::get<refused>(o.ask(to_url(shop, "https://shop.example/more")))
            .why.find("has 32 destinations in test mode already") != std::string::npos);
  CHECK(std::holds_alternative<destination_secret>(o.ask(to_url(shop, "https://shop.example/7", {"payment.failed"}))));
  auto live = to_url(shop, "https://shop.example/more");
  live.env = environment::live;
  CHECK(std::holds_alternative<destination_secret>(o.ask(live)));
}

TEST_CASE("a rotated secret's predecessor signs until the overlap has passed, and after a restart too") {
  auto rows = std::make_shared<failing_store>();
  destination_secret made, rotated;
  {
    office o{rows};
    made = std::get<destination_secret>(o.ask(to_url(new_shop(o), "https://shop.example/hooks")));
    const auto earliest = system_wall_clock{}.now() + 24h;
    rotated = std::get<destination_secret>(o.ask(rotate_destination_secret{made.id, 24h}));
    CHECK(rotated.id == made.id);
    CHECK(rotated.secret != made.secret);
    REQUIRE(rotated.previous_until);
    CHECK(*rotated.previous_until >= earliest);
    CHECK(*rotated.previous_until < earliest + 1min);
    CHECK(o.published.find_destination(made.id)->secret == rotated.secret);
    CHECK(o.published.find_destination(made.id)->previous_secret == made.secret);
  }
  office o{rows};
  CHECK(o.published.find_destination(made.id)->secret == rotated.secret);
  CHECK(o.published.find_destination(made.id)->previous_secret == made.secret);
  CHECK(o.published.find_destination(made.id)->previous_until == *rotated.previous_until);

  const auto at_once = std::get<destination_secret>(o.ask(rotate_destination_secret{made.id, 0h}));
  CHECK_FALSE(at_once.previous_until);
  CHECK(o.published.find_destination(made.id)->secret == at_once.secret);
  CHECK(o.published.find_destination(made.id)->previous_secret.empty());
  CHECK(rows->run(find_directory{}).destinations.front().sealed_previous.empty());
}

TEST_CASE("a platform's destination that the store holds is published and obeys, and is no merchant's") {
  auto rows = std::make_shared<failing_store>();
  const crypto::master_key keys{std::string(32, 'k')};
  const destination_id id{"dest_platform"};
  unit_of_work unit;
  unit.inserts.push_back(save_destination{{id,
                                           destination_kind::platform,
                                           "plat_1",
                                           environment::live,
                                           "https://p.example/",
                                           {},
                                           destination_status::enabled,
                                           {},
                                           from_unix_ms(1'000)},
                                          keys.seal("whsec_p", "destination:" + id.value),
                                          {},
                                          {}});
  REQUIRE(rows->commit(unit) == commit_outcome::committed);
  office o{rows};
  const auto shop = new_shop(o);
  REQUIRE(o.published.find_destination(id));
  CHECK(o.published.find_destination(id)->secret == "whsec_p");
  CHECK(std::get<named_result>(o.ask(disable_destination{id, "moving"})).status == "disabled");
  CHECK(o.published.find_destination(id)->what.status == destination_status::disabled);
  CHECK(std::get<named_result>(o.ask(enable_destination{id})).status == "enabled");
  CHECK(std::get<destination_secret>(o.ask(rotate_destination_secret{id})).secret != "whsec_p");
  CHECK(o.published.find_merchant(shop)->destinations.empty());
}

TEST_CASE("a destination whose secret cannot be opened keeps its events, and is published once it has another") {
  auto rows = std::make_shared<failing_store>();
  merchant_id shop;
  destination_secret made;
  {
    office o{rows};
    shop = new_shop(o);
    made = std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/hooks")));
  }
  unit_of_work unit;
  auto row = rows->run(find_directory{}).destinations.front();
  row.sealed_secret = "damaged";
  unit.inserts.push_back(row);
  REQUIRE(rows->commit(unit) == commit_outcome::committed);
  office o{rows};
  CHECK_FALSE(o.published.find_destination(made.id));
  CHECK(o.published.find_merchant(shop)->destinations.size() == 1);
  const auto rotated = std::get<destination_secret>(o.ask(rotate_destination_secret{made.id}));
  CHECK_FALSE(rotated.previous_until);
  REQUIRE(o.published.find_destination(made.id));
  CHECK(o.published.find_destination(made.id)->secret == rotated.secret);
}

TEST_CASE("whoever joined is told of each destination that is published") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto shop = new_shop(o);
  const auto a = std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/a"))).id.value;
  std::string b;
  const auto heard = o.listen_while([&] {
    b = std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/b"))).id.value;
    o.ask(disable_destination{destination_id{a}, "x"});
    o.ask(disable_destination{destination_id{"dest_none"}, "x"});
    o.ask(rotate_destination_secret{destination_id{b}});
  });
  CHECK(heard == std::vector{b, a, b});
}

TEST_CASE("a destination that did not become durable is not published") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto shop = new_shop(o);
  rows->faults.push_back(fault::before_commit);
  CHECK(std::get<refused>(o.ask(to_url(shop, "https://shop.example/a"))).why == "unavailable");
  CHECK(std::holds_alternative<created_merchant>(o.ask(create_merchant{"Other", merchant_kind::standard, {}})));
  CHECK(o.published.find_merchant(shop)->destinations.empty());
  rows->faults.push_back(fault::after_commit);
  CHECK(std::get<refused>(o.ask(to_url(shop, "https://shop.example/a"))).why == "unavailable");
  CHECK(std::holds_alternative<created_merchant>(o.ask(create_merchant{"Other", merchant_kind::standard, {}})));
  CHECK(o.published.find_merchant(shop)->destinations.size() == 1);
}
