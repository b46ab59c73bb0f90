// The webhooks that platforms get of merchants that granted them access.
#include <catch2/catch.hpp>

#include <algorithm>

#include "destinations.hpp"
#include "platform.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

using payments = std::vector<std::string>;

/// Makes a payment and captures it.
std::string sell(api& by, const std::string& query = {}, const call& how = {}) {
  const auto id = new_payment_id();
  const auto with_key = [&] {
    auto each = how;
    each.key = new_uuid();
    return each;
  };
  REQUIRE(summary_of(by.post("/v1/payment_intents" + query, server_payment(id).text(), with_key())) ==
          "200 authorized");
  REQUIRE(summary_of(by.post(api::path(id, "/capture") + query, "", with_key())) == "200 captured");
  return id;
}

/// The payments that the posts to that path are about, in the order of arrival.
payments told_to(const webhook_receiver& receiver, const std::string& path) {
  payments list;
  for (const auto& post : receiver.posts(path)) list.push_back(post.envelope()["data.payment_id"].text());
  return list;
}

std::size_t rows_to(const gateway_process& gateway, const webhook_destination& to) {
  return deliveries_to(gateway, to.id).size();
}

}  // namespace

TEST_CASE("a live capture by any caller arrives under the platform's name for it, and a test capture never") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const pair_of_parties both{gateway};
  webhook_receiver receiver;
  const auto live = set_destination(gateway, both.who, receiver.url("/live"), "live");
  const auto test = set_destination(gateway, both.who, receiver.url("/test"), "test");
  both.grant("live");
  both.grant("test");
  api platform{gateway, both.who.key}, shop{gateway, both.shop.live}, in_test{gateway, both.shop.test};
  sell(platform, "?environment=test", on_behalf_of(both.shop.id));
  sell(in_test);
  for (const auto& id : {sell(platform, "", on_behalf_of(both.shop.id)), sell(shop)}) {
    const auto post = receiver.wait_for("payment.succeeded", id, "/live");
    CHECK(signature_fault(post, live.secret) == "");
    const auto envelope = post.envelope();
    CHECK(envelope["merchant.id"] == both.shop.id);
    CHECK(envelope["merchant.entity_id"] == both.shop.entity_id);
    CHECK(envelope["data.state"] == "captured");
  }
  // A delivery's row is committed with the capture, so a capture without one now is never sent.
  CHECK(rows_to(gateway, live) == 2);
  CHECK(rows_to(gateway, test) == 0);
  CHECK(receiver.count("/live") == 2);
  CHECK(receiver.count("/test") == 0);
}

TEST_CASE("a platform gets the event types that its destination lists") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const pair_of_parties both{gateway};
  webhook_receiver receiver;
  const auto to = set_destination(gateway, both.who, receiver.url("/some"), "live", "payment.refunded,payment.voided");
  both.grant("live");
  api shop{gateway, both.shop.live};
  const auto refunded = sell(shop), voided = new_payment_id();
  REQUIRE(summary_of(shop.refund(refunded)) == "200 refunded");
  REQUIRE(summary_of(shop.create(server_payment(voided))) == "200 authorized");
  REQUIRE(summary_of(shop.void_payment(voided)) == "200 voided");
  receiver.wait_for("payment.refunded", refunded, "/some");
  receiver.wait_for("payment.voided", voided, "/some");
  CHECK(rows_to(gateway, to) == 2);
  set_destination(gateway, both.who, receiver.url("/some"), "live", "payment.succeeded");
  const auto sold = sell(shop);
  REQUIRE(summary_of(shop.refund(sold)) == "200 refunded");
  receiver.wait_for("payment.succeeded", sold, "/some");
  CHECK(rows_to(gateway, to) == 3);
}

TEST_CASE("deliveries committed while a platform is suspended wait, over a restart too, and arrive in order") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  // One delivery at a time, because several at once may overtake each other on their connections.
  options.arguments = {"--webhook-window=1"};
  gateway_process gateway{options};
  const pair_of_parties both{gateway};
  webhook_receiver receiver;
  const auto to = set_destination(gateway, both.who, receiver.url("/live"), "live");
  both.grant("live");
  payments expected;
  {
    api shop{gateway, both.shop.live};
    expected.push_back(sell(shop));
    receiver.wait_for("payment.succeeded", expected.front(), "/live");
    gateway.ctl({"platform", "suspend", both.who.id});
    for (int i = 0; i < 5; ++i) expected.push_back(sell(shop));
  }
  CHECK(deliveries_come_to(gateway, to.id, "pending", 5));
  CHECK(receiver.count("/live") == 1);
  gateway.kill();
  gateway.start();
  api shop{gateway, both.shop.live};
  for (int i = 0; i < 5; ++i) expected.push_back(sell(shop));
  CHECK(deliveries_come_to(gateway, to.id, "pending", 10));
  CHECK(receiver.count("/live") == 1);
  gateway.ctl({"platform", "resume", both.who.id});
  CHECK(receiver.comes_to(expected.size(), "/live"));
  CHECK(deliveries_come_to(gateway, to.id, "delivered", expected.size()));
  CHECK(told_to(receiver, "/live") == expected);
}

TEST_CASE("after a revoke a platform gets no event that is committed later") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const pair_of_parties both{gateway};
  webhook_receiver receiver;
  const auto to = set_destination(gateway, both.who, receiver.url("/live"), "live");
  const auto grant = both.grant("live");
  api platform{gateway, both.who.key}, shop{gateway, both.shop.live};
  const auto before = sell(shop);
  CHECK(platform.post("/v1/grants/" + grant.id + "/revoke").status == 204);
  sell(shop);
  CHECK(rows_to(gateway, to) == 1);
  both.grant("live");
  const auto after = sell(shop);
  receiver.wait_for("payment.succeeded", before, "/live");
  receiver.wait_for("payment.succeeded", after, "/live");
  CHECK(rows_to(gateway, to) == 2);
  CHECK(receiver.count("/live") == 2);
}

TEST_CASE("of two platforms each gets its own merchants' events, and both get those of a common merchant") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const pair_of_parties one{gateway}, other{gateway};
  webhook_receiver receiver;
  const auto to_one = set_destination(gateway, one.who, receiver.url("/one"), "live");
  const auto to_other = set_destination(gateway, other.who, receiver.url("/other"), "live");
  const owned_shop common{gateway};
  one.grant("live");
  other.grant("live");
  for (const auto* platform : {&one, &other}) grant_access(gateway, platform->who, common.email, "live");
  api shop_of_one{gateway, one.shop.live}, shop_of_other{gateway, other.shop.live},
      of_both{gateway, common.account.live};
  const auto first = sell(shop_of_one), second = sell(shop_of_other), third = sell(of_both);
  CHECK(receiver.comes_to(2, "/one"));
  CHECK(receiver.comes_to(2, "/other"));
  CHECK(rows_to(gateway, to_one) == 2);
  CHECK(rows_to(gateway, to_other) == 2);
  const auto sorted = [](payments list) {
    std::ranges::sort(list);
    return list;
  };
  CHECK(sorted(told_to(receiver, "/one")) == sorted({first, third}));
  CHECK(sorted(told_to(receiver, "/other")) == sorted({second, third}));
}
