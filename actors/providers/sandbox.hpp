// The three sandbox providers: they move no money, and answer by the token they are given.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gateway/actors.hpp"

namespace gateway::actors {

struct sandbox_settings {
  std::string base_url;         ///< where the gateway serves the hosted pages
  std::string hosted_page_key;  ///< signs their links
};

/// What a sandbox does with a call.
struct sandbox_answer {
  provider_result result;
  duration_ms after{0};     ///< it answers only then
  bool executed = false;    ///< the call moved (sandbox) money: it belongs into the ledger
  bool silent = false;      ///< it never answers
};

/// Pure: the same call always gets the same answer.
sandbox_answer answer_sandbox_call(const provider_call& call, const sandbox_settings& config);

/// Remembers by provider key what was executed, in a file that outlives a kill of the process. Thread-safe.
/// One JSON object a line: provider_key, operation, payment_id, merchant, environment, amount, status.
class sandbox_ledger {
 public:
  /// Reads what the file holds, and appends to it. Throws std::runtime_error if it cannot be opened.
  explicit sandbox_ledger(const std::string& path);
  ~sandbox_ledger();
  sandbox_ledger(const sandbox_ledger&) = delete;
  sandbox_ledger& operator=(const sandbox_ledger&) = delete;

  /// Records the effect, unless this provider key has had its effect already.
  void record(const provider_call& call);

 private:
  struct contents;
  std::unique_ptr<contents> contents_;
};

/// `ledger` may be null.
provider_actor spawn_sandbox(caf::actor_system& system, sandbox_settings config, std::shared_ptr<sandbox_ledger> ledger);

}  // namespace gateway::actors
