// The operators' console, on the operators' TCP listener. It shows what gatewayctl shows, and executes the gatewayctl
// commands that an operator needs at night, as far as the operator's role permits.
#pragma once

#include <chrono>

#include <boost/asio/awaitable.hpp>

#include "console_access.hpp"
#include "http/fwd.hpp"
#include "traffic.hpp"

namespace gateway::http {

/// The state of the console on this node.
struct operator_console {
  explicit operator_console(std::chrono::milliseconds session_idle) : access{session_idle} {}

  console_access access;
  traffic_memory traffic;  ///< the samples that the shown load is computed from
};

/// Whether the request is for the console: the console is enabled, the path is its own, and the request comes from this
/// machine.
bool is_for_console(const worker& here, const request& in);
boost::asio::awaitable<response> handle_console(worker& here, request& in);

}  // namespace gateway::http
