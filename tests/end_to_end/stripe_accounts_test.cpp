// A merchant's account at Stripe: opened from the portal, finished or left on Stripe's pages, restricted later.
#include <catch2/catch.hpp>

#include "stripe_fixture.hpp"
#include "text.hpp"
#include "visitor.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

/// An owner at the portal of a merchant that takes cards at Stripe, once it is connected.
struct newcomer {
  explicit newcomer(stripe_stage& at) : on{at}, account{new_merchant(at.gateway)}, owner{at.gateway} {
    const auto email = "owner-" + new_uuid().substr(0, 8) + "@lantern.example";
    add_person(on.gateway, account.id, email);
    set_connection(on.gateway, account.id, "sandbox", "not_connected");
    set_route(on.gateway, account.id, "stripe", stripe_currencies, "card");
    owner.open("/portal/sign-in");
    owner.click("sign-in", {{"email", email}, {"password", std::string{owner_password}}});
    REQUIRE(owner.answer().status == 200);
  }

  /// Presses the button of this provider. Returns the URL at Stripe to which the browser is redirected.
  std::string leaves(const std::string& button = "connect") {
    owner.open("/portal/" + account.id + "/test/connections");
    owner.click(button, {{"provider", "stripe"}});
    INFO(owner.html());
    REQUIRE(owner.left_for().starts_with(on.stripe.url() + "/setup/"));
    return owner.left_for();
  }
  /// Performs that action on Stripe's page, and returns to the portal.
  void does(const std::string& page, const std::string& what) {
    const auto back = on.stripe.click(page, what);
    REQUIRE(back.status == 303);
    owner.open(back.header("Location").value_or(""));
    CHECK(owner.answer().status == 200);
  }
  /// One column of the connection's row.
  std::string connection(const std::string& column) const {
    const auto lines = lines_of(on.gateway.sql("SELECT " + column + " FROM connections WHERE merchant_id = '" +
                                               account.id + "' AND environment = 'test' AND provider = 'stripe';"));
    return lines.empty() ? std::string{} : lines.front();
  }
  std::string status() const { return connection("status"); }
  bool comes_to(const std::string& wanted) const {
    return eventually([&] { return status() == wanted; });
  }
  std::string pays(const std::string& id = new_payment_id()) const {
    return summary_of(api{on.gateway, account.test}.create(stripe_payment(id)));
  }
  std::size_t accounts_made() const {
    std::size_t count = 0;
    for (const auto& each : on.stripe.effects("")) count += each.kind == "account";
    return count;
  }

  stripe_stage& on;
  merchant_account account;
  visitor owner;
};

}  // namespace

TEST_CASE("stripe: an owner connects from the portal, finishes at Stripe, and payments succeed") {
  auto& on = shared_stripe(GENERATE(from_range(stores())));
  newcomer n{on};
  CHECK(n.pays() == "422 {merchant_not_charge_capable}");
  // Without an account the payments would be made in the platform's own account.
  const auto refused = on.gateway.run_ctl({"connection", "set", "--merchant", n.account.id, "--mode", "test",
                                           "--provider", "stripe", "--status", "connected"});
  CHECK(refused.code != 0);
  CHECK(refused.err.find("no account at stripe") != std::string::npos);
  CHECK(n.status().empty());
  const auto page = n.leaves();
  CHECK(n.status() == "in_progress");
  n.does(page, "finish");
  CHECK(n.comes_to("connected"));
  const auto connected = n.connection("account");
  CHECK(connected.starts_with("acct_"));
  CHECK(n.pays() == "200 authorized");
  CHECK(on.stripe.moves(connected) == lines{"authorize 4200 usd"});
}

TEST_CASE("stripe: an owner who leaves continues later, with the same account") {
  auto& on = shared_stripe(store_kind::sqlite);
  newcomer n{on};
  const auto before = n.accounts_made();
  const auto first = n.leaves();
  n.does(first, "leave");
  CHECK(n.status() == "in_progress");
  const auto account = n.connection("account");
  CHECK(n.pays() == "422 {merchant_not_charge_capable}");
  // A link of Stripe's opens once.
  CHECK(on.stripe.open(first).status == 303);
  const auto second = n.leaves();
  CHECK(second != first);
  n.does(second, "finish");
  CHECK(n.comes_to("connected"));
  CHECK(n.connection("account") == account);
  CHECK(n.accounts_made() == before + 1);
}

TEST_CASE("stripe: an owner whose browser never returns is connected by the notification") {
  auto& on = shared_stripe(store_kind::sqlite);
  newcomer n{on};
  CHECK(on.stripe.click(n.leaves(), "finish").status == 303);
  CHECK(n.comes_to("connected"));
  CHECK(n.pays() == "200 authorized");
}

TEST_CASE("stripe: an account that Stripe restricts is unavailable until the restriction ends") {
  auto& on = shared_stripe(GENERATE(from_range(stores())));
  newcomer n{on};
  n.does(n.leaves(), "finish");
  REQUIRE(n.comes_to("connected"));
  const auto account = n.connection("account");
  on.stripe.set_account(account, "restricted");
  CHECK(n.comes_to("unavailable"));
  CHECK(n.pays().starts_with("422 "));
  on.stripe.set_account(account, "active");
  CHECK(n.comes_to("connected"));
  CHECK(n.pays() == "200 authorized");
}

TEST_CASE("stripe: an account that its owner disconnects at Stripe is unavailable until a new one is connected") {
  auto& on = shared_stripe(GENERATE(from_range(stores())));
  newcomer n{on};
  n.does(n.leaves(), "finish");
  REQUIRE(n.comes_to("connected"));
  const auto account = n.connection("account");
  stripe_shop bystander{on};
  on.stripe.set_account(account, "gone");
  CHECK(n.comes_to("unavailable"));
  bystander.paid();
  CHECK(n.pays().starts_with("422 "));
  const auto reported = on.stripe.events(account, "account.application.deauthorized");
  REQUIRE(reported.size() == 1);
  const auto kept = notifications(on.gateway, reported.front()["id"].text());
  REQUIRE(kept.size() == 1);
  CHECK(kept.front()["about"] == "account " + n.account.id + "/test");
  CHECK(kept.front()["state"] == "applied");

  // The old account cannot be reconnected at Stripe: its owner gets another.
  n.owner.open("/portal/" + n.account.id + "/test/connections");
  CHECK(n.owner.html().find("Reconnect to take payments again") != std::string::npos);
  n.does(n.leaves("reconnect"), "finish");
  CHECK(n.comes_to("connected"));
  CHECK(n.connection("account") != account);
  CHECK(n.pays() == "200 authorized");
}

TEST_CASE("stripe: while Stripe does not answer, no browser is redirected and no account is connected") {
  stripe_stage on{store_kind::sqlite};
  newcomer n{on};
  on.stripe.breaks("error_500_before", "POST", "/v1/account*", 10);
  n.owner.open("/portal/" + n.account.id + "/test/connections");
  n.owner.click("connect", {{"provider", "stripe"}});
  CHECK(n.owner.left_for().empty());
  CHECK(n.owner.answer().status >= 500);
  CHECK_FALSE(n.status() == "connected");
  on.stripe.mends();
  n.does(n.leaves(), "finish");
  CHECK(n.comes_to("connected"));
  CHECK(n.accounts_made() == 1);
}
