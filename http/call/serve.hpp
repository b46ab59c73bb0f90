// Finds the endpoint of a request in a table, and runs its checks and its handler.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include <boost/asio/awaitable.hpp>

#include "call.hpp"
#include "endpoint.hpp"

namespace gateway::http {

struct found_endpoint {
  const endpoint* what = nullptr;
  path_variables path;
};

/// The endpoint, or the 404 or 405 for the request. A 405's route is the pattern whose methods it lists.
std::variant<found_endpoint, response> find_endpoint(std::span<const endpoint> table, std::string_view method,
                                                     std::string_view path);

/// Runs the request's handler. An exception is logged and becomes a 500.
boost::asio::awaitable<response> serve(worker& here, request& in, std::span<const endpoint> table);

}  // namespace gateway::http
