// The idempotency key that is sent to a provider for one command of an entity.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/domain/ids.hpp"

namespace gateway::actors {

/// The idempotency key towards the provider: the same for every call that one command makes. The claim is part of it:
/// once a client's idempotency key has been purged, its next use is another command, which the provider must not answer
/// with its stored answer to the first.
std::string provider_key_of(const entity_key& subject, const command_key& command, std::int64_t claim);

/// A sandbox's reference for the object that a call creates, such as `ch_…` or `cs_…`. Derived from the provider key,
/// so that the same call always has the same reference.
std::string sandbox_reference(std::string_view prefix, std::string_view provider_key);

}  // namespace gateway::actors
