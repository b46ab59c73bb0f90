// URLs that callers pass and browsers are sent to.
#pragma once

#include <string>
#include <string_view>

#include "gateway/domain/ids.hpp"

namespace gateway::http {

/// Absolute https without user information; in the test environment also http to this machine (localhost).
bool is_return_url(std::string_view text, environment env);

/// The origin of a return URL for a Content-Security-Policy, such as `https://shop.example:8443`; empty if it has none.
std::string origin_of(std::string_view url);

}  // namespace gateway::http
