// Finds things by an id that an operator has from a log, a merchant or a receiver: merchants, platforms, keys,
// destinations, deliveries, grants, subscriptions. Ids of payments and customers are chosen by their merchants, so they
// need the merchant's id before them: `merch_1 pay_1`.
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
