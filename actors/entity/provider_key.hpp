// The idempotency key that is sent to a provider for one command of an entity.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/domain/ids.hpp"

namespace gateway::actors {

/// The idempotency key towards the provider: the same for every call that one command makes. The claim is part of it:
/// once a client's idempotency key has been purged, its next use is another command, and the provider must not answer
/// that from its memory of the first.
std::string provider_key_of(const entity_key& subject, const command_key& command, std::int64_t claim);

/// `ch_…`, `cs_…`: how a sandbox names what a call makes. Derived from the provider key, so that the same call always
/// has the same reference.
std::string sandbox_reference(std::string_view prefix, std::string_view provider_key);

}  // namespace gateway::actors
