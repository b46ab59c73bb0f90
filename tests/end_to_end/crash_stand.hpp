// Where the crash tests break things: a gateway, its database and its provider, each a process, with clients at work.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "load.hpp"
#include "paths.hpp"
#include "provider_process.hpp"

namespace gateway::e2e {

/// How long and how hard: the environment's wishes, see harness/README.md.
struct crash_wishes {
  int rounds;
  int clients;
  unsigned seed;
  int deliveries = 1'000;  ///< pending, where the gateway is killed with deliveries pending

  static crash_wishes of_environment();
};

struct stand_options {
  store_kind store = store_kind::sqlite;
  bool own_database = false;                   ///< a MariaDB of its own, to be broken
  std::filesystem::path database_folder = {};  ///< of its tables; empty: a new one
  std::filesystem::path gateway_folder = {};   ///< empty: a new one
  std::vector<std::string> provider_arguments = {};
  std::vector<std::string> gateway_arguments = {};  ///< further ones
  std::string provider_timeout = "1s";         ///< short enough for a stop of seconds to become an unknown outcome
};

/// Everything runs; the clients start with go().
class crash_stand {
 public:
  explicit crash_stand(const stand_options& options, const crash_wishes& wishes = crash_wishes::of_environment());

  void go();
  /// Whether the clients get so many answers more, within a minute.
  bool goes_on(std::uint64_t writes = 30) const;
  /// Lets some writes, and a random time up to `longest`, go by.
  void work(std::chrono::milliseconds longest = std::chrono::milliseconds{250});
  std::chrono::milliseconds between(int least_ms, int most_ms);

  /// The service resumed, and the clients finish what they have in their hands.
  void finish();
  /// After finish(): what is open settles, and the audit holds, before and after a restart of the gateway. Prints one
  /// line.
  void holds(const std::string& fault);

  crash_wishes wishes;
  store_kind store;
  std::unique_ptr<mariadb_server> database;
  provider_process provider;
  std::unique_ptr<gateway_process> gateway;
  merchant_account account;  ///< of the clients
  merchant_account bystander;  ///< of whoever else looks in
  std::mt19937 random;
  std::optional<load> clients;
};

}  // namespace gateway::e2e
