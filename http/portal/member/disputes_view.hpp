// The list of a merchant's disputes.
#pragma once

#include <string>
#include <vector>

#include "dispute_table.hpp"

namespace gateway::http {

/// The query's parameters have the members' names; `cursor` is opaque, and leads to older disputes.
struct disputes_view {
  member_frame frame;
  std::string status;             ///< the API's name; empty: any
  std::vector<dispute_row> rows;  ///< newest first
  bool at_newest = true;          ///< these are the newest
  std::string older;              ///< the cursor of the disputes after these; empty if there are none
};
response disputes_page(const disputes_view& view);

}  // namespace gateway::http
