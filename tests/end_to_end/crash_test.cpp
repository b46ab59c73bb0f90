// Every part is killed, or stopped for a while, in the middle of the work. Clients repeat what was not answered, under
// the same keys; afterwards nothing acknowledged may be lost, nothing done twice, nothing left open, and the provider's
// ledger, the payments and what clients were told agree row by row.
#include <catch2/catch.hpp>

#include <csignal>

#include "crash_stand.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

TEST_CASE("kill -9 of the gateway in the middle of the work loses nothing and does nothing twice") {
  crash_stand stand{{.store = GENERATE(from_range(stores())), .provider_timeout = "30s"}};
  stand.go();
  for (int round = 0; round < stand.wishes.rounds; ++round) {
    stand.work();
    stand.gateway->kill();
    stand.gateway->start();
  }
  stand.finish();
  stand.holds("kill -9 of the gateway");
  // A crash is no doubt: the provider, asked again, tells what it did.
  CHECK(stand.clients->in_doubt() == 0);
}

TEST_CASE("crashes in quick succession, also while starting, leave a store that starts") {
  crash_stand stand{{.store = GENERATE(from_range(stores()))}};
  stand.go();
  for (int round = 0; round < stand.wishes.rounds; ++round) {
    REQUIRE(stand.goes_on(5));
    stand.gateway->kill();
    stand.gateway->start();
    stand.gateway->kill();
    stand.gateway->start();
  }
  stand.finish();
  stand.holds("kill -9 of the gateway as it starts");
}

TEST_CASE("a gateway that stands still for seconds goes on where it was") {
  crash_stand stand{{.store = GENERATE(from_range(stores()))}};
  stand.go();
  for (int round = 0; round < stand.wishes.rounds; ++round) {
    stand.work();
    stand.gateway->send_signal(SIGSTOP);
    std::this_thread::sleep_for(stand.between(500, 2'500));
    stand.gateway->send_signal(SIGCONT);
  }
  stand.finish();
  stand.holds("SIGSTOP of the gateway");
}

TEST_CASE("kill -9 of the provider leaves outcomes unknown, never wrong, and the calls go on when it is back") {
  crash_stand stand{{.store = GENERATE(from_range(stores()))}};
  stand.go();
  for (int round = 0; round < stand.wishes.rounds; ++round) {
    stand.work();
    const auto in_doubt = stand.clients->in_doubt();
    stand.provider.kill();
    // A payment is created, and its outcome is pending: the provider may have been asked.
    CHECK(eventually([&] { return stand.clients->in_doubt() > in_doubt; }));
    CHECK(stand.gateway->ready());
    stand.provider.start();
  }
  stand.finish();
  stand.holds("kill -9 of the provider");
}

TEST_CASE("a provider that stands still for seconds leaves outcomes unknown until it goes on") {
  crash_stand stand{{.store = GENERATE(from_range(stores()))}};
  stand.go();
  for (int round = 0; round < stand.wishes.rounds; ++round) {
    stand.work();
    stand.provider.send_signal(SIGSTOP);
    std::this_thread::sleep_for(stand.between(500, 2'500));
    stand.provider.send_signal(SIGCONT);
  }
  stand.finish();
  stand.holds("SIGSTOP of the provider");
}

TEST_CASE("a provider that is slow and loses answers to what it has done is asked again, and executes nothing twice") {
  crash_stand stand{{.store = GENERATE(from_range(stores())), .provider_arguments = {"--lose=10", "--delay=40"}}};
  stand.go();
  for (int round = 0; round < stand.wishes.rounds; ++round) {
    stand.work();
    stand.gateway->kill();
    stand.gateway->start();
  }
  CHECK(eventually([&] { return stand.clients->in_doubt() > 0; }, 60s));
  stand.finish();
  stand.holds("lost answers, and kill -9 of the gateway");
}

TEST_CASE("kill -9 of MariaDB: writes answer 503 with Retry-After, readiness tells, and service resumes by itself") {
  if (std::ranges::count(stores(), store_kind::mysql) == 0) return;
  crash_stand stand{{.store = store_kind::mysql, .own_database = true}};
  stand.go();
  for (int round = 0; round < stand.wishes.rounds; ++round) {
    stand.work();
    const auto unavailable = stand.clients->unavailable();
    stand.database->kill();
    CHECK(eventually([&] { return stand.clients->unavailable() > unavailable; }, 30s));
    CHECK(eventually([&] { return stand.gateway->status_of("/readyz") == 503; }, 30s));
    CHECK(stand.gateway->status_of("/healthz") == 200);

    api merchant{*stand.gateway, stand.bystander.test};
    const auto refused = merchant.create(server_payment(new_payment_id()));
    CHECK(refused.status == 503);
    CHECK(refused.header("Retry-After").has_value());
    CHECK(merchant.view("pay_nobody_has_seen").status == 503);
    CHECK(stand.gateway->running());

    stand.database->start();
    CHECK(eventually([&] { return stand.gateway->ready(); }, 30s));
  }
  stand.finish();
  stand.holds("kill -9 of MariaDB");
}

TEST_CASE(
    "a MariaDB that stands still for seconds, also for longer than it is waited for, leaves no commit in doubt for "
    "good") {
  if (std::ranges::count(stores(), store_kind::mysql) == 0) return;
  crash_stand stand{{.store = store_kind::mysql, .own_database = true}};
  stand.go();
  for (int round = 0; round < stand.wishes.rounds; ++round) {
    stand.work();
    stand.database->send_signal(SIGSTOP);
    // The gateway waits for 10 s for an answer. What it has sent before is carried out when the server goes on.
    std::this_thread::sleep_for(round % 10 == 0 ? 11s : stand.between(500, 2'500));
    stand.database->send_signal(SIGCONT);
  }
  stand.finish();
  stand.holds("SIGSTOP of MariaDB");
}
