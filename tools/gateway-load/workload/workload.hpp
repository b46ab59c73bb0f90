// The scenarios of a run, mixed by weight, with a model of what the gateway must have done. During the load the
// workload is the scenario that the engine runs. Afterwards it repeats the requests that got no answer, reads every
// payment back, and reports what does not agree with the model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/scenario.hpp"
#include "names.hpp"

namespace gateway::load {

/// create, lifecycle, storm, reuse, hot, replay, hosted, webhooks, saved
struct weighted_scenario {
  std::string name;
  double weight = 1;
};

/// "create:3 lifecycle:1" or the lines of a file; `#` begins a comment. Throws std::invalid_argument with one line that
/// names what is wrong.
std::vector<weighted_scenario> read_mix(const std::string& text);

struct workload_options {
  std::vector<weighted_scenario> mix;
  std::string run;  ///< the run's name, which no other run has: part of every payment's id
  id_order payment_ids = id_order::sequential;
  std::uint64_t count = 0;  ///< requests in all; 0: no end
  std::uint32_t callers = 1;  ///< keys that sign: each payment belongs to one, in turn
  unsigned keys = 100;  ///< storm, replay, reuse: keys in use at a time
  unsigned duplicates = 100;  ///< storm: requests of one key that leave at once
  unsigned hot_payments = 1;  ///< hot: payments that all its operations go to
  unsigned refunds = 2;  ///< lifecycle: the last of them refunds what is left
  std::uint64_t seed = 1;
  std::string merchant;  ///< the merchant for which a platform's key acts, and to which its customers belong
  std::string payment_method = "pm_card_visa";
  std::string currency = "HKD";
};

/// An event as the receiver stored it.
struct received_event {
  std::string event_id, type, payment_id, delivery_id;
  std::string body_hash;
  bool rightly_signed = false;
};

class workload : public scenario {
 public:
  /// Sends again, under its key, each request that got no answer.
  virtual std::unique_ptr<scenario> settle() = 0;
  /// Reads every payment and its timeline.
  virtual std::unique_ptr<scenario> read_back() = 0;
  /// How many events the receiver must have got for the payments that were read back.
  virtual std::uint64_t events_expected() const = 0;
  /// To be called last. Without a receiver events are not compared.
  virtual verification conclude(const std::optional<std::vector<received_event>>& received) = 0;
};

std::unique_ptr<workload> make_workload(const workload_options& options);

}  // namespace gateway::load
