#include "foundations.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "config/setting_values.hpp"
#include "gateway/base/log.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/ports/sealed_texts.hpp"
#include "gateway_process.hpp"
#include "http/mail/mail_composer.hpp"
#include "http/outbound/smtp_client.hpp"
#include "http/server/tls.hpp"
#include "master_keys.hpp"
#include "node_certificates.hpp"
#include "persistence/connection/store_location.hpp"

using namespace gateway;

namespace {

void make_data_dir(const std::filesystem::path& dir) {
  std::error_code error;
  const bool created = std::filesystem::create_directories(dir, error);
  if (created) std::filesystem::permissions(dir, std::filesystem::perms::owner_all, error);
  if (error) throw std::runtime_error{"cannot make the data directory " + dir.string() + ": " + error.message()};
  if (::access(dir.c_str(), W_OK | X_OK) != 0)
    throw std::runtime_error{"cannot write in the data directory " + dir.string() + ": " +
                             std::generic_category().message(errno)};
}

/// A master key in the data directory shows that a database was made with it. If that database is missing, its payments
/// are lost, and a new one would hide this. To be called before anything is made.
void require_database_of_key(const settings& config) {
  const auto key = config.data_dir / "master.key";
  if (config.new_database || !config.master_key_command.empty() ||
      master_key_file(config).lexically_normal() != key.lexically_normal())
    return;
  std::error_code ignored;
  if (!std::filesystem::exists(key, ignored) || persistence::has_database(config)) return;
  throw std::runtime_error{"the data directory " + config.data_dir.string() +
                           " has a master key, but there is no database at " +
                           persistence::locate_store(config).shown() +
                           ": restore it or correct --store, or start with --new-database for an empty one"};
}

/// The latest time that was recorded in this database. A new database takes the clock's time, because it holds nothing
/// that could be deleted too early. Nullopt for a database of an older gateway, which recorded none.
std::optional<time_point> last_time_seen(persistence::prepared_store& store, bool is_new) {
  if (is_new) store.put_meta_if_absent(last_seen_name, std::to_string(to_unix_ms(system_wall_clock{}.now())));
  const auto text = store.read_meta(last_seen_name).value_or("");
  using limits = std::numeric_limits<std::int64_t>;
  const auto ms = parse_whole(text, limits::min(), limits::max());
  return ms ? std::optional{from_unix_ms(*ms)} : std::nullopt;
}

/// Each connection needs a file descriptor, and a shell limits a program to about a thousand: fewer than
/// http-connections, so idle clients could take all of them. Raises the limit as far as the system allows, and warns if
/// that is too low.
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

/// Where this machine reaches a listener. One that listens on every address is reached on loopback, which is where the
/// console is served.
std::string reached_locally(const std::string& address) {
  for (const auto& [any, loopback] :
       {std::pair<std::string_view, std::string_view>{"0.0.0.0:", "127.0.0.1:"}, {"[::]:", "[::1]:"}})
    if (address.starts_with(any)) return std::string{loopback}.append(address.substr(any.size()));
  return address;
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

/// The key of the cursors of lists. It stays when the master key from which it was derived is retired, because readers
/// of the events keep cursors for months. It is no secret: a forged cursor only selects a place in a list that its
/// caller may read anyway.
crypto::derived_keys lasting_cursor_key(persistence::prepared_store& store, const crypto::keyring& keys) {
  constexpr std::string_view name = "cursor_key";
  const auto derived = keys.derive("list cursor").all();
  store.put_meta_if_absent(name, crypto::base64url(derived->front().bytes));
  return {crypto::from_base64url(store.read_meta(name).value_or("")).value()};
}

}  // namespace

foundations::foundations(settings s) : config(std::move(s)) {
  require_store_location(config);
  require_database_of_key(config);
  make_data_dir(config.data_dir);
  raise_descriptor_limit(config.http.connections + config.webhook_workers);
  client = http::make_webhook_client(config);
  if (!config.tracing_endpoint.empty()) {
    collector = make_collector_client(config);
    made_traces.emplace(tracing_options{.one_in = config.tracing_one_in, .callers_per_second = config.tracing_callers},
                        meters);
  }
  http::make_tls_context(http::find_tls_files(config));
  if (!config.node.empty()) require_node_certificates(config);
  sockets.emplace(http::open_listeners(config));
  find_addresses();
  prepared.emplace(config);
  const bool is_new = is_without_master_key(*prepared);
  keys.emplace(open_master_keys(config, *prepared));
  cursor_key = lasting_cursor_key(*prepared, *keys);
  key_source.emplace(serving_key_source(config));
  if (!config.console_token_file.empty()) log::warn("setting_without_effect", {{"setting", "console-token-file"}});
  watch.emplace(clock, last_time_seen(*prepared, is_new), config, meters);
  find_age_of_database(is_new);
  prepare_mail();
  payment_json = http::make_payment_encoder(config.base_url);
  grant_json = http::make_grant_encoder();
  subscription_json = http::make_subscription_encoder(config.base_url);
  event_json = http::make_event_encoder();
  // A provider in a separate process writes the ledger itself; two processes that write one file would corrupt it.
  if (!config.sandbox_ledger.empty() && config.sandbox_provider.empty())
    ledger = std::make_shared<actors::sandbox_ledger>(config.sandbox_ledger.string());

  payment_providers.emplace(
      config, merchants, clock,
      gateway_addresses{
          .base_url = config.base_url, .form_key = keys->derive("hosted page"), .hosted_expiry = config.hosted_expiry});

  if (!config.node.empty()) require_trust_among_nodes(config, [this] { return prepared->read_nodes(); });
  // This node becomes visible to the others only now, when its settings and keys have been checked.
  prepared->take_name(config);
  nodes.emplace(config.node, prepared->incarnation());
}

void foundations::find_age_of_database(bool is_new) {
  witness = actors::compare_with_witness(
      config.data_dir / "witness", config.node, [this](std::string_view name) { return prepared->read_meta(name); },
      is_new && config.new_database);
  if (witness->why_old.empty()) return;
  gate.close();
  log::error("database_is_old", {{"why", witness->why_old},
                                 {"advice",
                                  "no writes are taken until gatewayctl recover --from TIME has asked the "
                                  "providers what happened since the database was copied"}});
}

void foundations::prepare_mail() {
  if (config.mail_url.empty()) return;
  mails = std::make_unique<mail_sealer>(keys->derive(std::string{mail_purpose}));
  mail_pages = http::make_mail_composer(config.mail_from, {config.portal_url, keys->derive("invitation")});
  mail_server = http::make_smtp_client({config.mail_url, config.mail_ca_file});
}

void foundations::find_addresses() {
  listening_on = "https://" + sockets->public_tls.address();
  if (sockets->operator_tcp) {
    const auto address = sockets->operator_tcp.address();
    operator_listening_on = "http://" + address;
    console_url = "http://" + reached_locally(address) + "/console";
  }
  if (config.base_url.empty()) config.base_url = listening_on;
  config.base_url = without_slash(config.base_url);
  config.portal_url = config.portal_url.empty() ? config.base_url + "/portal" : without_slash(config.portal_url);
  if (config.authorize_url.empty()) config.authorize_url = config.base_url + "/connect/authorize";
  require_one_origin(config);
}
