// Platforms, their keys and destinations, and the grants that the directory publishes at its start.
#include <set>

#include "directory_fixture.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

constexpr auto not_found = operator_problem::kind::not_found;

create_platform tea() {
  return {"Tea Time", "tea", "security@tea.example", {"https://tea.example/back"}, {"https://tea.example"}};
}

platform_id new_platform(office& o, std::string slug = "tea") {
  auto wanted = tea();
  wanted.slug = std::move(slug);
  return std::get<saved_platform>(o.ask(wanted)).id;
}

minted_key new_key(office& o, const platform_id& of, std::string_view scopes = default_platform_scopes) {
  return std::get<minted_key>(o.ask(mint_platform_key{of, *parse_scopes(scopes)}));
}

std::string status_of(office& o, const platform_id& id, platform_status wanted) {
  const auto answer = std::get<named_result>(o.ask(set_platform_status{id, wanted}));
  CHECK(answer.id == id.value);
  return answer.status;
}

set_destination to_platform(const platform_id& owner, std::string url = "https://tea.example/hooks",
                            environment env = environment::live, std::vector<std::string> events = {}) {
  return {destination_kind::platform, owner.value, env, std::move(url), std::move(events)};
}

destination_id new_destination(office& o, const set_destination& wanted) {
  return std::get<destination_secret>(o.ask(wanted)).id;
}

revoke_own_key own_revoke(const key_id& id, const platform_id& by,
                          std::string uuid = "0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e") {
  return {id, by, command_key{{}, environment::live, by.value, std::move(uuid)}, "print of " + id.value};
}

/// Stores a grant as another process's commit does.
void store_grant(failing_store& rows, const merchant_id& merchant, environment env, const platform_id& platform,
                 std::int64_t version, bool revoked = false) {
  grant_binding b;
  b.key = binding_key(merchant, env, platform);
  b.version = version;
  b.newest = grant{grant_id{"grant_" + std::string{to_string(env)}},
                   *parse_scopes("payments:read"),
                   user_id{"user_1"},
                   from_unix_ms(1'000),
                   {},
                   {}};
  if (revoked) b.newest->revoked_at = from_unix_ms(2'000);
  unit_of_work of;
  of.inserts.emplace_back(save_merchant{merchant, entity_id{"ent_" + merchant.value}, "Shop", merchant_kind::standard,
                                        "", from_unix_ms(1)});
  rows.commit(of);  // unless it is there
  unit_of_work unit;
  auto row = std::make_shared<const grant_binding>(b);
  if (version == 1)
    unit.inserts.emplace_back(row);
  else
    unit.claims.emplace_back(row);
  REQUIRE(rows.commit(unit) == commit_outcome::committed);
}

}  // namespace

// ---- platforms ----------------------------------------------------------------------------------

TEST_CASE("a platform is published under its id and its slug, and is the same after a restart") {
  auto rows = std::make_shared<failing_store>();
  saved_platform made;
  platform before;
  {
    office o{rows};
    o.know_all();
    made = std::get<saved_platform>(o.ask(tea()));
    CHECK(made.id.value.starts_with("plat_"));
    CHECK(made.client_id == "tea");
    REQUIRE(o.published.find_platform(made.id));
    before = *o.published.find_platform(made.id);
    CHECK(before.id == made.id);
    CHECK(before.slug == "tea");
    CHECK(before.name == "Tea Time");
    CHECK(before.contact == "security@tea.example");
    CHECK(before.status == platform_status::active);
    CHECK(before.redirect_uris == std::vector<std::string>{"https://tea.example/back"});
    CHECK(before.return_origins == std::vector<std::string>{"https://tea.example"});
    CHECK(*o.published.find_platform_by_slug("tea") == before);
  }
  office o{rows};
  o.know_all();
  REQUIRE(o.published.find_platform(made.id));
  CHECK(*o.published.find_platform(made.id) == before);
  CHECK(*o.published.find_platform_by_slug("tea") == before);
}

TEST_CASE("a slug belongs to one platform, also among platforms that are created together") {
  office o;
  const auto first = new_platform(o);
  CHECK(o.problem(tea()) == "the slug tea is taken by " + first.value);
  auto other = tea();
  other.slug = "coffee";
  const auto outcomes = o.ask_together({other, other});
  const auto made = std::get<saved_platform>(*outcomes[0].made);
  CHECK(std::get<operator_problem>(*outcomes[1].made).words == "the slug coffee is taken by " + made.id.value);
  CHECK(o.stored().platforms.size() == 2);
  // Another node's platform is only in the store.
  auto third = tea();
  third.slug = "milk";
  o.rows().faults.push_back(fault::taken);
  CHECK(o.problem(third) == "the slug milk is taken");
  CHECK_FALSE(o.published.find_platform_by_slug("milk"));
}

TEST_CASE("the given fields of a platform replace the old ones, and nothing else changes") {
  office o;
  const auto id = new_platform(o);
  const auto before = *o.published.find_platform(id);
  change_platform wanted;
  wanted.id = id;
  wanted.name = "Tea & Cake";
  wanted.redirect_uris = {"https://tea.example/a", "https://tea.example/b"};
  const auto answer = std::get<saved_platform>(o.ask(wanted));
  CHECK(answer.id == id);
  CHECK(answer.client_id == "tea");
  auto expected = before;
  expected.name = "Tea & Cake";
  expected.redirect_uris = *wanted.redirect_uris;
  CHECK(*o.published.find_platform(id) == expected);
  CHECK(*o.published.find_platform_by_slug("tea") == expected);
  CHECK(o.stored().platforms == std::vector{expected});

  change_platform cleared;
  cleared.id = id;
  cleared.contact = "abuse@tea.example";
  cleared.return_origins = std::vector<std::string>{};
  o.ask(cleared);
  CHECK(o.published.find_platform(id)->contact == "abuse@tea.example");
  CHECK(o.published.find_platform(id)->return_origins.empty());
  CHECK(o.published.find_platform(id)->redirect_uris == *wanted.redirect_uris);
}

TEST_CASE("a change without effect is answered like one with an effect, and stores nothing") {
  office o;
  const auto id = new_platform(o);
  const auto commits = o.rows().commits;
  change_platform wanted;
  wanted.id = id;
  wanted.name = "Tea Time";
  CHECK(std::get<saved_platform>(o.ask(wanted)).id == id);
  CHECK(o.rows().commits == commits);
}

TEST_CASE("every command answers that a platform does not exist") {
  office o;
  const platform_id unknown{"plat_none"};
  change_platform change;
  change.id = unknown;
  for (const operator_command& command :
       {operator_command{change}, operator_command{set_platform_status{unknown, platform_status::suspended}},
        operator_command{mint_platform_key{unknown, *parse_scopes("*")}}, operator_command{to_platform(unknown)}})
    CHECK(o.problem(command, not_found) == "There is no platform plat_none.");
}

// ---- suspension ---------------------------------------------------------------------------------

TEST_CASE("a suspension is published for the platform, its keys and its destinations before it is answered") {
  office o;
  const auto id = new_platform(o), other = new_platform(o, "coffee");
  const auto key = new_key(o, id).id, second = new_key(o, id).id, foreign = new_key(o, other).id;
  const auto to = new_destination(o, to_platform(id)), elsewhere = new_destination(o, to_platform(other));
  CHECK_FALSE(o.published.find_platform_key(key)->suspended);
  CHECK_FALSE(o.published.find_destination(to)->held);
  const auto suspension = o.send(set_platform_status{id, platform_status::suspended});
  while (!suspension->done()) REQUIRE(o.step());
  CHECK(o.published.find_platform(id)->status == platform_status::suspended);
  CHECK(o.published.find_platform_by_slug("tea")->status == platform_status::suspended);
  CHECK(o.published.find_platform_key(key)->suspended);
  CHECK(o.published.find_platform_key(second)->suspended);
  CHECK(o.published.find_destination(to)->held);
  CHECK(o.published.find_destination(to)->what.status == destination_status::enabled);
  for (const auto& row : o.stored().platforms)
    CHECK(row.status == (row.id == id ? platform_status::suspended : platform_status::active));
  CHECK_FALSE(o.published.find_platform_key(foreign)->suspended);
  CHECK_FALSE(o.published.find_destination(elsewhere)->held);
}

TEST_CASE("a platform that is suspended twice, or resumed twice, gets the same answer twice") {
  office o;
  const auto id = new_platform(o);
  const auto key = new_key(o, id);
  for (int i = 0; i < 2; ++i) {
    CHECK(status_of(o, id, platform_status::suspended) == "suspended");
    CHECK(o.published.find_platform_key(key.id)->suspended);
  }
  for (int i = 0; i < 2; ++i) {
    CHECK(status_of(o, id, platform_status::active) == "active");
    CHECK_FALSE(o.published.find_platform_key(key.id)->suspended);
    CHECK(o.published.find_platform_key(key.id)->secret == key.secret);
  }
}

TEST_CASE("a suspension that did not become durable suspends nothing, one whose answer was lost does") {
  for (auto how : {fault::before_commit, fault::after_commit}) {
    office o;
    const auto id = new_platform(o);
    const auto key = new_key(o, id).id;
    const auto to = new_destination(o, to_platform(id));
    o.rows().faults.push_back(how);
    CHECK(o.try_out(set_platform_status{id, platform_status::suspended}).failed(actor_errc::store_unavailable));
    o.settle();  // the rows are read again
    const bool landed = how == fault::after_commit;
    CHECK((o.published.find_platform(id)->status == platform_status::suspended) == landed);
    CHECK(o.published.find_platform_key(key)->suspended == landed);
    CHECK(o.published.find_destination(to)->held == landed);
  }
}

TEST_CASE("a resume that lands late is seen, and a suspension that repeats one is stored all the same") {
  office o;
  const auto id = new_platform(o);
  const auto key = new_key(o, id).id;
  CHECK(status_of(o, id, platform_status::suspended) == "suspended");
  o.rows().faults.push_back(fault::held_up);
  CHECK(o.try_out(set_platform_status{id, platform_status::active}).failed(actor_errc::store_unavailable));
  o.settle();
  CHECK(o.published.find_platform_key(key)->suspended);  // read again from the store
  o.rows().land();
  SECTION("a repeated suspension publishes the stored state") {
    CHECK(status_of(o, id, platform_status::suspended) == "suspended");
    CHECK(o.stored().platforms.front().status == platform_status::suspended);
  }
  SECTION("else it is known a minute later") {
    o.advance(61s);
    CHECK_FALSE(o.published.find_platform_key(key)->suspended);
  }
}

TEST_CASE("keys and destinations added to a suspended platform are suspended too, also after a restart") {
  auto rows = std::make_shared<failing_store>();
  platform_id id;
  key_id before, meanwhile;
  destination_id to;
  {
    office o{rows};
    o.know_all();
    id = new_platform(o);
    before = new_key(o, id).id;
    status_of(o, id, platform_status::suspended);
    meanwhile = new_key(o, id).id;
    to = new_destination(o, to_platform(id));
    CHECK(o.published.find_platform_key(meanwhile)->suspended);
    CHECK(o.published.find_destination(to)->held);
    // A changed destination stays suspended.
    o.ask(to_platform(id, "https://tea.example/other"));
    CHECK(o.published.find_destination(to)->held);
  }
  office o{rows};
  o.know_all();
  CHECK(o.published.find_platform_key(before)->suspended);
  CHECK(o.published.find_platform_key(meanwhile)->suspended);
  CHECK(o.published.find_destination(to)->held);
  status_of(o, id, platform_status::active);
  CHECK_FALSE(o.published.find_platform_key(before)->suspended);
  CHECK_FALSE(o.published.find_platform_key(meanwhile)->suspended);
  CHECK_FALSE(o.published.find_destination(to)->held);
}

TEST_CASE("the dispatcher is notified of a platform's destinations when it is suspended and when it is resumed") {
  office o;
  const auto id = new_platform(o);
  const auto live = new_destination(o, to_platform(id)).value;
  const auto test = new_destination(o, to_platform(id, "https://tea.example/test", environment::test)).value;
  const auto received = o.listen_while([&] {
    status_of(o, id, platform_status::suspended);
    status_of(o, id, platform_status::suspended);
    status_of(o, id, platform_status::active);
  });
  REQUIRE(received.size() == 6);
  for (auto from = received.begin(); from != received.end(); from += 2)
    CHECK(std::set(from, from + 2) == std::set{live, test});
}

// ---- keys ---------------------------------------------------------------------------------------

TEST_CASE("a platform's key has the form of one, its secret is sealed in the store, and it works after a restart") {
  auto rows = std::make_shared<failing_store>();
  minted_key made;
  platform_id id;
  {
    office o{rows};
    o.know_all();
    id = new_platform(o);
    made = new_key(o, id);
    CHECK(is_platform_key_id(made.id.value));
    CHECK(made.secret.size() == 64);
    CHECK(to_string(made.scopes) == to_string(*parse_scopes(default_platform_scopes)));
    REQUIRE(o.stored().platform_keys.size() == 1);
    const auto sealed = o.stored().platform_keys.front().key.sealed_secret;
    CHECK(sealed.find(made.secret) == std::string::npos);
    CHECK(o.keys.open(sealed, "platform_key:" + made.id.value) == made.secret);
    CHECK_FALSE(o.keys.open(sealed, "platform_key:mk_platform_00000000"));
  }
  office o{rows};
  o.know_all();
  const auto shown = o.published.find_platform_key(made.id);
  REQUIRE(shown);
  CHECK(shown->platform == id);
  CHECK(shown->scopes == made.scopes);
  CHECK(shown->secret == made.secret);
  CHECK_FALSE(shown->revoked);
}

TEST_CASE("an id that another key has is drawn again, three times at most") {
  office o;
  const auto id = new_platform(o);
  for (std::size_t times = 0; times <= 4; ++times) {
    INFO(times);
    o.rows().taken.clear();
    o.rows().faults.assign(times, fault::taken);
    const auto result = o.ask(mint_platform_key{id, *parse_scopes("*")});
    std::set<std::string> drawn;
    for (const auto& unit : o.rows().taken) drawn.insert(std::get<save_platform_key>(unit.inserts.front()).id.value);
    CHECK(drawn.size() == times);
    if (times == 4) {
      CHECK(std::get<operator_problem>(result).words == "such a key exists already");
    } else {
      const auto made = std::get<minted_key>(result);
      CHECK_FALSE(drawn.contains(made.id.value));
      CHECK(o.published.find_platform_key(made.id)->secret == made.secret);
    }
  }
  CHECK(o.stored().platform_keys.size() == 4);
  CHECK(std::holds_alternative<created_merchant>(o.ask(create_merchant{"Shop", merchant_kind::standard, {}})));
}

TEST_CASE("an operator revokes a platform's key, repeatedly, and its other keys stay valid") {
  office o;
  const auto id = new_platform(o);
  const auto key = new_key(o, id).id, other = new_key(o, id).id;
  for (int i = 0; i < 2; ++i) {
    const auto answer = std::get<named_result>(o.ask(revoke_key{key}));
    CHECK(answer.id == key.value);
    CHECK(answer.status == "revoked");
    CHECK(o.published.find_platform_key(key)->revoked);
  }
  CHECK_FALSE(o.published.find_platform_key(other)->revoked);
  CHECK(o.problem(revoke_key{key_id{"mk_platform_00000000"}}, not_found) == "There is no key mk_platform_00000000.");
  // Neither suspension nor resumption brings it back.
  status_of(o, id, platform_status::suspended);
  status_of(o, id, platform_status::active);
  CHECK(o.published.find_platform_key(key)->revoked);
}

TEST_CASE("a platform revokes a key of its own, and its request is recorded in the same commit") {
  office o;
  const auto id = new_platform(o);
  const auto key = new_key(o, id).id;
  const auto wanted = own_revoke(key, id);
  const auto commits = o.rows().commits;
  CHECK(std::get<named_result>(o.ask(wanted)).status == "revoked");
  CHECK(o.rows().commits == commits + 1);
  CHECK(o.published.find_platform_key(key)->revoked);
  CHECK(o.stored().platform_keys.front().revoked);
  const auto record = o.rows().run(find_command{wanted.write}).found;
  REQUIRE(record);
  CHECK(record->fingerprint == wanted.fingerprint);
  CHECK(record->operation == "revoke_key");
  CHECK(record->subject_kind == "platform_key");
  CHECK(record->subject_id == key.value);
  CHECK(record->result == answer{204, {}});
  CHECK(record->finished_at == o.clock.now());
}

TEST_CASE("a revoked key is revoked again with success, under another idempotency key") {
  office o;
  const auto id = new_platform(o);
  const auto key = new_key(o, id).id;
  o.ask(revoke_key{key});
  const auto again = own_revoke(key, id, "1b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e");
  CHECK(std::get<named_result>(o.ask(again)).status == "revoked");
  CHECK(o.rows().run(find_command{again.write}).found->result == answer{204, {}});
}

TEST_CASE("a key of another platform or of a merchant, or one that does not exist, is no key of this platform") {
  office o;
  const auto id = new_platform(o), other = new_platform(o, "coffee");
  const auto foreign = new_key(o, other).id;
  const auto shop = new_shop(o);
  const auto merchants = std::get<minted_key>(o.ask(mint_key{shop, environment::test, *parse_scopes("*")})).id;
  for (const auto& key : {foreign, merchants, key_id{"mk_platform_00000000"}}) {
    CHECK(o.problem(own_revoke(key, id), not_found) == "There is no platform key " + key.value + ".");
    CHECK_FALSE(o.rows().run(find_command{own_revoke(key, id).write}).found);
  }
  CHECK_FALSE(o.published.find_platform_key(foreign)->revoked);
  CHECK_FALSE(o.published.find_key(merchants)->revoked);
}

TEST_CASE("a request with a used idempotency key revokes nothing") {
  office o;
  const auto id = new_platform(o);
  const auto key = new_key(o, id).id, other = new_key(o, id).id;
  o.ask(own_revoke(key, id));
  CHECK(o.problem(own_revoke(other, id)) == "the Idempotency-Key is in use for another request");
  CHECK_FALSE(o.published.find_platform_key(other)->revoked);
}

TEST_CASE("a platform's key whose secret cannot be opened is not published, and the others are") {
  auto rows = std::make_shared<failing_store>();
  platform_id id;
  key_id sound;
  {
    office o{rows};
    o.know_all();
    id = new_platform(o);
    sound = new_key(o, id).id;
  }
  unit_of_work unit;
  unit.inserts.push_back(save_platform_key{key_id{"mk_platform_00000000"}, id, *parse_scopes("*"), "damaged", {}});
  REQUIRE(rows->commit(unit) == commit_outcome::committed);
  office o{rows};
  o.know_all();
  CHECK_FALSE(o.published.find_platform_key(key_id{"mk_platform_00000000"}));
  CHECK(o.published.find_platform_key(sound));
  CHECK(status_of(o, id, platform_status::suspended) == "suspended");
}

// ---- destinations -------------------------------------------------------------------------------

TEST_CASE("a platform has one destination in each mode, which a new URL replaces under the same id and secret") {
  office o;
  const auto id = new_platform(o);
  const auto first = std::get<destination_secret>(o.ask(to_platform(id)));
  const auto second = std::get<destination_secret>(
      o.ask(to_platform(id, "https://new.example/", environment::live, {"payment.captured"})));
  CHECK(second.id == first.id);
  CHECK(second.secret == first.secret);
  REQUIRE(o.published.find_platform_destination(id, environment::live));
  CHECK(o.published.find_platform_destination(id, environment::live)->url == "https://new.example/");
  CHECK(o.published.find_platform_destination(id, environment::live)->events ==
        std::vector<std::string>{"payment.captured"});
  CHECK_FALSE(o.published.find_platform_destination(id, environment::test));
  const auto test = std::get<destination_secret>(o.ask(to_platform(id, "https://new.example/", environment::test))).id;
  CHECK(test != first.id);
  CHECK(o.published.find_platform_destination(id, environment::test)->id == test);
  CHECK(o.stored().destinations.size() == 2);
}

// ---- grants -------------------------------------------------------------------------------------

TEST_CASE("grants are published with their merchant, and with the platforms that receive its events") {
  auto rows = std::make_shared<failing_store>();
  const merchant_id shop{"merch_1"}, other{"merch_2"};
  const platform_id tea{"plat_1"}, coffee{"plat_2"};
  store_grant(*rows, shop, environment::live, tea, 1);
  store_grant(*rows, shop, environment::test, coffee, 1);
  office o{rows};
  o.know_all();
  CHECK(o.published.find_grants({tea, shop}).live.state == grant_state::active);
  CHECK(o.published.find_grants({tea, shop}).live.scopes == *parse_scopes("payments:read"));
  CHECK(o.published.find_grants({tea, shop}).test.state == grant_state::none);
  CHECK(o.published.find_grants({coffee, shop}).test.state == grant_state::active);
  CHECK(o.published.find_listening_platforms(shop) == std::vector{tea});
  CHECK(o.published.find_listening_platforms(other).empty());
}

TEST_CASE("a dead process's commit that lands after the start is published a minute later, and no older version is") {
  auto rows = std::make_shared<failing_store>();
  const merchant_id shop{"merch_1"};
  const platform_id tea{"plat_1"};
  store_grant(*rows, shop, environment::live, tea, 1);
  store_grant(*rows, shop, environment::test, tea, 1);
  office o{rows};
  o.know_all();
  store_grant(*rows, shop, environment::live, tea, 2, true);
  // The grant's actor has published what it has stored since; this store stands for a slower read.
  o.published.publish(
      grant_update{{tea, shop}, environment::test, {grant_state::revoked, *parse_scopes("payments:read"), 5}});
  o.advance(59s);
  CHECK(o.published.find_grants({tea, shop}).live.state == grant_state::active);
  o.advance(1s);
  CHECK(o.published.find_grants({tea, shop}).live.state == grant_state::revoked);
  CHECK(o.published.find_listening_platforms(shop).empty());
  CHECK(o.published.find_grants({tea, shop}).test.state == grant_state::revoked);
  const auto reads = o.rows().directory_reads;
  o.advance(1h);
  CHECK(o.rows().directory_reads == reads);
}

TEST_CASE("the second read of what is published is repeated until the store answers, and delays no command") {
  office o;
  const auto shop = new_shop(o);
  o.rows().reads_fail = true;
  o.advance(1min);
  new_platform(o);
  const platform_id tea{"plat_1"};
  store_grant(o.rows(), shop, environment::live, tea, 1);
  o.advance(3s);
  CHECK(o.published.find_grants({tea, shop}).live.state == grant_state::none);
  o.rows().reads_fail = false;
  o.advance(1s);
  CHECK(o.published.find_grants({tea, shop}).live.state == grant_state::active);
}

// ---- merchants that can be charged --------------------------------------------------------------

TEST_CASE("a chargeable merchant stays unchanged, and another gets the sandbox of its kind, in one commit") {
  office o;
  const auto shop = new_shop(o);
  const auto wallet = std::get<created_merchant>(o.ask(create_merchant{"Bazaar", merchant_kind::wallet, {}})).merchant;
  for (const auto& [id, provider, method] :
       {std::tuple{shop, provider_kind::sandbox, payment_method_kind::card},
        std::tuple{wallet, provider_kind::sandbox_wallet, payment_method_kind::pkr_wallet}}) {
    const auto before = *o.published.find_merchant(id);
    auto commits = o.rows().commits;
    CHECK(std::get<named_result>(o.ask(make_chargeable{id, environment::test, {}})).status == "chargeable");
    CHECK(*o.published.find_merchant(id) == before);
    CHECK(o.rows().commits == commits);

    const auto answer = std::get<named_result>(o.ask(make_chargeable{id, environment::live, {}}));
    CHECK(answer.id == id.value);
    CHECK(o.rows().commits == commits + 1);
    const auto after = o.published.find_merchant(id);
    REQUIRE(after->connections.size() == 2);
    CHECK(after->connections.back() ==
          connection{environment::live, provider, connection_status::connected, "acct_sandbox"});
    REQUIRE(after->routes.size() == 2);
    CHECK(after->routes.back() == route{environment::live, provider, 2, {}, {method}});
    // Repeated, it changes nothing more.
    commits = o.rows().commits;
    o.ask(make_chargeable{id, environment::live, {}});
    CHECK(o.rows().commits == commits);
  }
}

TEST_CASE("a connection that is not connected, or has no route, charges no payment") {
  office o;
  const auto shop = new_shop(o);
  const auto link =
      std::get<named_result>(
          o.ask(set_connection{shop,
                               {environment::live, provider_kind::sandbox, connection_status::unavailable, "acct_9"}}))
          .id;
  o.ask(set_connection{shop, {environment::live, provider_kind::sandbox_hosted, connection_status::connected, "a"}});
  const auto usd = *currency::parse("USD");
  o.ask(set_route{shop, {environment::live, provider_kind::sandbox, 0, {usd}, {payment_method_kind::card}}});
  o.ask(make_chargeable{shop, environment::live, {}});
  const auto after = o.published.find_merchant(shop);
  REQUIRE(after->routes.size() == 2);
  CHECK(after->routes.back().currencies == std::vector{usd});  // its route is the operator's, and stays
  const auto rows = o.stored().connections;
  const auto row = std::ranges::find(rows, link, &stored_connection::id);
  REQUIRE(row != rows.end());
  CHECK(row->link == connection{environment::live, provider_kind::sandbox, connection_status::connected, "acct_9"});
}

TEST_CASE(
    "the provider whose onboarding was finished is connected whatever others are, with a route behind the others") {
  office o;
  const auto shop = new_shop(o);
  o.ask(set_connection{shop, {environment::test, provider_kind::sandbox_hosted, connection_status::in_progress, {}}});
  o.ask(make_chargeable{shop, environment::test, provider_kind::sandbox_hosted});
  const auto after = o.published.find_merchant(shop);
  REQUIRE(after->connections.size() == 2);
  CHECK(after->connections.back() ==
        connection{environment::test, provider_kind::sandbox_hosted, connection_status::connected, "acct_sandbox"});
  REQUIRE(after->routes.size() == 2);
  CHECK(after->routes.back() ==
        route{environment::test, provider_kind::sandbox_hosted, 2, {}, {payment_method_kind::card}});
  o.ask(make_chargeable{shop, environment::test, provider_kind::sandbox_hosted});
  CHECK(o.published.find_merchant(shop)->routes.size() == 2);
  CHECK(o.problem(make_chargeable{merchant_id{"merch_none"}, environment::test, {}}, not_found) ==
        "There is no merchant merch_none.");
}
