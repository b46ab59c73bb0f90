// Grants as operators, and the merchants' own people, see and end them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "table.hpp"

namespace gateway::http {

/// Reasons where nobody gives one.
inline constexpr std::string_view operators_reason = "operator_requested";
inline constexpr std::string_view merchants_reason = "merchant_requested";

/// Whose grants somebody may end.
struct merchants_side {
  merchant_id merchant;
  environment env = environment::live;
};

/// Ends a grant for somebody whom no idempotency key protects: it is revoked, now or since before, if nothing is
/// returned. One that is not of `only_of`, if that is given, is not found. `note`: of a person, else null.
boost::asio::awaitable<std::optional<rejection>> revoke_grant_as(call& c, grant_id id, std::string reason,
                                                                 std::optional<merchants_side> only_of = std::nullopt,
                                                                 std::shared_ptr<const save_audit> note = nullptr);

/// gatewayctl grant list, grant revoke.
boost::asio::awaitable<response> list_grants(call& c);
boost::asio::awaitable<response> revoke_grant_for_operator(call& c);

}  // namespace gateway::http
