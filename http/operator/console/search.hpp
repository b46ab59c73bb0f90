// Shows the details of what has the given id: a merchant, platform, key, destination, delivery, grant or subscription.
// Also lists everything that search_everything() finds. A merchant's id before another id, as in `merch_1 pay_1`, finds
// a payment, subscription or customer of this merchant.
#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"
#include "http/html/blocks.hpp"

namespace gateway::http {

/// One section for each match; empty if there is none. If the store does not answer, a section says so.
boost::asio::awaitable<std::vector<blocks::section>> search_for(worker& here, std::string query, std::string csrf);

}  // namespace gateway::http
