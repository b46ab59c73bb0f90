// Checks a write's permission again when the write begins. A write may have waited in its entity's queue. It must not
// begin once the gateway has answered the command that revoked its key or its grant, or suspended its platform.
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

/// The key that requested a write. Absent for requests by operators, people and the gateway itself.
struct asked_by {
  key_id key;
  platform_id platform;  ///< empty for a merchant's own key
  scope needed = scope::payments_write;
};

/// Whether a platform may act for a merchant now, by its grant, the grant's scopes and the key's scopes.
std::optional<acting_refusal> judge_acting(const directory& known, const platform_and_merchant& who, environment env,
                                           scope needed, scope_set of_key);

/// Looks only at the published snapshot, without a message.
std::optional<problem> no_longer_permitted(const directory& known, const asked_by& who, const entity_key& subject);

}  // namespace gateway
