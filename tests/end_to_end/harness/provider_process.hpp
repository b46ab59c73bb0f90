// The sandbox provider in a process of its own, so that its ledger survives the gateway.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "child_process.hpp"

namespace gateway::e2e {

class provider_process {
 public:
  /// Starts it. `arguments` are further options of sandbox-provider.
  explicit provider_process(std::vector<std::string> arguments = {});
  /// Kills it and removes its folder.
  ~provider_process();
  provider_process(const provider_process&) = delete;
  provider_process& operator=(const provider_process&) = delete;

  /// Starts it again, with the same ledger and the same socket.
  void start();
  void kill();
  void send_signal(int number) { process_.send_signal(number); }

  std::filesystem::path socket() const { return folder_ / "provider.sock"; }
  std::filesystem::path ledger() const { return folder_ / "ledger.jsonl"; }

 private:
  std::vector<std::string> arguments_;
  std::filesystem::path folder_;
  child_process process_;
};

}  // namespace gateway::e2e
