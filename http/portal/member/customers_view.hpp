// The list of a merchant's customers, and the page of one.
#pragma once

#include <string>
#include <vector>

#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct customer_row {
  std::string id;         ///< in the address of the customer's page
  std::string reference;  ///< the platform's reference
  std::string platform;
  std::string provider;  ///< the provider that had the customer first
  std::string methods;   ///< the number of saved methods
  shown_time created_at;
};
/// `cursor` is opaque, and leads to further customers.
struct customers_view {
  member_frame frame;
  std::vector<customer_row> rows;
  bool at_first = true;
  std::string further;  ///< `cursor` of the next customers; empty if there are none
};
response customer_list_page(const customers_view& view);

/// The customer's id at a provider, and the methods saved under it.
struct customer_at_provider {
  std::string provider;
  std::string id;
  std::vector<std::string> methods;  ///< latest first
};
struct customer_view {
  member_frame frame;
  customer_row of;
  std::vector<customer_at_provider> names;
};
response customer_page(const customer_view& view);

}  // namespace gateway::http
