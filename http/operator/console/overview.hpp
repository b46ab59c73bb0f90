// Reads what the console's overview shows.
#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"
#include "http/html/blocks.hpp"

namespace gateway::http {

/// A section whose data could not be read says so; the others are shown.
boost::asio::awaitable<std::vector<blocks::section>> read_overview(worker& here, std::string csrf);

}  // namespace gateway::http
