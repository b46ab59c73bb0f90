// Operators' commands: durable first, then published; and the same after a restart.
#include <catch2/catch.hpp>

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
    store_handles store{{system_.spawn(failing_writer, line)}, {system_.spawn(failing_reader, line)}};
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
        .receive([&](operator_result& r) { result = std::move(r); }, [&](const caf::error&) { result = refused{"unavailable"}; });
    return result;
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

}  // namespace

TEST_CASE("a new merchant can charge in test at once, and is the same after a restart") {
  auto rows = std::make_shared<failing_store>();
  merchant_id id;
  merchant before;
  key_id key;
  std::string secret;
  {
    office o{rows};
    const auto made = std::get<created_merchant>(o.ask(create_merchant{"Tea & Co", entity_kind::standard, "owner@example.com"}));
    id = made.merchant;
    CHECK(id.value.starts_with("merch_"));
    CHECK(made.entity.value.starts_with("ent_"));
    const auto minted = std::get<minted_key>(o.ask(mint_key{id, environment::test, *parse_scopes(default_merchant_scopes)}));
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
  const auto m = std::get<created_merchant>(o.ask(create_merchant{"Shop", entity_kind::standard, {}}));
  const auto k = std::get<minted_key>(o.ask(mint_key{m.merchant, environment::live, *parse_scopes("*")}));
  REQUIRE(rows->run(find_directory{}).keys.size() == 1);
  CHECK(rows->run(find_directory{}).keys[0].key.sealed_secret.find(k.secret) == std::string::npos);
}

TEST_CASE("a revoked key stays known as revoked") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto m = std::get<created_merchant>(o.ask(create_merchant{"Shop", entity_kind::standard, {}}));
  const auto k = std::get<minted_key>(o.ask(mint_key{m.merchant, environment::test, *parse_scopes("*")}));
  CHECK(std::get<named_result>(o.ask(revoke_key{k.id})).status == "revoked");
  CHECK(o.published.find_key(k.id)->revoked);
  CHECK(std::holds_alternative<refused>(o.ask(revoke_key{key_id{"mk_test_unknown"}})));
}

TEST_CASE("a route keeps its place when it is replaced, new ones come last") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto m = std::get<created_merchant>(o.ask(create_merchant{"Shop", entity_kind::standard, {}})).merchant;
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
  const auto m = std::get<created_merchant>(o.ask(create_merchant{"Shop", entity_kind::standard, {}})).merchant;
  CHECK(std::holds_alternative<named_result>(o.ask(redeem_setup_token{m, "t1"})));
  CHECK(std::holds_alternative<refused>(o.ask(redeem_setup_token{m, "t1"})));
  CHECK(std::holds_alternative<named_result>(o.ask(redeem_setup_token{m, "t2"})));
}

TEST_CASE("a user added with the owner's address is the owner; with no owner named, the first user is") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto m = std::get<created_merchant>(o.ask(create_merchant{"Shop", entity_kind::standard, "owner@example.com"})).merchant;
  const auto owner = o.published.find_merchant(m)->owner;
  CHECK(std::get<named_result>(o.ask(add_user{m, "owner@example.com", "correct horse"})).id == owner.value);
  const auto n = std::get<created_merchant>(o.ask(create_merchant{"Shop", entity_kind::standard, {}})).merchant;
  CHECK(o.published.find_merchant(n)->owner.empty());
  const auto first = std::get<named_result>(o.ask(add_user{n, "a@example.com", "correct horse"}));
  CHECK(o.published.find_merchant(n)->owner.value == first.id);
}

TEST_CASE("a command whose commit is in doubt is refused, and what is known is what the store holds") {
  for (auto how : {fault::before_commit, fault::after_commit}) {
    auto rows = std::make_shared<failing_store>();
    office o{rows};
    const auto m = std::get<created_merchant>(o.ask(create_merchant{"Shop", entity_kind::standard, {}})).merchant;
    rows->faults.push_back(how);
    CHECK(std::get<refused>(o.ask(add_user{m, "a@example.com", "correct horse"})).why == "unavailable");
    o.ask(add_user{m, "b@example.com", "correct horse"});
    CHECK(o.published.find_merchant(m)->owner == user_id{rows->run(find_directory{}).users.front().id});
  }
}

TEST_CASE("after a commit in doubt the directory asks the store until it hears what is true") {
  auto rows = std::make_shared<failing_store>();
  office o{rows};
  const auto m = std::get<created_merchant>(o.ask(create_merchant{"Shop", entity_kind::standard, {}})).merchant;
  const auto key = std::get<minted_key>(o.ask(mint_key{m, environment::test, *parse_scopes("*")})).id;
  rows->faults.push_back(fault::after_commit);
  rows->reads_fail = true;
  CHECK(std::get<refused>(o.ask(revoke_key{key})).why == "unavailable");
  CHECK(std::get<refused>(o.ask(create_merchant{"Other", entity_kind::standard, {}})).why == "unavailable");
  rows->reads_fail = false;
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (!o.published.find_key(key)->revoked && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(10ms);
  CHECK(o.published.find_key(key)->revoked);
}
