// Which providers are available.
#pragma once

#include "gateway/directory/provider_board.hpp"
#include "gateway/domain/merchant.hpp"
#include "gateway/domain/provider_states.hpp"
#include "gateway/settings.hpp"

namespace gateway::http {

/// A sandbox's state follows from the start options; other providers' states are on the board. A null board has none.
provider_state state_of(const settings& config, const provider_board* board, environment env, provider_kind kind);
provider_states states_in(const settings& config, const provider_board* board, environment env);

}  // namespace gateway::http
