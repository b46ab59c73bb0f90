// A merchant's accounts at providers: their states, and forms to connect them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/domain/merchant.hpp"
#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct connection_row {
  std::string provider;  ///< the form's field, by its stored name
  std::string name;
  connection_status status = connection_status::not_connected;
  std::string account;
  bool offered = true;  ///< in this environment
};
/// The platform that sent the person here, and how to return to it.
struct way_back {
  std::string platform;  ///< the platform's name
  std::string origin;    ///< the origin of its return_url if redirecting there is allowed, else empty
  bool ready = false;    ///< a connection can charge: the button `return` is shown
};
/// On `{portal}/connections`, no merchant is chosen yet: the query's `merchant_id` and `mode` choose one.
struct merchant_choice {
  std::vector<frame_merchant> merchants;
  std::string chosen;
  environment env = environment::live;
  std::vector<hidden_field> query;  ///< passed on: from, action, return_url
};
struct connections_view {
  member_frame frame;
  std::vector<connection_row> rows;
  std::optional<merchant_choice> choice;
  std::optional<way_back> back;
  std::vector<hidden_field> hidden;  ///< fields of every form that acts, besides `provider`
  std::string form_targets = "'self'";  ///< CSP sources: where connecting and returning lead
};
response connections_page(const connections_view& view);

blocks::badge connection_badge(connection_status status);

}  // namespace gateway::http
