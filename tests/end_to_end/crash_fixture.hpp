// The fixture of the crash tests: one gateway or several nodes, their database and their provider, each a process, and
// clients.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cluster.hpp"
#include "load.hpp"
#include "paths.hpp"
#include "provider_process.hpp"

namespace gateway::e2e {

/// How long and how hard the tests run, from the environment (harness/README.md).
struct crash_settings {
  int rounds;
  int clients;
  unsigned seed;
  int deliveries = 1'000;  ///< pending when the gateway is killed

  static crash_settings of_environment();
};

struct fixture_options {
  store_kind store = store_kind::sqlite;
  bool own_database = false;                   ///< a private MariaDB, which the test may break
  std::filesystem::path database_folder = {};  ///< the folder of its tables; empty: a new one
  std::filesystem::path gateway_folder = {};   ///< empty: a new one
  std::vector<std::string> provider_arguments = {};
  std::vector<std::string> gateway_arguments = {};  ///< further arguments
  std::string provider_timeout = "1s";         ///< short enough for a stop of seconds to become an unknown outcome
  std::size_t nodes = 0;  ///< over one MariaDB, behind proxies; 0: a gateway that serves alone
  std::chrono::milliseconds client_patience{answer_patience};
};

/// Starts everything but the clients, which start with start_clients().
class crash_fixture {
 public:
  explicit crash_fixture(const fixture_options& options,
                         const crash_settings& settings = crash_settings::of_environment());

  void start_clients();
  /// Whether the clients get this many more answers within a minute.
  bool makes_progress(std::uint64_t writes = 30) const;
  /// Waits for some writes, and then a random time up to `longest`.
  void work(std::chrono::milliseconds longest = std::chrono::milliseconds{250});
  std::chrono::milliseconds between(int least_ms, int most_ms);

  /// To be called when the service has resumed. Waits until the clients have finished their payments.
  void finish();
  /// To be called after finish(). Waits until open operations are settled, and audits before and after a restart of the
  /// gateway. Prints one line.
  void holds(const std::string& fault);
  /// The audit of holds() alone: every broken promise, as this gateway reports it.
  std::vector<std::string> broken_promises(const gateway_process& reported_by) const;

  /// The one gateway, or all nodes.
  std::vector<gateway_process*> gateways() const;

  crash_settings settings;
  store_kind store;
  std::unique_ptr<mariadb_server> database;
  provider_process provider;
  std::unique_ptr<gateway_process> gateway;  ///< null where there are nodes
  std::unique_ptr<cluster> nodes;  ///< null where there is one gateway
  merchant_account account;  ///< the clients' merchant
  merchant_account bystander;  ///< for tests' own requests beside the clients'
  std::mt19937 random;
  const std::chrono::milliseconds client_patience;
  std::optional<load> clients;
};

}  // namespace gateway::e2e
