// A browser in which somebody has signed in to an account keeps a signed cookie that names it. It is no proof of who
// asks, and opens nothing: failures of others do not keep such a browser from trying a password or a code, and its
// passwords are looked at before strangers'. It ends with the password and the second factor that the person signed in
// with: who has collected the cookies of many browsers cannot guess with them at the next password.
#pragma once

#include <chrono>
#include <string>

#include "gateway/store.hpp"
#include "http/routes/table.hpp"

namespace gateway::http {

inline constexpr std::chrono::seconds known_browser_lifetime = std::chrono::hours{90 * 24};

/// A Set-Cookie for a browser in which this person is signed in. A browser may be known to several accounts.
std::string known_browser_cookie(const services& shared, const stored_person& who);
/// What the browser is known to this person's account by; empty if it is not.
std::string known_browser(const call& c, const stored_person& who);

}  // namespace gateway::http
