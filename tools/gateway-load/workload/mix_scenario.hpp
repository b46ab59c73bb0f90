// One scenario of a mix.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/request.hpp"
#include "model.hpp"
#include "workload.hpp"

namespace gateway::load {

class mix_scenario {
 public:
  virtual ~mix_scenario() = default;
  /// Appends the next request or requests, `most` at most. Appends nothing while every further request depends on an
  /// answer that has not arrived.
  virtual void next(std::vector<request>& out, std::uint64_t most) = 0;
  /// Called after the model has taken in the answer. A read of a customer has no key: its subject is the customer.
  virtual void on_answer(const request& sent, const answer_outcome& outcome) = 0;
};

/// `number` is the scenario's position in the mix, which its payments record. The name is one that read_mix accepts.
std::unique_ptr<mix_scenario> make_mix_scenario(const std::string& name, const workload_options& options, model& of,
                                                std::uint8_t number);

// One for each file of scenarios.
std::unique_ptr<mix_scenario> make_payments_scenario(const std::string& name, const workload_options& options,
                                                     model& of, std::uint8_t number);
std::unique_ptr<mix_scenario> make_keys_scenario(const std::string& name, const workload_options& options, model& of,
                                                 std::uint8_t number);
std::unique_ptr<mix_scenario> make_saved_scenario(model& of, std::uint8_t number);
std::unique_ptr<mix_scenario> make_hot_scenario(const workload_options& options, model& of, std::uint8_t number);

}  // namespace gateway::load
