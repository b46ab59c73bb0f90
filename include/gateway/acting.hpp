// Whether whoever asked for a write may still have it, judged again when it begins. A write may have waited behind
// others of its entity, and nothing begins for a key, a platform or a grant whose end has been answered meanwhile.
#pragma once

#include <optional>

#include "gateway/domain/grant.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/on_behalf.hpp"
#include "gateway/domain/problem.hpp"
#include "gateway/domain/scopes.hpp"

namespace gateway {

class directory;
struct platform_and_merchant;

/// By whose key a write is asked for. Nobody's, of what operators, people and the gateway itself ask for.
struct asked_by {
  key_id key;
  platform_id platform;  ///< empty of a merchant's own key
  scope needed = scope::payments_write;
};

/// Of a platform that acts for a merchant: whether the grant, the scopes of it and those of the key permit that now.
std::optional<acting_refusal> judge_acting(const directory& known, const platform_and_merchant& who, environment env,
                                           scope needed, scope_set of_key);

/// Costs look-ups in the published snapshot, and no message.
std::optional<problem> no_longer_permitted(const directory& known, const asked_by& who, const entity_key& subject);

}  // namespace gateway
