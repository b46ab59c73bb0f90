// Webhooks during crashes of either side: every event reaches every destination at least once, no other event arrives,
// and a repeated delivery is byte-identical. Followers of the log read each event once, with the same bytes.
#include <catch2/catch.hpp>

#include <iostream>
#include <random>

#include "crash_fixture.hpp"
#include "destinations.hpp"
#include "log_followers.hpp"
#include "open_loop.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += '\n' + line;
  return text;
}

/// A pseudo-random number for each delivery, the same for all its posts.
std::size_t dice(const webhook_post& post) { return std::hash<std::string>{}(post.delivery()); }

const webhook_answer internal_error{.status = 500, .headers = {}, .body = "out of paper"};
const webhook_answer no_word{.how = webhook_answer::ending::close};
const webhook_answer no_answer_yet{.how = webhook_answer::ending::hang};

/// Fails one delivery in five. Deliveries have one attempt, so the operator redelivers the failed ones.
webhook_answer of_a_merchant(const webhook_post& post, unsigned attempt) {
  if (attempt > 1 || dice(post) % 5 != 0) return {};
  return dice(post) % 2 == 0 ? internal_error : no_word;
}

/// Fails the first attempt of every fourth delivery, and further attempts of some of these.
webhook_answer of_a_platform(const webhook_post& post, unsigned attempt) {
  if (attempt > 2 || dice(post) % 4 != 0) return {};
  if (attempt == 2) return dice(post) % 3 == 0 ? internal_error : webhook_answer{};
  return dice(post) % 8 == 0 ? no_word : internal_error;
}

/// Clients in live mode, two destinations of their webhooks, and three followers of their events.
struct webhook_crash_fixture {
  webhook_receiver shop, platform;
  crash_fixture fixture;
  webhook_destination to_shop, to_platform;
  log_followers followers;

  explicit webhook_crash_fixture(fixture_options options) : fixture{with_arguments(std::move(options))} {
    auto live = new_merchant(*fixture.gateway, {"Lantern Books", "standard", "", true});
    live.test = live.live;  // the clients sign with it
    fixture.account = live;
    to_shop = set_destination(*fixture.gateway, live, shop.url(), "live");
    to_platform = set_destination(*fixture.gateway, live, platform.url(), "live");
    turn_into_platform(*fixture.gateway, to_platform.id);
    shop.answers("/hooks", of_a_merchant);
    platform.answers("/hooks", of_a_platform);
    followers = three_followers({fixture.gateway.get()}, live.live, fixture.settings.seed);
    fixture.start_clients();
  }

  static fixture_options with_arguments(fixture_options options) {
    options.gateway_arguments = {"--webhook-attempts=1"};
    return options;
  }

  /// Stops both receivers for a moment.
  void outage() {
    shop.stop();
    platform.stop();
    fixture.work(600ms);
    shop.start();
    platform.start();
  }

  /// To be called after the clients have finished. The operator redelivers failed deliveries, and finally those that
  /// would be retried only in minutes because outages have used up the quick attempts.
  void holds(const std::string& fault) {
    fixture.holds(fault);
    std::int64_t again = 0;
    const auto redeliver = [&](const std::vector<std::string>& which) {
      std::vector<std::string> command{"delivery", "redeliver"};
      command.insert(command.end(), which.begin(), which.end());
      again += fixture.gateway->ctl(command)["redelivered"].number();
    };
    std::vector<std::string> left;
    const auto began = std::chrono::steady_clock::now();
    do {
      redeliver({"--destination", to_shop.id});
      left = left_undelivered(*fixture.gateway, fixture.account, 1s);
      if (std::chrono::steady_clock::now() > began + 8s)
        for (const auto& row : left) redeliver({row.substr(0, row.find('\t'))});
    } while (!left.empty() && std::chrono::steady_clock::now() < began + hang_timeout);
    INFO("not delivered:" << joined(left));
    CHECK(left.empty());
    const auto found =
        audit_deliveries(*fixture.gateway, fixture.account, "live", {{shop, to_shop}, {platform, to_platform, true}});
    const auto followed = audit_followers(*fixture.gateway, fixture.account, "live", followers, shop);
    std::cout << to_string(fixture.store) << ", " << fault << ": " << found.events
              << " events to two destinations and three followers, " << found.posts << " posts, " << found.repeats
              << " of them repeats, " << again << " delivered again by the operator, "
              << found.broken.size() + followed.broken.size() << " broken promises (seed " << fixture.settings.seed
              << ")" << std::endl;
    INFO("broken promises:" << joined(found.broken) << joined(followed.broken));
    CHECK(found.broken.empty());
    CHECK(followed.broken.empty());
    CHECK(found.events > 0);
    CHECK(found.repeats > 0);
  }
};

/// A gateway whose deliveries to a receiver that hangs wait, and never fail.
struct waiting_deliveries {
  crash_settings settings = crash_settings::of_environment();
  std::size_t wanted = static_cast<std::size_t>(settings.deliveries);
  gateway_process gateway;
  merchant_account account;

  explicit waiting_deliveries(store_kind store)
      : gateway{{.store = store, .arguments = {"--webhook-answer-timeout=2m", "--log-level=warn"}}},
        account{new_merchant(gateway)} {}

  std::size_t count(const std::string& status, const webhook_destination& to) const {
    return std::stoull(gateway.sql("SELECT COUNT(*) FROM deliveries WHERE status = '" + status +
                                   "' AND destination_id = '" + to.id + "';"));
  }
  /// Makes `wanted` events, whose deliveries to this destination all wait.
  void fill(const webhook_destination& to) const {
    const auto creates = signed_creates(gateway, account.test, wanted, "pm_card_riskBlocked");
    REQUIRE(run_load(gateway, creates, {0, 5min, 32}).count(200) == wanted);
    REQUIRE(count("pending", to) == wanted);
  }
};

}  // namespace

TEST_CASE("webhooks: kill -9 of the gateway, and endpoints that fail and go away, lose no event and invent none") {
  webhook_crash_fixture t{{.store = GENERATE(from_range(stores()))}};
  for (int round = 0; round < t.fixture.settings.rounds; ++round) {
    t.fixture.work();
    t.fixture.gateway->kill();
    t.fixture.gateway->start();
    t.outage();
  }
  t.fixture.finish();
  t.holds("kill -9 of the gateway, endpoints away");
}

TEST_CASE("webhooks: kill -9 of MariaDB during deliveries loses no event and invents none") {
  if (std::ranges::count(stores(), store_kind::mysql) == 0) return;
  webhook_crash_fixture t{{.store = store_kind::mysql, .own_database = true}};
  for (int round = 0; round < t.fixture.settings.rounds; ++round) {
    t.fixture.work();
    t.fixture.database->kill();
    std::this_thread::sleep_for(t.fixture.between(0, 1'000));
    t.fixture.database->start();
    CHECK(eventually([&] { return t.fixture.gateway->ready(); }));
    if (round % 2 == 1) t.outage();
  }
  t.fixture.finish();
  t.holds("kill -9 of MariaDB, endpoints away");
}

TEST_CASE(
    "webhooks: kill -9 of the gateway with deliveries pending, again and again: each arrives, and repeats are "
    "identical") {
  const auto store = GENERATE(from_range(stores()));
  waiting_deliveries t{store};
  webhook_receiver receiver;
  const auto to = set_destination(t.gateway, t.account, receiver.url());

  // While the receiver hangs, everything except a window of attempts waits, and nothing has failed.
  receiver.answers("/hooks", no_answer_yet);
  t.fill(to);
  const auto hung = receiver.count();
  CHECK(hung > 0);
  CHECK(hung < 100);

  const auto began = std::chrono::steady_clock::now();
  const auto rounds = static_cast<std::size_t>(t.settings.rounds);
  std::string pending_at_kill;
  for (std::size_t round = 0; round < rounds; ++round) {
    REQUIRE(receiver.comes_to(hung + t.wanted * round / rounds, "/hooks"));
    t.gateway.kill();
    pending_at_kill += ' ' + std::to_string(t.count("pending", to));
    receiver.answers("/hooks", webhook_answer{.delay = 5ms});
    t.gateway.start();
  }
  const auto left = left_undelivered(t.gateway, t.account);
  INFO("not delivered:" << joined(left));
  CHECK(left.empty());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const auto found = audit_deliveries(t.gateway, t.account, "test", {{receiver, to}});
  std::cout << to_string(store) << ": " << t.wanted << " deliveries, " << rounds << " times kill -9 with pending"
            << pending_at_kill << "; all delivered after " << took.count() << " s, " << found.repeats << " of "
            << found.posts << " posts were repeats, " << found.broken.size() << " broken promises" << std::endl;
  INFO("broken promises:" << joined(found.broken));
  CHECK(found.broken.empty());
  CHECK(found.events == t.wanted);
  CHECK(found.repeats >= hung);
}

TEST_CASE(
    "webhooks: kill -9 while the deliveries of a deleted destination are dropped: all of them end, and nothing more is "
    "posted there") {
  const auto store = GENERATE(from_range(stores()));
  waiting_deliveries t{store};
  std::mt19937 random{t.settings.seed};
  std::string pending_at_kill;
  for (int round = 0; round < t.settings.rounds; ++round) {
    CAPTURE(round, t.settings.seed);
    webhook_receiver doomed, other;
    const auto to_doomed = set_destination(t.gateway, t.account, doomed.url());
    const auto to_other = set_destination(t.gateway, t.account, other.url());
    doomed.answers("/hooks", no_answer_yet);
    t.fill(to_doomed);

    t.gateway.ctl({"destination", "delete", to_doomed.id});
    std::this_thread::sleep_for(std::chrono::milliseconds{random() % 30});
    t.gateway.kill();
    pending_at_kill += ' ' + std::to_string(t.count("pending", to_doomed));
    doomed.stop();  // so that it has counted all that was posted
    const auto posted = doomed.count();
    doomed.start();
    t.gateway.start();
    CHECK(eventually([&] { return t.count("pending", to_doomed) == 0; }));
    CHECK(t.count("failed", to_doomed) == t.wanted);
    CHECK(eventually([&] { return t.count("delivered", to_other) == t.wanted; }));
    CHECK(doomed.count() == posted);
    t.gateway.ctl({"destination", "delete", to_other.id});
  }
  std::cout << to_string(store) << ": a destination deleted with " << t.wanted << " deliveries waiting, "
            << t.settings.rounds << " times kill -9 with pending" << pending_at_kill << " (seed " << t.settings.seed
            << ")" << std::endl;
}

TEST_CASE("the audits of webhooks and of followers report what is lost, invented, unsigned or altered") {
  gateway_process gateway{{.store = GENERATE(from_range(stores()))}};
  const auto account = new_merchant(gateway);
  webhook_receiver receiver;
  const auto to = set_destination(gateway, account, receiver.url());
  api merchant{gateway, account.test};
  for (int i = 0; i < 3; ++i)
    REQUIRE(summary_of(merchant.create(server_payment(new_payment_id(), "pm_card_riskBlocked"))) == "200 failed");
  REQUIRE(deliveries_come_to(gateway, to.id, "delivered", 3));
  const auto followers = three_followers({&gateway}, account.test, 1);
  const auto misread = [&] { return audit_followers(gateway, account, "test", followers, receiver).broken.size(); };
  REQUIRE(misread() == 0);
  gateway.kill();
  const auto broken = [&](const webhook_destination& destination, bool platform = false) {
    return audit_deliveries(gateway, account, "test", {{receiver, destination, platform}}).broken.size();
  };
  REQUIRE(broken(to) == 0);
  CHECK(broken({to.id, to.secret + "0", to.path}) == 3);
  CHECK(broken({to.id, to.secret, "/elsewhere"}) == 3);
  CHECK(broken({"dest_nobody", to.secret, to.path}) == 6);
  const auto number = receiver.posts().front().delivery(), event = receiver.posts().front().event();
  const auto of_delivery = " WHERE delivery_id = " + number + ";", of_event = " WHERE event_id = '" + event + "';";
  gateway.sql("UPDATE deliveries SET status = 'pending'" + of_delivery);
  CHECK(broken(to) == 1);
  gateway.sql("UPDATE deliveries SET status = 'delivered'" + of_delivery + "UPDATE events SET event_id = 'evt_1'" +
              of_event);
  CHECK(broken(to) == 1);
  // Each of the followers has read an event that is in no row, and has not read one that is.
  CHECK(misread() == 6);
  gateway.sql("DELETE FROM events WHERE event_id = 'evt_1';");
  CHECK(broken(to) == 1);
  CHECK(misread() == 3);
  gateway.sql("DELETE FROM deliveries" + of_delivery);
  CHECK(broken(to) == 1);
}
