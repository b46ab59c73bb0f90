// The list of a merchant's disputes.
#pragma once

#include <string>
#include <vector>

#include "dispute_table.hpp"

namespace gateway::http {

/// The query's parameters are named like the members; `cursor` is opaque, and leads to older disputes.
struct disputes_view {
  member_frame frame;
  std::string status;             ///< as the API names it; empty: any
  std::vector<dispute_row> rows;  ///< newest first
  bool at_newest = true;          ///< this is the first page
  std::string older;              ///< `cursor` of the next older disputes; empty if there are none
};
response disputes_page(const disputes_view& view);

}  // namespace gateway::http
