// A request and its answer as they are sent between nodes: the bytes of all members, one after the other. Both nodes
// must have compiled the same structures: `message_version` identifies them, and nodes with different versions pass
// each other nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/messages/actors.hpp"

namespace gateway::actors {

/// A hash of the passed structures, down to their last members, and of the meaning of their numbers.
std::uint64_t message_version() noexcept;

/// Leaves out the admission, which belongs to this node.
std::string packed(const entity_request& request);
std::string packed(const entity_reply& reply);
/// Nothing if the bytes are not a valid request or reply.
std::optional<entity_request> unpacked_request(std::string_view bytes);
std::optional<entity_reply> unpacked_reply(std::string_view bytes);

}  // namespace gateway::actors
