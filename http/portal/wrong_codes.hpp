// Who enters wrong codes after the right password knows the password. So wrong codes stand on the person's audit list,
// and five in a day (slowing.hpp) are told to the person: signing in leads to the account page, which says so until a
// new password is set, for a week at most.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "gateway/store.hpp"
#include "http/routes/table.hpp"

namespace gateway::http {

/// Best effort: what the store does not take is not told.
boost::asio::awaitable<void> note_wrong_code(call& c, user_id who, std::string email);
/// The newest of those that are to be told; nothing if there are none, or the store does not say.
boost::asio::awaitable<std::optional<save_audit>> find_wrong_codes(call& c, user_id who);

}  // namespace gateway::http
