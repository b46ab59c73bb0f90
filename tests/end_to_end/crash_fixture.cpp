#include "crash_fixture.hpp"

#include <catch2/catch.hpp>
#include <iostream>

#include "audit.hpp"

namespace gateway::e2e {

using namespace std::chrono_literals;

namespace {

std::unique_ptr<mariadb_server> own_database(const fixture_options& options) {
  if (options.store != store_kind::mysql || !options.own_database) return nullptr;
  return std::make_unique<mariadb_server>(new_folder("mariadb"), options.database_folder);
}

gateway_options gateway_for(const fixture_options& wanted, const mariadb_server* database,
                            const provider_process& provider) {
  gateway_options options;
  options.store = wanted.store;
  options.folder = wanted.gateway_folder;
  options.provider = provider.socket();
  options.arguments = {"--provider-timeout=" + wanted.provider_timeout, "--reconcile-first=200ms",
                       "--reconcile-longest=2s", "--reconcile-interval=100ms"};
  options.arguments.insert(options.arguments.end(), wanted.gateway_arguments.begin(), wanted.gateway_arguments.end());
  if (database) options.database = database->new_database();
  return options;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += '\n' + line;
  return text;
}

}  // namespace

crash_settings crash_settings::of_environment() {
  return {environment_or("GATEWAY_CRASH_ROUNDS", 2), environment_or("GATEWAY_CRASH_CLIENTS", 8),
          static_cast<unsigned>(
              environment_or("GATEWAY_CRASH_SEED", static_cast<int>(std::random_device{}() & 0x7fffffff))),
          environment_or("GATEWAY_CRASH_DELIVERIES", 1'000)};
}

crash_fixture::crash_fixture(const fixture_options& options, const crash_settings& wanted)
    : settings{wanted},
      store{options.store},
      database{own_database(options)},
      provider{options.provider_arguments},
      gateway{std::make_unique<gateway_process>(gateway_for(options, database.get(), provider))},
      account{new_merchant(*gateway)},
      bystander{new_merchant(*gateway)},
      random{settings.seed} {}

void crash_fixture::start_clients() { clients.emplace(*gateway, account, settings.clients, settings.seed); }

bool crash_fixture::makes_progress(std::uint64_t writes) const {
  const auto before = clients->answered();
  return eventually([&] { return clients->answered() >= before + writes; }, 60s);
}

void crash_fixture::work(std::chrono::milliseconds longest) {
  REQUIRE(makes_progress());
  std::this_thread::sleep_for(between(0, static_cast<int>(longest.count())));
}

std::chrono::milliseconds crash_fixture::between(int least_ms, int most_ms) {
  return std::chrono::milliseconds{std::uniform_int_distribution{least_ms, most_ms}(random)};
}

void crash_fixture::finish() {
  CAPTURE(to_string(store), settings.seed);
  CHECK(makes_progress());
  clients->stop();
}

void crash_fixture::holds(const std::string& fault) {
  CAPTURE(fault, to_string(store), settings.seed);
  CHECK(left_open(*gateway, account, 30s) == std::vector<std::string>{});
  auto broken = audit(*gateway, provider.ledger(), account, clients->records());
  // And the truth is on disk, not in memory.
  gateway->kill();
  gateway->start();
  std::ranges::copy(audit(*gateway, provider.ledger(), account, clients->records()), std::back_inserter(broken));
  const auto& unexpected_answers = clients->unexpected_answers();

  std::cout << to_string(store) << ", " << fault << ": " << settings.rounds << " rounds, " << clients->records().size()
            << " payments, " << clients->answered() << " writes answered, " << clients->repeated() << " sent again, "
            << clients->in_doubt() << " outcomes unknown at first, " << broken.size() + unexpected_answers.size()
            << " broken promises (seed " << settings.seed << ")" << std::endl;
  INFO("told, and explained neither by a retry nor by a look:" << joined(unexpected_answers));
  CHECK(unexpected_answers.empty());
  INFO("broken promises:" << joined(broken));
  CHECK(broken.empty());
  CHECK(clients->without_retry_after() == 0);
}

}  // namespace gateway::e2e
