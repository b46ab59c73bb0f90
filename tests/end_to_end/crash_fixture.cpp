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

std::vector<std::string> arguments_for(const fixture_options& wanted) {
  std::vector<std::string> arguments{"--provider-timeout=" + wanted.provider_timeout, "--reconcile-first=200ms",
                                     "--reconcile-longest=2s", "--reconcile-interval=100ms"};
  arguments.insert(arguments.end(), wanted.gateway_arguments.begin(), wanted.gateway_arguments.end());
  return arguments;
}

std::unique_ptr<gateway_process> gateway_for(const fixture_options& wanted, const mariadb_server* database,
                                             const provider_process& provider) {
  if (wanted.nodes > 0) return nullptr;
  gateway_options options;
  options.store = wanted.store;
  options.folder = wanted.gateway_folder;
  options.provider = provider.socket();
  options.arguments = arguments_for(wanted);
  if (database) options.database = database->new_database();
  return std::make_unique<gateway_process>(std::move(options));
}

std::unique_ptr<cluster> nodes_for(const fixture_options& wanted, const mariadb_server* database,
                                   const provider_process& provider) {
  if (wanted.nodes == 0) return nullptr;
  cluster_options options{.provider = provider.socket(), .arguments = arguments_for(wanted), .proxied = true};
  if (database) options.database = database->new_database();
  return std::make_unique<cluster>(wanted.nodes, std::move(options));
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
      gateway{gateway_for(options, database.get(), provider)},
      nodes{nodes_for(options, database.get(), provider)},
      account{new_merchant(*gateways().front())},
      bystander{new_merchant(*gateways().front())},
      random{settings.seed},
      client_patience{options.client_patience} {}

std::vector<gateway_process*> crash_fixture::gateways() const {
  if (gateway) return {gateway.get()};
  std::vector<gateway_process*> all;
  for (std::size_t i = 0; i < nodes->size(); ++i) all.push_back(&(*nodes)[i]);
  return all;
}

void crash_fixture::start_clients() {
  const auto all = gateways();
  clients.emplace(std::vector<const gateway_process*>{all.begin(), all.end()}, account, settings.clients, settings.seed,
                  client_patience);
}

bool crash_fixture::makes_progress(std::uint64_t writes) const {
  const auto before = clients->answered();
  return eventually([&] { return clients->answered() >= before + writes; });
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

std::vector<std::string> crash_fixture::broken_promises(const gateway_process& reported_by) const {
  return audit(reported_by, provider.ledger(), account, clients->records());
}

void crash_fixture::holds(const std::string& fault) {
  CAPTURE(fault, to_string(store), settings.seed);
  const auto all = gateways();
  CHECK(left_open(*all.front(), account) == std::vector<std::string>{});
  auto broken = broken_promises(*all.front());
  // Audits again after a restart, to show that the data is on disk, not only in memory.
  for (auto* one : all) one->kill();
  for (auto* one : all) one->start();
  std::ranges::copy(broken_promises(*all.back()), std::back_inserter(broken));
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
