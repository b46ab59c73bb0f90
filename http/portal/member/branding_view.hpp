// How the merchant's checkout looks to its customers.
#pragma once

#include <string>

#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct branding_view {
  member_frame frame;
  field shop_name, colour, support;
  std::string logo_url;    ///< empty: there is no logo
  std::string logo_fault;  ///< of the uploaded file
};
response branding_page(const branding_view& view);

}  // namespace gateway::http
