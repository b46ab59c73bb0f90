// The platforms that act for a merchant, with their scopes.
#pragma once

#include <string>
#include <vector>

#include "gateway/domain/scopes.hpp"
#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct grant_row {
  std::string grant_id;
  std::string platform;  ///< the platform's name
  scope_set scopes;
  std::string given_by;
  shown_time given_at;
  shown_time revoked_at;  ///< empty unless revoked
  std::string revoked_by;
  std::string reason;
  field revoke_reason;    ///< the form's `reason`, as typed
};
struct platforms_view {
  member_frame frame;
  std::vector<grant_row> rows;  ///< active grants first
};
response platforms_page(const platforms_view& view);

}  // namespace gateway::http
