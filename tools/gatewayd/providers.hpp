// The providers of a gateway: the sandboxes inside it, and the providers that it reaches over HTTPS.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "actors/process/staged_stop.hpp"
#include "actors/providers/http_provider.hpp"
#include "actors/providers/sandbox/sandbox.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/directory/directory.hpp"
#include "gateway/directory/provider_board.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"
#include "gateway/ports/provider_adapter.hpp"
#include "gateway/settings.hpp"

/// A sandbox inside the gateway has no adapter; each other provider has one, and a client with its own thread.
class providers {
 public:
  using by_kind = std::array<gateway::provider_actor, gateway::provider_catalogue.size()>;

  /// Throws std::runtime_error with one line if provider-ca-file cannot be used. The arguments must outlive this
  /// object.
  providers(const gateway::settings& config, const gateway::directory& published, const gateway::wall_clock& clock,
            const gateway::gateway_addresses& addresses);

  /// To be called once. The ledger may be null.
  void spawn(caf::actor_system& system, const gateway::actors::sandbox_settings& pages,
             const std::shared_ptr<gateway::actors::sandbox_ledger>& ledger, gateway::metrics& meters,
             const gateway::membership& nodes);
  /// Gives the sandboxes the router, because they keep their subscriptions in the gateway's entities.
  void join(const gateway::router_actor& router);
  /// Releases all handles, because none may outlive the actor system of its actor, and ends the clients.
  void release();

  const by_kind& gates() const noexcept { return gates_; }
  const by_kind& behind_gates() const noexcept { return behind_; }
  const gateway::provider_adapters& adapters() const noexcept { return adapters_; }
  /// Which adapters can read a list of events, by kind. Sandboxes have none: their list is in the store.
  std::array<bool, gateway::provider_catalogue.size()> with_event_lists() const;
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
