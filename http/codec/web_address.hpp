// Addresses that callers hand in and browsers are sent to.
#pragma once

#include <string>
#include <string_view>

#include "gateway/domain/ids.hpp"

namespace gateway::http {

/// Absolute https without user information; in the test environment also http on this very machine (localhost).
bool is_return_url(std::string_view text, environment env);

/// `https://shop.example:8443` of a return URL, as a Content-Security-Policy names it; empty if there is none.
std::string origin_of(std::string_view url);

}  // namespace gateway::http
