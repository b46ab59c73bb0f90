// A browser in which somebody has signed in to an account keeps a signed cookie that names it. It is no proof of who
// asks, and opens nothing: failures of others do not keep such a browser from trying a password or a code, and its
// passwords are looked at before strangers'.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "http/routes/table.hpp"

namespace gateway::http {

inline constexpr std::chrono::seconds known_browser_lifetime = std::chrono::hours{90 * 24};

/// A Set-Cookie for the browser in which somebody has just signed in. `account` is the address as email_key_of() has
/// it. A browser may be known to several accounts.
std::string known_browser_cookie(const services& shared, std::string_view account);
/// What the browser is known to this account by; empty if it is not.
std::string known_browser(const call& c, std::string_view account);

}  // namespace gateway::http
