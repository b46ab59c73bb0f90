// The span of one request, from its first byte to its answer: the parent of all its other spans.
#pragma once

#include <chrono>
#include <string_view>

#include "gateway/base/tracing.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// Follows OpenTelemetry's semantic conventions for HTTP servers. It has the route's pattern instead of the path,
/// because clients choose ids in paths. Call it only if `where.at` is recorded.
span request_span(const tracing::entry& where, const response& out, std::string_view method,
                  std::string_view request_id, std::chrono::nanoseconds took);

}  // namespace gateway::http
