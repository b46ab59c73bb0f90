// Every part is killed, or stopped for a while, under load. Clients repeat unanswered requests under the same keys.
// Afterwards no acknowledged write is lost, nothing is done twice, nothing is left open, and the provider's ledger, the
// payments and the clients' answers agree row by row.
#include <catch2/catch.hpp>

#include <csignal>

#include "crash_fixture.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

TEST_CASE("kill -9 of the gateway under load loses nothing and does nothing twice") {
  crash_fixture fixture{{.store = GENERATE(from_range(stores())), .provider_timeout = "30s"}};
  fixture.start_clients();
  for (int round = 0; round < fixture.settings.rounds; ++round) {
    fixture.work();
    fixture.gateway->kill();
    fixture.gateway->start();
  }
  fixture.finish();
  fixture.holds("kill -9 of the gateway");
  // A crash leaves no unknown outcome: the provider, asked again, reports what it did.
  CHECK(fixture.clients->in_doubt() == 0);
}

TEST_CASE("crashes in quick succession, also during the start, leave a store that starts") {
  crash_fixture fixture{{.store = GENERATE(from_range(stores()))}};
  fixture.start_clients();
  for (int round = 0; round < fixture.settings.rounds; ++round) {
    REQUIRE(fixture.makes_progress(5));
    fixture.gateway->kill();
    fixture.gateway->start();
    fixture.gateway->kill();
    fixture.gateway->start();
  }
  fixture.finish();
  fixture.holds("kill -9 of the gateway as it starts");
}

TEST_CASE("a gateway that is stopped for seconds continues where it was") {
  crash_fixture fixture{{.store = GENERATE(from_range(stores()))}};
  fixture.start_clients();
  for (int round = 0; round < fixture.settings.rounds; ++round) {
    fixture.work();
    fixture.gateway->send_signal(SIGSTOP);
    std::this_thread::sleep_for(fixture.between(500, 2'500));
    fixture.gateway->send_signal(SIGCONT);
  }
  fixture.finish();
  fixture.holds("SIGSTOP of the gateway");
}

TEST_CASE("kill -9 of the provider leaves outcomes unknown, never wrong, and calls resume when it is back") {
  crash_fixture fixture{{.store = GENERATE(from_range(stores()))}};
  fixture.start_clients();
  for (int round = 0; round < fixture.settings.rounds; ++round) {
    fixture.work();
    const auto in_doubt = fixture.clients->in_doubt();
    fixture.provider.kill();
    // The payment exists with a pending outcome, because the provider may have received the call.
    CHECK(eventually([&] { return fixture.clients->in_doubt() > in_doubt; }));
    CHECK(fixture.gateway->ready());
    fixture.provider.start();
  }
  fixture.finish();
  fixture.holds("kill -9 of the provider");
}

TEST_CASE("a provider that is stopped for seconds leaves outcomes unknown until it continues") {
  crash_fixture fixture{{.store = GENERATE(from_range(stores()))}};
  fixture.start_clients();
  for (int round = 0; round < fixture.settings.rounds; ++round) {
    fixture.work();
    fixture.provider.send_signal(SIGSTOP);
    std::this_thread::sleep_for(fixture.between(500, 2'500));
    fixture.provider.send_signal(SIGCONT);
  }
  fixture.finish();
  fixture.holds("SIGSTOP of the provider");
}

TEST_CASE("a slow provider that loses answers to executed calls is asked again, and executes nothing twice") {
  crash_fixture fixture{{.store = GENERATE(from_range(stores())), .provider_arguments = {"--lose=10", "--delay=40"}}};
  fixture.start_clients();
  for (int round = 0; round < fixture.settings.rounds; ++round) {
    fixture.work();
    fixture.gateway->kill();
    fixture.gateway->start();
  }
  CHECK(eventually([&] { return fixture.clients->in_doubt() > 0; }));
  fixture.finish();
  fixture.holds("lost answers, and kill -9 of the gateway");
}

TEST_CASE(
    "kill -9 of the database server: writes answer 503 with Retry-After, readiness reports it, and service resumes by "
    "itself") {
  if (std::ranges::count(stores(), store_kind::mysql) == 0) return;
  crash_fixture fixture{{.store = store_kind::mysql, .own_database = true}};
  fixture.start_clients();
  for (int round = 0; round < fixture.settings.rounds; ++round) {
    fixture.work();
    const auto unavailable = fixture.clients->unavailable();
    fixture.database->kill();
    CHECK(eventually([&] { return fixture.clients->unavailable() > unavailable; }));
    CHECK(eventually([&] { return fixture.gateway->status_of("/readyz") == 503; }));
    CHECK(fixture.gateway->status_of("/healthz") == 200);

    api merchant{*fixture.gateway, fixture.bystander.test};
    const auto refused = merchant.create(server_payment(new_payment_id()));
    CHECK(refused.status == 503);
    CHECK(refused.header("Retry-After").has_value());
    CHECK(merchant.view("pay_nobody_has_seen").status == 503);
    CHECK(fixture.gateway->running());

    fixture.database->start();
    CHECK(eventually([&] { return fixture.gateway->ready(); }));
  }
  fixture.finish();
  fixture.holds("kill -9 of " + database_name());
}

TEST_CASE(
    "a database server that is stopped for seconds, also for longer than the gateway waits, leaves no commit's outcome "
    "unknown for good") {
  if (std::ranges::count(stores(), store_kind::mysql) == 0) return;
  crash_fixture fixture{{.store = store_kind::mysql, .own_database = true}};
  fixture.start_clients();
  for (int round = 0; round < fixture.settings.rounds; ++round) {
    fixture.work();
    fixture.database->send_signal(SIGSTOP);
    // The gateway waits 10 s for an answer. Statements sent before are executed when the server continues.
    std::this_thread::sleep_for(round % 10 == 0 ? 11s : fixture.between(500, 2'500));
    fixture.database->send_signal(SIGCONT);
  }
  fixture.finish();
  fixture.holds("SIGSTOP of " + database_name());
}
