// One scenario of a mix.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/request.hpp"
#include "model.hpp"
#include "workload.hpp"

namespace gateway::load {

class course {
 public:
  virtual ~course() = default;
  /// Appends what leaves next, `most` requests at most; nothing while all that could be asked waits for answers.
  virtual void next(std::vector<request>& out, std::uint64_t most) = 0;
  /// After the model has learnt from the answer.
  virtual void heard(const request& sent, const told& what) = 0;
};

/// `number`: what its payments carry as their course. The name is one that read_mix knows.
std::unique_ptr<course> make_course(const std::string& name, const workload_options& options, model& of,
                                    std::uint8_t number);

// One for each file of scenarios.
std::unique_ptr<course> make_payments_course(const std::string& name, const workload_options& options, model& of,
                                             std::uint8_t number);
std::unique_ptr<course> make_keys_course(const std::string& name, const workload_options& options, model& of,
                                         std::uint8_t number);
std::unique_ptr<course> make_hot_course(const workload_options& options, model& of, std::uint8_t number);

}  // namespace gateway::load
