// What operators, merchants and platforms change in the directory.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/branding.hpp"
#include "gateway/domain/grant.hpp"
#include "gateway/domain/merchant.hpp"
#include "gateway/domain/platform.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway {

struct save_merchant {
  merchant_id id;
  entity_id entity;
  std::string name;
  merchant_kind kind = merchant_kind::standard;
  std::string owner_email;  ///< may be empty
  time_point created_at{};
};

struct save_api_key {
  key_id id;
  merchant_id merchant;
  environment env = environment::test;
  scope_set scopes;
  std::string sealed_secret;  ///< AES-256-GCM under the master key, base64
  time_point created_at{};
  std::string name{};        ///< may be empty
  std::string created_by{};  ///< a person's e-mail address, or an operator's name; empty: made before it was recorded
};

struct revoke_api_key {
  key_id id;
  merchant_id merchant;
  time_point revoked_at{};
};

/// A later day that is stored already stays.
struct note_api_key_use {
  key_id id;
  merchant_id merchant;
  std::chrono::sys_days day{};
};

/// Inserts or replaces the merchant's connection to that provider.
struct save_connection {
  merchant_id merchant;
  connection link;
  std::string id;  ///< conn_<id>, kept when replaced
};

/// Inserts or replaces the merchant's route by that provider; a replaced route keeps its position.
struct save_route {
  merchant_id merchant;
  route way;
  std::string id;  ///< route_<id>, kept when replaced
};

/// Inserts or replaces how the merchant's checkout looks.
struct save_branding {
  merchant_id merchant;
  branding look;
};

/// Inserts or replaces the merchant's logo.
struct save_logo {
  merchant_id merchant;
  std::string file;  ///< a PNG file in base64url; empty: none
};

/// Spends a setup link. A second one with the same token id is a duplicate record.
struct spend_token {
  merchant_id merchant;
  std::string token_id;
  time_point spent_at{};
};

/// Inserts or replaces the destination with this owner and id; a replaced one keeps `created_at` and `kind`.
struct save_destination {
  destination what;
  std::string sealed_secret;  ///< AES-256-GCM under the master key, base64
  std::string sealed_previous;  ///< the previous secret, while both sign; may be empty
  std::optional<time_point> previous_until;

  bool operator==(const save_destination&) const = default;
};

/// A platform's slug and key ids are unique: a second one is a duplicate record.
struct insert_platform {
  platform what;
  time_point created_at{};
};

/// Replaces everything except the slug.
struct update_platform {
  platform what;
};

struct save_platform_key {
  key_id id;
  platform_id platform;
  scope_set scopes;
  std::string sealed_secret;  ///< AES-256-GCM under the master key, base64
  time_point created_at{};
  std::string name{};  ///< may be empty
  std::string created_by{};  ///< an operator's name; empty: made before it was recorded
};

struct revoke_platform_key {
  key_id id;
  platform_id platform;
  time_point revoked_at{};
};

/// A later day that is stored already stays.
struct note_platform_key_use {
  key_id id;
  platform_id platform;
  std::chrono::sys_days day{};
};

/// A grant that a new one replaces. Never changed.
struct past_grant {
  entity_key binding;
  grant what;  ///< revoked
};

/// Inserts or replaces the settings of a provider in one environment.
struct save_provider {
  provider_kind provider = provider_kind::sandbox;
  environment env = environment::test;
  std::string sealed_settings;  ///< JSON object, AES-256-GCM under the master key, base64; empty: not configured
  time_point changed_at{};
};

/// An entry in the directory's log: which entry of the directory changes. A merchant, with its keys, destinations,
/// grants and users; a platform, with its keys and destinations; a provider's settings, by the name of its kind; or a
/// master key's status. A change of a node means that the node comes or goes; nothing has to be read for it.
struct directory_change {
  enum class kind : unsigned char { merchant, platform, node, provider, master_key };
  kind what = kind::merchant;
  std::string id;

  bool operator==(const directory_change&) const = default;
  auto operator<=>(const directory_change&) const = default;
};

constexpr std::string_view to_string(directory_change::kind k) noexcept {
  constexpr std::string_view names[] = {"merchant", "platform", "node", "provider", "master_key"};
  return names[static_cast<std::size_t>(k)];
}

constexpr std::optional<directory_change::kind> parse_change_kind(std::string_view text) noexcept {
  using enum directory_change::kind;
  for (const auto k : {merchant, platform, node, provider, master_key})
    if (to_string(k) == text) return k;
  return std::nullopt;
}

/// Claims the turn in which an operator's change was planned. Turns count the directory's changes, on all nodes
/// together. The claim is lost if another node's change has taken the turn.
struct directory_turn {
  std::int64_t planned_in = 0;
};

}  // namespace gateway
