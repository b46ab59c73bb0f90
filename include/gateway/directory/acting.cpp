#include "gateway/directory/acting.hpp"

#include "gateway/directory/directory.hpp"

namespace gateway {

std::optional<acting_refusal> judge_acting(const directory& known, const platform_and_merchant& who, environment env,
                                           scope needed, scope_set of_key) {
  const auto grants = known.find_grants(who);
  const auto& here = grants.in(env);
  if (const auto why = judge_grant(here.state, grants.other_than(env).state)) return why;
  return judge_scopes(needed, of_key, here.scopes);
}

std::optional<problem> no_longer_permitted(const directory& known, const asked_by& who, const entity_key& subject) {
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
