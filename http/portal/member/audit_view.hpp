// The changes by a merchant's people and by operators, for the merchant's owners.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct member_audit_row {
  shown_time at;
  std::string who;      ///< the e-mail address, or the id of a person who has left the team
  std::string what;     ///< the action in words
  std::string about;    ///< the id of the changed thing; may be empty
  std::string mode;     ///< may be empty
  std::string address;  ///< the client's address
};
/// Changes in both modes. The query's parameters are named like the members; `cursor` is opaque.
struct member_audit_view {
  member_frame frame;
  std::string person;                  ///< an option of `people`; empty: any
  std::string kind;                    ///< an option of `kinds`; empty: any
  field from, until;                   ///< days
  std::vector<blocks::option> people;  ///< who may be chosen
  std::vector<blocks::option> kinds;
  std::vector<member_audit_row> rows;  ///< newest first
  std::string searched;                ///< how far back the changes were read; empty: all were read
  std::string older;                   ///< `cursor` of the next older rows; empty if there are none
  bool at_newest = true;
};
response member_audit_page(const member_audit_view& view);

}  // namespace gateway::http
