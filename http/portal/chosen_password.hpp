// From the form that sets a password by a link to the sign-in page that follows: the browser brings the address in a
// cookie, so that the page has it filled in, once. The cookie gives no access.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace gateway::http {

/// A Set-Cookie with the address.
std::string chosen_password_cookie(std::string_view email);
/// A Set-Cookie that removes it.
std::string no_chosen_password_cookie();
/// The address; nothing if no password was just chosen in this browser.
std::optional<std::string> find_chosen_password(const request& in);

}  // namespace gateway::http
