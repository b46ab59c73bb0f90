// The providers of a gateway: those that it plays itself, and those that it reaches over HTTPS.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "actors/providers/http_provider.hpp"
#include "actors/providers/sandbox/sandbox.hpp"
#include "actors/staged_stop.hpp"
#include "gateway/actors.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/directory.hpp"
#include "gateway/membership.hpp"
#include "gateway/provider_adapter.hpp"
#include "gateway/provider_board.hpp"
#include "gateway/settings.hpp"

/// A provider of the gateway's own has no adapter; each other has one, and a client with a thread of its own.
class providers {
 public:
  using by_kind = std::array<gateway::provider_actor, gateway::provider_catalogue.size()>;

  /// Throws std::runtime_error with one line if provider-ca-file cannot be used. What it is given outlives it.
  providers(const gateway::settings& config, const gateway::directory& published, const gateway::wall_clock& clock,
            const gateway::gateway_addresses& addresses);

  /// Once. The ledger may be null.
  void spawn(caf::actor_system& system, const gateway::actors::sandbox_settings& pages,
             const std::shared_ptr<gateway::actors::sandbox_ledger>& ledger, gateway::metrics& meters,
             const gateway::membership& nodes);
  /// The router is there now: the sandboxes keep their subscriptions in the gateway's entities.
  void join(const gateway::router_actor& router);
  /// No handle may outlive the system that its actor belonged to. The clients end, too.
  void let_go();

  const by_kind& gates() const noexcept { return gates_; }
  const by_kind& behind_gates() const noexcept { return behind_; }
  const gateway::provider_adapters& adapters() const noexcept { return adapters_; }
  const gateway::provider_board& board() const noexcept { return board_; }

 private:
  const gateway::settings& config_;
  gateway::provider_board board_;
  gateway::provider_adapters adapters_;
  std::array<std::unique_ptr<gateway::http_client>, gateway::provider_catalogue.size()> clients_;
  std::array<std::optional<gateway::actors::http_provider_context>, gateway::provider_catalogue.size()> contexts_;
  std::vector<gateway::actors::sandbox_provider> sandboxes_;
  by_kind behind_;
  by_kind gates_;
};
