// What two platforms that act for one merchant see of each other's data: docs/served/platforms.md, section 5.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "subscribing.hpp"

using namespace gateway::e2e;

namespace {

/// Which private fields the object has.
std::string private_fields(const json& of) {
  const auto names = of.names();
  std::string seen;
  for (const auto* each : {"customer_ref", "payment_method_id", "metadata"})
    if (std::ranges::count(names, each) > 0) seen.append(seen.empty() ? "" : " ").append(each);
  return seen.empty() ? "nothing" : seen;
}

/// Two platforms with grants of one merchant, whose key is a third caller.
struct neighbours : subscribing {
  explicit neighbours(gateway_process& at) : subscribing{at} {
    grant_access(gateway, other_account, name + "@lantern.example", "live", all_scopes);
    set_destination(gateway, shop, receiver.url("/merchant"), "live", every_event);
    set_destination(gateway, who, receiver.url("/maker"), "live", every_event);
    to_other = set_destination(gateway, other_account, receiver.url("/other"), "live", every_event);
  }

  std::string sell(api& by, object what, const call& how = {}) {
    const auto id = new_payment_id();
    const auto answer = by.post("/v1/payment_intents", what.set("payment_id", id).text(), how);
    INFO(answer.body);
    REQUIRE(answer.status == 200);
    return id;
  }
  /// Which private fields the event's data has.
  std::string reported(const std::string& path, const std::string& type, const std::string& payment) {
    return private_fields(receiver.wait_for(type, payment, path).envelope()["data"]);
  }

  platform_account other_account = new_platform(gateway, name + "-2", all_scopes);
  api other{gateway, other_account.key};
  api merchant{gateway, shop.live};
  webhook_receiver receiver;
  webhook_destination to_other;
};

object plain() { return server_payment("").set("currency", "EUR").raw("metadata", R"({"order":"A-1"})"); }
object for_customer() { return plain().set("customer_ref", "reader-17").set("setup_future_usage", "off_session"); }

}  // namespace

TEST_CASE("each platform sees customers and metadata of its own payments alone, among those of one merchant") {
  neighbours s{shared_gateway(GENERATE(from_range(stores())))};
  const auto by_maker = s.sell(s.platform, for_customer(), s.as());
  const auto by_other = s.sell(s.other, plain(), s.as());
  const auto by_merchant = s.sell(s.merchant, plain());
  // Any caller that acts for the merchant captures and refunds any of its payments.
  for (const auto& id : {by_maker, by_other, by_merchant}) {
    REQUIRE(summary_of(s.other.post("/v1/payment_intents/" + id + "/capture", {}, s.as())) == "200 captured");
    REQUIRE(summary_of(s.merchant.refund(id)) == "200 refunded");
  }
  struct row {
    std::string payment, path, captured, refunded;
  };
  const std::string all = "customer_ref payment_method_id metadata";
  for (const auto& [payment, path, captured, refunded] :
       {row{by_maker, "/maker", all, "customer_ref metadata"}, row{by_maker, "/other", "nothing", "nothing"},
        row{by_maker, "/merchant", all, "customer_ref metadata"}, row{by_other, "/maker", "nothing", "nothing"},
        row{by_other, "/other", "metadata", "metadata"}, row{by_other, "/merchant", "metadata", "metadata"},
        row{by_merchant, "/maker", "nothing", "nothing"}, row{by_merchant, "/other", "nothing", "nothing"},
        row{by_merchant, "/merchant", "metadata", "metadata"}}) {
    INFO(payment << " to " << path);
    CHECK(s.reported(path, path == "/merchant" ? "payment.captured" : "payment.succeeded", payment) == captured);
    CHECK(s.reported(path, "payment.refunded", payment) == refunded);
  }
  const auto data = s.receiver.wait_for("payment.refunded", by_maker, "/other").envelope()["data"];
  CHECK(data.names() ==
        std::vector<std::string>{"payment_id", "state", "amount", "currency", "captured_amount", "refunded_amount"});
  CHECK(s.receiver.wait_for("payment.refunded", by_maker, "/maker").envelope()["data"].dump() ==
        s.receiver.wait_for("payment.refunded", by_maker, "/merchant").envelope()["data"].dump());

  struct reads {
    std::string payment, at_maker, at_other, at_merchant;
  };
  // States, amounts and timelines belong to the merchant, so all callers read them.
  const auto timeline = s.platform.get(api::path(by_maker, "/timeline"), s.as()).body;
  CHECK(s.other.get(api::path(by_maker, "/timeline"), s.as()).body == timeline);
  CHECK(s.merchant.get(api::path(by_maker, "/timeline")).body == timeline);
  for (const auto& [payment, at_maker, at_other, at_merchant] :
       {reads{by_maker, "customer_ref metadata", "nothing", "customer_ref metadata"},
        reads{by_other, "nothing", "metadata", "metadata"}, reads{by_merchant, "nothing", "nothing", "metadata"}}) {
    INFO(payment);
    CHECK(private_fields(json::parse(s.platform.get(api::path(payment), s.as()).body)) == at_maker);
    CHECK(private_fields(json::parse(s.other.get(api::path(payment), s.as()).body)) == at_other);
    CHECK(private_fields(json::parse(s.merchant.get(api::path(payment)).body)) == at_merchant);
  }
  CHECK(s.platform.get("/v1/customers/by_ref?ref=reader-17", s.as()).status == 200);
  CHECK(summary_of(s.other.get("/v1/customers/by_ref?ref=reader-17", s.as())) == "404 customer_not_found");
  CHECK(s.merchant.get("/v1/customers/by_ref?ref=reader-17").status == 422);
  const auto charge = object{}
                          .set("payment_id", new_payment_id())
                          .set("amount", 4200)
                          .set("currency", "EUR")
                          .set("customer_ref", "reader-17")
                          .set("payment_method_id", "pm_card_visa");
  const auto refused = json::parse(s.other.post("/v1/charges/saved", charge.text(), s.as()).body);
  CHECK(refused["error.code"] == "payment_method_not_found");
}

TEST_CASE("a platform cannot see another platform's subscription, and its cycles are payments like any other") {
  neighbours s{shared_gateway(GENERATE(from_range(stores())))};
  const auto id = s.subscribe(s.new_id());
  const auto public_id = "sub_" + s.shop.id + "_" + s.seen(id)["provider_subscription_id"].text();
  for (const auto& name : {id, public_id}) {
    const auto target = "/v1/subscriptions/" + name;
    CHECK(s.platform.get(target, s.as()).status == 200);
    CHECK(summary_of(s.other.get(target, s.as())) == "404 subscription_not_found");
    CHECK(summary_of(s.merchant.get(target)) == "422 {platform_key_required}");
    const call same;
    for (int i = 0; i < 2; ++i)
      CHECK(summary_of(s.other.request("DELETE", target, {}, s.as(same))) == "404 subscription_not_found");
    CHECK(summary_of(s.merchant.request("DELETE", target, {}, {})) == "422 {platform_key_required}");
  }
  CHECK(summary_of(s.other.post("/v1/subscription_checkouts", s.checkout(id).text(), s.as())) ==
        "409 subscription already exists");
  CHECK(s.status(id) == "active");

  REQUIRE(s.receiver.comes_to(3, "/maker"));
  REQUIRE(s.receiver.comes_to(3, "/merchant"));
  REQUIRE(s.receiver.comes_to(1, "/other"));
  const auto cycle = s.receiver.posts("/other").front();
  CHECK(cycle.type() == "payment.succeeded");
  const auto payment = cycle.envelope()["data.payment_id"].text();
  CHECK(s.reported("/other", "payment.succeeded", payment) == "nothing");
  CHECK(s.reported("/maker", "payment.succeeded", payment) == "customer_ref metadata");
  CHECK(s.reported("/merchant", "payment.captured", payment) == "customer_ref metadata");
  CHECK(private_fields(json::parse(s.other.get(api::path(payment), s.as()).body)) == "nothing");
  CHECK(private_fields(json::parse(s.platform.get(api::path(payment), s.as()).body)) == "customer_ref metadata");
  CHECK(json::parse(s.cancel(public_id).body)["status"] == "canceled");
  REQUIRE(s.receiver.comes_to(4, "/maker"));
  // A delivery's row is committed with its event, so an event without one now is never sent.
  CHECK(deliveries_to(s.gateway, s.to_other.id).size() == 1);
}

TEST_CASE("another platform's deliveries lack private fields after a restart and when redelivered, too") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  std::string id;
  webhook_receiver receiver;
  webhook_destination to_other;
  platform_account other;
  {
    neighbours s{gateway};
    other = s.other_account;
    to_other = set_destination(gateway, other, receiver.url("/other"), "live", every_event);
    gateway.ctl({"platform", "suspend", other.id});
    id = s.sell(s.platform, for_customer(), s.as());
    REQUIRE(summary_of(s.platform.post("/v1/payment_intents/" + id + "/capture", {}, s.as())) == "200 captured");
  }
  CHECK(deliveries_come_to(gateway, to_other.id, "pending", 1));
  gateway.kill();
  gateway.start();
  gateway.ctl({"platform", "resume", other.id});
  const auto post = receiver.wait_for("payment.succeeded", id, "/other");
  CHECK(post.envelope()["data"].names() ==
        std::vector<std::string>{"payment_id", "state", "amount", "currency", "captured_amount"});
  CHECK(deliveries_come_to(gateway, to_other.id, "delivered", 1));
  const auto number = post.delivery();
  gateway.ctl({"delivery", "redeliver", number});
  REQUIRE(receiver.comes_to(2, "/other"));
  for (const auto& each : receiver.posts("/other")) CHECK(each.body == post.body);
  CHECK(gateway.ctl({"delivery", "show", number}).dump().find("reader-17") == std::string::npos);
}
