// JazzCash, a mobile wallet in Pakistan: page redirection, status inquiry, and JazzCash's own posts.
// README.md beside it describes the settings, the wire format, the sources and the open questions.
#pragma once

#include <memory>

#include "gateway/ports/provider_adapter.hpp"

namespace gateway::actors {

std::unique_ptr<const provider_adapter> make_jazzcash_adapter(gateway_addresses where);

}  // namespace gateway::actors
