// Deliveries to a merchant's own destinations, as its pages list them, and sent again.
#pragma once

#include <optional>
#include <vector>

#include "gateway/store.hpp"
#include "http/pages/member/delivery_table.hpp"
#include "http/routes/table.hpp"

namespace gateway::http {

/// As rows; those to platforms' destinations, which are none of the merchant's business, are left out.
std::vector<delivery_row> delivery_rows(const call& c, const std::vector<delivery_job>& jobs);

/// The form's delivery is sent again if it is the merchant's, in this environment, and `belongs` holds for it.
boost::asio::awaitable<response> redeliver_here(call& c, bool (*belongs)(const call& c, const delivery& row));

}  // namespace gateway::http
