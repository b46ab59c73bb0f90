// Deliveries to a merchant's own destinations: listing them on its pages, and sending them again.
#pragma once

#include <optional>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "delivery_table.hpp"
#include "gateway/ports/store/delivery_questions.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// As rows. Omits deliveries to platforms' destinations, which the merchant may not see.
std::vector<delivery_row> delivery_rows(const call& c, const std::vector<delivery_job>& jobs);

/// Sends the form's delivery again if it is the merchant's, in this environment, and `belongs` is true for it.
boost::asio::awaitable<response> redeliver_here(call& c, bool (*belongs)(const call& c, const delivery& row));

}  // namespace gateway::http
