// A running gateway on a data directory (and, for MariaDB, a database) of its own.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "child_process.hpp"
#include "database.hpp"
#include "json.hpp"
#include "transport.hpp"

namespace gateway::e2e {

struct gateway_options {
  store_kind store = store_kind::sqlite;
  bool dev = true;
  bool operator_listener = false;
  std::vector<std::string> arguments = {};    ///< further options of gatewayd
  std::optional<mysql_address> database = {}; ///< instead of a new one in the shared MariaDB; not dropped afterwards
  std::optional<mysql_address> database_link = {};  ///< the address that gatewayd uses, if it differs from the
                                                    ///< database's own
  std::filesystem::path folder = {};  ///< instead of a new one; not removed afterwards
  std::filesystem::path provider = {};  ///< the socket of a provider_process; empty: the sandbox in the gateway
  std::filesystem::path gatewayd = {};  ///< another version of the program; empty: this build's
};

/// gatewayd ended before it listened. what() is its standard error.
struct start_failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class gateway_process {
 public:
  /// Starts it.
  explicit gateway_process(gateway_options options);
  /// Kills it, drops its database and removes its folder.
  ~gateway_process();
  gateway_process(const gateway_process&) = delete;
  gateway_process& operator=(const gateway_process&) = delete;

  /// Starts it again with the same data and the same port, because clients keep the port.
  void start();
  /// The same with another version of gatewayd.
  void start(const std::filesystem::path& gatewayd);
  void kill();
  /// Sends SIGTERM. wait() returns nothing if the gateway is still running after that time.
  void begin_drain() { process_.send_signal(15); }
  std::optional<exit_result> wait(std::chrono::milliseconds within = hang_timeout) { return process_.wait(within); }
  /// Sends SIGTERM and waits.
  std::optional<exit_result> terminate(std::chrono::milliseconds within = hang_timeout);
  void send_signal(int number) { process_.send_signal(number); }
  bool running() { return process_.running(); }
  pid_t pid() const { return process_.pid(); }

  const endpoint& address() const { return address_; }
  const endpoint& operator_address() const { return operator_address_; }
  std::string base_url() const { return "https://" + address_.authority(); }
  std::filesystem::path data_dir() const { return folder_ / "data"; }
  std::filesystem::path folder() const { return folder_; }
  std::filesystem::path operator_socket() const { return data_dir() / "operator.sock"; }
  std::filesystem::path certificate() const { return data_dir() / "dev-certificate.pem"; }
  std::filesystem::path log_file() const { return folder_ / "log.jsonl"; }
  std::filesystem::path ledger_file() const { return folder_ / "ledger.jsonl"; }
  store_kind store() const { return options_.store; }
  const std::optional<mysql_address>& database() const { return database_; }

  https_client connect() const { return https_client{address_, certificate()}.recorded(); }
  /// Status of /healthz or /readyz over TLS.
  int status_of(std::string_view target) const;
  bool ready() const;
  /// Standard error of gatewayd since its first start.
  std::string log() const;

  /// Runs `gatewayctl --data-dir=… --json …` and returns its output unread.
  command_output run_ctl(const std::vector<std::string>& arguments, std::string_view input = {}) const;
  /// Its output as JSON; throws if it failed.
  json ctl(const std::vector<std::string>& arguments, std::string_view input = {}) const;

  /// Runs SQL on this gateway's database directly.
  std::string sql(std::string_view statements) const;
  std::filesystem::path sqlite_file() const;

 private:
  std::vector<std::string> command_line() const;
  void read_addresses();

  gateway_options options_;
  std::filesystem::path folder_;
  std::optional<mysql_address> database_;
  endpoint address_{"127.0.0.1", 0};
  endpoint operator_address_{"127.0.0.1", 0};
  child_process process_;
};

/// One line of the sandbox's ledger: an executed effect.
struct ledger_entry {
  std::string provider_key;
  std::string operation;
  std::string payment_id;
  std::string merchant;
  std::string environment;
  std::int64_t amount = 0;
  std::string status;
};
std::vector<ledger_entry> read_ledger(const std::filesystem::path& file);

/// The gateway that tests share unless they need options of their own. Started on first use, with --dev and an operator
/// listener.
gateway_process& shared_gateway(store_kind store);

}  // namespace gateway::e2e
