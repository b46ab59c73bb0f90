// A platform's customers, and which callers may use them.
#pragma once

#include <optional>

#include <boost/asio/awaitable.hpp>

#include "http/access/authorization.hpp"
#include "http/errors.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// Why the caller cannot have customers: only platforms can, and in live only. Nothing if it can.
std::optional<error_code> customers_unavailable(const permit& allowed) noexcept;

/// Refuses a write for that reason, unless its key has a stored answer.
boost::asio::awaitable<response> refuse_customers(call& c, error_code why);

boost::asio::awaitable<response> show_customer(call& c);
boost::asio::awaitable<response> list_platform_customers(call& c);

}  // namespace gateway::http
