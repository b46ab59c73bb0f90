// A request and its answer as they travel from node to node: the bytes of all members, one after the other. Both nodes
// have compiled the same structures: `message_version` tells, and nodes whose versions differ pass nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/actors.hpp"

namespace gateway::actors {

/// A hash of the structures that are passed, down to their last members, and of what their numbers mean.
std::uint64_t message_version() noexcept;

/// Without the admission, which is this node's own.
std::string packed(const entity_request& request);
std::string packed(const entity_reply& reply);
/// Nothing if the bytes are not such a request, or reply.
std::optional<entity_request> unpacked_request(std::string_view bytes);
std::optional<entity_reply> unpacked_reply(std::string_view bytes);

}  // namespace gateway::actors
