// What the queue reads from a row of any kind of entity. A missing row is a null pointer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/messages/actors.hpp"

namespace gateway::actors {

/// The operation that is open on a row. Valid as long as the row.
struct operation_on_row {
  const command_key* command = nullptr;
  const std::string* node = nullptr;  ///< the process that runs the operation
  bool answered = false;              ///< its client was answered that the outcome is unknown
};

bool exists(const entity_row& row) noexcept;
std::int64_t version_of(const entity_row& row) noexcept;
std::optional<operation_on_row> operation_on(const entity_row& row) noexcept;
std::optional<time_point> due_at_of(const entity_row& row) noexcept;
bool is_of_sandbox(const entity_row& row);
/// A copy with the next version number.
entity_row with_next_version(const entity_row& row);
/// Only of kinds that have a timeline.
timeline_ptr timeline_of(const entity_row& row, const std::vector<timeline_entry>& entries);

}  // namespace gateway::actors
