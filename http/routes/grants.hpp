// Grants as operators, and the merchants' own people, see and end them.
#pragma once

#include <optional>
#include <string>

#include "table.hpp"

namespace gateway::http {

/// Reasons where nobody gives one.
inline constexpr std::string_view operators_reason = "operator_requested";
inline constexpr std::string_view merchants_reason = "merchant_requested";

/// Ends a grant for somebody whom no idempotency key protects: it is revoked, now or since before, if nothing is
/// returned. A grant of another merchant than `only_of`, unless that is empty, is not found.
boost::asio::awaitable<std::optional<rejection>> revoke_grant_as(call& c, grant_id id, std::string reason,
                                                                 merchant_id only_of = {});

/// gatewayctl grant list, grant revoke.
boost::asio::awaitable<response> list_grants(call& c);
boost::asio::awaitable<response> revoke_grant_for_operator(call& c);

}  // namespace gateway::http
