// A merchant as requests need it: its keys, connections and routes. Immutable once published.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/branding.hpp"
#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/last_use.hpp"
#include "gateway/domain/money.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/scopes.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway {

/// A standard entity takes cards; a wallet entity takes the PKR wallet and hides its provider.
enum class merchant_kind : unsigned char { standard, wallet };

template <>
inline constexpr auto enum_table<merchant_kind> =
    enum_names<merchant_kind>({{merchant_kind::standard, "standard"}, {merchant_kind::wallet, "wallet"}});

enum class connection_status : unsigned char { not_connected, in_progress, connected, unavailable };

template <>
inline constexpr auto enum_table<connection_status> =
    enum_names<connection_status>({{connection_status::not_connected, "not_connected"},
                                   {connection_status::in_progress, "in_progress"},
                                   {connection_status::connected, "connected"},
                                   {connection_status::unavailable, "unavailable"}});
inline constexpr auto parse_connection_status = parse_name<connection_status>;

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

template <>
inline constexpr auto enum_table<payment_method_kind> =
    enum_names<payment_method_kind>({{payment_method_kind::card, "card"},
                                     {payment_method_kind::pkr_wallet, "pkr_wallet"},
                                     {payment_method_kind::recurring_card, "recurring_card"}});
inline constexpr auto parse_payment_method_kind = parse_name<payment_method_kind>;

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
  branding look{};  ///< how its checkout looks
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
  last_use used{};
};

}  // namespace gateway
