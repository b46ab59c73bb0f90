// One destination: its state, its deliveries, and the actions on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "delivery_table.hpp"
#include "destinations_view.hpp"

namespace gateway::http {

/// The attempts of one hour.
struct hour_of_attempts {
  std::string name;        ///< when the hour begins
  std::string short_name;  ///< `14:00`; empty: left out, because the chart has no room
  std::uint32_t delivered = 0;
  std::uint32_t failed = 0;
};

/// Actions: events, change, rename, standard-webhooks-on, standard-webhooks-off, disable, enable, rotate, test,
/// redeliver, redeliver-failed, delete.
struct destination_view {
  member_frame frame;
  destination_row of;
  shown_time created_at;
  shown_time old_secret_until;       ///< while the previous secret still signs
  std::vector<std::string> events;   ///< as checked
  std::string events_fault;
  field reason;                      ///< for `disable`
  field url;                         ///< for `change`
  field name;                        ///< for `rename`
  shown_time failing_since;
  shown_time paused_until;
  shown_time last_success;
  std::vector<hour_of_attempts> hours;  ///< the last day, oldest first; empty: no attempts
  std::string status;                ///< the filter of the deliveries; empty: all
  std::vector<delivery_row> deliveries;
  std::string older;                 ///< `cursor` of the next older deliveries; empty if there are none
  bool at_newest = true;
};
response destination_page(const destination_view& view);

}  // namespace gateway::http
