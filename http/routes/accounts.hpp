// The two addresses at which a merchant's owner comes back from a provider over HTTPS, where an account was opened.
#pragma once

#include "table.hpp"

namespace gateway::http {

/// Whatever was done there.
boost::asio::awaitable<response> come_back_from_provider(call& c);
/// The provider's own link is used or too old: whoever may, goes there again by a fresh one.
boost::asio::awaitable<response> go_to_provider_again(call& c);

}  // namespace gateway::http
