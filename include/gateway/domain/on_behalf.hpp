// Whether a platform may act on behalf of a merchant: first whether there is a grant, then whether the scopes reach.
// Pure: what is known of the grants and scopes in, a refusal or nothing out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gateway/domain/scopes.hpp"

namespace gateway {

/// Of the newest grant that a merchant gave a platform in one environment. `none`: it never gave one.
enum class grant_state : unsigned char { none, active, revoked };

inline constexpr std::size_t grant_state_count = 3;

constexpr std::string_view to_string(grant_state s) noexcept {
  constexpr std::string_view names[] = {"none", "active", "revoked"};
  return names[static_cast<std::size_t>(s)];
}

/// As stored and shown: a grant that is there.
constexpr std::optional<grant_state> parse_grant_state(std::string_view text) noexcept {
  for (auto s : {grant_state::active, grant_state::revoked})
    if (to_string(s) == text) return s;
  return std::nullopt;
}

/// Why a platform may not act, in the order in which it is told.
enum class acting_refusal : unsigned char {
  grant_not_found,          ///< there is no grant, or it was revoked, or there is no such merchant
  merchant_grant_required,  ///< there is one, in the other environment only
  scope_denied,             ///< key and grant have no scope in common
  scope_not_granted,        ///< the merchant has not granted this one
  key_lacks_scope,          ///< the merchant has, but the platform's key was minted without it
};

/// `here` and `elsewhere`: in the environment that was asked for, and in the other one. A merchant that does not exist
/// has given no grant anywhere. One that was revoked here is told as absent even if the other environment has one: the
/// merchant has said no.
constexpr std::optional<acting_refusal> judge_grant(grant_state here, grant_state elsewhere) noexcept {
  if (here == grant_state::active) return std::nullopt;
  if (here == grant_state::none && elsewhere == grant_state::active) return acting_refusal::merchant_grant_required;
  return acting_refusal::grant_not_found;
}

/// What both sets permit; `*` on one side leaves the other side's set as it is.
constexpr scope_set intersection(scope_set a, scope_set b) noexcept {
  if (a.permits(scope::all)) return b;
  if (b.permits(scope::all)) return a;
  return {a.bits & b.bits};
}

constexpr scope_set united(scope_set a, scope_set b) noexcept { return {a.bits | b.bits}; }
/// Those of `a` that `b` does not name. By name: `*` in `b` takes nothing but `*` away.
constexpr scope_set without(scope_set a, scope_set b) noexcept { return {a.bits & ~b.bits}; }

constexpr std::optional<acting_refusal> judge_scopes(scope needed, scope_set of_key, scope_set of_grant) noexcept {
  const auto effective = intersection(of_key, of_grant);
  if (effective.bits == 0) return acting_refusal::scope_denied;
  if (!of_grant.permits(needed)) return acting_refusal::scope_not_granted;
  if (!of_key.permits(needed)) return acting_refusal::key_lacks_scope;
  return std::nullopt;
}

}  // namespace gateway
