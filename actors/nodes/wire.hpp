// A request and its answer as they are sent between nodes: the bytes of all members, one after the other. Both nodes
// must be built with the same structures. `message_version` identifies them, and nodes with different versions pass
// each other no requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/messages/actors.hpp"

namespace gateway::actors {

/// A hash of the types of all members of the messages, and of the constant `meaning`.
std::uint64_t message_version() noexcept;

/// Leaves out the admission (of the request by this node's HTTP server), which has no meaning on another node.
std::string packed(const entity_request& request);
std::string packed(const entity_reply& reply);
/// nullopt if the bytes are not a valid request or reply.
std::optional<entity_request> unpacked_request(std::string_view bytes);
std::optional<entity_reply> unpacked_reply(std::string_view bytes);

}  // namespace gateway::actors
