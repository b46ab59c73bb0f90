#include "crash_stand.hpp"

#include <catch2/catch.hpp>
#include <iostream>

#include "audit.hpp"

namespace gateway::e2e {

using namespace std::chrono_literals;

namespace {

std::unique_ptr<mariadb_server> own_database(const stand_options& options) {
  if (options.store != store_kind::mysql || !options.own_database) return nullptr;
  return std::make_unique<mariadb_server>(new_folder("mariadb"), options.database_folder);
}

gateway_options gateway_for(const stand_options& wanted, const mariadb_server* database,
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

crash_wishes crash_wishes::of_environment() {
  return {environment_or("GATEWAY_CRASH_ROUNDS", 2), environment_or("GATEWAY_CRASH_CLIENTS", 8),
          static_cast<unsigned>(
              environment_or("GATEWAY_CRASH_SEED", static_cast<int>(std::random_device{}() & 0x7fffffff))),
          environment_or("GATEWAY_CRASH_DELIVERIES", 1'000)};
}

crash_stand::crash_stand(const stand_options& options, const crash_wishes& wanted)
    : wishes{wanted},
      store{options.store},
      database{own_database(options)},
      provider{options.provider_arguments},
      gateway{std::make_unique<gateway_process>(gateway_for(options, database.get(), provider))},
      account{new_merchant(*gateway)},
      bystander{new_merchant(*gateway)},
      random{wishes.seed} {}

void crash_stand::go() { clients.emplace(*gateway, account, wishes.clients, wishes.seed); }

bool crash_stand::goes_on(std::uint64_t writes) const {
  const auto before = clients->answered();
  return eventually([&] { return clients->answered() >= before + writes; }, 60s);
}

void crash_stand::work(std::chrono::milliseconds longest) {
  REQUIRE(goes_on());
  std::this_thread::sleep_for(between(0, static_cast<int>(longest.count())));
}

std::chrono::milliseconds crash_stand::between(int least_ms, int most_ms) {
  return std::chrono::milliseconds{std::uniform_int_distribution{least_ms, most_ms}(random)};
}

void crash_stand::finish() {
  CAPTURE(to_string(store), wishes.seed);
  CHECK(goes_on());
  clients->stop();
}

void crash_stand::holds(const std::string& fault) {
  CAPTURE(fault, to_string(store), wishes.seed);
  CHECK(left_open(*gateway, account, 30s) == std::vector<std::string>{});
  auto broken = audit(*gateway, provider.ledger(), account, clients->stories());
  // And the truth is on disk, not in memory.
  gateway->kill();
  gateway->start();
  std::ranges::copy(audit(*gateway, provider.ledger(), account, clients->stories()), std::back_inserter(broken));
  const auto& surprises = clients->surprises();

  std::cout << to_string(store) << ", " << fault << ": " << wishes.rounds << " rounds, " << clients->stories().size()
            << " payments, " << clients->answered() << " writes answered, " << clients->repeated() << " sent again, "
            << clients->in_doubt() << " outcomes unknown at first, " << broken.size() + surprises.size()
            << " broken promises (seed " << wishes.seed << ")" << std::endl;
  INFO("told, and explained neither by a retry nor by a look:" << joined(surprises));
  CHECK(surprises.empty());
  INFO("broken promises:" << joined(broken));
  CHECK(broken.empty());
  CHECK(clients->without_retry_after() == 0);
}

}  // namespace gateway::e2e
