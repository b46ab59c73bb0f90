// A lane's record of its destination's health, and whether it is stored.
#pragma once

#include <optional>

#include "gateway/domain/destination_health.hpp"

namespace gateway::actors {

struct lane_health {
  destination_health value;       ///< until `known`: only from attempts since the lane was created
  bool known = false;             ///< the stored health is included
  bool reading = false;
  bool changed = false;           ///< is not stored
  bool urgent = false;            ///< store it soon: pages show the stored state, which is now wrong
  bool failed_here = false;       ///< an attempt has failed since the lane was created, and none succeeded after it
  std::optional<time_point> saved_at{};
  std::optional<time_point> reported_since{};  ///< the failure that was reported to the owners

  void note(bool delivered, std::optional<time_point> paused_until, time_point now) {
    const bool was_failing = value.failing_since.has_value();
    note_attempt(value, delivered, now);
    urgent = urgent || was_failing == delivered || value.paused_until != paused_until;
    value.paused_until = paused_until;
    failed_here = !delivered;
    changed = true;
  }

  void has_read(const destination_health_lookup& found) {
    reading = false;
    if (!found.of.empty()) value = joined(found.of.front(), value);
    known = true;
  }

  bool is_to_be_saved(time_point now, duration_ms interval) const {
    return known && changed && (urgent || !saved_at || *saved_at > now || now - *saved_at >= interval);
  }

  void on_saving(time_point now) {
    changed = urgent = false;
    saved_at = now;
  }
};

}  // namespace gateway::actors
