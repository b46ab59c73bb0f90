// One destination: its state, its deliveries, and the actions on it.
#pragma once

#include <string>
#include <vector>

#include "delivery_table.hpp"
#include "destinations_view.hpp"

namespace gateway::http {

/// Actions: events, disable, enable, rotate, test, redeliver.
struct destination_view {
  member_frame frame;
  destination_row of;
  shown_time created_at;
  shown_time old_secret_until;       ///< while both secrets sign
  std::vector<std::string> events;   ///< as checked
  std::string events_fault;
  field reason;                      ///< for `disable`
  std::vector<delivery_row> deliveries;
  std::string older;                 ///< `cursor` of the deliveries after these; empty if there are none
  bool at_newest = true;
};
response destination_page(const destination_view& view);

}  // namespace gateway::http
