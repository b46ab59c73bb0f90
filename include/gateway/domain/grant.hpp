// The grant: what a merchant permits a platform in one environment. Its stored form, and the commands that change it.
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
/// Most unused codes of one binding. If everything is granted already, a code is issued without a click, so a page that
/// reloads may request any number of codes. Beyond this number the oldest is dropped.
inline constexpr std::size_t most_auth_codes = 16;

/// A browser carries the code to the platform, which exchanges it once.
struct auth_code {
  std::string hash;  ///< of the code's text, which is not stored
  std::string redirect_uri;
  time_point expires_at{};

  bool operator==(const auth_code&) const = default;
};

/// The entity that a grant's actor owns: the newest grant between a platform and a merchant in one environment. It has
/// one grant at a time, so that two active grants cannot be stored. A replaced grant is a past grant: it was revoked,
/// and stays revoked.
struct grant_binding {
  entity_key key;
  std::int64_t version = 0;  ///< every durable change is a compare-and-swap on this; 0: not stored yet
  std::optional<grant> newest;
  std::vector<auth_code> codes;  ///< of `newest`, while it is active; oldest first

  bool operator==(const grant_binding&) const = default;
};

/// The entity's id is the platform's.
entity_key binding_key(merchant_id merchant, environment env, platform_id platform);

// ---- commands -----------------------------------------------------------------------------------

/// An owner of the merchant consents to these scopes for the platform. Makes the grant, or extends it, and issues a
/// code.
struct give_consent {
  grant_id fresh;  ///< id for the grant, if one is made
  scope_set scopes;  ///< requested scopes: at least one, without `*`
  user_id user;
  bool shown = true;  ///< the user agreed on the page; false: a code is issued only if everything is granted already
  std::string code_hash;
  std::string redirect_uri;
};

/// The platform exchanges a code that a browser has brought.
struct exchange_code {
  platform_id platform;  ///< the platform whose key signed
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
