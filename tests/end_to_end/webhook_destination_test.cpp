// A destination that gets another URL, is deleted, or rejects everything: by gatewayctl and in the portal.
#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>

#include "destinations.hpp"
#include "visitor.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

gateway_options with(store_kind store, std::vector<std::string> arguments) {
  gateway_options options;
  options.store = store;
  options.arguments = std::move(arguments);
  return options;
}

struct shop_with_hooks {
  gateway_process gateway;
  merchant_account account = new_merchant(gateway, {"Lantern Books", "standard", {}, true});
  api merchant{gateway, account.test};
  webhook_receiver receiver;

  explicit shop_with_hooks(store_kind store, std::vector<std::string> arguments = {"--webhook-attempts=1"})
      : gateway{with(store, std::move(arguments))} {}

  std::string declined() {
    const auto id = new_payment_id();
    REQUIRE(summary_of(merchant.create(server_payment(id, "pm_card_riskBlocked"))) == "200 failed");
    return id;
  }
  std::size_t count(const std::string& destination, const std::string& status) const {
    return deliveries_to(gateway, destination, status).size();
  }
  std::string page(const std::string& what) const { return "/portal/" + account.id + "/test/" + what; }
};

void enter_as_owner(shop_with_hooks& s, visitor& owner) {
  add_person(s.gateway, s.account.id, "ada@lantern.example");
  owner.open("/portal/sign-in");
  owner.click("sign-in", {{"email", "ada@lantern.example"}, {"password", std::string{owner_password}}});
  REQUIRE(owner.answer().status == 200);
}

bool shows(const visitor& person, const std::string& what) { return person.html().find(what) != std::string::npos; }

}  // namespace

TEST_CASE(
    "gatewayctl changes a destination's URL: id, secret and events stay, and what is pending goes to the new one") {
  shop_with_hooks s{GENERATE(from_range(stores()))};
  const auto to = set_destination(s.gateway, s.account, s.receiver.url("/old"), "test", "payment.failed");
  const auto other = set_destination(s.gateway, s.account, s.receiver.url("/other"));
  s.gateway.ctl({"destination", "disable", to.id});
  const auto waited = s.declined();
  REQUIRE(deliveries_come_to(s.gateway, to.id, "pending", 1));

  for (const std::string& url :
       {s.receiver.url("/other"), std::string{"http://192.0.2.1/no"}, std::string{"ftp://a/"}}) {
    const auto refused = s.gateway.run_ctl({"destination", "change", to.id, "--url", url});
    CAPTURE(url, refused.err);
    CHECK(refused.code == 1);
    CHECK(std::ranges::count(refused.err, '\n') == 1);
  }
  CHECK(s.gateway.run_ctl({"destination", "change", "dest_none", "--url", s.receiver.url("/x")}).code == 1);
  CHECK(s.gateway.run_ctl({"destination", "change", to.id}).code == 2);
  CHECK(shown_destination(s.gateway, to.id)["url"] == s.receiver.url("/old"));

  CHECK(s.gateway.ctl({"destination", "change", to.id, "--url", s.receiver.url("/new")})["id"] == to.id);
  CHECK(shown_destination(s.gateway, to.id)["url"] == s.receiver.url("/new"));
  s.gateway.kill();
  s.gateway.start();
  s.gateway.ctl({"destination", "enable", to.id});
  REQUIRE(s.receiver.comes_to(1, "/new"));
  CHECK(signature_fault(s.receiver.posts("/new").front(), to.secret) == "");
  CHECK(s.receiver.posts("/old").empty());
  CHECK(other.id != to.id);
}

TEST_CASE("a deleted destination gets nothing more, what was pending is dropped, and its deliveries can be read") {
  shop_with_hooks s{GENERATE(from_range(stores()))};
  const auto to = set_destination(s.gateway, s.account, s.receiver.url());
  s.declined();
  REQUIRE(deliveries_come_to(s.gateway, to.id, "delivered", 1));
  s.gateway.ctl({"destination", "disable", to.id});
  s.declined();
  REQUIRE(deliveries_come_to(s.gateway, to.id, "pending", 1));

  const auto made = s.gateway.ctl({"destination", "delete", to.id});
  CHECK(made["id"] == to.id);
  CHECK(made["status"] == "deleted");
  REQUIRE(deliveries_come_to(s.gateway, to.id, "pending", 0));
  CHECK(s.count(to.id, "failed") == 1);
  CHECK(s.count(to.id, "delivered") == 1);
  const auto listed = s.gateway.ctl({"destination", "list", "--merchant", s.account.id});
  CHECK(listed.dump().find(to.id) == std::string::npos);
  for (const std::string command : {"enable", "disable", "delete", "rotate-secret"})
    CHECK(s.gateway.run_ctl({"destination", command, to.id}).code == 1);
  CHECK(s.gateway.run_ctl({"delivery", "redeliver", "--destination", to.id}).code == 1);
  for (const auto& each : deliveries_to(s.gateway, to.id))
    CHECK(s.gateway.run_ctl({"delivery", "redeliver", each["id"].dump()}).code == 1);

  s.declined();
  s.gateway.kill();
  s.gateway.start();
  s.declined();
  // The URL can be used again, by a destination with another secret.
  const auto anew = set_destination(s.gateway, s.account, s.receiver.url());
  CHECK(anew.id != to.id);
  CHECK(anew.secret != to.secret);
  s.declined();
  REQUIRE(deliveries_come_to(s.gateway, anew.id, "delivered", 1));
  CHECK(s.receiver.count() == 2);
  CHECK(deliveries_to(s.gateway, to.id).size() == 2);
}

TEST_CASE("an owner changes a destination's URL in the portal, and deletes it after the page that asks") {
  shop_with_hooks s{store_kind::sqlite};
  const auto to = set_destination(s.gateway, s.account, s.receiver.url("/old"));
  const auto other = set_destination(s.gateway, s.account, s.receiver.url("/other"));
  visitor owner{s.gateway};
  enter_as_owner(s, owner);
  const auto at = s.page("destinations/" + to.id);
  for (const std::string& url : {s.receiver.url("/other"), std::string{"http://192.0.2.1/no"}, std::string{}}) {
    owner.open(at);
    CHECK(owner.click("change", {{"url", url}}).status == 422);
  }
  owner.open(at);
  CHECK(owner.click("change", {{"url", s.receiver.url("/new")}}).status == 200);
  CHECK(shown_destination(s.gateway, to.id)["url"] == s.receiver.url("/new"));
  owner.open(at);
  owner.click("rename", {{"name", "Till"}});
  CHECK(shown_destination(s.gateway, to.id)["name"] == "Till");
  owner.open(at);
  owner.click("test");
  REQUIRE(s.receiver.comes_to(1, "/new"));

  owner.open(at);
  owner.click("delete");
  CHECK(owner.answer().status == 200);
  CHECK(shows(owner, "Delete this destination?"));
  CHECK(shown_destination(s.gateway, to.id)["status"] == "enabled");
  owner.click("delete");
  CHECK(owner.answer().status == 200);
  CHECK(shows(owner, "webhook.test"));
  owner.open(s.page("destinations"));
  CHECK_FALSE(shows(owner, to.id));
  CHECK(shows(owner, other.id));
  const auto audited = s.gateway.sql("SELECT action FROM audit_log WHERE subject = '" + to.id + "';");
  for (const std::string action : {"change destination", "rename destination", "delete destination"})
    CHECK(audited.find(action) != std::string::npos);
}

TEST_CASE(
    "a destination without one success is disabled after webhook-disable-after; the portal and the audit log say so") {
  shop_with_hooks s{store_kind::sqlite, {"--webhook-disable-after=2s"}};
  s.receiver.answers("/hooks", webhook_answer{.status = 503, .body = "out of paper"});
  const auto to = set_destination(s.gateway, s.account, s.receiver.url());
  visitor owner{s.gateway};
  enter_as_owner(s, owner);
  const auto payment = s.declined();
  REQUIRE(eventually([&] { return shown_destination(s.gateway, to.id)["status"] == "disabled"; }));
  CHECK(shown_destination(s.gateway, to.id)["disabled_reason"] == "Nothing was delivered to it for 2 seconds.");
  CHECK(s.gateway.sql("SELECT action, subject FROM audit_log WHERE user_id = 'gateway';").find(to.id) !=
        std::string::npos);
  owner.open(s.page(""));
  CHECK(shows(owner, "Nothing was delivered to it for 2 seconds."));
  owner.open(s.page("destinations/" + to.id));
  CHECK(shows(owner, "Disabled"));
  CHECK(shows(owner, "Once the destination is enabled"));

  // The delivery's own page has the attempt, its answer, and the body that the receiver got.
  const auto number = deliveries_to(s.gateway, to.id).front()["id"].dump();
  owner.open(s.page("deliveries/" + number));
  CHECK(owner.answer().status == 200);
  CHECK(shows(owner, "Answered 503"));
  CHECK(shows(owner, "out of paper"));
  CHECK(shows(owner, s.receiver.posts().front().body));
  CHECK(shows(owner, payment));

  s.receiver.answers("/hooks", webhook_answer{});
  owner.open(s.page("destinations/" + to.id));
  owner.click("enable");
  s.gateway.ctl({"delivery", "redeliver", number});  // rather than wait for the next attempt by the schedule
  REQUIRE(deliveries_come_to(s.gateway, to.id, "delivered", 1));
  owner.open(s.page("deliveries/" + number));
  CHECK(shows(owner, "Answered 200"));
  CHECK(shows(owner, "Answered 503"));
}

TEST_CASE("all failed deliveries are sent again by one button that says how many there are") {
  shop_with_hooks s{store_kind::sqlite};
  s.receiver.answers("/hooks", webhook_answer{.status = 500});
  const auto to = set_destination(s.gateway, s.account, s.receiver.url());
  for (int i = 0; i < 3; ++i) s.declined();
  REQUIRE(deliveries_come_to(s.gateway, to.id, "failed", 3));
  visitor owner{s.gateway};
  enter_as_owner(s, owner);
  owner.open(s.page("destinations/" + to.id));
  CHECK(shows(owner, "Resend all 3 failed"));
  REQUIRE(eventually([&] {
    owner.open(s.page("destinations/" + to.id));
    return shows(owner, "Failing");
  }));
  s.receiver.answers("/hooks", webhook_answer{});
  owner.click("redeliver-failed");
  CHECK(owner.answer().status == 200);
  REQUIRE(deliveries_come_to(s.gateway, to.id, "delivered", 3));
  owner.open(s.page("destinations/" + to.id) + "?status=failed");
  CHECK(shows(owner, "No deliveries with this status"));
}
