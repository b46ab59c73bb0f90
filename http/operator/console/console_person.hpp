// Who uses the console: the operator of a request's session, and what follows from the role.
#pragma once

#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "console_pages.hpp"
#include "console_permissions.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// The forms after sign-in are bound to this name.
inline constexpr std::string_view console_form_name = "console";

struct console_person {
  std::string name;
  operator_role role = operator_role::viewer;
  std::string cookie;
};

/// The browser's cookie; empty if it has none.
std::string console_cookie_of(const request& in);

/// Nothing without a valid session, or once the operator was removed or reset. While the store does not answer, the
/// operator only looks: the pages show then what this node knows of itself.
boost::asio::awaitable<std::optional<console_person>> find_console_person(call& c);

/// The page that says that the role does not permit it; nothing if it does.
std::optional<response> refusal_of(const call& c, const console_person& who, console_permission needed);

/// The frame of a page for this operator.
console_frame frame_of_console(const call& c, const console_person& who);

}  // namespace gateway::http
