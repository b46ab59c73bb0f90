// CAF's types for frequent messages, compiled here once.
#include <caf/mailbox_element.hpp>

#include "gateway/messages/actors.hpp"

#define GATEWAY_COMPILE_MESSAGE(...) GATEWAY_MESSAGE_PARTS(template, __VA_ARGS__)
GATEWAY_FREQUENT_MESSAGES(GATEWAY_COMPILE_MESSAGE)
GATEWAY_COMPILE_MESSAGE(bool)
GATEWAY_COMPILE_MESSAGE(caf::error)
GATEWAY_COMPILE_MESSAGE(caf::atom_value)
GATEWAY_COMPILE_MESSAGE(caf::atom_value, gateway::entity_key)
GATEWAY_COMPILE_MESSAGE(caf::atom_value, gateway::entity_key, std::uint64_t)
