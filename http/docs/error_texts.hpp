// What /docs/errors says about each error.
#pragma once

#include <string_view>

#include "http/errors.hpp"

namespace gateway::http {

/// When it happens, and what the caller can do.
std::string_view text_about(error_code code) noexcept;

}  // namespace gateway::http
