// The span of one request, from its first byte to its answer: what all other spans of it are parts of.
#pragma once

#include <chrono>
#include <string_view>

#include "gateway/tracing.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// By OpenTelemetry's semantic conventions for HTTP servers. It has the route's pattern and no path: a path holds ids
/// that a stranger may have made up. To be asked only where `where.at` is recorded.
span request_span(const tracing::entry& where, const response& out, std::string_view method,
                  std::string_view request_id, std::chrono::nanoseconds took);

}  // namespace gateway::http
