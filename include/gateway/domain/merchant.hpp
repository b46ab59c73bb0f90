// A merchant as requests need it: its keys, connections and routes. Immutable once published.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/ids.hpp"
#include "gateway/domain/money.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/scopes.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway {

/// A standard entity takes cards; a wallet entity takes the PKR wallet and hides its provider.
enum class merchant_kind : unsigned char { standard, wallet };

constexpr std::string_view to_string(merchant_kind k) noexcept {
  return k == merchant_kind::standard ? "standard" : "wallet";
}

enum class connection_status : unsigned char { not_connected, in_progress, connected, unavailable };

constexpr std::string_view to_string(connection_status s) noexcept {
  constexpr std::string_view names[] = {"not_connected", "in_progress", "connected", "unavailable"};
  return names[static_cast<std::size_t>(s)];
}

constexpr std::optional<connection_status> parse_connection_status(std::string_view text) noexcept {
  for (std::size_t i = 0; i < 4; ++i)
    if (to_string(static_cast<connection_status>(i)) == text) return static_cast<connection_status>(i);
  return std::nullopt;
}

/// The merchant's account at one provider in one environment.
struct connection {
  environment env = environment::test;
  provider_kind provider = provider_kind::sandbox;
  connection_status status = connection_status::not_connected;
  std::string account;

  bool operator==(const connection&) const = default;
};

/// A recurring card is charged by a subscription.
enum class payment_method_kind : unsigned char { card, pkr_wallet, recurring_card };

inline constexpr std::size_t payment_method_kind_count = 3;

constexpr std::string_view to_string(payment_method_kind m) noexcept {
  constexpr std::string_view names[] = {"card", "pkr_wallet", "recurring_card"};
  return names[static_cast<std::size_t>(m)];
}

constexpr std::optional<payment_method_kind> parse_payment_method_kind(std::string_view text) noexcept {
  for (std::size_t i = 0; i < payment_method_kind_count; ++i)
    if (to_string(static_cast<payment_method_kind>(i)) == text) return static_cast<payment_method_kind>(i);
  return std::nullopt;
}

/// A route that the merchant's payments may take. Routes are tried in order of `position`.
struct route {
  environment env = environment::test;
  provider_kind provider = provider_kind::sandbox;
  std::uint32_t position = 0;
  std::vector<currency> currencies;  ///< empty: every currency
  std::vector<payment_method_kind> methods;

  bool operator==(const route&) const = default;
};

struct merchant {
  merchant_id id;
  entity_id entity;
  std::string name;
  merchant_kind kind = merchant_kind::standard;
  user_id owner;  ///< empty when no owner is known
  std::vector<connection> connections;
  std::vector<route> routes;  ///< ordered by position
  std::vector<destination> destinations;  ///< the merchant's own
  bool connections_unreadable = false;    ///< the row of a connection cannot be read, so `connections` is incomplete

  bool operator==(const merchant&) const = default;
};

/// For merchants' keys that operators mint; mcp:read also serves an assistant's read-only context.
inline constexpr std::string_view default_merchant_scopes = "payments:write payments:read mcp:read";

/// The prefix of every key's id, a platform's too.
inline constexpr std::string_view key_prefix = "mk_";

struct api_key {
  key_id id;
  merchant_id merchant;
  environment env = environment::test;
  scope_set scopes;
  std::string secret;  ///< the hex text itself is the HMAC key; in memory only, sealed at rest
  bool revoked = false;
};

}  // namespace gateway
