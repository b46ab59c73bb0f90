// Revoking grants, by operators and by a merchant's own people.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "gateway/ports/store/store.hpp"
#include "http/errors.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// Default reasons.
inline constexpr std::string_view operators_reason = "operator_requested";
inline constexpr std::string_view merchants_reason = "merchant_requested";

/// Restricts which grants a person may revoke.
struct merchants_side {
  merchant_id merchant;
  environment env = environment::live;
};

/// Revokes a grant on a request without an idempotency key. Returns nothing if the grant is revoked, now or earlier. A
/// grant outside `only_of`, if that is given, is not found. `note`: the audit entry of the person or operator.
boost::asio::awaitable<std::optional<rejection>> revoke_grant_as(call& c, grant_id id, std::string reason,
                                                                 std::optional<merchants_side> only_of = std::nullopt,
                                                                 std::shared_ptr<const save_audit> note = nullptr);

}  // namespace gateway::http
