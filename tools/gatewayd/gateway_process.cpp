#include "gateway_process.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <random>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include <caf/all.hpp>
#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>
#include <caf/openssl/publish.hpp>

#include "actors/clock_watch.hpp"
#include "actors/customer/customer_actor.hpp"
#include "actors/directory/directory_actor.hpp"
#include "actors/entity/reconciler.hpp"
#include "actors/entity/router.hpp"
#include "actors/grant/grant_actor.hpp"
#include "actors/nodes/node_links.hpp"
#include "actors/notification/notification_actor.hpp"
#include "actors/password_hasher.hpp"
#include "actors/payment/payment_actor.hpp"
#include "actors/providers/sandbox/sandbox.hpp"
#include "actors/providers/sandbox/sandbox_enrollment.hpp"
#include "actors/staged_stop.hpp"
#include "actors/subscription/subscription_actor.hpp"
#include "actors/supervisor.hpp"
#include "actors/tracing/span_exporter.hpp"
#include "actors/webhooks/dispatcher.hpp"
#include "config/setting_values.hpp"
#include "console_token.hpp"
#include "gateway/base/boot_clock.hpp"
#include "gateway/base/log.hpp"
#include "gateway/base/master_key_file.hpp"
#include "gateway/tracing.hpp"
#include "http/call/services.hpp"
#include "http/codec/encode_event.hpp"
#include "http/codec/encode_grant.hpp"
#include "http/codec/encode_payment.hpp"
#include "http/codec/encode_subscription.hpp"
#include "http/operator/console/console.hpp"
#include "http/operator/table.hpp"
#include "http/outbound/http_client.hpp"
#include "http/outbound/webhook_client.hpp"
#include "http/server/server.hpp"
#include "http/server/tls.hpp"
#include "http/table/public.hpp"
#include "node_certificates.hpp"
#include "persistence/store.hpp"
#include "persistence/store_location.hpp"
#include "providers.hpp"

using namespace gateway;

namespace {

constexpr std::string_view master_key_meta = "master_key_fingerprint";

/// One worker on a small machine: the I/O and store threads need the rest. Work stealing would burn a third of a core.
struct actor_config : caf::actor_system_config {
  explicit actor_config(const settings& of) {
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
};

void make_data_dir(const std::filesystem::path& dir) {
  std::error_code error;
  const bool created = std::filesystem::create_directories(dir, error);
  if (created) std::filesystem::permissions(dir, std::filesystem::perms::owner_all, error);
  if (error) throw std::runtime_error{"cannot make the data directory " + dir.string() + ": " + error.message()};
  if (::access(dir.c_str(), W_OK | X_OK) != 0)
    throw std::runtime_error{"cannot write in the data directory " + dir.string() + ": " +
                             std::generic_category().message(errno)};
}

/// The master key belongs to the database: a key is created only for a new database, and a key that does not match the
/// database's is refused.
std::unique_ptr<crypto::master_key> open_master_key(const settings& config, persistence::prepared_store& store) {
  const auto file = config.master_key.empty() ? config.data_dir / "master.key" : config.master_key;
  const auto recorded = store.read_meta(master_key_meta);
  auto key = load_master_key(file, !recorded);
  const auto print = fingerprint(*key);
  if (!recorded) store.put_meta_if_absent(master_key_meta, print);
  if (const auto now = store.read_meta(master_key_meta); now != print)
    throw std::runtime_error{"the master key in " + file.string() +
                             " is not the one that this database's secrets are sealed with"};
  return key;
}

/// The latest time that was recorded in this database. A new database takes the clock's time, because it holds nothing
/// that could be deleted too early. Nullopt for a database of an older gateway, which recorded none.
std::optional<time_point> last_time_seen(persistence::prepared_store& store, bool is_new) {
  if (is_new) store.put_meta_if_absent(last_seen_name, std::to_string(to_unix_ms(system_wall_clock{}.now())));
  const auto text = store.read_meta(last_seen_name).value_or("");
  std::int64_t ms = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), ms);
  return failure == std::errc{} && end == text.data() + text.size() ? std::optional{from_unix_ms(ms)} : std::nullopt;
}

/// Each connection needs a file descriptor, and a shell limits a program to about a thousand: fewer than
/// http-connections, so idle clients could keep all others out. Raises the limit as far as the system allows, and warns
/// if that is too low.
void raise_descriptor_limit(std::size_t connections) {
  constexpr std::size_t others = 256;  // databases, logs, listeners, the operator's connections
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  if (files.rlim_cur < files.rlim_max) {
    const rlimit all{files.rlim_max, files.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &all) == 0) files = all;
  }
  if (files.rlim_cur < connections + others)
    log::warn("few_file_descriptors", {{"limit", static_cast<std::int64_t>(files.rlim_cur)},
                                       {"wanted", static_cast<std::int64_t>(connections + others)}});
}

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

/// The client for the collector of traces. Any destination is allowed, because the operator chose it.
std::unique_ptr<http_client> make_collector_client(const settings& config) {
  http::http_client_options options;
  options.thread_name = "tracing";
  options.most_connections = 1;
  options.most_under_way = 4;
  options.destinations = http::destination_rule::any;
  options.headers = {{"User-Agent", "Payments-Gateway/1"}};
  options.ca_file = config.tracing_ca_file;
  return http::make_http_client(std::move(options));
}

/// Requires one origin for the portal, the consent screen and the sandbox's pages, because they share a session cookie.
void require_one_origin(const settings& config) {
  for (const auto& [name, url] : {std::pair{"portal-url", config.portal_url}, {"authorize-url", config.authorize_url}})
    if (!have_one_origin(config.base_url, url))
      throw bad_setting{std::string{name} + ": '" + url + "' must have the scheme, host and port of base-url, '" +
                        config.base_url + "': cookies are for one host"};
}

/// Checks the store's URL before anything is created or opened.
void require_store_location(const settings& config) {
  try {
    persistence::locate_store(config);
  } catch (const std::runtime_error& fault) {
    throw bad_setting{fault.what()};
  }
}

}  // namespace

class gateway_process::parts {
 public:
  explicit parts(settings s) : config(std::move(s)) {
    // Checks that do not need the database come first, so that a start that fails leaves it unchanged.
    require_store_location(config);
    make_data_dir(config.data_dir);
    raise_descriptor_limit(config.http.connections + config.webhook_workers);
    client = http::make_webhook_client(config);
    if (!config.tracing_endpoint.empty()) {
      collector = make_collector_client(config);
      made_traces.emplace(
          tracing_options{.one_in = config.tracing_one_in, .callers_per_second = config.tracing_callers}, meters);
    }
    http::make_tls_context(http::find_tls_files(config));
    if (!config.node.empty()) require_node_certificates(config);
    auto sockets = http::open_listeners(config);
    find_addresses(sockets);
    persistence::prepared_store prepared{config};
    const bool is_new = !prepared.read_meta(master_key_meta);
    keys = open_master_key(config, prepared);
    if (!config.console_token_file.empty()) console_token = read_console_token(config.console_token_file);
    watch.emplace(clock, last_time_seen(prepared, is_new), config, meters);
    payment_json = http::make_payment_encoder(config.base_url);
    grant_json = http::make_grant_encoder();
    subscription_json = http::make_subscription_encoder(config.base_url);
    event_json = http::make_event_encoder();
    // A provider in a separate process writes the ledger itself; two processes that write one file would corrupt it.
    if (!config.sandbox_ledger.empty() && config.sandbox_provider.empty())
      ledger = std::make_shared<actors::sandbox_ledger>(config.sandbox_ledger.string());

    ways.emplace(config, merchants, clock,
                 gateway_addresses{.base_url = config.base_url,
                                   .form_key = keys->derive("hosted page"),
                                   .hosted_expiry = config.hosted_expiry});

    // This node becomes visible to the others only now, when its settings and keys have been checked.
    prepared.take_name(config);
    nodes.emplace(config.node, prepared.incarnation());
    system = std::make_unique<caf::actor_system>(caf_config);
    try {
      spawn_actors(std::move(prepared));
      server = std::make_unique<http::server>(http::server_context_of(*shared), *system, std::move(sockets),
                                              http::handlers{.public_routes = http::handle_public,
                                                             .operator_routes = http::handle_operator,
                                                             .metrics_routes = http::handle_metrics});
    } catch (...) {
      // The destructor of an actor system waits for its actors, so all must have ended.
      stop_actors();
      throw;
    }
  }

  ~parts() { stop_actors(); }

  /// Sets the addresses that clients use. Those that are not configured follow from where this process listens.
  void find_addresses(const http::listeners& sockets) {
    listening_on = "https://" + sockets.public_tls.address();
    if (sockets.operator_tcp) operator_listening_on = "http://" + sockets.operator_tcp.address();
    if (config.base_url.empty()) config.base_url = listening_on;
    config.base_url = without_slash(config.base_url);
    config.portal_url = config.portal_url.empty() ? config.base_url + "/portal" : without_slash(config.portal_url);
    if (config.authorize_url.empty()) config.authorize_url = config.base_url + "/connect/authorize";
    require_one_origin(config);
  }

  tracing& traces() { return made_traces ? *made_traces : tracing::off(); }

  void spawn_actors(persistence::prepared_store prepared) {
    if (made_traces)
      exporter = actors::spawn_span_exporter(*system, *made_traces, *collector,
                                             {config.tracing_endpoint, {config.tracing_service, config.node}});
    if (nodes->clustered())
      keeper =
          prepared.keep_lease(*system, config, *nodes, meters,
                              {[] { ::kill(::getpid(), SIGTERM); }, [this](std::string why) { fail(std::move(why)); }});
    store = persistence::open_store(*system, std::move(prepared), config, meters);
    hasher = actors::spawn_password_hasher(*system);
    operators = actors::spawn_directory(*system, {.store = store,
                                                  .hasher = hasher,
                                                  .published = merchants,
                                                  .keys = *keys,
                                                  .clock = clock,
                                                  .known_merchants = meters.known_merchants,
                                                  .keeper = keeper});
    // Loaded before the actors that need it: an event of an unknown merchant would be sent to no destination.
    load_directory();
    if (keeper) caf::anon_send(keeper, join_atom::value, operators);
    ways->spawn(*system, sandbox_pages(), ledger, meters, *nodes);
    dispatcher =
        actors::spawn_dispatcher(*system, std::make_shared<const actors::webhook_context>(actors::webhook_context{
                                              store, operators, merchants, clock, *event_json, config, meters, *client,
                                              brake, *nodes, keeper, traces()}));
    if (keeper) caf::anon_send(keeper, join_atom::value, dispatcher);
    spawn_router();
    reconciler = actors::spawn_reconciler(*system, store, router, clock, *watch, config, *nodes);
    if (!console_token.empty()) console.emplace().access.enable(console_token);
    shared = std::unique_ptr<http::services>(new http::services{.config = config,
                                                                .base_url = config.base_url,
                                                                .portal_url = config.portal_url,
                                                                .merchants = merchants,
                                                                .clock = clock,
                                                                .meters = meters,
                                                                .router = router,
                                                                .operators = operators,
                                                                .outbound = *client,
                                                                .archive = store.archive,
                                                                .dispatcher = dispatcher,
                                                                .brake = brake,
                                                                .setup_token_key = keys->derive("setup token"),
                                                                .hosted_page_key = keys->derive("hosted page"),
                                                                .address = listening_on,
                                                                .authorize_url = config.authorize_url,
                                                                .people = store.readers.front(),
                                                                .sessions = store.writers.front(),
                                                                .hasher = hasher,
                                                                .form_key = keys->derive("form"),
                                                                .invitation_key = keys->derive("invitation"),
                                                                .code_key = keys->derive("authorization code"),
                                                                .sdk_key = keys->derive("sandbox sdk"),
                                                                .second_factor_key = keys->derive("second factor"),
                                                                .nodes = *nodes,
                                                                .keeper = keeper,
                                                                .numbers = &numbers,
                                                                .adapters = &ways->adapters(),
                                                                .providers = &ways->board(),
                                                                .gates = ways->gates(),
                                                                .traces = traces(),
                                                                .console = console ? &*console : nullptr});
    supervise();
  }

  actors::sandbox_settings sandbox_pages() const {
    return {.base_url = config.base_url,
            .hosted_page_key = keys->derive("hosted page"),
            .sdk_key = keys->derive("sandbox sdk")};
  }

  /// Spawns the router with a spawner for each kind of entity. All kinds share one context, so that a doubt about a
  /// commit applies to all.
  void spawn_router() {
    const actors::entity_context common{store,      merchants, clock, *watch, config,    meters,
                                        dispatcher, numbers,   {},    *nodes, operators, traces()};
    auto payments = std::make_shared<const actors::payment_context>(
        actors::payment_context{common, ways->gates(), *payment_json, ways->board()});
    auto grants =
        std::make_shared<const actors::grant_context>(actors::grant_context{common, merchants, *grant_json, keeper});
    auto subscriptions = std::make_shared<const actors::subscription_context>(
        actors::subscription_context{common, *subscription_json, ways->board(), ways->gates()});
    auto notifications =
        std::make_shared<const actors::notification_context>(actors::notification_context{common, ways->gates()});
    local_router = actors::spawn_router(
        *system, payments,
        {actors::payment_spawner(payments), actors::grant_spawner(std::move(grants)),
         actors::subscription_spawner(std::move(subscriptions)), actors::customer_spawner(payments),
         actors::enrollment_spawner(payments), actors::notification_spawner(std::move(notifications))},
        &links);
    router = local_router;
    if (keeper) join_the_others();
    ways->join(router);
  }

  /// Publishes this node's links at its address, for the other nodes.
  void join_the_others() {
    const auto at = *parse_socket_address(config.cluster_listen);
    gate = actors::spawn_node_gate(*system, local_router, *nodes);
    node_links =
        actors::spawn_node_links(*system, {keeper, local_router, gate, *nodes, links, meters,
                                           caf::actor_cast<caf::actor>(system->openssl_manager().actor_handle())});
    const auto port = caf::openssl::publish(node_links, at.port, at.address.c_str(), true);
    if (!port)
      throw std::runtime_error{"cluster-listen: cannot listen on " + config.cluster_listen + ": " +
                               system->render(port.error())};
  }

  /// The essential actors, users before the actors that they use. They are ended in this order, so that work in
  /// progress still reaches what it needs.
  std::vector<actors::core_actor> core_actors() const {
    std::vector<actors::core_actor> core;
    const auto add = [&](std::string name, const auto& actor) {
      if (actor) core.push_back({std::move(name), caf::actor_cast<caf::strong_actor_ptr>(actor)});
    };
    add("the reconciler", reconciler);
    add("the links to other nodes", node_links);
    add("the gate for other nodes", gate);
    add("the router", router);
    add("the dispatcher", dispatcher);
    add("the directory", operators);
    add("the password hasher", hasher);
    for (const auto& each : ways->gates()) add("a provider's gate", each);
    for (const auto& each : ways->behind_gates()) add("a provider", each);
    for (const auto& writer : store.writers) add("a store writer", writer);
    add("the dispatcher's store writer", store.recorder);
    for (const auto& reader : store.readers) add("a store reader", reader);
    add("the dispatcher's store reader", store.outbox);
    add("the operators' store reader", store.archive);
    add("the directory's store reader", store.entries);
    // Last, so that the other actors have the lease for their last commits.
    add("the keeper of the lease", keeper);
    return core;
  }

  void supervise() {
    supervisor = actors::spawn_supervisor(*system, core_actors(), [this](std::string why) { fail(std::move(why)); });
  }

  /// Ends the process; any thread.
  void fail(std::string why) {
    {
      const std::lock_guard hold{failure_access};
      failure = std::move(why);
    }
    ::kill(::getpid(), SIGTERM);
  }

  /// A node among others serves once every one of them has published its entry.
  void wait_for_the_others() const {
    constexpr std::chrono::seconds longest{60};
    const auto deadline = since_boot() + longest;
    for (; !nodes->serves(); std::this_thread::sleep_for(std::chrono::milliseconds{5}))
      if (since_boot() > deadline)
        throw std::runtime_error{"node '" + nodes->name() + "' did not get its lease: see the log"};
  }

  void load_directory() {
    caf::scoped_actor self{*system};
    bool loaded = false;
    self->request(operators, std::chrono::minutes{2}, load_atom::value)
        .receive([&](bool ok) { loaded = ok; }, [](const caf::error&) {});
    if (!loaded) throw std::runtime_error{"cannot read the platforms from the database"};
  }

  /// Records the deliveries that have been sent, so that a restart does not send them again. Does not wait for
  /// destinations that hang.
  void drain_dispatcher() {
    if (!dispatcher) return;
    constexpr std::chrono::seconds longest{5};
    caf::scoped_actor self{*system};
    self->request(dispatcher, std::min<std::chrono::milliseconds>(longest, config.drain_timeout), drain_atom::value)
        .receive([](bool) {}, [](const caf::error&) { log::info("deliveries_cut_off"); });
  }

  /// Spans that the collector does not accept within this time are lost.
  void flush_traces() {
    if (!exporter) return;
    constexpr std::chrono::seconds longest{3};
    caf::scoped_actor self{*system};
    self->request(exporter, std::min<std::chrono::milliseconds>(longest, config.drain_timeout), drain_atom::value)
        .receive([](bool) {}, [](const caf::error&) { log::info("spans_cut_off"); });
  }

  void stop_actors() {
    if (!system) return;
    if (server) server->drain_clients(std::chrono::milliseconds{0});
    drain_dispatcher();
    server.reset();  // operators are answered until here, because the actors that their requests need still run
    // A store's connection that waits for a database which does not answer gives up after 10 s.
    actors::staged_stop stop{*system, std::chrono::seconds{12}, std::chrono::seconds{2}};
    stop.end("the supervisor", caf::actor_cast<caf::strong_actor_ptr>(supervisor));
    for (const auto& each : core_actors()) stop.end(each.name, each.actor);
    flush_traces();
    stop.end("the exporter of spans", caf::actor_cast<caf::strong_actor_ptr>(exporter));
    if (!stop.all_have_ended()) end_process_without(stop.left_behind());
    let_go();
    system.reset();
  }

  /// No handle may outlive the actor system of its actor.
  void let_go() {
    shared.reset();
    client.reset();  // no worker is left that could use it, and its remaining results are discarded
    collector.reset();
    exporter = nullptr;
    supervisor = nullptr;
    reconciler = nullptr;
    router = nullptr;
    local_router = nullptr;
    node_links = nullptr;
    gate = nullptr;
    dispatcher = nullptr;
    operators = nullptr;
    hasher = nullptr;
    ways->let_go();
    store = {};
    keeper = nullptr;
  }

  /// Ending without a stuck actor breaks no promise: everything acknowledged is durable, and the next start settles
  /// open operations.
  [[noreturn]] static void end_process_without(const std::vector<std::string>& left) {
    const auto what = left.empty() ? std::string{"an actor"} : left.front();
    log::error("stop_cut_off", {{"waited_for", what}});
    log::stop();
    std::cerr << "gatewayd: ended while " << what << " was still at work: the next start settles what is open\n";
    std::_Exit(1);
  }

  settings config;
  std::string listening_on;
  std::string operator_listening_on;
  std::string console_token;  ///< empty: there is no console
  system_wall_clock clock{config.clock_offset};
  metrics meters;
  std::optional<tracing> made_traces;  ///< nullopt: tracing is off
  write_brakes brake;
  std::optional<actors::clock_watch> watch;
  std::optional<membership> nodes;
  directory merchants;
  std::unique_ptr<crypto::master_key> keys;
  std::unique_ptr<payment_encoder> payment_json;
  std::unique_ptr<grant_encoder> grant_json;
  std::unique_ptr<subscription_encoder> subscription_json;
  std::unique_ptr<event_encoder> event_json;
  std::shared_ptr<actors::sandbox_ledger> ledger;

  std::mutex failure_access;
  std::string failure;

  actors::link_table links;
  actor_config caf_config{config};
  std::unique_ptr<caf::actor_system> system;
  store_handles store;
  node_keeper keeper;
  password_hasher hasher;
  directory_actor operators;
  std::optional<providers> ways;  ///< to the providers
  std::unique_ptr<webhook_client> client;
  std::unique_ptr<http_client> collector;  ///< of traces
  actors::span_exporter exporter;
  delivery_numbers numbers{std::random_device{}()};
  dispatcher_actor dispatcher;
  router_actor router;
  actors::router_of_node local_router;
  caf::actor gate;
  caf::actor node_links;
  reconciler_actor reconciler;
  caf::actor supervisor;
  std::optional<http::operator_console> console;
  std::unique_ptr<http::services> shared;
  std::unique_ptr<http::server> server;
};

gateway_process::gateway_process(settings config) : parts_(std::make_unique<parts>(std::move(config))) {}
gateway_process::~gateway_process() = default;

void gateway_process::start() {
  parts_->wait_for_the_others();
  parts_->server->start();
  parts_->shared->ready = true;
}

const std::string& gateway_process::listening_on() const { return parts_->listening_on; }
const std::string& gateway_process::operator_listening_on() const { return parts_->operator_listening_on; }
void gateway_process::reload_certificate() { parts_->server->reload_certificate(); }

void gateway_process::drain() {
  if (parts_->keeper) caf::anon_send(parts_->keeper, drain_atom::value);
  parts_->server->drain_clients(parts_->config.drain_timeout);
  parts_->stop_actors();
}

std::string gateway_process::failure() const {
  const std::lock_guard hold{parts_->failure_access};
  return parts_->failure;
}
