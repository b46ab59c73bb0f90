// Stripe's notifications: signed, once, late, repeated, out of order, forged, about an unknown object.
#include <catch2/catch.hpp>

#include <algorithm>
#include <iostream>
#include <thread>

#include "attack.hpp"
#include "open_loop.hpp"
#include "stripe_fixture.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

constexpr auto secret = stripe_process::webhook_secret;

struct open_checkout {
  std::string id = new_payment_id();
  std::string page;

  explicit open_checkout(stripe_shop& s) {
    const auto answer = s.merchant.create(redirect_payment(id, "USD"));
    REQUIRE(summary_of(answer) == "200 processing");
    page = json::parse(answer.body)["provider.hosted_url"].text();
  }
};

bool is_refused(const reply& answer) { return answer.status >= 400 && answer.status < 500; }

}  // namespace

TEST_CASE("stripe: forged, stale and unreadable notifications are refused and change nothing") {
  auto& on = shared_stripe(GENERATE(from_range(stores())));
  stripe_shop s{on};
  const open_checkout one{s};
  auto browser = on.gateway.connect();
  const auto id = "evt_" + random_hex(12);
  // The event that would announce a payment if it were true.
  const auto body =
      stripe_event(s.connected, "payment_intent.succeeded",
                   object{}
                       .set("id", "pi_forged")
                       .set("object", "payment_intent")
                       .set("status", "succeeded")
                       .set("metadata", object{}.set("gateway_merchant", s.account.id).set("gateway_payment", one.id))
                       .text(),
                   false, id);
  auto changed = body;
  changed.back() = ' ';
  changed += '}';
  const std::string no_json = "{\"id\":", no_event = R"({"object":"event"})";
  struct row {
    const char* what;
    std::string body;
    std::string signature;
  };
  const std::vector<row> rows{
      {"no signature", body, ""},
      {"another secret", body, stripe_signature("whsec_of_somebody_else", body)},
      {"the signature of another body", changed, stripe_signature(secret, body)},
      {"not a signature", body, "t=now,v1=beef"},
      {"no scheme that is known", body, "t=1,v0=" + std::string(64, 'a')},
      {"signed eleven minutes ago", body, stripe_signature(secret, body, -11min)},
      {"signed in eleven minutes", body, stripe_signature(secret, body, 11min)},
      {"signed, and no JSON", no_json, stripe_signature(secret, no_json)},
      {"signed, and no event", no_event, stripe_signature(secret, no_event)},
      {"nothing", "", stripe_signature(secret, "")},
  };
  const auto before = notifications(on.gateway).size();
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto answer = notify_of_stripe(browser, row.body, row.signature);
    CAPTURE(answer.status, answer.body);
    CHECK(is_refused(answer));
  }
  // A test event at the live address: the secret is the same here, but the mode differs.
  CHECK(notifications(on.gateway).size() == before);
  CHECK(notifications(on.gateway, id).empty());
  CHECK(s.merchant.state_of(one.id) == "processing");
}

TEST_CASE("stripe: a path that is not a provider's notification address is not found, and large bodies are refused") {
  auto& on = shared_stripe(store_kind::sqlite);
  auto browser = on.gateway.connect();
  const auto body = stripe_event("acct_1", "payment_intent.succeeded", "{}");
  for (const std::string path : {"nobody/test", "stripe/staging", "sandbox/test"}) {
    CAPTURE(path);
    const http_request post{
        "POST",
        "/v1/public/providers/" + path + "/notifications",
        {{"Content-Type", "application/json"}, {"Stripe-Signature", stripe_signature(secret, body)}},
        body};
    CHECK(browser.send(post).status == 404);
  }
  const auto large = body + std::string(300 * 1024, ' ');
  CHECK(is_refused(notify_of_stripe(browser, large, stripe_signature(secret, large))));
}

TEST_CASE("stripe: a true event counts once, however often, in whatever order and however late it arrives") {
  stripe_stage on{GENERATE(from_range(stores()))};
  stripe_shop s{on};
  webhook_receiver receiver;
  set_destination(on.gateway, s.account, receiver.url());
  on.stripe.notifies(on.gateway, object{}.set("copies", 4).set("scatter_ms", 1'500).set("forge", 0).set("seed", 7));
  const open_checkout one{s};
  CHECK(on.stripe.click(one.page, "decline").status == 200);
  CHECK(on.stripe.click(one.page, "pay").status == 303);
  CHECK(s.comes_to(one.id, "captured"));
  const auto delivered = [](const json& reported) { return reported["delivered"] == true; };
  CHECK(eventually(
      [&] { return std::ranges::all_of(on.stripe.reported("notifications")["notifications"].items(), delivered); }));
  CHECK(s.merchant.state_of(one.id) == "captured");
  CHECK(receiver.comes_to(1));
  CHECK(receiver.count() == 1);
  const auto all = history(s.merchant.timeline(one.id));
  CHECK(std::ranges::count(all, "event payment.captured published") == 1);
  for (const auto& event : on.stripe.events(s.connected, "checkout.session.completed"))
    CHECK(notifications(on.gateway, event["id"].text()).size() == 1);
}

TEST_CASE("stripe: a notification that is refused or gets no answer is posted again, and arrives") {
  stripe_stage on{store_kind::sqlite};
  stripe_shop s{on};
  on.stripe.notifies(on.gateway, object{}.raw("forge", "0.5").set("seed", 3));
  const open_checkout one{s}, other{s};
  CHECK(on.stripe.click(one.page, "pay").status == 303);
  on.gateway.kill();
  CHECK(on.stripe.click(other.page, "pay").status == 303);
  std::this_thread::sleep_for(500ms);
  on.gateway.start();
  stripe_shop later{on};
  api again{on.gateway, s.account.test};
  for (const auto& id : {one.id, other.id})
    CHECK(eventually([&] { return again.state_of(id) == "captured"; }, before_next_look));
}

TEST_CASE("stripe: an event about an unknown payment is kept, and can be replayed") {
  auto& on = shared_stripe(GENERATE(from_range(stores())));
  stripe_shop s{on};
  auto browser = on.gateway.connect();
  const auto event = "evt_" + random_hex(12);
  const auto body = stripe_event(
      s.connected, "payment_intent.succeeded",
      object{}
          .set("id", "pi_nobodys")
          .set("object", "payment_intent")
          .set("metadata", object{}.set("gateway_merchant", s.account.id).set("gateway_payment", new_payment_id()))
          .text(),
      false, event);
  for (int i = 0; i < 3; ++i) CHECK(notify_of_stripe(browser, body, stripe_signature(secret, body)).status == 200);
  REQUIRE(notifications(on.gateway, event).size() == 1);
  const auto kept = notifications(on.gateway, event).front();
  CHECK(kept["provider"] == "stripe");
  CHECK(kept["type"] == "payment_intent.succeeded");
  CHECK(kept["account"] == s.connected);
  CHECK(kept["state"] == "waiting");
  on.gateway.ctl({"notification", "replay", kept["id"].text()});
  CHECK(notifications(on.gateway, event).front()["state"] == "waiting");
  // Operators' lists do not show its contents.
  CHECK(kept.dump().find("gateway_payment") == std::string::npos);
}

TEST_CASE("stripe: an event that arrives before its payment is applied when the payment exists") {
  auto& on = shared_stripe(GENERATE(from_range(stores())));
  stripe_shop s{on};
  auto browser = on.gateway.connect();
  const auto id = new_payment_id(), event = "evt_" + random_hex(12);
  const auto body =
      stripe_event(s.connected, "payment_intent.succeeded",
                   object{}
                       .set("id", "pi_early")
                       .set("object", "payment_intent")
                       .set("metadata", object{}.set("gateway_merchant", s.account.id).set("gateway_payment", id))
                       .text(),
                   false, event);
  REQUIRE(notify_of_stripe(browser, body, stripe_signature(secret, body)).status == 200);
  // The stand-in's own events are lost: only the one above can settle the payment.
  on.stripe.notifies(on.gateway, object{}.set("lose", 1));
  const auto answer = s.merchant.create(redirect_payment(id, "USD"));
  REQUIRE(summary_of(answer) == "200 processing");
  CHECK(on.stripe.click(json::parse(answer.body)["provider.hosted_url"].text(), "pay").status == 303);
  const auto kept = notifications(on.gateway, event);
  REQUIRE(kept.size() == 1);
  on.gateway.ctl({"notification", "replay", kept.front()["id"].text()});
  CHECK(s.comes_to(id, "captured"));
  CHECK(notifications(on.gateway, event).front()["state"] == "applied");
  on.stripe.notifies(on.gateway, object{}.set("lose", 0));
}

TEST_CASE("stripe: an event is no proof: what is not true at Stripe changes nothing") {
  auto& on = shared_stripe(GENERATE(from_range(stores())));
  stripe_shop s{on};
  auto browser = on.gateway.connect();
  const open_checkout one{s};
  const auto body =
      stripe_event(s.connected, "checkout.session.completed",
                   object{}
                       .set("id", "cs_test_1")
                       .set("object", "checkout.session")
                       .set("payment_status", "paid")
                       .set("metadata", object{}.set("gateway_merchant", s.account.id).set("gateway_payment", one.id))
                       .text());
  CHECK(notify_of_stripe(browser, body, stripe_signature(secret, body)).status == 200);
  std::this_thread::sleep_for(1s);
  CHECK(s.merchant.state_of(one.id) == "processing");
  CHECK(s.moves().empty());
}

// `tools/bench promptness` judges that their latency does not suffer.
TEST_CASE("stripe: a thousand forged notifications a second, and quiet clients do not notice", "[speed]") {
  gateway_options options;
  options.arguments = {"--http-connections-per-address=10000", "--log-level=warn"};
  gateway_process gateway{options};
  {
    const stripe_process stripe;
    configure_stripe(gateway, stripe);
  }
  const auto account = new_merchant(gateway);
  quiet_clients quiet{gateway, account.test, 4};
  quiet.work(judges_speed() ? 1000ms : 100ms);
  const auto body = stripe_event("acct_1", "payment_intent.succeeded",
                                 object{}.set("id", "pi_1").set("note", std::string(2'000, 'x')).text());
  const auto forged = stripe_signature("whsec_of_somebody_else", body);

  constexpr int attempts = 3;
  constexpr double noise_ms = 15;
  double before = 0, during = 0;
  std::atomic<std::size_t> refused{0}, otherwise{0};
  bool unnoticed = false;
  for (int attempt = 0; attempt < attempts && !unnoticed; ++attempt) {
    before = percentile(quiet.work(judges_speed() ? 700ms : 100ms), 0.99);
    std::vector<https_client> senders;
    for (int i = 0; i < 4; ++i) senders.push_back(gateway.connect());
    attackers crowd{4, [&](unsigned number) {
                      const auto due = std::chrono::steady_clock::now() + 4ms;
                      const auto reported = notify_of_stripe(senders[number], body, forged);
                      is_refused(reported) ? ++refused : ++otherwise;
                      std::this_thread::sleep_until(due);
                    }};
    std::this_thread::sleep_for(100ms);
    during = percentile(quiet.work(judges_speed() ? 1000ms : 300ms), 0.99);
    crowd.stop();
    unnoticed = !judges_speed() || during <= 1.2 * before + noise_ms;
  }
  std::cout << "forged notifications: p99 " << before << " -> " << during << " ms, " << refused << " refused\n";
  CHECK(unnoticed);
  CHECK(otherwise == 0);
  CHECK(refused > 10);
  CHECK(notifications(gateway).empty());
  for (const auto& answer : quiet.unexpected_answers()) FAIL_CHECK(answer);
}
