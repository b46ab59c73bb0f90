// The grant: what a merchant lets a platform do, in one environment. What is stored about it, and the commands that
// change it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/ids.hpp"
#include "gateway/domain/on_behalf.hpp"
#include "gateway/domain/scopes.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway {

using grant_id = strong_id<struct grant_tag>;  ///< grant_<id>, chosen by the gateway

struct grant {
  grant_id id;
  scope_set scopes;  ///< never `*`
  user_id given_by;  ///< who consented first
  time_point granted_at{};
  std::optional<time_point> revoked_at;  ///< empty: active
  std::string revoke_reason;  ///< of the first revoke

  bool operator==(const grant&) const = default;
};

constexpr grant_state state_of(const std::optional<grant>& g) noexcept {
  if (!g) return grant_state::none;
  return g->revoked_at ? grant_state::revoked : grant_state::active;
}

inline constexpr duration_ms auth_code_lifetime = std::chrono::minutes{10};
/// Codes of one binding that wait to be exchanged. A code is given without a click where all is granted already, so
/// that a page that reloads may ask for any number: past this, the oldest makes room.
inline constexpr std::size_t most_auth_codes = 16;

/// What a browser carries to the platform, and the platform exchanges, once.
struct auth_code {
  std::string hash;  ///< of its text, which nobody keeps
  std::string redirect_uri;
  time_point expires_at{};

  bool operator==(const auth_code&) const = default;
};

/// What one actor owns: a platform, a merchant and an environment, with the newest grant that binds them. It has one
/// grant at a time, so that two active ones cannot be stored. A grant that a new one has replaced is past: it was
/// revoked, and stays so.
struct grant_binding {
  entity_key key;
  std::int64_t version = 0;  ///< every durable change is a compare-and-swap on this; 0: not stored yet
  std::optional<grant> newest;
  std::vector<auth_code> codes;  ///< of `newest`, while it is active; oldest first

  bool operator==(const grant_binding&) const = default;
};

/// The id of the entity is the platform's.
entity_key binding_key(merchant_id merchant, environment env, platform_id platform);

// ---- commands -----------------------------------------------------------------------------------

/// An owner of the merchant agrees that the platform may do this. Makes the grant, or widens it, and issues a code.
struct give_consent {
  grant_id fresh;     ///< the grant's, if one is made
  scope_set scopes;   ///< asked for: at least one, without `*`
  user_id user;
  bool shown = true;  ///< agreed to on the page; else the code is wanted only if all of it is granted already
  std::string code_hash;
  std::string redirect_uri;
};

/// The platform exchanges the code that a browser has brought.
struct exchange_code {
  platform_id platform;  ///< whose key signed
  std::string code_hash;
  std::string redirect_uri;
};

struct revoke_grant {
  grant_id id;
  std::string reason;
};

inline constexpr std::size_t most_revoke_reason = 200;  ///< characters

constexpr bool is_revoke_reason(std::string_view text) noexcept { return count_characters(text) <= most_revoke_reason; }

}  // namespace gateway
