// The people of a merchant, and their roles.
#pragma once

#include <string>
#include <vector>

#include "gateway/domain/person.hpp"
#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct team_row {
  std::string user_id;
  std::string email;
  member_role role = member_role::viewer;
  bool is_self = false;
  bool invited = false;        ///< has no password yet, or has not accepted
  bool pending = false;        ///< gets a role only by accepting the invitation
  bool last_owner = false;     ///< can be neither demoted nor removed
  shown_time joined_at;
};
struct invite_form {
  field email;
  field role{"viewer", {}};
  std::string fault{};
};
/// Actions: invite; role (with `role`) and remove, for `user_id`.
struct team_view {
  member_frame frame;
  std::vector<team_row> rows;
  invite_form invite;
};
response team_page(const team_view& view);

/// The answer to `invite`. The link is sent by mail, or is shown once.
struct invited_view {
  member_frame frame;
  std::string email;
  member_role role = member_role::viewer;
  std::string url;  ///< empty: the gateway knows the address, so the owner may not see the link
  shown_time until;
  bool unread = false;  ///< the store did not answer whether the address is known
  bool mailed = false;  ///< the link is sent by mail
};
response invited_page(const invited_view& view);

}  // namespace gateway::http
