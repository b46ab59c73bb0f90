// The verification after the load: two scenarios that the engine runs, and the comparisons.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/scenario.hpp"
#include "model.hpp"
#include "retry_queue.hpp"
#include "workload.hpp"

namespace gateway::load {

/// The progress of verification.
struct progress_of_verification {
  std::uint64_t settled = 0;       ///< keys that had no answer and now have one
  std::uint64_t payments = 0;      ///< read back
  std::uint64_t customers = 0;     ///< read back
  std::uint64_t events = 0;        ///< in the timelines read back, of types that are sent to destinations
  bool read_back = false;          ///< reading back has begun
};

std::unique_ptr<scenario> settle_in_doubt(model& of, progress_of_verification& to, retry_limits limits = {});
std::unique_ptr<scenario> read_payments(model& of, progress_of_verification& to, retry_limits limits = {});

/// Adds a violation for each difference between a payment as it was read and the answers to its operations.
void compare_payment(model& of, std::uint64_t number, const parsed_answer& parsed, const answer& got);
void compare_timeline(model& of, std::uint64_t number, const std::vector<timeline_entry>& entries, const answer& got);

/// Adds a violation for each customer that has the same customer id at the provider as another.
void compare_customers(model& of);

/// Adds a violation for each difference between the timelines' events and those received. Returns how many agree.
std::uint64_t compare_events(model& of, const std::vector<received_event>& received);

}  // namespace gateway::load
