// The list of a merchant's customers, and the page of one.
#pragma once

#include <string>
#include <vector>

#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct customer_row {
  std::string id;         ///< of its page
  std::string reference;  ///< the platform's
  std::string platform;
  std::string provider;  ///< the one that had the customer first
  std::string methods;   ///< how many are saved
  shown_time created_at;
};
/// `cursor` is opaque, and leads to further customers.
struct customers_view {
  member_frame frame;
  std::vector<customer_row> rows;
  bool at_first = true;
  std::string further;  ///< the cursor of those after these; empty if there are none
};
response customer_list_page(const customers_view& view);

/// A name of the customer at a provider, with the methods that are saved under it.
struct customer_at_provider {
  std::string provider;
  std::string id;
  std::vector<std::string> methods;  ///< the latest first
};
struct customer_view {
  member_frame frame;
  customer_row of;
  std::vector<customer_at_provider> names;
};
response customer_page(const customer_view& view);

}  // namespace gateway::http
