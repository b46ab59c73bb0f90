// The addresses of the public listener and of the operators' TCP listener, with their handlers.
#pragma once

#include <span>

#include <boost/asio/awaitable.hpp>

#include "http/call/endpoint.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

std::span<const endpoint> public_endpoints() noexcept;

/// The routes of the public listener: finds the route, runs it, and maps its exceptions to an answer. Never throws.
boost::asio::awaitable<response> handle_public(worker& here, request& in);
/// The routes of the operator listener on TCP: /metrics, /healthz, /readyz, and the console where it is enabled.
boost::asio::awaitable<response> handle_metrics(worker& here, request& in);

}  // namespace gateway::http
