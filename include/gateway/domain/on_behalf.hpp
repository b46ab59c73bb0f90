// Whether a platform may act on behalf of a merchant: first whether there is a grant, then whether the scopes suffice.
// Pure: takes the grants and scopes, and returns a refusal or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/scopes.hpp"

namespace gateway {

/// The state of the newest grant that a merchant gave a platform in one environment. `none`: there never was one.
enum class grant_state : unsigned char { none, active, revoked };

template <>
inline constexpr auto enum_table<grant_state> = enum_names<grant_state>(
    {{grant_state::none, "none"}, {grant_state::active, "active"}, {grant_state::revoked, "revoked"}});

/// Why a platform may not act, in the order of the checks.
enum class acting_refusal : unsigned char {
  grant_not_found,          ///< there is no grant, it was revoked, or there is no such merchant
  merchant_grant_required,  ///< there is a grant only in the other environment
  scope_denied,             ///< key and grant have no scope in common
  scope_not_granted,        ///< the merchant has not granted this one
  key_lacks_scope,          ///< the merchant has granted it, but the platform's key was minted without it
};

/// `here` and `elsewhere`: the requested environment, and the other one. A merchant that does not exist has no grant
/// anywhere. A grant that was revoked here is answered as absent even if the other environment has one, because the
/// merchant has refused access here.
constexpr std::optional<acting_refusal> judge_grant(grant_state here, grant_state elsewhere) noexcept {
  if (here == grant_state::active) return std::nullopt;
  if (here == grant_state::none && elsewhere == grant_state::active) return acting_refusal::merchant_grant_required;
  return acting_refusal::grant_not_found;
}

/// The scopes in both sets; `*` on one side leaves the other side's set as it is.
constexpr scope_set intersection(scope_set a, scope_set b) noexcept {
  if (a.permits(scope::all)) return b;
  if (b.permits(scope::all)) return a;
  return {a.bits & b.bits};
}

constexpr scope_set united(scope_set a, scope_set b) noexcept { return {a.bits | b.bits}; }
/// The scopes in `a` that `b` does not name. Compares names only: `*` in `b` removes only `*`.
constexpr scope_set without(scope_set a, scope_set b) noexcept { return {a.bits & ~b.bits}; }

constexpr std::optional<acting_refusal> judge_scopes(scope needed, scope_set of_key, scope_set of_grant) noexcept {
  const auto effective = intersection(of_key, of_grant);
  if (effective.bits == 0) return acting_refusal::scope_denied;
  if (!of_grant.permits(needed)) return acting_refusal::scope_not_granted;
  if (!of_key.permits(needed)) return acting_refusal::key_lacks_scope;
  return std::nullopt;
}

}  // namespace gateway
