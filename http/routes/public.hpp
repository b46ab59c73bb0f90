// The public table, open to tests.
#pragma once

#include <span>

#include "table.hpp"

namespace gateway::http {

std::span<const endpoint> public_endpoints() noexcept;

}  // namespace gateway::http
