#include "providers.hpp"

#include <string>
#include <utility>

#include "actors/providers/jazzcash/jazzcash.hpp"
#include "actors/providers/provider_gate.hpp"
#include "actors/providers/stripe/stripe.hpp"
#include "http/outbound/http_client.hpp"

using namespace gateway;

namespace {

/// Any destination is allowed, because an operator chose it.
std::unique_ptr<http_client> client_of(provider_kind kind, const settings& config) {
  http::http_client_options options;
  options.thread_name = to_string(kind);
  options.most_connections = config.provider_connections;
  options.most_under_way = config.provider_in_flight * 2;
  options.destinations = http::destination_rule::any;
  options.headers = {{"User-Agent", "Payments-Gateway/1"}};
  options.ca_file = config.provider_ca_file;
  return http::make_http_client(std::move(options));
}

}  // namespace

providers::providers(const settings& config, const directory& published, const wall_clock& clock,
                     const gateway_addresses& addresses)
    : config_{config}, board_{published, config.dev} {
  const auto add = [&](std::unique_ptr<const provider_adapter> adapter) {
    const auto at = static_cast<std::size_t>(adapter->kind());
    clients_[at] = client_of(adapter->kind(), config);
    contexts_[at].emplace(actors::http_provider_context{*adapter, *clients_[at], published, clock, config});
    adapters_[at] = std::move(adapter);
  };
  add(actors::make_stripe_adapter(addresses));
  add(actors::make_jazzcash_adapter(addresses));
}

void providers::spawn(caf::actor_system& system, const actors::sandbox_settings& pages,
                      const std::shared_ptr<actors::sandbox_ledger>& ledger, metrics& meters, const membership& nodes) {
  for (const auto& row : provider_catalogue) {
    const auto at = static_cast<std::size_t>(row.kind);
    if (contexts_[at]) {
      behind_[at] = actors::spawn_http_provider(system, *contexts_[at]);
    } else {
      sandboxes_.push_back(
          config_.sandbox_provider.empty()
              ? actors::spawn_sandbox(system, pages, ledger)
              : actors::spawn_sandbox_link(system, pages, config_.sandbox_provider.string(), config_.provider_timeout));
      behind_[at] = sandboxes_.back();
    }
    gates_[at] = actors::spawn_provider_gate(system, behind_[at], row.kind, config_, meters, board_, nodes);
  }
}

std::array<bool, provider_catalogue.size()> providers::with_event_lists() const {
  std::array<bool, provider_catalogue.size()> lists{};
  for (const auto& each : adapters_)
    if (each) lists[static_cast<std::size_t>(each->kind())] = each->lists_events();
  return lists;
}

void providers::join(const router_actor& router) {
  for (const auto& sandbox : sandboxes_) caf::anon_send(sandbox, join_atom::value, router);
}

void providers::release() {
  for (auto& client : clients_) client.reset();
  sandboxes_.clear();
  behind_ = {};
  gates_ = {};
}
