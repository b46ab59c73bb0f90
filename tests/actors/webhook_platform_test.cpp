// The events that platforms get of the merchants that granted them access, under virtual time.
#include <catch2/catch.hpp>

#include "webhooks/destination_lane.hpp"
#include "webhooks/lane_owners.hpp"
#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

const merchant_id shop{"merch_1"}, bazaar{"merch_2"};

merchant in_both_modes(const merchant_id& id) {
  auto m = demo_merchant();
  m.id = id;
  m.connections.push_back({environment::live, provider_kind::sandbox, connection_status::connected, "acct"});
  m.routes.push_back({environment::live, provider_kind::sandbox, 1, {}, {payment_method_kind::card}});
  return m;
}

/// The destination of `plat_<name>`.
destination hook(std::string_view name, environment env = environment::live, std::vector<std::string> events = {}) {
  destination d;
  d.id = destination_id{"dest_" + std::string{name} + "_" + std::string{to_string(env)}};
  d.kind = destination_kind::platform;
  d.owner = "plat_" + std::string{name};
  d.env = env;
  d.url = "https://" + std::string{name} + ".test/" + std::string{to_string(env)};
  d.events = std::move(events);
  return d;
}

std::string live_url(std::string_view name) { return "https://" + std::string{name} + ".test/live"; }

settings with_live_sandbox() {
  auto config = unhurried();
  config.dev = true;
  return config;
}

/// Two merchants that can charge in both modes, and platforms to which they grant access and from which they revoke it.
struct marketplace : world {
  explicit marketplace(settings config = with_live_sandbox(),
                       failing_store_ptr rows = std::make_shared<failing_store>())
      : world{std::move(rows), std::move(config)} {
    publish(in_both_modes(shop));
    publish(in_both_modes(bazaar));
  }

  void grant(std::string_view platform, const merchant_id& by, std::int64_t version = 1,
             grant_state state = grant_state::active, environment env = environment::live) {
    published().publish(grant_update{
        {platform_id{"plat_" + std::string{platform}}, by}, env, {state, *parse_scopes("payments:read"), version}});
  }

  /// Publishes the destination without notifying the dispatcher.
  void publish_quietly(destination to, bool held) {
    webhook_endpoint endpoint{std::move(to), "whsec_p", {}, {}};
    endpoint.held = held;
    published().publish(std::make_shared<const webhook_endpoint>(std::move(endpoint)));
  }
  /// Publishes it and notifies the dispatcher, as the directory does.
  void publish_hook(destination to, bool held = false) {
    const auto id = to.id;
    publish_quietly(std::move(to), held);
    caf::anon_send(dispatcher(), destination_changed{id});
    settle();
  }

  pending send_write(entity_request request, const merchant_id& by, environment env) {
    request.key.merchant = request.write->key.merchant = by;
    request.key.env = request.write->key.env = env;
    return send(std::move(request));
  }

  /// A payment that is created and captured: one event.
  void sell(const std::string& id, const merchant_id& by = shop, environment env = environment::live) {
    send_write(create(id, "create " + id), by, env);
    settle();
    const auto captured = send_write(capture(id, "capture " + id), by, env);
    settle();
    REQUIRE(captured.answer().starts_with("capture captured"));
  }

  /// The payments whose events that URL got, in order.
  std::vector<std::string> delivered_to(std::string_view url) {
    std::vector<std::string> list;
    for (const auto& letter : office().sent)
      if (letter.post.url == url) list.push_back(letter.post.body.substr(letter.post.body.rfind(' ') + 1));
    return list;
  }

  std::vector<delivery> rows_to(std::string_view name) {
    find_deliveries all;
    all.to = hook(name).id;
    all.limit = 1'000;
    std::vector<delivery> list;
    for (auto& job : rows().run(all).jobs) list.push_back(std::move(job.row));
    return list;
  }
};

using payments = std::vector<std::string>;

}  // namespace

TEST_CASE("a platform gets live events under its own names for them, and never test events") {
  marketplace w;
  w.publish_hook(hook("tea"));
  w.publish_hook(hook("tea", environment::test));
  w.grant("tea", shop);
  w.grant("tea", shop, 1, grant_state::active, environment::test);
  w.sell("pay_1", shop, environment::test);
  CHECK(w.office().sent.empty());
  w.sell("pay_2");
  REQUIRE(w.office().sent.size() == 1);
  CHECK(w.office().sent[0].post.url == live_url("tea"));
  CHECK(w.office().sent[0].post.body.find(" payment.succeeded pay_2") != std::string::npos);
}

TEST_CASE("a platform gets the events of merchants with an active grant in live, and of no other") {
  marketplace w;
  w.publish_hook(hook("tea"));
  w.publish_hook(hook("coffee"));
  w.publish_hook(hook("milk"));
  w.grant("tea", shop);
  w.grant("coffee", bazaar);
  w.grant("milk", shop, 1, grant_state::active, environment::test);
  w.grant("milk", bazaar, 2, grant_state::revoked);
  w.sell("pay_1", shop);
  w.sell("pay_2", bazaar);
  CHECK(w.delivered_to(live_url("tea")) == payments{"pay_1"});
  CHECK(w.delivered_to(live_url("coffee")) == payments{"pay_2"});
  CHECK(w.delivered_to(live_url("milk")).empty());
}

TEST_CASE(
    "a platform's waiting deliveries are sent after a start once their merchant is in memory, and kept until then") {
  const auto rows = std::make_shared<failing_store>();
  {
    marketplace before{with_live_sandbox(), rows};
    before.office().answer = [](const outgoing_post&) { return std::nullopt; };
    before.publish_hook(hook("tea"));
    before.grant("tea", bazaar);
    before.sell("pay_1", bazaar);
  }
  world w{rows, with_live_sandbox()};
  bool away = true;
  w.looking().finds = [&](const directory_name& name) -> caf::result<bool> {
    if (away || name.what != directory_name::kind::merchant) return make_error(actor_errc::store_unavailable);
    CHECK(name.text == bazaar.value);
    w.publish(in_both_modes(bazaar));
    return true;
  };
  w.published().publish(std::make_shared<const webhook_endpoint>(webhook_endpoint{hook("tea"), "whsec_p", {}, {}}));
  w.advance(5s);
  CHECK(w.office().sent.empty());
  away = false;
  w.advance(40s);
  CHECK(w.office().sent.size() == 1);
}

TEST_CASE("merchant and platforms get one event by separate deliveries") {
  marketplace w;
  auto own = in_both_modes(shop);
  auto mine = hook("shop");
  mine.kind = destination_kind::merchant;
  mine.owner = shop.value;
  own.destinations = {mine};
  w.publish(own);
  w.publish_hook(mine);
  w.publish_hook(hook("tea"));
  w.publish_hook(hook("coffee"));
  w.grant("tea", shop);
  w.grant("coffee", shop);
  w.sell("pay_1");
  REQUIRE(w.office().sent.size() == 3);
  CHECK(w.office().sent_to(live_url("shop")) == 1);
  CHECK(w.office().sent_to(live_url("tea")) == 1);
  CHECK(w.office().sent_to(live_url("coffee")) == 1);
  const auto& bodies = w.office().sent;
  CHECK(bodies[0].post.body.find(" payment.captured ") != std::string::npos);
  CHECK(bodies[1].post.body.substr(0, bodies[1].post.body.find(' ')) ==
        bodies[0].post.body.substr(0, bodies[0].post.body.find(' ')));  // one event id
}

TEST_CASE("a platform gets the types that its destination lists, else all that do not require listing") {
  marketplace w;
  w.publish_hook(hook("tea"));
  w.publish_hook(hook("coffee", environment::live, {"payment.voided"}));
  w.publish_hook(hook("milk", environment::live, {"payment.captured"}));
  for (const auto* name : {"tea", "coffee", "milk"}) w.grant(name, shop);
  w.send_write(world::create("pay_1", "create 1"), shop, environment::live);
  w.settle();
  w.send_write(world::void_("pay_1", "void 1"), shop, environment::live);
  w.settle();
  w.sell("pay_2");
  w.send_write(world::refund("pay_2", "refund 2", 4200), shop, environment::live);
  w.settle();
  CHECK(w.delivered_to(live_url("tea")) == payments{"pay_2", "pay_2"});
  CHECK(w.delivered_to(live_url("coffee")) == payments{"pay_1"});
  CHECK(w.delivered_to(live_url("milk")) == payments{"pay_2"});
}

TEST_CASE("a revoke stops events that are committed after it, and earlier ones are still delivered") {
  marketplace w;
  bool well = false;
  w.office().answer = [&](const outgoing_post&) { return post_office::says(well ? 200 : 500); };
  w.publish_hook(hook("tea"));
  w.grant("tea", shop);
  w.sell("pay_1");
  CHECK(w.rows_to("tea").size() == 1);
  w.grant("tea", shop, 2, grant_state::revoked);
  w.sell("pay_2");
  CHECK(w.rows_to("tea").size() == 1);
  well = true;
  w.advance(1min);
  CHECK(w.rows_to("tea").front().status == delivery_status::delivered);
  w.grant("tea", shop, 3);
  w.sell("pay_3");
  CHECK(w.rows_to("tea").size() == 2);
  for (const auto& id : w.delivered_to(live_url("tea"))) CHECK(id != "pay_2");
}

TEST_CASE("deliveries for a suspended platform are kept, wait, and go out in order once it is resumed") {
  marketplace w;
  w.publish_hook(hook("tea"));
  w.publish_hook(hook("coffee"));
  w.grant("tea", shop);
  w.grant("coffee", shop);
  w.sell("pay_0");
  w.publish_hook(hook("tea"), true);
  payments expected{"pay_0"};
  for (int i = 1; i <= 300; ++i) {  // more than a destination lane holds in memory
    const auto id = "pay_" + std::to_string(i);
    w.sell(id);
    w.advance(10ms, 10ms);
    expected.push_back(id);
  }
  w.advance(2h, 30s);
  CHECK(w.delivered_to(live_url("tea")) == payments{"pay_0"});
  CHECK(w.delivered_to(live_url("coffee")) == expected);
  const auto rows = w.rows_to("tea");
  CHECK(rows.size() == 301);
  CHECK(std::ranges::count(rows, delivery_status::pending, &delivery::status) == 300);
  for (const auto& row : rows) CHECK(row.attempts == (row.status == delivery_status::delivered ? 1 : 0));
  w.publish_hook(hook("tea"));
  w.advance(1s);
  CHECK(w.delivered_to(live_url("tea")) == expected);
  CHECK(std::ranges::count(w.rows_to("tea"), delivery_status::delivered, &delivery::status) == 301);
}

TEST_CASE("deliveries that workers have received when a suspension is answered are not posted, and keep their order") {
  marketplace w;
  w.publish_hook(hook("tea"), true);
  w.grant("tea", shop);
  payments expected;
  for (int i = 0; i < 6; ++i) {
    expected.push_back("pay_" + std::to_string(i));
    w.sell(expected.back());
    w.advance(10ms, 10ms);
  }
  w.office().answer = [&](const outgoing_post&) {
    w.publish_quietly(hook("tea"), true);
    return post_office::says(200);
  };
  w.publish_hook(hook("tea"));  // each of the six workers has an order before the first one posts
  CHECK(w.delivered_to(live_url("tea")) == payments{"pay_0"});
  const auto rows = w.rows_to("tea");
  CHECK(std::ranges::count(rows, 0U, &delivery::attempts) == 5);
  CHECK(std::ranges::count(rows, delivery_status::pending, &delivery::status) == 5);
  w.advance(1h, 30s);
  CHECK(w.delivered_to(live_url("tea")) == payments{"pay_0"});
  w.office().answer = [](const outgoing_post&) { return post_office::says(200); };
  w.publish_hook(hook("tea"));
  CHECK(w.delivered_to(live_url("tea")) == expected);
}

TEST_CASE("a destination lane puts returned deliveries in front of all younger ones, in any order of return") {
  actors::destination_lane lane{hook("tea").id, 8};
  const auto job = [](std::int64_t number) {
    delivery_job made;
    made.row.id = number;
    return made;
  };
  for (const std::int64_t number : {5, 6}) lane.take(job(number));
  for (const std::int64_t number : {2, 4, 1, 3}) lane.take_back(job(number));
  std::vector<std::int64_t> numbers;
  for (const auto& each : lane.ready) numbers.push_back(each.row.id);
  CHECK(numbers == std::vector<std::int64_t>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("a platform that is suspended while it fails loses no attempt by that, and is tried again once resumed") {
  marketplace w;
  w.office().answer = [](const outgoing_post&) { return post_office::says(500); };
  w.publish_hook(hook("tea"));
  w.grant("tea", shop);
  w.sell("pay_1");
  w.publish_hook(hook("tea"), true);
  w.advance(24h, 1min);
  CHECK(w.rows_to("tea").front().attempts == 1);
  CHECK(w.rows_to("tea").front().status == delivery_status::pending);
  w.office().answer = [](const outgoing_post&) { return post_office::says(200); };
  w.publish_hook(hook("tea"));
  w.advance(1s);
  CHECK(w.rows_to("tea").front().status == delivery_status::delivered);
}

TEST_CASE("deliveries that wait for a suspended platform limit no writes, and count as no lag") {
  marketplace w;
  w.publish_hook(hook("tea"), true);
  w.grant("tea", shop);
  for (int i = 0; i < 100; ++i) {
    w.sell("pay_" + std::to_string(i));
    w.advance(100ms, 100ms);
    REQUIRE_FALSE(w.brake().limits());
    REQUIRE(w.meters().webhook_lag_seconds.Value() == 0);
  }
}

TEST_CASE("deliveries that waited for the gateway when their platform was suspended no longer limit writes") {
  auto config = with_live_sandbox();
  config.webhook_workers = 2;
  marketplace w{config};
  w.office().answer = [](const outgoing_post&) { return std::nullopt; };
  w.publish_hook(hook("tea"));
  w.grant("tea", shop);
  // 20 arrive in a second, and the two workers can send 10: each answer takes 200 ms.
  for (int i = 0; i < 80; ++i) {
    w.sell("pay_" + std::to_string(i));
    if (i % 2 == 0) continue;
    w.advance(100ms, 100ms);
    if (i % 4 == 3)
      for (auto& answer : std::exchange(w.office().unanswered, {})) answer(post_office::says(200));
    w.settle();
  }
  REQUIRE(w.brake(environment::live).limits());
  REQUIRE(w.brake(environment::test).limits());
  w.publish_hook(hook("tea"), true);
  w.advance(10s, 100ms);
  CHECK_FALSE(w.brake(environment::live).limits());
  CHECK_FALSE(w.brake(environment::test).limits());
  CHECK(w.meters().webhook_lag_seconds.Value() == 0);
}

TEST_CASE("a platform's destination is tried by the platforms' schedule, and the delivery then fails") {
  marketplace w;
  w.office().answer = [](const outgoing_post&) { return post_office::says(500); };
  w.publish_hook(hook("tea"));
  w.grant("tea", shop);
  w.sell("pay_1");
  const auto started = w.clock().now();
  std::vector<std::int64_t> at{0};
  for (std::size_t seen = 1; w.clock().now() < started + 24h;) {
    w.advance(1s, 1s);
    for (; seen < w.office().sent.size(); ++seen) at.push_back((w.clock().now() - started) / 1s);
  }
  CHECK(at == std::vector<std::int64_t>{0, 1, 6, 36, 336, 2136, 9336, 52536});
  CHECK(w.rows_to("tea").front().status == delivery_status::failed);
}

TEST_CASE("a platform that does not answer delays neither another platform nor the merchant's own destinations") {
  marketplace w;
  w.office().answer = [](const outgoing_post& post) -> std::optional<delivery_attempt> {
    if (post.url.starts_with("https://hangs")) return std::nullopt;
    return post_office::says(200);
  };
  auto own = in_both_modes(shop);
  auto mine = hook("shop");
  mine.kind = destination_kind::merchant;
  mine.owner = shop.value;
  own.destinations = {mine};
  w.publish(own);
  w.publish_hook(mine);
  for (const auto* name : {"hangs", "tea"}) {
    w.publish_hook(hook(name));
    w.grant(name, shop);
  }
  for (int i = 0; i < 100; ++i) w.sell("pay_" + std::to_string(i));
  CHECK(w.office().sent_to(live_url("hangs")) == 8);
  CHECK(w.office().sent_to(live_url("tea")) == 100);
  CHECK(w.office().sent_to(live_url("shop")) == 100);
}

namespace {

destination merchants_hook(std::string_view name, environment env) {
  auto d = hook(name, env);
  d.kind = destination_kind::merchant;
  d.owner = shop.value;
  return d;
}

/// Gives no answer to posts to hosts with this prefix.
auto hanging(std::string_view hosts) {
  return [begin = "https://" + std::string{hosts}](const outgoing_post& post) -> std::optional<delivery_attempt> {
    if (post.url.starts_with(begin)) return std::nullopt;
    return post_office::says(200);
  };
}

}  // namespace

TEST_CASE("an owner whose destinations hang has half of the workers, and another owner's webhooks go out at once") {
  auto config = with_live_sandbox();
  config.webhook_workers = 16;
  marketplace w{config};
  w.office().answer = hanging("hangs");
  for (int i = 0; i < 4; ++i) w.subscribe(merchants_hook("hangs" + std::to_string(i), environment::live));
  for (int i = 0; i < 10; ++i) w.sell("pay_" + std::to_string(i));
  CHECK(w.office().unanswered.size() == 8);
  w.publish_hook(hook("tea"));
  w.grant("tea", shop);
  for (int i = 10; i < 40; ++i) {
    w.sell("pay_" + std::to_string(i));
    w.advance(100ms, 100ms);
    REQUIRE_FALSE(w.brake(environment::live).limits());
    REQUIRE(w.delivered_to(live_url("tea")).size() == static_cast<std::size_t>(i - 9));
  }
}

TEST_CASE("after a restart an owner at its share of the workers does not keep other owners' lanes from the table") {
  auto config = with_live_sandbox();
  config.webhook_workers = 8;
  const auto rows = std::make_shared<failing_store>();
  std::vector<destination> all;
  for (int i = 0; i < 20; ++i) all.push_back(merchants_hook("hangs" + std::to_string(i), environment::live));
  for (auto& each : all) each.owner = "merch_slow";
  for (int i = 0; i < 20; ++i) all.push_back(merchants_hook("well" + std::to_string(i), environment::live));
  {
    marketplace before{config, rows};
    for (auto each : all) {
      each.status = destination_status::disabled;
      before.world::publish(each);
    }
    for (int i = 0; i < 3; ++i) before.sell("pay_" + std::to_string(i));
  }
  marketplace w{config, rows};
  w.office().answer = hanging("hangs");
  for (const auto& each : all) w.world::publish(each);
  w.advance(5s);
  CHECK(w.office().unanswered.size() == 4);
  CHECK(w.office().sent.size() == 4 + 60);
}

TEST_CASE("the test destinations of many owners leave half of the workers to live, and limit no live writes") {
  auto config = with_live_sandbox();
  config.webhook_workers = 16;
  marketplace w{config};
  w.office().answer = hanging("hangs");
  // As if they belonged to many owners: each would have a share of its own.
  auto owner = in_both_modes(shop);
  for (int i = 0; i < 8; ++i) {
    auto to = merchants_hook("hangs" + std::to_string(i), environment::test);
    owner.destinations.push_back(to);
    to.owner = "merch_of_" + std::to_string(i);
    w.publish_quietly(to, false);
  }
  w.publish(owner);
  for (int i = 0; i < 10; ++i) w.sell("pay_t" + std::to_string(i), shop, environment::test);
  CHECK(w.office().unanswered.size() == 8);
  w.publish_hook(hook("tea"));
  w.grant("tea", shop);
  for (int i = 0; i < 30; ++i) {
    w.sell("pay_t" + std::to_string(i + 10), shop, environment::test);
    w.sell("pay_" + std::to_string(i));
    w.advance(100ms, 100ms);
    REQUIRE_FALSE(w.brake(environment::live).limits());
    REQUIRE(w.delivered_to(live_url("tea")).size() == static_cast<std::size_t>(i + 1));
  }
}

TEST_CASE("test deliveries that wait for the gateway limit test writes, and no live ones") {
  auto config = with_live_sandbox();
  config.webhook_workers = 4;
  marketplace w{config};
  w.office().answer = [](const outgoing_post&) { return std::nullopt; };
  w.subscribe(merchants_hook("shop", environment::test));
  for (int i = 0; i < 160; ++i) {
    w.sell("pay_" + std::to_string(i), shop, environment::test);
    if (i % 4 != 3) continue;
    w.advance(100ms, 100ms);
    if (i % 8 == 7)
      for (auto& answer : std::exchange(w.office().unanswered, {})) answer(post_office::says(200));
    w.settle();
    REQUIRE_FALSE(w.brake(environment::live).limits());
  }
  CHECK(w.brake(environment::test).limits());
}

namespace {

/// Takes as many workers as the owner gets.
std::size_t take_all(actors::lane_owners& of, actors::lane_owner& by) {
  std::size_t taken = 0;
  for (; of.permits(by); ++taken) of.take_worker(by, 0);
  return taken;
}

void answer_all(actors::lane_owners& of, actors::lane_owner& by) {
  while (by.awaiting > 0) of.end_attempt(by, 0);
}

}  // namespace

TEST_CASE("an owner has half of the workers, and four fifths while its attempts are short") {
  actors::lane_owners owners{100};
  auto& slow = owners.join("merch_1", environment::live);
  CHECK(take_all(owners, slow) == 50);
  owners.sample(0.1);
  CHECK(owners.is_held_up_by_itself(slow));
  CHECK(take_all(owners, owners.join("merch_2", environment::live)) == 25);

  actors::lane_owners others{100};
  auto& quick = others.join("merch_1", environment::live);
  CHECK(take_all(others, quick) == 50);
  answer_all(others, quick);
  others.sample(0.1);
  CHECK(take_all(others, quick) == 30);
  CHECK_FALSE(others.is_held_up_by_itself(quick));
  // Its answers are missing: it counts as slow as soon as that is noticed.
  for (int i = 0; i < 30; ++i) others.sample(0.1);
  CHECK_FALSE(others.permits(quick));
  CHECK(others.is_held_up_by_itself(quick));
}

TEST_CASE("all owners in test together have no more workers than one owner may have") {
  actors::lane_owners owners{100};
  std::size_t taken = 0;
  for (int i = 0; i < 20; ++i) taken += take_all(owners, owners.join("merch_" + std::to_string(i), environment::test));
  CHECK(taken == 50);
  CHECK(take_all(owners, owners.join("merch_1", environment::live)) == 25);
}

TEST_CASE("an owner may hold half of the memory, and may always make one attempt") {
  actors::lane_owners owners{100, 1'000};
  auto& first = owners.join("merch_1", environment::live);
  CHECK(owners.may_hold(first, 500));
  CHECK_FALSE(owners.may_hold(first, 501));
  owners.hold(first, 500);
  CHECK_FALSE(owners.may_hold(first, 1));
  // Waiting deliveries do not count against attempts.
  CHECK(owners.may_hold_for_attempt(first, 5'000));
  owners.take_worker(first, 500);
  CHECK_FALSE(owners.may_hold_for_attempt(first, 1));
  owners.end_attempt(first, 500);
  CHECK(owners.may_hold_for_attempt(first, 500));
  auto& second = owners.join("merch_2", environment::live);
  CHECK(owners.may_hold(second, 250));
  // Memory held beyond the share counts only against the owner.
  owners.hold(first, 5'000);
  CHECK(owners.may_hold(second, 250));
  owners.release(first, 5'500);
  CHECK(owners.may_hold(second, 500));
}

namespace {

struct queued_lane : actors::destination_lane {
  explicit queued_lane(std::string name) : destination_lane{destination_id{std::move(name)}, 8} {}
};

}  // namespace

TEST_CASE("a destination lane whose owner becomes known while it is queued takes no worker beyond the owner's share") {
  actors::lane_owners owners{4};
  queued_lane lane{"dest_1"};
  owners.enqueue(lane);
  lane.owner = &owners.join("merch_1", environment::live);
  CHECK(take_all(owners, *lane.owner) == 2);
  CHECK(owners.next() == nullptr);
  owners.give_back_worker(*lane.owner);
  CHECK(owners.next() == &lane);
}

TEST_CASE("an owner that waits for the memory of an attempt continues when one ends") {
  actors::lane_owners owners{100, 1'000};
  queued_lane lane{"dest_1"};
  lane.owner = &owners.join("merch_1", environment::live);
  owners.take_worker(*lane.owner, 300);
  owners.enqueue(lane);
  REQUIRE(owners.next() == &lane);
  REQUIRE_FALSE(owners.may_hold_for_attempt(*lane.owner, 400));
  owners.wait_for_bytes(lane, 400);
  CHECK(owners.next() == nullptr);
  // Its result is still being recorded.
  owners.end_attempt(*lane.owner, 300);
  CHECK(owners.next() == &lane);
}
