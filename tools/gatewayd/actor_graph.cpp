#include "actor_graph.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <thread>
#include <utility>

#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>
#include <caf/openssl/publish.hpp>

#include "actors/customer/customer_actor.hpp"
#include "actors/directory/directory_actor.hpp"
#include "actors/directory/password_hasher.hpp"
#include "actors/enrollment/enrollment_actor.hpp"
#include "actors/entity/reconciler.hpp"
#include "actors/grant/grant_actor.hpp"
#include "actors/notification/event_reader.hpp"
#include "actors/notification/notification_actor.hpp"
#include "actors/payment/payment_actor.hpp"
#include "actors/process/staged_stop.hpp"
#include "actors/subscription/subscription_actor.hpp"
#include "actors/webhooks/dispatcher.hpp"
#include "config/setting_values.hpp"
#include "gateway/base/boot_clock.hpp"
#include "gateway/base/log.hpp"
#include "gateway/ports/sealed_texts.hpp"

using namespace gateway;

actor_config::actor_config(const settings& of) {
  add_message_types<caf::id_block::gateway>();
  if (!of.node.empty()) {
    load<caf::io::middleman>();
    load<caf::openssl::manager>();
    openssl_certificate = of.cluster_certificate.string();
    openssl_key = of.cluster_key.string();
    openssl_cafile = of.cluster_ca.string();
  }
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", std::max<std::size_t>(1, cores / 2));
  set("scheduler.max-throughput", std::size_t{64});
}

actor_graph::actor_graph(foundations& base)
    : base_{base}, caf_config_{base.config}, system_{std::make_unique<caf::actor_system>(caf_config_)} {
  try {
    spawn();
  } catch (...) {
    // The destructor of an actor system waits for its actors, so all must have ended.
    drain_dispatcher();
    stop();
    throw;
  }
}

void actor_graph::spawn() {
  if (base_.made_traces)
    exporter_ =
        actors::spawn_span_exporter(*system_, *base_.made_traces, *base_.collector,
                                    {base_.config.tracing_endpoint, {base_.config.tracing_service, base_.config.node}});
  if (base_.nodes->clustered())
    keeper_ = base_.prepared->keep_lease(
        *system_, base_.config, *base_.nodes, base_.meters,
        {[] { ::kill(::getpid(), SIGTERM); }, [this](std::string why) { fail(std::move(why)); }});
  store_ = persistence::open_store(*system_, std::move(*base_.prepared), base_.config, base_.meters);
  hasher_ = actors::spawn_password_hasher(*system_);
  operators_ = actors::spawn_directory(*system_, {.store = store_,
                                                  .hasher = hasher_,
                                                  .published = base_.merchants,
                                                  .keys = *base_.keys,
                                                  .clock = base_.clock,
                                                  .known_merchants = base_.meters.known_merchants,
                                                  .keeper = keeper_,
                                                  .key_source = &*base_.key_source,
                                                  .mails = base_.mails.get()});
  // Loaded before the actors that need it: an event of an unknown merchant would be sent to no destination.
  load_directory();
  if (keeper_) caf::anon_send(keeper_, join_atom::value, operators_);
  base_.payment_providers->spawn(*system_, sandbox_pages(), base_.ledger, base_.meters, *base_.nodes);
  dispatcher_ = actors::spawn_dispatcher(
      *system_, std::make_shared<const actors::webhook_context>(actors::webhook_context{
                    store_, operators_, base_.merchants, base_.clock, *base_.event_json, base_.config, base_.meters,
                    *base_.client, base_.brake, *base_.nodes, keeper_, base_.traces()}));
  if (keeper_) caf::anon_send(keeper_, join_atom::value, dispatcher_);
  spawn_router();
  reconciler_ = actors::spawn_reconciler(*system_, store_, router_, base_.clock, *base_.watch, base_.config,
                                         *base_.nodes, base_.gate);
  event_reader_ = actors::spawn_event_reader(
      *system_, {store_, router_, base_.clock, *base_.watch, base_.payment_providers->board(),
                 base_.payment_providers->gates(), base_.payment_providers->with_event_lists(), *base_.nodes});
  key_use_writer_ = actors::spawn_key_use_writer(*system_, store_.recorder, base_.merchants, *base_.watch);
  resealer_ = actors::spawn_resealer(*system_, {store_, operators_, *base_.keys, *base_.nodes});
  if (base_.mails)
    mailer_ = actors::spawn_mailer(*system_, {store_.readers.front(), store_.recorder, *base_.watch, *base_.mails,
                                              *base_.mail_pages, *base_.mail_server});
  if (!base_.console_url.empty()) console_.emplace(base_.config.console_session_idle);
  audit_witness_ = actors::spawn_audit_witness(*system_, store_.archive, base_.clock, base_.meters);
  database_witness_ = actors::spawn_database_witness(*system_, store_.recorder, *base_.witness, base_.clock,
                                                     base_.meters, base_.gate, *base_.nodes);
  services_ = make_services();
  supervise();
}

void actor_graph::spawn_router() {
  const actors::entity_context common{store_,       base_.merchants, base_.clock,   *base_.watch, base_.config,
                                      base_.meters, dispatcher_,     base_.numbers, {},           *base_.nodes,
                                      operators_,   base_.traces(),  &links_};
  auto payments = std::make_shared<const actors::payment_context>(actors::payment_context{
      common, base_.payment_providers->gates(), *base_.payment_json, base_.payment_providers->board()});
  auto grants = std::make_shared<const actors::grant_context>(
      actors::grant_context{common, base_.merchants, *base_.grant_json, keeper_});
  auto subscriptions = std::make_shared<const actors::subscription_context>(actors::subscription_context{
      common, *base_.subscription_json, base_.payment_providers->board(), base_.payment_providers->gates()});
  auto notifications = std::make_shared<const actors::notification_context>(
      actors::notification_context{common, base_.payment_providers->gates()});
  router_ = actors::spawn_router(
      *system_, payments,
      {actors::payment_spawner(payments), actors::grant_spawner(std::move(grants)),
       actors::subscription_spawner(std::move(subscriptions)), actors::customer_spawner(payments),
       actors::enrollment_spawner(payments), actors::notification_spawner(std::move(notifications))});
  if (keeper_) join_the_others();
  base_.payment_providers->join(router_);
}

void actor_graph::join_the_others() {
  const auto at = *parse_socket_address(base_.config.cluster_listen);
  gate_ = actors::spawn_node_gate(*system_, router_, *base_.nodes, base_.gate);
  node_links_ = actors::spawn_node_links(
      *system_,
      {keeper_, gate_, *base_.nodes, links_, caf::actor_cast<caf::actor>(system_->openssl_manager().actor_handle())});
  const auto port = caf::openssl::publish(node_links_, at.port, at.address.c_str(), true);
  if (!port)
    throw std::runtime_error{"cluster-listen: cannot listen on " + base_.config.cluster_listen + ": " +
                             system_->render(port.error())};
}

void actor_graph::load_directory() {
  caf::scoped_actor self{*system_};
  bool loaded = false;
  self->request(operators_, std::chrono::minutes{2}, load_atom::value)
      .receive([&](bool ok) { loaded = ok; }, [](const caf::error&) {});
  if (!loaded) throw std::runtime_error{"cannot read the platforms from the database"};
}

std::unique_ptr<http::services> actor_graph::make_services() {
  return std::unique_ptr<http::services>(
      new http::services{.config = base_.config,
                         .base_url = base_.config.base_url,
                         .portal_url = base_.config.portal_url,
                         .merchants = base_.merchants,
                         .clock = base_.clock,
                         .meters = base_.meters,
                         .router = router_,
                         .operators = operators_,
                         .outbound = *base_.client,
                         .archive = store_.archive,
                         .dispatcher = dispatcher_,
                         .brake = base_.brake,
                         .setup_token_key = base_.keys->derive("setup token"),
                         .hosted_page_key = base_.keys->derive("hosted page"),
                         .address = base_.listening_on,
                         .authorize_url = base_.config.authorize_url,
                         .people = store_.readers.front(),
                         .sessions = store_.writers.front(),
                         .hasher = hasher_,
                         .form_key = base_.keys->derive("form"),
                         .invitation_key = base_.keys->derive("invitation"),
                         .code_key = base_.keys->derive("authorization code"),
                         .sdk_key = base_.keys->derive("sandbox sdk"),
                         .second_factor_key = base_.keys->derive(std::string{second_factor_purpose}),
                         .cursor_key = base_.cursor_key,
                         .nodes = *base_.nodes,
                         .keeper = keeper_,
                         .numbers = &base_.numbers,
                         .adapters = &base_.payment_providers->adapters(),
                         .providers = &base_.payment_providers->board(),
                         .gates = base_.payment_providers->gates(),
                         .event_reader = event_reader_,
                         .gate = &base_.gate,
                         .witness = database_witness_,
                         .mails = base_.mails.get(),
                         .traces = base_.traces(),
                         .console = console_ ? &*console_ : nullptr,
                         .console_url = base_.console_url});
}

actors::sandbox_settings actor_graph::sandbox_pages() const {
  return {.base_url = base_.config.base_url,
          .hosted_page_key = base_.keys->derive("hosted page"),
          .sdk_key = base_.keys->derive("sandbox sdk")};
}

std::vector<actors::core_actor> actor_graph::core_actors() const {
  std::vector<actors::core_actor> core;
  const auto add = [&](std::string name, const auto& actor) {
    if (actor) core.push_back({std::move(name), caf::actor_cast<caf::strong_actor_ptr>(actor)});
  };
  add("the reader of events", event_reader_);
  add("the reconciler", reconciler_);
  add("the writer of key uses", key_use_writer_);
  add("the resealer", resealer_);
  add("the mailer", mailer_);
  add("the witness of the audit log", audit_witness_);
  add("the witness of the database", database_witness_);
  add("the links to other nodes", node_links_);
  add("the gate for other nodes", gate_);
  add("the router", router_);
  add("the dispatcher", dispatcher_);
  add("the directory", operators_);
  add("the password hasher", hasher_);
  for (const auto& each : base_.payment_providers->gates()) add("a provider's gate", each);
  for (const auto& each : base_.payment_providers->behind_gates()) add("a provider", each);
  for (const auto& writer : store_.writers) add("a store writer", writer);
  add("the dispatcher's store writer", store_.recorder);
  for (const auto& reader : store_.readers) add("a store reader", reader);
  add("the dispatcher's store reader", store_.outbox);
  add("the operators' store reader", store_.archive);
  add("the directory's store reader", store_.entries);
  // Last, so that the other actors have the lease for their last commits.
  add("the keeper of the lease", keeper_);
  return core;
}

void actor_graph::supervise() {
  supervisor_ = actors::spawn_supervisor(*system_, core_actors(), [this](std::string why) { fail(std::move(why)); });
}

void actor_graph::fail(std::string why) {
  {
    const std::lock_guard hold{failure_access_};
    failure_ = std::move(why);
  }
  ::kill(::getpid(), SIGTERM);
}

void actor_graph::wait_for_the_others() const {
  constexpr std::chrono::seconds longest{60};
  const auto deadline = since_boot() + longest;
  for (; !base_.nodes->serves(); std::this_thread::sleep_for(std::chrono::milliseconds{5}))
    if (since_boot() > deadline)
      throw std::runtime_error{"node '" + base_.nodes->name() + "' did not get its lease: see the log"};
}

std::string actor_graph::failure() const {
  const std::lock_guard hold{failure_access_};
  return failure_;
}

void actor_graph::leave_the_others() {
  if (!keeper_) return;
  caf::anon_send(keeper_, drain_atom::value);
  caf::anon_send(gate_, drain_atom::value);
}

void actor_graph::drain_gate(std::chrono::milliseconds longest) {
  if (!gate_) return;
  caf::scoped_actor self{*system_};
  self->request(gate_, longest, drain_atom::value)
      .receive([](bool) {}, [](const caf::error&) { log::warn("requests_of_other_nodes_cut_off"); });
}

void actor_graph::drain_dispatcher() {
  if (!dispatcher_) return;
  constexpr std::chrono::seconds longest{5};
  caf::scoped_actor self{*system_};
  self->request(dispatcher_, std::min<std::chrono::milliseconds>(longest, base_.config.drain_timeout),
                drain_atom::value)
      .receive([](bool) {}, [](const caf::error&) { log::info("deliveries_cut_off"); });
}

void actor_graph::drain_key_uses() {
  if (!key_use_writer_) return;
  constexpr std::chrono::seconds longest{2};
  caf::scoped_actor self{*system_};
  self->request(key_use_writer_, std::min<std::chrono::milliseconds>(longest, base_.config.drain_timeout),
                drain_atom::value)
      .receive([](bool) {}, [](const caf::error&) { log::info("key_uses_cut_off"); });
}

void actor_graph::drain_mail() {
  if (!mailer_) return;
  constexpr std::chrono::seconds longest{2};
  caf::scoped_actor self{*system_};
  auto draining = self->request(mailer_, std::min<std::chrono::milliseconds>(longest, base_.config.drain_timeout),
                                drain_atom::value);
  base_.mail_server->stop();
  draining.receive([](bool) {}, [](const caf::error&) { log::info("mails_cut_off"); });
}

void actor_graph::drain_witness() {
  if (!database_witness_) return;
  constexpr std::chrono::seconds longest{5};
  caf::scoped_actor self{*system_};
  self->request(database_witness_, longest, drain_atom::value)
      .receive([](bool) {}, [](const caf::error&) { log::info("database_witness_cut_off"); });
}

void actor_graph::flush_traces() {
  if (!exporter_) return;
  constexpr std::chrono::seconds longest{3};
  caf::scoped_actor self{*system_};
  self->request(exporter_, std::min<std::chrono::milliseconds>(longest, base_.config.drain_timeout), drain_atom::value)
      .receive([](bool) {}, [](const caf::error&) { log::info("spans_cut_off"); });
}

void actor_graph::stop() {
  if (!system_) return;
  if (base_.mail_server) base_.mail_server->stop();
  // A connection of the store gives up after 10 s if the database does not answer.
  actors::staged_stop stop{*system_, std::chrono::seconds{12}, std::chrono::seconds{2}};
  stop.end("the supervisor", caf::actor_cast<caf::strong_actor_ptr>(supervisor_));
  for (const auto& each : core_actors()) stop.end(each.name, each.actor);
  flush_traces();
  stop.end("the exporter of spans", caf::actor_cast<caf::strong_actor_ptr>(exporter_));
  if (!stop.all_have_ended()) end_process_without(stop.left_behind());
  release();
  system_.reset();
}

void actor_graph::release() {
  services_.reset();
  base_.client.reset();  // no worker is left that could use it, and its remaining results are discarded
  base_.collector.reset();
  base_.mail_server.reset();
  exporter_ = nullptr;
  supervisor_ = nullptr;
  event_reader_ = nullptr;
  key_use_writer_ = nullptr;
  resealer_ = nullptr;
  mailer_ = nullptr;
  audit_witness_ = nullptr;
  database_witness_ = nullptr;
  reconciler_ = nullptr;
  router_ = nullptr;
  node_links_ = nullptr;
  gate_ = nullptr;
  dispatcher_ = nullptr;
  operators_ = nullptr;
  hasher_ = nullptr;
  base_.payment_providers->release();
  store_ = {};
  keeper_ = nullptr;
}

void actor_graph::end_process_without(const std::vector<std::string>& left) {
  const auto what = left.empty() ? std::string{"an actor"} : left.front();
  log::error("stop_cut_off", {{"waited_for", what}});
  log::stop();
  std::cerr << "gatewayd: ended while " << what << " was still at work: the next start settles what is open\n";
  std::_Exit(1);
}
