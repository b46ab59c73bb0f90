// Finds what is known under an id that an operator has from a log, a merchant or a receiver: a merchant's, a
// platform's, a key's, a destination's, a delivery's, a grant's, a subscription's. Payments and customers are called by
// their merchants, so that their ids need the merchant's before them: `merch_1 pay_1`.
#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/pages/blocks.hpp"
#include "http/worker.hpp"

namespace gateway::http {

/// One section for each thing; none: there is nothing of that id. Where the store does not answer, a section says so.
boost::asio::awaitable<std::vector<blocks::section>> search_for(worker& here, std::string query, std::string csrf);

}  // namespace gateway::http
