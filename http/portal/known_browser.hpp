// A browser in which a person has signed in keeps a signed cookie that names the account. It does not authenticate. It
// only keeps others' failures from blocking this browser's passwords and codes, and puts its passwords before
// strangers' in the hasher's queue. It becomes invalid when the password or the second factor changes, so that cookies
// collected from many browsers do not help to guess the next password.
#pragma once

#include <chrono>
#include <string>

#include "gateway/ports/store/people_questions.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

inline constexpr std::chrono::seconds known_browser_lifetime = std::chrono::hours{90 * 24};

/// A Set-Cookie for a browser in which this person has signed in. A browser may have the cookies of several accounts.
std::string known_browser_cookie(const services& shared, const stored_person& who);
/// The browser's id in its cookie for this person's account; empty without a valid cookie.
std::string known_browser(const call& c, const stored_person& who);

}  // namespace gateway::http
