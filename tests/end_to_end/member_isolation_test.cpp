// No person reaches another merchant's data: every route of the portal is requested with every id of another merchant.
#include <catch2/catch.hpp>

#include <iostream>
#include <set>

#include "../portal_routes.hpp"
#include "destinations.hpp"
#include "merchant.hpp"
#include "paths.hpp"
#include "platform.hpp"
#include "text.hpp"
#include "visitor.hpp"
#include "webhook_receiver.hpp"

using namespace gateway::e2e;

namespace {

/// A merchant with one of everything in both environments, and an owner of its own.
struct furnished_shop {
  merchant_account account;
  std::string email;
  std::string user;
  std::vector<std::string> ids;  ///< of its payments, destinations, keys, grants and people
  std::vector<std::string> deliveries;

  furnished_shop(gateway_process& gateway, const webhook_receiver& hooks, const platform_account& platform,
                 const std::string& name)
      : email{name + "@example.com"} {
    account = new_merchant(gateway, {name, "standard", {}, true});
    user = add_person(gateway, account.id, email);
    for (const std::string mode : {"test", "live"}) {
      const auto to = set_destination(gateway, account, hooks.url("/" + name + "-" + mode), mode);
      api client{gateway, mode == "test" ? account.test : account.live};
      const auto payment = new_payment_id();
      REQUIRE(summary_of(client.create(server_payment(payment))) == "200 authorized");
      REQUIRE(summary_of(client.capture(payment)) == "200 captured");
      const auto grant = grant_access(gateway, platform, email, mode);
      ids.insert(ids.end(), {payment, to.id, client.key().key_id, grant.id, user, account.id});
      REQUIRE(deliveries_come_to(gateway, to.id, "delivered", 1));
      for (const auto& each : deliveries_to(gateway, to.id)) deliveries.push_back(std::to_string(each["id"].number()));
    }
  }
};

std::string filled(std::string_view pattern, const std::string& merchant, const std::string& mode,
                   const std::string& id) {
  std::string path{pattern};
  const auto put = [&](std::string_view name, const std::string& value) {
    if (const auto at = path.find(name); at != path.npos) path.replace(at, name.size(), value);
  };
  put("{merchant}", merchant);
  put("{mode}", mode);
  put("{id}", id);
  return path;
}

void enter(visitor& person, const std::string& email) {
  person.open("/portal/sign-in");
  person.click("sign-in", {{"email", email}, {"password", std::string{owner_password}}});
  REQUIRE(person.answer().status == 200);
}

std::string everything_of(const gateway_process& gateway) {
  std::string all;
  for (const std::string table :
       {"payments", "api_keys", "destinations", "grants", "memberships", "connections", "deliveries", "commands"})
    all += gateway.sql("SELECT * FROM " + table + " ORDER BY 1, 2, 3;");
  return all;
}

/// The actions of each page with forms, and the field that names each action's object.
struct act {
  std::string page;
  std::string action;
  std::string field;
};
const std::vector<act> acts{{"keys", "revoke", "key_id"},
                            {"platforms", "revoke", "grant_id"},
                            {"team", "remove", "user_id"},
                            {"team", "role", "user_id"},
                            {"payments/{own}", "redeliver", "delivery_id"},
                            {"destinations/{own}", "redeliver", "delivery_id"},
                            {"deliveries/{own}", "redeliver", "delivery_id"}};

}  // namespace

TEST_CASE("another merchant's objects are not found, on every route and with every id") {
  gateway_process gateway{gateway_options{}};
  const webhook_receiver hooks;
  const auto platform = new_platform(gateway, "front");
  const furnished_shop mine{gateway, hooks, platform, "mine"}, theirs{gateway, hooks, platform, "theirs"};
  visitor owner{gateway};
  enter(owner, mine.email);
  const auto before = everything_of(gateway);
  std::size_t tried = 0;
  std::set<std::string> routes;

  const auto expect_nothing = [&](const std::string& what) {
    CAPTURE(what, owner.html().substr(0, 400));
    CHECK(owner.answer().status == 404);
    ++tried;
  };

  // The other merchant's pages, with every id and every form.
  auto ids = theirs.ids;
  ids.insert(ids.end(), mine.ids.begin(), mine.ids.end());
  for (const auto& route : gateway::tests::portal_routes)
    for (const std::string mode : {"test", "live"})
      for (const auto& id : ids) {
        const auto path = filled(route.pattern, theirs.account.id, mode, id);
        routes.insert(std::string{route.method} + ' ' + std::string{route.pattern});
        if (route.method == "GET")
          owner.open(path);
        else
          owner.post(path, "csrf=" + std::string(64, 'a') + "&action=revoke&key_id=" + id);
        expect_nothing(std::string{route.method} + ' ' + path);
        if (route.pattern.find("{id}") == std::string_view::npos) break;
      }

  // The person's own pages with the other merchant's ids in the address, and live pages with test ids.
  for (const std::string page : {"payments/", "destinations/"})
    for (const std::string mode : {"test", "live"})
      for (const auto& id : theirs.ids) {
        owner.open("/portal/" + mine.account.id + '/' + mode + '/' + page + id);
        expect_nothing("own " + page + id);
      }
  owner.open("/portal/" + mine.account.id + "/live/payments/" + mine.ids.front());
  expect_nothing("a test payment in live");

  // A genuine form with the other merchant's ids in its fields.
  for (const auto& each : acts)
    for (const std::string mode : {"test", "live"}) {
      const auto at = static_cast<std::size_t>(mode == "live" ? 6 : 0);
      auto page = each.page;
      if (const auto own = page.find("{own}"); own != page.npos)
        page.replace(own, 5,
                     page.starts_with("deliveries") ? mine.deliveries[mode == "live" ? 1 : 0]
                                                    : mine.ids[at + (page.starts_with("payments") ? 0 : 1)]);
      const auto path = "/portal/" + mine.account.id + '/' + mode + '/' + page;
      owner.open(path);
      REQUIRE(owner.answer().status == 200);
      const auto token = owner.csrf();
      for (const auto& id : each.field == "delivery_id" ? theirs.deliveries : theirs.ids) {
        owner.post(path, "csrf=" + token + "&action=" + each.action + "&role=viewer&" + each.field + '=' + id);
        expect_nothing(path + ' ' + each.action + ' ' + id);
      }
    }
  owner.open("/portal/connections?merchant_id=" + theirs.account.id);
  expect_nothing("connections of another");

  CHECK(routes.size() == gateway::tests::portal_routes.size());
  CHECK(everything_of(gateway) == before);
  std::cout << "isolation walk: " << routes.size() << " routes, " << ids.size() << " ids, " << tried << " requests\n";
}

TEST_CASE("a viewer sees every page and changes nothing, and no change is made without the page's token") {
  gateway_process gateway{gateway_options{}};
  const webhook_receiver hooks;
  const auto platform = new_platform(gateway, "front");
  const furnished_shop shop{gateway, hooks, platform, "shop"};
  add_person(gateway, shop.account.id, "vic@example.com", "viewer");
  visitor owner{gateway}, viewer{gateway}, stranger{gateway};
  enter(owner, shop.email);
  enter(viewer, "vic@example.com");
  for (const auto& route : gateway::tests::portal_routes) {
    const auto is_of = [&](std::string_view place) { return route.pattern.find(place) != std::string_view::npos; };
    const auto id = is_of("/deliveries/") ? shop.deliveries[0] : is_of("destinations") ? shop.ids[1] : shop.ids[0];
    const auto path = filled(route.pattern, shop.account.id, "test", id);
    CAPTURE(route.method, path);
    if (route.method == "GET") {
      // The audit log is the owners'. Subscriptions and customers exist in live only.
      const bool is_missing = is_of("/subscriptions/{id}") || is_of("/customers/{id}");
      const bool is_refused = path.ends_with("/audit");
      CHECK(viewer.open(path).status == (is_missing ? 404 : is_refused ? 403 : 200));
      const bool has_actions = !path.ends_with(".csv") && !is_refused && !is_missing;
      CHECK(viewer.actions() == (has_actions ? std::vector<std::string>{"sign-out"} : std::vector<std::string>{}));
      CHECK(owner.open(path).status == (is_missing ? 404 : 200));
      stranger.open(path);
      CHECK(stranger.at().starts_with("/portal/sign-in"));
      continue;
    }
    owner.open(path);
    const auto owners_token = owner.csrf();
    owner.open("/portal/account");
    const auto other_pages_token = owner.csrf();
    for (const std::string token : {"", "csrf=", "csrf=zz"}) {
      CHECK(owner.post(path, token + "&action=add").status == 403);
      CHECK(viewer.post(path, token + "&action=add").status == 403);
    }
    CHECK(owner.post(path, "action=add&csrf=" + other_pages_token).status == 403);
    CHECK(viewer.post(path, "action=add&csrf=" + owners_token).status == 403);
    CHECK(stranger.post(path, "action=add&csrf=" + owners_token).status == 303);
  }
}
