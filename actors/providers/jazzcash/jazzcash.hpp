// JazzCash, a mobile wallet in Pakistan: page redirection, status inquiry, and JazzCash's own posts.
// Settings, wire, sources and doubts: README.md beside it.
#pragma once

#include <memory>

#include "gateway/ports/provider_adapter.hpp"

namespace gateway::actors {

std::unique_ptr<const provider_adapter> make_jazzcash_adapter(gateway_addresses where);

}  // namespace gateway::actors
