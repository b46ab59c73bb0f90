// Which providers are configured, and which have an open breaker.
// Concurrency: any thread may read; only a provider's gate updates its breaker.
#pragma once

#include <array>
#include <atomic>

#include "gateway/directory/directory.hpp"
#include "gateway/domain/provider_states.hpp"

namespace gateway {

class provider_board {
 public:
  /// `sandbox_in_live`: the sandbox providers also serve live payments. `published` must outlive the board.
  provider_board(const directory& published, bool sandbox_in_live)
      : published_{&published}, sandbox_in_live_{sandbox_in_live} {}

  provider_state state_of(provider_kind kind, environment env) const noexcept {
    const bool there =
        traits_of(kind).sandbox ? env == environment::test || sandbox_in_live_ : published_->has_provider(kind, env);
    if (!there) return provider_state::absent;
    return away_[at(kind, env)].load(std::memory_order_relaxed) ? provider_state::away : provider_state::ready;
  }
  provider_states states_in(environment env) const noexcept {
    provider_states all;
    for (const auto& row : provider_catalogue) all.set(row.kind, state_of(row.kind, env));
    return all;
  }

  void set_away(provider_kind kind, environment env, bool away) noexcept {
    away_[at(kind, env)].store(away, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t at(provider_kind kind, environment env) noexcept {
    return static_cast<std::size_t>(kind) * 2 + static_cast<std::size_t>(env);
  }

  const directory* published_;
  const bool sandbox_in_live_;
  std::array<std::atomic<bool>, provider_catalogue.size() * 2> away_{};
};

}  // namespace gateway
