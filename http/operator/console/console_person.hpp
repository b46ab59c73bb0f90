// The operator of a request's console session, and what the role permits.
#pragma once

#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "console_pages.hpp"
#include "console_permissions.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// The CSRF tokens of forms after sign-in are bound to this name.
inline constexpr std::string_view console_form_name = "console";

struct console_person {
  std::string name;
  operator_role role = operator_role::viewer;
  std::string cookie;
};

/// The browser's cookie; empty if it has none.
std::string console_cookie_of(const request& in);

/// nullopt without a valid session, or if the operator was removed or reset. If the store does not answer, the role is
/// viewer, and the pages show what this node knows about itself.
boost::asio::awaitable<std::optional<console_person>> find_console_person(call& c);

/// The page for a role that does not permit this; nullopt if it does.
std::optional<response> refusal_of(const call& c, const console_person& who, console_permission needed);

/// The frame of a page for this operator.
console_frame frame_of_console(const call& c, const console_person& who);

}  // namespace gateway::http
