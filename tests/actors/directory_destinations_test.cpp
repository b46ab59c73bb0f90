// Destinations of webhooks and their secrets.
#include <set>

#include "directory/destinations.hpp"
#include "directory_fixture.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

set_destination to_url(const merchant_id& owner, std::string url, std::vector<std::string> events = {}) {
  return {destination_kind::merchant, owner.value, environment::test, std::move(url), std::move(events)};
}

}  // namespace

TEST_CASE("a destination is published with its secret, belongs to its merchant, and is the same after a restart") {
  auto rows = std::make_shared<failing_store>();
  destination_secret made;
  merchant_id shop;
  webhook_endpoint before;
  {
    office o{rows};
    o.know_all();
    shop = new_shop(o);
    made = std::get<destination_secret>(
        o.ask(to_url(shop, "https://shop.example/hooks", {"payment.captured", "payment.voided"})));
    CHECK(made.id.value.size() == 25);
    CHECK(made.id.value.starts_with("dest_"));
    CHECK(made.secret.starts_with("whsec_"));
    CHECK(made.secret.size() == 6 + 64);
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
  o.know_all();
  const auto after = o.published.find_destination(made.id);
  REQUIRE(after);
  CHECK(after->what == before.what);
  CHECK(after->secret == before.secret);
  CHECK(o.published.find_merchant(shop)->destinations == std::vector{before.what});
}

TEST_CASE("a destination's secrets are sealed in the store, and bound to it") {
  office o;
  const auto made = std::get<destination_secret>(o.ask(to_url(new_shop(o), "https://shop.example/hooks")));
  const auto rotated = std::get<rotated_secret>(o.ask(rotate_destination_secret{made.id}));
  const auto stored = o.stored().destinations;
  REQUIRE(stored.size() == 1);
  for (const auto& secret : {made.secret, rotated.secret})
    for (const auto& sealed : {stored[0].sealed_secret, stored[0].sealed_previous})
      CHECK(sealed.find(secret) == std::string::npos);
  CHECK(o.keys.open(stored[0].sealed_secret, "destination:" + made.id.value) == rotated.secret);
  CHECK(o.keys.open(stored[0].sealed_previous, "destination:" + made.id.value) == made.secret);
  CHECK_FALSE(o.keys.open(stored[0].sealed_secret, "destination:dest_other"));
}

TEST_CASE("setting a destination again keeps its id and secret, changes its events, and enables it") {
  office o;
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

TEST_CASE("a merchant's destinations are distinguished by URL and mode") {
  office o;
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
  office o;
  constexpr auto not_found = operator_problem::kind::not_found;
  CHECK(o.problem(to_url(merchant_id{"merch_none"}, "https://a.example/"), not_found) ==
        "There is no merchant merch_none.");
  CHECK(o.problem(set_destination{destination_kind::platform, "plat_none", environment::live, "https://a.example/", {}},
                  not_found) == "There is no platform plat_none.");
}

TEST_CASE("a command for a destination that does not exist is a conflict") {
  office o;
  const destination_id none{"dest_none"};
  for (const operator_command& command :
       {operator_command{enable_destination{none}}, operator_command{disable_destination{none, {}}},
        operator_command{rotate_destination_secret{none}}})
    CHECK(o.problem(command) == "no destination dest_none");
}

TEST_CASE("a merchant has a limited number of destinations in one mode, and can still change each") {
  office o;
  const auto shop = new_shop(o);
  for (std::size_t i = 0; i < actors::most_destinations; ++i)
    REQUIRE(
        std::holds_alternative<destination_secret>(o.ask(to_url(shop, "https://shop.example/" + std::to_string(i)))));
  CHECK(o.problem(to_url(shop, "https://shop.example/more")) ==
        shop.value + " has 32 destinations in test mode already, the most that it may have");
  CHECK(std::holds_alternative<destination_secret>(o.ask(to_url(shop, "https://shop.example/7", {"payment.failed"}))));
  auto live = to_url(shop, "https://shop.example/more");
  live.env = environment::live;
  CHECK(std::holds_alternative<destination_secret>(o.ask(live)));
}

TEST_CASE("a replaced secret still signs until the overlap has passed, and after a restart too") {
  auto rows = std::make_shared<failing_store>();
  destination_secret made;
  rotated_secret rotated;
  {
    office o{rows};
    o.know_all();
    made = std::get<destination_secret>(o.ask(to_url(new_shop(o), "https://shop.example/hooks")));
    rotated = std::get<rotated_secret>(o.ask(rotate_destination_secret{made.id, 24h}));
    CHECK(rotated.id == made.id);
    CHECK(rotated.secret != made.secret);
    CHECK(rotated.previous_until == o.clock.now() + 24h);
    CHECK(o.published.find_destination(made.id)->secret == rotated.secret);
    CHECK(o.published.find_destination(made.id)->previous_secret == made.secret);
  }
  office o{rows};
  o.know_all();
  CHECK(o.published.find_destination(made.id)->secret == rotated.secret);
  CHECK(o.published.find_destination(made.id)->previous_secret == made.secret);
  CHECK(o.published.find_destination(made.id)->previous_until == *rotated.previous_until);

  const auto at_once = std::get<rotated_secret>(o.ask(rotate_destination_secret{made.id, 0h}));
  CHECK_FALSE(at_once.previous_until);
  CHECK(o.published.find_destination(made.id)->secret == at_once.secret);
  CHECK(o.published.find_destination(made.id)->previous_secret.empty());
  CHECK(rows->whole_directory().destinations.front().sealed_previous.empty());
}

TEST_CASE("a platform's destination in the store is published and can be changed, and belongs to no merchant") {
  auto rows = std::make_shared<failing_store>();
  crypto::keyring keys{std::string(32, 'k')};
  const destination_id id{"dest_platform"};
  unit_of_work unit;
  unit.inserts.push_back(insert_platform{platform{platform_id{"plat_1"}, "acme", "Acme"}, from_unix_ms(1)});
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
  o.know_all();
  const auto shop = new_shop(o);
  REQUIRE(o.published.find_destination(id));
  CHECK(o.published.find_destination(id)->secret == "whsec_p");
  CHECK(std::get<named_result>(o.ask(disable_destination{id, "moving"})).status == "disabled");
  CHECK(o.published.find_destination(id)->what.status == destination_status::disabled);
  CHECK(std::get<named_result>(o.ask(enable_destination{id})).status == "enabled");
  CHECK(std::get<rotated_secret>(o.ask(rotate_destination_secret{id})).secret != "whsec_p");
  CHECK(o.published.find_merchant(shop)->destinations.empty());
}

TEST_CASE("a destination whose secret cannot be opened keeps its events, and is published once it has another") {
  auto rows = std::make_shared<failing_store>();
  merchant_id shop;
  destination_secret made;
  {
    office o{rows};
    o.know_all();
    shop = new_shop(o);
    made = std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/hooks")));
  }
  unit_of_work unit;
  auto row = rows->whole_directory().destinations.front();
  row.sealed_secret = "damaged";
  unit.inserts.push_back(row);
  REQUIRE(rows->commit(unit) == commit_outcome::committed);
  office o{rows};
  o.know_all();
  CHECK_FALSE(o.published.find_destination(made.id));
  CHECK(o.published.find_merchant(shop)->destinations.size() == 1);
  const auto rotated = std::get<rotated_secret>(o.ask(rotate_destination_secret{made.id}));
  CHECK_FALSE(rotated.previous_until);
  REQUIRE(o.published.find_destination(made.id));
  CHECK(o.published.find_destination(made.id)->secret == rotated.secret);
}

TEST_CASE("actors that joined are notified of each destination that is published") {
  office o;
  const auto shop = new_shop(o);
  const auto a = std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/a"))).id.value;
  std::string b;
  const auto received = o.listen_while([&] {
    b = std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/b"))).id.value;
    o.ask(disable_destination{destination_id{a}, "x"});
    o.ask(disable_destination{destination_id{"dest_none"}, "x"});
    o.ask(rotate_destination_secret{destination_id{b}});
  });
  CHECK(received == std::vector{b, a, b});
}

TEST_CASE("a destination that did not become durable is not published") {
  office o;
  const auto shop = new_shop(o);
  o.rows().faults.push_back(fault::before_commit);
  CHECK(o.try_out(to_url(shop, "https://shop.example/a")).failed(actor_errc::store_unavailable));
  CHECK(std::holds_alternative<created_merchant>(o.ask(create_merchant{"Other", merchant_kind::standard, {}})));
  CHECK(o.published.find_merchant(shop)->destinations.empty());
  o.rows().faults.push_back(fault::after_commit);
  CHECK(o.try_out(to_url(shop, "https://shop.example/a")).failed(actor_errc::store_unavailable));
  CHECK(std::holds_alternative<created_merchant>(o.ask(create_merchant{"Other", merchant_kind::standard, {}})));
  CHECK(o.published.find_merchant(shop)->destinations.size() == 1);
}

TEST_CASE("a destination moves to another URL: id, secret, events and status stay") {
  office o;
  const auto shop = new_shop(o);
  const auto made = std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/a", {"payment.failed"})));
  const auto other = std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/b")));
  o.ask(disable_destination{made.id, "moving"});
  o.clock.at += 1h;
  const auto moved = std::get<named_result>(o.ask(change_destination_url{made.id, "https://shop.example/c"}));
  CHECK(moved.id == made.id.value);
  CHECK(moved.status == "disabled");
  const auto shown = o.published.find_destination(made.id);
  CHECK(shown->what.url == "https://shop.example/c");
  CHECK(shown->what.events == std::vector<std::string>{"payment.failed"});
  CHECK(shown->secret == made.secret);
  CHECK(shown->what.enabled_at == o.clock.now());

  // A URL that another one has is refused; its own is not.
  CHECK(o.problem(change_destination_url{made.id, "https://shop.example/b"}) ==
        other.id.value + " has this URL already");
  CHECK(o.published.find_destination(made.id)->what.url == "https://shop.example/c");
  CHECK(std::holds_alternative<named_result>(o.ask(change_destination_url{made.id, "https://shop.example/c"})));
  // In the other mode the URL is free.
  auto live = to_url(shop, "https://shop.example/b");
  live.env = environment::live;
  const auto in_live = std::get<destination_secret>(o.ask(live));
  CHECK(std::holds_alternative<named_result>(o.ask(change_destination_url{in_live.id, "https://shop.example/c"})));

  // The URL that it had can be used again, by another destination.
  const auto anew = std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/a")));
  CHECK(anew.id != made.id);
  CHECK(anew.secret != made.secret);
  // Setting the present URL finds the one that moved there.
  CHECK(std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/c"))).id == made.id);
}

TEST_CASE("a deleted destination stays in the store, leaves its merchant's list, and takes no command") {
  auto rows = std::make_shared<failing_store>();
  merchant_id shop;
  destination_secret made, again;
  {
    office o{rows};
    o.know_all();
    shop = new_shop(o);
    made = std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/a")));
    CHECK(std::get<named_result>(o.ask(delete_destination{made.id})).status == "deleted");
    CHECK(o.published.find_destination(made.id)->what.status == destination_status::deleted);
    CHECK(o.published.find_merchant(shop)->destinations.empty());
    for (const operator_command& command :
         {operator_command{enable_destination{made.id}}, operator_command{disable_destination{made.id, {}}},
          operator_command{rotate_destination_secret{made.id}}, operator_command{delete_destination{made.id}},
          operator_command{name_destination{made.id, "a"}}, operator_command{set_destination_events{made.id, {}}},
          operator_command{change_destination_url{made.id, "https://shop.example/z"}}})
      CHECK(o.problem(command) == "no destination " + made.id.value);
    // The same URL can be added again: another destination, with another secret.
    again = std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/a")));
    CHECK(again.id != made.id);
    CHECK(again.secret != made.secret);
  }
  office o{rows};
  o.know_all();
  CHECK(o.published.find_destination(made.id)->what.status == destination_status::deleted);
  REQUIRE(o.published.find_merchant(shop)->destinations.size() == 1);
  CHECK(o.published.find_merchant(shop)->destinations.front().id == again.id);
}

TEST_CASE("a deleted destination does not count towards the most that a merchant may have") {
  office o;
  const auto shop = new_shop(o);
  destination_id first;
  for (std::size_t i = 0; i < actors::most_destinations; ++i)
    first = std::get<destination_secret>(o.ask(to_url(shop, "https://shop.example/" + std::to_string(i)))).id;
  o.problem(to_url(shop, "https://shop.example/more"));
  o.ask(delete_destination{first});
  CHECK(std::holds_alternative<destination_secret>(o.ask(to_url(shop, "https://shop.example/more"))));
}

TEST_CASE("a destination has a name, which setting it again keeps") {
  office o;
  const auto shop = new_shop(o);
  auto wanted = to_url(shop, "https://shop.example/a");
  wanted.name = "Till";
  const auto id = std::get<destination_secret>(o.ask(wanted)).id;
  CHECK(o.published.find_destination(id)->what.name == "Till");
  o.ask(to_url(shop, "https://shop.example/a"));
  CHECK(o.published.find_destination(id)->what.name == "Till");
  o.ask(name_destination{id, "Books"});
  CHECK(o.published.find_destination(id)->what.name == "Books");
  CHECK(o.published.find_merchant(shop)->destinations.front().name == "Books");
}

TEST_CASE("a destination asks for Standard Webhooks signatures or does not, which setting it again keeps") {
  office o;
  const auto shop = new_shop(o);
  auto wanted = to_url(shop, "https://shop.example/a");
  const auto id = std::get<destination_secret>(o.ask(wanted)).id;
  const auto asks = [&] { return o.published.find_destination(id)->what.standard_webhooks; };
  CHECK_FALSE(asks());
  wanted.standard_webhooks = true;
  o.ask(wanted);
  CHECK(asks());
  o.ask(to_url(shop, "https://shop.example/a"));
  CHECK(asks());
  o.ask(set_standard_webhooks{id, false});
  CHECK_FALSE(asks());
  o.ask(set_standard_webhooks{id, true});
  CHECK(asks());
  CHECK(o.published.find_merchant(shop)->destinations.front().standard_webhooks);
  o.problem(set_standard_webhooks{destination_id{"dest_none"}, true});
}

TEST_CASE("a platform whose destination was deleted gets another one, also after a restart") {
  auto rows = std::make_shared<failing_store>();
  platform_id platform;
  destination_secret first, second;
  const auto to = [&](std::string url) {
    return set_destination{destination_kind::platform, platform.value, environment::live, std::move(url), {}};
  };
  {
    office o{rows};
    o.know_all();
    create_platform wanted;
    wanted.slug = "tea";
    wanted.name = "Tea";
    wanted.contact = "ops@tea.example";
    wanted.redirect_uris = {"https://tea.example/back"};
    platform = std::get<saved_platform>(o.ask(wanted)).id;
    first = std::get<destination_secret>(o.ask(to("https://tea.example/a")));
    o.ask(delete_destination{first.id});
    CHECK(o.published.find_platform_destination(platform, environment::live)->status == destination_status::deleted);
    second = std::get<destination_secret>(o.ask(to("https://tea.example/b")));
    CHECK(second.id != first.id);
  }
  office o{rows};
  o.know_all();
  CHECK(o.published.find_platform_destination(platform, environment::live)->id == second.id);
  CHECK(o.published.find_destination(first.id)->what.status == destination_status::deleted);
}
