// The table of public endpoints; declared here for tests too.
#pragma once

#include <span>

#include "http/call/serve.hpp"

namespace gateway::http {

std::span<const endpoint> public_endpoints() noexcept;

}  // namespace gateway::http
