// Strong identifier types. Each wraps the text form that callers see.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/text.hpp"

namespace gateway {

template <class Tag>
struct strong_id {
  std::string value;

  strong_id() = default;
  explicit strong_id(std::string text) : value(std::move(text)) {}

  bool empty() const noexcept { return value.empty(); }
  bool operator==(const strong_id&) const = default;
  auto operator<=>(const strong_id&) const = default;
};

using merchant_id = strong_id<struct merchant_tag>;  ///< merch_<id>, chosen by the gateway
using entity_id = strong_id<struct entity_tag>;      ///< ent_<id>, chosen by the gateway
using payment_id = strong_id<struct payment_tag>;    ///< pay_<id>, chosen by the caller
using key_id = strong_id<struct key_tag>;            ///< mk_test_<hex>, mk_live_<hex>, mk_platform_<8 hex>
using user_id = strong_id<struct user_tag>;          ///< user_<id>
using platform_id = strong_id<struct platform_tag>;  ///< plat_<id>, chosen by the gateway

/// Test payments move no real money. The environments never share keys, payments or connections.
enum class environment : unsigned char { test, live };

template <>
inline constexpr auto enum_table<environment> =
    enum_names<environment>({{environment::test, "test"}, {environment::live, "live"}});
inline constexpr auto parse_environment = parse_name<environment>;

/// The kinds of entities. An entity is a row that one actor owns, with a state machine, a version that every durable
/// change claims, and a timeline. An enrollment is the sandbox's side of a subscription: that provider keeps its state
/// in the gateway's database. A notification is a provider's post; it belongs to no merchant.
enum class entity_kind : unsigned char { payment, grant, subscription, customer, enrollment, notification };

template <>
inline constexpr auto enum_table<entity_kind> = enum_names<entity_kind>({{entity_kind::payment, "payment"},
                                                                         {entity_kind::grant, "grant"},
                                                                         {entity_kind::subscription, "subscription"},
                                                                         {entity_kind::customer, "customer"},
                                                                         {entity_kind::enrollment, "enrollment"},
                                                                         {entity_kind::notification, "notification"}});
inline constexpr auto parse_entity_kind = parse_name<entity_kind>;

/// Names an entity. Two merchants may use the same payment_id, and a subscription's id may look like a payment's.
struct entity_key {
  merchant_id merchant;
  environment env = environment::test;
  entity_kind kind = entity_kind::payment;
  /// Of a payment: pay_<id>, as callers see it. Of a grant: the platform's id. Of a customer: customer_key(). Of an
  /// enrollment: the <id> in the provider's subscription id. Of a notification: notification_key().
  std::string id;

  bool operator==(const entity_key&) const = default;
};

inline entity_key payment_key(merchant_id merchant, environment env, payment_id id) {
  return {std::move(merchant), env, entity_kind::payment, std::move(id.value)};
}

/// An idempotency key with its scope: one principal acting on one merchant in one environment.
/// The principal is empty for the merchant itself (whichever of its keys signed).
struct command_key {
  merchant_id merchant;
  environment env = environment::test;
  std::string principal;
  std::string key;  ///< UUID, lower case

  bool operator==(const command_key&) const = default;
};

inline std::size_t combine_hash(std::size_t seed, std::size_t next) noexcept {
  return seed ^ (next + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

/// Payment ids: `pay_[A-Za-z0-9_-]{1,60}`.
constexpr bool is_payment_id(std::string_view text) noexcept {
  constexpr std::string_view prefix = "pay_";
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  if (text.empty() || text.size() > 60) return false;
  for (const char c : text)
    if (!is_id_character(c)) return false;
  return true;
}

}  // namespace gateway

template <class Tag>
struct std::hash<gateway::strong_id<Tag>> {
  std::size_t operator()(const gateway::strong_id<Tag>& id) const noexcept {
    return std::hash<std::string>{}(id.value);
  }
};

template <>
struct std::hash<gateway::entity_key> {
  std::size_t operator()(const gateway::entity_key& key) const noexcept {
    const std::hash<std::string> text;
    const auto kind = (static_cast<std::size_t>(key.kind) << 1) | static_cast<std::size_t>(key.env);
    return gateway::combine_hash(gateway::combine_hash(text(key.merchant.value), kind), text(key.id));
  }
};

template <>
struct std::hash<gateway::command_key> {
  std::size_t operator()(const gateway::command_key& key) const noexcept {
    const std::hash<std::string> text;
    auto seed = gateway::combine_hash(text(key.merchant.value), static_cast<std::size_t>(key.env));
    seed = gateway::combine_hash(seed, text(key.principal));
    return gateway::combine_hash(seed, text(key.key));
  }
};
