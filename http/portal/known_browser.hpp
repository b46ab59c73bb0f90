// A browser in which a person has signed in to an account keeps a signed cookie that names the account. It does not
// authenticate: it only keeps others' failures from blocking this browser's passwords and codes, and puts its passwords
// before strangers' in the hasher's queue. It becomes invalid when the password or the second factor changes, so that
// collected cookies of many browsers do not help to guess the next password.
#pragma once

#include <chrono>
#include <string>

#include "gateway/ports/store/people_questions.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

inline constexpr std::chrono::seconds known_browser_lifetime = std::chrono::hours{90 * 24};

/// A Set-Cookie for a browser in which this person is signed in. A browser may hold several accounts.
std::string known_browser_cookie(const services& shared, const stored_person& who);
/// The id under which this browser is known to the person's account; empty if it is not.
std::string known_browser(const call& c, const stored_person& who);

}  // namespace gateway::http
