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

enum class payment_method_kind : unsigned char { card, pkr_wallet };

constexpr std::string_view to_string(payment_method_kind m) noexcept {
  return m == payment_method_kind::card ? "card" : "pkr_wallet";
}

/// One way that the merchant's payments may take. Routes are tried in order of `position`.
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
  user_id owner;  ///< empty when no owner is identified
  std::vector<connection> connections;
  std::vector<route> routes;  ///< ordered by position
  /// Who is told of its payments: itself, and the platforms that it granted access.
  std::vector<destination> destinations;

  bool operator==(const merchant&) const = default;
};

// ---- scopes -----------------------------------------------------------------------------------

enum class scope : std::uint32_t {
  payments_write = 1u << 0,
  payments_read = 1u << 1,
  customers_read = 1u << 2,
  refunds_write = 1u << 3,
  payouts_read = 1u << 4,
  customers_write = 1u << 5,
  mcp_read = 1u << 6,
  webhooks_configure = 1u << 7,
  all = 1u << 31,
};

struct scope_name {
  scope value;
  std::string_view name;
};

inline constexpr scope_name scope_names[] = {{scope::payments_write, "payments:write"},
                                             {scope::payments_read, "payments:read"},
                                             {scope::customers_read, "customers:read"},
                                             {scope::refunds_write, "refunds:write"},
                                             {scope::payouts_read, "payouts:read"},
                                             {scope::customers_write, "customers:write"},
                                             {scope::mcp_read, "mcp:read"},
                                             {scope::webhooks_configure, "webhooks:configure"},
                                             {scope::all, "*"}};

struct scope_set {
  std::uint32_t bits = 0;

  constexpr bool permits(scope wanted) const noexcept {
    return (bits & static_cast<std::uint32_t>(scope::all)) != 0 || (bits & static_cast<std::uint32_t>(wanted)) != 0;
  }
  constexpr void add(scope s) noexcept { bits |= static_cast<std::uint32_t>(s); }
  bool operator==(const scope_set&) const = default;
};

/// Space-separated names; nothing if a name is unknown or none is given.
inline std::optional<scope_set> parse_scopes(std::string_view text) {
  scope_set set;
  while (!text.empty()) {
    const auto end = text.find(' ');
    const auto name = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (name.empty()) continue;
    bool known = false;
    for (const auto& row : scope_names)
      if (row.name == name) {
        set.add(row.value);
        known = true;
      }
    if (!known) return std::nullopt;
  }
  if (set.bits == 0) return std::nullopt;
  return set;
}

inline std::string to_string(scope_set set) {
  std::string text;
  for (const auto& row : scope_names)
    if (set.bits & static_cast<std::uint32_t>(row.value)) {
      if (!text.empty()) text += ' ';
      text += row.name;
    }
  return text;
}

/// Operator-minted keys of a merchant: may also serve an assistant's read-only context.
inline constexpr std::string_view default_merchant_scopes = "payments:write payments:read mcp:read";

struct api_key {
  key_id id;
  merchant_id merchant;
  environment env = environment::test;
  scope_set scopes;
  std::string secret;  ///< the hex text itself is the HMAC key; in memory only, sealed at rest
  bool revoked = false;
};

}  // namespace gateway
