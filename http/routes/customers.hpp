// A platform's customers, and who may have any.
#pragma once

#include <optional>

#include <boost/asio/awaitable.hpp>

#include "http/errors.hpp"
#include "table.hpp"

namespace gateway::http {

/// Why there are no customers for whoever asks: they are platforms', and exist in live only.
std::optional<error_code> customers_unavailable(const permit& allowed) noexcept;

/// Tells a write so, unless its key has an answer already.
boost::asio::awaitable<response> refuse_customers(call& c, error_code why);

boost::asio::awaitable<response> show_customer(call& c);
/// For operators.
boost::asio::awaitable<response> list_customers(call& c);

}  // namespace gateway::http
