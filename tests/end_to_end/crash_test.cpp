// Power cuts in the middle of the work. Clients repeat what was not answered, under the same keys; afterwards nothing
// acknowledged may be lost, nothing done twice, nothing left open.
#include <catch2/catch.hpp>

#include <iostream>
#include <random>

#include "load.hpp"
#include "paths.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += '\n' + line;
  return text;
}

void holds(const gateway_process& gateway, const merchant_account& account, const load& clients) {
  INFO("told, and not explained by any retry:" << joined(clients.surprises()));
  CHECK(clients.surprises().empty());
  const auto broken = audit(gateway, account, clients.stories());
  INFO("broken promises:" << joined(broken));
  CHECK(broken.empty());
}

bool goes_on(const load& clients, std::uint64_t writes) {
  const auto before = clients.answered();
  return eventually([&] { return clients.answered() >= before + writes; }, 60s);
}

}  // namespace

TEST_CASE("kill -9 in the middle of creates, captures and refunds loses nothing and does nothing twice") {
  const int rounds = environment_or("GATEWAY_CRASH_ROUNDS", 6);
  const int client_count = environment_or("GATEWAY_CRASH_CLIENTS", 8);
  const auto seed = static_cast<unsigned>(environment_or("GATEWAY_CRASH_SEED", static_cast<int>(std::random_device{}() & 0x7fffffff)));
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  CAPTURE(to_string(options.store), seed);
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  std::mt19937 random{seed};

  load clients{gateway, account, client_count, seed};
  for (int round = 0; round < rounds; ++round) {
    REQUIRE(goes_on(clients, 40));
    std::this_thread::sleep_for(std::chrono::milliseconds{random() % 250});
    gateway.kill();
    gateway.start();
  }
  CHECK(goes_on(clients, 40));
  clients.stop();
  std::cout << "kill -9 on " << to_string(options.store) << ": " << rounds << " crashes, " << clients.stories().size() << " payments, "
            << clients.answered() << " writes answered, " << clients.repeated() << " sent again\n";
  holds(gateway, account, clients);

  // And the truth is on disk, not in memory.
  gateway.kill();
  gateway.start();
  holds(gateway, account, clients);
}

TEST_CASE("crashes in quick succession, also while starting, leave a store that starts") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  load clients{gateway, account, 4, 7};
  for (int round = 0; round < 5; ++round) {
    REQUIRE(goes_on(clients, 5));
    gateway.kill();
    gateway.start();
    gateway.kill();
    gateway.start();
  }
  clients.stop();
  holds(gateway, account, clients);
}

TEST_CASE("MariaDB killed during load: writes answer 503 with Retry-After, readiness tells, and service resumes by itself") {
  const auto all = stores();
  if (std::ranges::find(all, store_kind::mysql) == all.end()) return;
  mariadb_server server{new_folder("mariadb")};
  gateway_options options;
  options.store = store_kind::mysql;
  options.database = server.new_database();
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  load clients{gateway, account, environment_or("GATEWAY_CRASH_CLIENTS", 8), 11};

  for (int round = 0; round < 2; ++round) {
    REQUIRE(goes_on(clients, 60));
    const auto unavailable = clients.unavailable();
    server.kill();
    CHECK(eventually([&] { return clients.unavailable() > unavailable; }, 30s));
    CHECK(eventually([&] { return gateway.status_of("/readyz") == 503; }, 30s));
    CHECK(gateway.status_of("/healthz") == 200);

    api merchant{gateway, account.test};
    const auto refused = merchant.create(server_payment(new_payment_id()));
    CHECK(refused.status == 503);
    CHECK(refused.header("Retry-After").has_value());
    const auto unread = merchant.view("pay_nobody_has_seen");
    CHECK(unread.status == 503);
    CHECK(gateway.running());

    server.start();
    CHECK(eventually([&] { return gateway.ready(); }, 30s));
    CHECK(goes_on(clients, 60));
  }
  clients.stop();
  CHECK(clients.without_retry_after() == 0);
  holds(gateway, account, clients);
  CHECK(gateway.terminate() == exit_result{0, 0});
}
