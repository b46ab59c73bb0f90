// Wrong codes after a right password mean that another person may know the password. Each is an audit entry of the
// person, and five in a day (sign_in_throttle.hpp) are reported: sign-in leads to the account page, which shows a
// warning until a new password is set, for a week at most.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <caf/expected.hpp>

#include "gateway/ports/store/people_rows.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// Best effort: if the store fails, the code is not counted.
boost::asio::awaitable<void> note_wrong_code(call& c, user_id who, std::string email);
/// The newest of the wrong codes to report; nullopt if there are none. An error if the store does not answer.
boost::asio::awaitable<caf::expected<std::optional<save_audit>>> find_wrong_codes(call& c, user_id who);

}  // namespace gateway::http
