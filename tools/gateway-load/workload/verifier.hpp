// What is asked and compared once the load is over.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/scenario.hpp"
#include "insisting.hpp"
#include "model.hpp"
#include "workload.hpp"

namespace gateway::load {

/// How far verification has come.
struct progress_of_verification {
  std::uint64_t settled = 0;       ///< keys that had no answer, and have one now
  std::uint64_t payments = 0;      ///< read back
  std::uint64_t events = 0;        ///< that the payments read back tell of, and that are sent to destinations
  bool read_back = false;          ///< was begun
};

std::unique_ptr<scenario> settle_doubts(model& of, progress_of_verification& to, patience with = {});
std::unique_ptr<scenario> read_payments(model& of, progress_of_verification& to, patience with = {});

/// Whether a payment as it was read agrees with what its operations were answered.
void compare_payment(model& of, std::uint64_t number, const reading& said, const answer& got);
void compare_timeline(model& of, std::uint64_t number, const std::vector<timeline_entry>& entries, const answer& got);

/// How many events arrived as they should.
std::uint64_t compare_events(model& of, const std::vector<received_event>& received);

}  // namespace gateway::load
