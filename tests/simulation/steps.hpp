// The changes of a payment that one commit makes because of what has happened at its provider. Each has an event
// of its own, and moves money at most once: together they must lead from the row before to the row after.
#pragma once

#include <optional>
#include <string>

#include "gateway/domain/payment.hpp"
#include "memory_store.hpp"

namespace gateway::simulation {

/// Whether the provider caused the unit's changes.
bool is_caused_by_provider(const testing::unit_parts& unit);

/// Why the unit's events and ledger entries do not lead from `from` to `to`; nothing if they do.
std::optional<std::string> fault_of_steps(const payment& from, const payment& to, const testing::unit_parts& unit);

/// The amounts of disputes that are taken back from the merchant now, lost ones included.
std::int64_t taken_of(const payment& row);

}  // namespace gateway::simulation
