// The e-mail address of a person who has just set a password by a link. A short-lived cookie carries it to the sign-in
// page, which fills it in once. The cookie gives no access.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace gateway::http {

/// A Set-Cookie with the e-mail address.
std::string chosen_password_cookie(std::string_view email);
/// A Set-Cookie that removes the cookie.
std::string no_chosen_password_cookie();
/// The address; nullopt if no password was just set in this browser.
std::optional<std::string> find_chosen_password(const request& in);

}  // namespace gateway::http
