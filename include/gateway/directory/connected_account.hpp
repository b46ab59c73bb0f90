// A merchant's connection to a provider, and how it follows the standing of the merchant's account there.
#pragma once

#include <algorithm>
#include <optional>

#include "gateway/domain/merchant.hpp"
#include "gateway/ports/provider.hpp"

namespace gateway {

/// Null if the merchant never had one.
inline const connection* find_connection(const merchant& who, environment env, provider_kind provider) noexcept {
  const auto at = std::ranges::find_if(
      who.connections, [&](const connection& link) { return link.env == env && link.provider == provider; });
  return at == who.connections.end() ? nullptr : &*at;
}

/// The connection's new status; nullopt if it stays as it is. A provider never reconnects a connection that was given
/// up, or that an operator disabled.
constexpr std::optional<connection_status> status_after(connection_status now, account_standing standing) noexcept {
  using enum connection_status;
  if (now == not_connected) return std::nullopt;
  auto next = now;
  switch (standing) {
    case account_standing::unknown: break;
    case account_standing::incomplete: next = now == in_progress ? in_progress : unavailable; break;
    case account_standing::ready: next = connected; break;
    case account_standing::restricted: next = unavailable; break;
  }
  return next == now ? std::nullopt : std::optional{next};
}

}  // namespace gateway
