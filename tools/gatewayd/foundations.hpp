// The parts of a gateway that are not actors, but that its actors use.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>

#include "actors/process/clock_watch.hpp"
#include "actors/process/database_witness.hpp"
#include "actors/providers/sandbox/sandbox.hpp"
#include "gateway/base/keyring.hpp"
#include "gateway/base/master_key_file.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/base/tracing.hpp"
#include "gateway/base/write_brake.hpp"
#include "gateway/base/write_gate.hpp"
#include "gateway/directory/directory.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/ports/mail.hpp"
#include "gateway/ports/membership.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"
#include "gateway/settings.hpp"
#include "http/codec/encode_event.hpp"
#include "http/codec/encode_grant.hpp"
#include "http/codec/encode_payment.hpp"
#include "http/codec/encode_subscription.hpp"
#include "http/outbound/http_client.hpp"
#include "http/outbound/webhook_client.hpp"
#include "http/server/listeners.hpp"
#include "persistence/store.hpp"
#include "providers.hpp"

/// Construction checks the settings, opens the ports and the database, and reads the keys. The checks that do not need
/// the database come first, so that a start that fails leaves it unchanged.
struct foundations {
  explicit foundations(gateway::settings s);

  gateway::tracing& traces() { return made_traces ? *made_traces : gateway::tracing::off(); }

  gateway::settings config;
  std::string listening_on;           ///< https://ADDR:PORT
  std::string operator_listening_on;  ///< http://ADDR:PORT, or empty
  std::string console_url;            ///< of the operators' console; empty: there is none
  gateway::system_wall_clock clock{config.clock_offset};
  gateway::metrics meters;
  std::optional<gateway::tracing> made_traces;  ///< nullopt: tracing is off
  gateway::write_brakes brake;
  gateway::write_gate gate;
  std::optional<gateway::actors::witness_state> witness;
  std::optional<gateway::actors::clock_watch> watch;
  std::optional<gateway::membership> nodes;
  gateway::directory merchants;
  std::optional<gateway::master_key_source> key_source;  ///< for keys that are added while the gateway serves
  std::optional<gateway::crypto::keyring> keys;
  gateway::crypto::derived_keys cursor_key;
  std::unique_ptr<gateway::payment_encoder> payment_json;
  std::unique_ptr<gateway::grant_encoder> grant_json;
  std::unique_ptr<gateway::subscription_encoder> subscription_json;
  std::unique_ptr<gateway::event_encoder> event_json;
  std::shared_ptr<gateway::actors::sandbox_ledger> ledger;
  gateway::delivery_numbers numbers{std::random_device{}()};
  std::optional<providers> payment_providers;
  std::unique_ptr<gateway::webhook_client> client;
  std::unique_ptr<gateway::http_client> collector;  ///< the client for the collector of traces
  // Null where no mail is configured.
  std::unique_ptr<gateway::mail_sealer> mails;
  std::unique_ptr<gateway::mail_composer> mail_pages;
  std::unique_ptr<gateway::mail_client> mail_server;

  std::optional<gateway::http::listeners> sockets;           ///< until the server takes them
  std::optional<gateway::persistence::prepared_store> prepared;  ///< until the store's actors take it

 private:
  /// Sets the URLs that clients use. The default of those not configured is the listening address.
  void find_addresses();
  void prepare_mail();
  /// Closes the gate for writes if the database is older than what has been answered.
  void find_age_of_database(bool is_new);
};
