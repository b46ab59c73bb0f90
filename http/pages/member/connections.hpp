// A merchant's accounts at providers: where each stands, and the way there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/domain/merchant.hpp"
#include "http/pages/member_frame.hpp"

namespace gateway::http {

struct connection_row {
  std::string provider;  ///< the form's field, as stored
  std::string name;
  connection_status status = connection_status::not_connected;
  std::string account;
  bool offered = true;  ///< in this environment
};
/// Where the person came from, and may go back to.
struct way_back {
  std::string platform;  ///< its name
  std::string origin;    ///< of its return_url, where that may be followed; empty: it may not
  bool ready = false;    ///< a connection can charge: the way back is offered by a button `return`
};
/// On `{portal}/connections`, which is of no merchant yet: chosen by GET, by the fields `merchant_id` and `mode`.
struct merchant_choice {
  std::vector<frame_merchant> merchants;
  std::string chosen;
  environment env = environment::live;
  std::vector<hidden_field> query;  ///< goes along: from, action, return_url
};
struct connections_view {
  member_frame frame;
  std::vector<connection_row> rows;
  std::optional<merchant_choice> choice;
  std::optional<way_back> back;
  std::vector<hidden_field> hidden;  ///< in every form that acts, beside `provider`
  std::string form_targets = "'self'";  ///< CSP sources: where connecting and going back lead
};
response connections_page(const connections_view& view);

blocks::badge connection_badge(connection_status status);

}  // namespace gateway::http
