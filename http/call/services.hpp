// What the handlers of requests need of the gateway.
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "gateway/base/keyring.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/base/tracing.hpp"
#include "gateway/base/write_brake.hpp"
#include "gateway/base/write_gate.hpp"
#include "gateway/directory/directory.hpp"
#include "gateway/directory/provider_board.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/mail.hpp"
#include "gateway/ports/membership.hpp"
#include "gateway/ports/provider_adapter.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"
#include "gateway/ports/webhook_client.hpp"
#include "gateway/settings.hpp"
#include "http/access/caller_limits.hpp"
#include "http/access/concurrency_limit.hpp"
#include "http/access/sign_in_throttle.hpp"
#include "http/fwd.hpp"
#include "http/server/server_context.hpp"

namespace gateway::http {

/// Shared by all I/O threads; outlives them. Made in the composition root.
struct services {
  const settings& config;
  std::string base_url;    ///< without a trailing slash
  std::string portal_url;  ///< without a trailing slash
  const directory& merchants;
  const wall_clock& clock;
  class metrics& meters;
  router_actor router;
  directory_actor operators;
  webhook_client& outbound;      ///< checks a destination's URL before it is set
  store_reader archive;          ///< for operators' lists
  dispatcher_actor dispatcher;   ///< redelivers what an operator asks for
  write_brakes& brake;           ///< rejects new writes while their webhooks would be late
  crypto::derived_keys setup_token_key;   ///< signs setup links; like all keys here derived from the master keys
  crypto::derived_keys hosted_page_key;   ///< signs hosted pages' links and their CSRF tokens
  std::string address = {};      ///< https://ADDR:PORT of the public listener
  std::string authorize_url = {};  ///< of the consent screen
  store_reader people = {};      ///< reads users and sessions, and grants by their id
  store_writer sessions = {};    ///< commits portal sessions
  password_hasher hasher = {};
  crypto::derived_keys form_key = {};     ///< signs the CSRF tokens of the portal's forms
  crypto::derived_keys invitation_key = {};  ///< signs invitations' links
  crypto::derived_keys code_key = {};     ///< 32 bytes: seals authorization codes
  crypto::derived_keys sdk_key = {};      ///< signs the client secrets of the sandbox's charges
  crypto::derived_keys second_factor_key = {};  ///< 32 bytes: seals people's second factors
  crypto::derived_keys cursor_key = {};   ///< signs the cursors of lists
  const membership& nodes = membership::alone();
  node_keeper keeper = {};       ///< null unless the node is part of a cluster
  delivery_numbers* numbers = nullptr;  ///< numbers for the deliveries that pages create: those of test events
  const provider_adapters* adapters = nullptr;  ///< of the providers reached over HTTPS
  const provider_board* providers = nullptr;    ///< which providers are available
  std::array<provider_actor, provider_catalogue.size()> gates{};  ///< in front of the providers, indexed by kind
  event_reader_actor event_reader = {};  ///< reads the providers' lists of events when an operator asks
  const write_gate* gate = &write_gate::always_open();  ///< closed: no writes are taken
  database_witness_actor witness = {};  ///< opens the gate when an operator has recovered the database
  const mail_sealer* mails = nullptr;  ///< null: no mail is configured
  tracing& traces = tracing::off();
  std::atomic<bool> ready{false};     ///< as /readyz reports it (the store's health is in meters.store_up)
  std::atomic<bool> draining{false};
  sign_in_throttle throttle{};          ///< limits password guessing
  operator_console* console = nullptr;  ///< null: there is none
  std::string console_url = {};  ///< http://ADDR:PORT/console; empty: there is none
  concurrency_limit writes{config.begin_wait, config.batch_units, config.http.connections, meters};
  caller_limits limits{config, meters};  ///< rate limits per caller
};

/// The part of the services that the server uses.
server_context server_context_of(services& shared);

}  // namespace gateway::http
