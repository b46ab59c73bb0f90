// What signing in to the console and setting an operator up have in common.
#pragma once

#include <string>
#include <string_view>

#include "gateway/domain/ids.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// The query `done=` of the sign-in page after a set-up.
inline constexpr std::string_view set_up_done = "set-up";

/// Whom a sealed second factor belongs to: an operator, whose name no person's id can be.
inline user_id factor_owner(std::string_view operator_key) {
  return user_id{std::string{"operator "}.append(operator_key)};
}

/// The cookie that the CSRF token of a form before sign-in is bound to: the browser's, or a new one. It does not
/// authenticate.
struct console_form_cookie {
  std::string value;
  bool fresh = false;
};
console_form_cookie console_form_cookie_of(const request& in);

}  // namespace gateway::http
