// Whether whoever asked for a write may still have it, judged again when it begins. A write may have waited behind
// others of its entity, and nothing begins for a key, a platform or a grant whose end has been answered meanwhile.
#pragma once

#include <optional>

#include "gateway/directory.hpp"
#include "gateway/domain/on_behalf.hpp"
#include "gateway/domain/problem.hpp"

namespace gateway {

/// By whose key a write is asked for. Nobody's, of what operators, people and the gateway itself ask for.
struct asked_by {
  key_id key;
  platform_id platform;  ///< empty of a merchant's own key
  scope needed = scope::payments_write;
};

/// Of a platform that acts for a merchant: whether the grant, the scopes of it and those of the key permit that now.
inline std::optional<acting_refusal> judge_acting(const directory& known, const platform_and_merchant& who,
                                                  environment env, scope needed, scope_set of_key) {
  const auto grants = known.find_grants(who);
  const auto& here = grants.in(env);
  if (const auto why = judge_grant(here.state, grants.other_than(env).state)) return why;
  return judge_scopes(needed, of_key, here.scopes);
}

/// Costs look-ups in the published snapshot, and no message.
inline std::optional<problem> no_longer_permitted(const directory& known, const asked_by& who,
                                                  const entity_key& subject) {
  if (who.platform.empty()) {
    const auto key = known.find_key(who.key);
    return key && !key->revoked ? std::nullopt : std::optional{problem::key_ended};
  }
  const auto key = known.find_platform_key(who.key);
  if (!key || key->revoked) return problem::key_ended;
  if (key->suspended) return problem::platform_suspended;
  if (judge_acting(known, {who.platform, subject.merchant}, subject.env, who.needed, key->scopes))
    return problem::grant_ended;
  return std::nullopt;
}

}  // namespace gateway
