// What the console's sign-in and an operator's set-up share.
#pragma once

#include <string>
#include <string_view>

#include "gateway/domain/ids.hpp"
#include "http/message.hpp"

namespace gateway::http {

/// The query `done=` of the sign-in page after a set-up.
inline constexpr std::string_view set_up_done = "set-up";

/// The owner for whom an operator's second factor is sealed. It differs from every person's id.
inline user_id factor_owner(std::string_view operator_key) {
  return user_id{std::string{"operator "}.append(operator_key)};
}

/// The cookie to which the CSRF token of a form before sign-in is bound: the browser's, or a new one. It does not
/// authenticate.
struct console_form_cookie {
  std::string value;
  bool fresh = false;
};
console_form_cookie console_form_cookie_of(const request& in);

}  // namespace gateway::http
