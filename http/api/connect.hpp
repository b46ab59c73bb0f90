// Requests of platforms on their own behalf: exchanging codes, and revoking grants and keys.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"

namespace gateway::http {

/// POST /v1/public/connect/token
boost::asio::awaitable<response> exchange_token(call& c);
/// POST /v1/grants/{grant_id}/revoke
boost::asio::awaitable<response> revoke_platforms_grant(call& c);
/// POST /v1/platform_keys/{key_id}/revoke
boost::asio::awaitable<response> revoke_platforms_key(call& c);

}  // namespace gateway::http
