// What a merchant's people have changed, for its owners.
#pragma once

#include <string>
#include <vector>

#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct member_audit_row {
  shown_time at;
  std::string who;      ///< the e-mail address; the id of a person who has left the team
  std::string what;     ///< the action in words
  std::string about;    ///< the id of the changed thing; may be empty
  std::string mode;     ///< may be empty
  std::string address;  ///< the client's address
};
/// In both modes together.
struct member_audit_view {
  member_frame frame;
  std::vector<member_audit_row> rows;  ///< newest first
  std::string older;                   ///< `cursor` of the rows after these; empty if there are none
  bool at_newest = true;
};
response member_audit_page(const member_audit_view& view);

}  // namespace gateway::http
