#include "provider_state.hpp"

namespace gateway::http {

provider_state state_of(const settings& config, const provider_board* board, environment env, provider_kind kind) {
  if (traits_of(kind).sandbox)
    return env == environment::test || config.dev ? provider_state::ready : provider_state::absent;
  return board ? board->state_of(kind, env) : provider_state::absent;
}

provider_states states_in(const settings& config, const provider_board* board, environment env) {
  provider_states all;
  for (const auto& row : provider_catalogue) all.set(row.kind, state_of(config, board, env, row.kind));
  return all;
}

}  // namespace gateway::http
