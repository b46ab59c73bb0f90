// The portal's pages of payments, subscriptions and customers, over HTTP: the search, the file, and who did what.
#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>

#include "counter.hpp"
#include "paths.hpp"
#include "subscribing.hpp"
#include "text.hpp"

using namespace gateway::e2e;

TEST_CASE("payments are searched by amount, customer and order number, and the tabs and the file follow the filter") {
  counter c;
  const auto make = [&](const std::string& token, int amount, const std::string& name, const std::string& order) {
    const auto id = new_payment_id();
    REQUIRE(c.client
                .create(server_payment(id, token)
                            .set("amount", amount)
                            .set("customer_name", name)
                            .set("customer_email", order + "@reader.example")
                            .set("metadata", object{}.set("order", order)))
                .status == 200);
    return id;
  };
  const auto mine = make("pm_card_visa", 104'250, "Ada Wong", "LB-1042");
  const auto other = make("pm_card_chargeDeclinedInsufficientFunds", 4'200, "Eve Chan", "LB-7");
  const auto finds = [&](const std::string& typed, const std::string& id) {
    c.owner.open(c.page("payments?q=" + percent_encode(typed)));
    CHECK(c.owner.answer().status == 200);
    CHECK(c.shows("Searched 2 payments"));
    return c.shows("/payments/" + id + "\"");
  };
  for (const std::string typed : {"1042.50", "HKD 1,042.50", "ada wong", "lb-1042@READER.example", "LB-1042"}) {
    CAPTURE(typed);
    CHECK(finds(typed, mine));
    CHECK_FALSE(c.shows("/payments/" + other + "\""));
  }
  CHECK_FALSE(finds("1042.51", mine));

  c.owner.open(c.page("payments?state=failed"));
  CHECK(c.shows("Insufficient funds"));
  CHECK(c.shows("Eve Chan"));
  CHECK_FALSE(c.shows("Ada Wong"));
  const std::regex count{"aria-current=\"true\">Failed\\s+<span class=\"count\">1</span>"};
  CHECK(std::regex_search(c.owner.html(), count));

  c.owner.open(c.page("payments.csv?q=lb-1042"));
  const auto named = c.owner.answer().header("Content-Disposition").value_or("");
  CHECK(std::regex_search(named, std::regex{"filename=\"payments-lantern-books-test-to-\\d{4}-\\d\\d-\\d\\d\\.csv\""}));
  const auto& csv = c.owner.answer().body;
  CHECK(csv.find(",\"metadata order\",\"other metadata\"\r\n") != std::string::npos);
  CHECK(csv.find(",\"LB-1042\",\"\"\r\n") != std::string::npos);
  CHECK(csv.find(other) == std::string::npos);
}

TEST_CASE(
    "an open checkout is cancelled from its payment's page, which says who did it; the customer's page is closed") {
  counter c;
  const auto id = new_payment_id();
  const auto made = c.client.create(redirect_payment(id));
  REQUIRE(summary_of(made) == "200 processing");
  const auto hosted = json::parse(made.body)["provider.hosted_url"].text();
  c.owner.open(c.page("payments/" + id));
  CHECK(c.shows(hosted));
  CHECK(c.shows("Waiting for the customer since"));
  c.owner.click("cancel", {{"reason", "sold out"}});
  CHECK(c.owner.at() == c.page("payments/" + id) + "?done=cancel");
  CHECK(c.shows("The payment was cancelled."));
  CHECK(c.client.state_of(id) == "failed");
  CHECK(json::parse(c.client.view(id).body)["provider.error.code"] == "checkout_cancelled");
  CHECK(c.shows("by ada@lantern.example on the portal"));
  CHECK_FALSE(c.shows("Waiting for the customer since"));
  const auto left = c.owner.actions();
  CHECK(std::find(left.begin(), left.end(), "cancel") == left.end());
  CHECK(c.audited("cancel").find(id) != std::string::npos);
  CHECK(c.owner.open(hosted).status == 410);
}

TEST_CASE("a refund and a decline are on the payment's page with their amount, reason and person") {
  counter c;
  const auto id = c.captured_payment(server_payment(new_payment_id()));
  c.owner.open(c.page("payments/" + id));
  c.owner.click("refund", {{"amount", "10.50"}, {"reason", "damaged in the post"}});
  CHECK(c.shows("by ada@lantern.example on the portal"));
  CHECK(c.shows("Reason: damaged in the post"));
  CHECK(c.shows("HKD 10.50"));
  const auto declined = new_payment_id();
  REQUIRE(summary_of(c.client.create(server_payment(declined, "pm_card_captureDeclined"))) == "200 authorized");
  c.owner.open(c.page("payments/" + declined));
  CHECK(c.owner.click("capture").status == 422);
  c.owner.open(c.page("payments/" + declined));
  CHECK(c.shows("The provider declined the capture"));
}

TEST_CASE("an owner sees a platform's subscriptions and customers, and cancels a subscription") {
  gateway_process gateway{gateway_options{}};
  subscribing s{gateway};
  add_person(gateway, s.shop.id, "ada@lantern.example");
  visitor owner{gateway};
  counter::enter(owner, "ada@lantern.example");
  const auto page = [&](const std::string& what, const std::string& mode = "live") {
    return "/portal/" + s.shop.id + '/' + mode + '/' + what;
  };
  const auto shows = [&](const std::string& what) { return owner.html().find(what) != std::string::npos; };
  const auto id = s.subscribe(s.new_id());
  owner.open(page("subscriptions"));
  CHECK(owner.answer().status == 200);
  CHECK(shows("/subscriptions/" + id + "\""));
  CHECK(shows("EUR 19.00 each month"));
  REQUIRE(eventually([&] {
    owner.open(page("subscriptions/" + id));
    return shows(">Paid<");
  }));
  CHECK(shows("The monthly box"));
  const auto customer = found_in(owner.html(), "/customers/[0-9a-f]{64}");
  owner.open(page(customer.substr(1)));
  CHECK(owner.answer().status == 200);
  CHECK(shows("ref-" + id));
  owner.open(page("customers"));
  CHECK(shows("ref-" + id));

  owner.open(page("subscriptions/" + id));
  owner.click("cancel");
  CHECK(owner.at() == page("subscriptions/" + id) + "?done=cancel-subscription");
  CHECK(s.status(id) == "canceled");
  CHECK(shows("The subscription was cancelled."));
  const auto left = owner.actions();
  CHECK(std::find(left.begin(), left.end(), "cancel") == left.end());
  CHECK(gateway.sql("SELECT subject FROM audit_log WHERE action = 'cancel subscription';").find(id) !=
        std::string::npos);

  CHECK(owner.open(page("subscriptions/" + id, "test")).status == 404);
  owner.open(page("subscriptions", "test"));
  CHECK(shows("Subscriptions are live only"));
  add_person(gateway, s.shop.id, "vic@lantern.example", "viewer");
  visitor viewer{gateway};
  counter::enter(viewer, "vic@lantern.example");
  viewer.open(page("subscriptions/" + id));
  CHECK(viewer.answer().status == 200);
  CHECK(viewer.post(page("subscriptions/" + id), "csrf=" + viewer.csrf() + "&action=cancel&key=" + new_uuid()).status ==
        403);
}
