// Every setting by itself, on the command line and in the file: it takes effect, and no other setting changes.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "loading.hpp"

using namespace gateway;

namespace {

using values = std::map<std::string, std::string>;  ///< by the settings' names

std::string shown(bool value) { return value ? "true" : "false"; }
std::string shown(std::size_t value) { return std::to_string(value); }
std::string shown(unsigned value) { return std::to_string(value); }
std::string shown(std::chrono::milliseconds value) { return format_duration(value); }
std::string shown(const std::optional<std::chrono::milliseconds>& value) { return format_retention(value); }
std::string shown(const std::string& value) { return value; }
std::string shown(const std::filesystem::path& value) { return value.string(); }

values process_values(const settings& s) {
  return {
      {"dev", shown(s.dev)},
      {"listen", shown(s.listen)},
      {"operator-listen", shown(s.operator_listen)},
      {"console-token-file", shown(s.console_token_file)},
      {"console-session-idle", shown(s.console_session_idle)},
      {"portal-session-idle", shown(s.portal_session_idle)},
      {"proxy-protocol-from", shown(s.proxy_protocol_from)},
      {"data-dir", shown(s.data_dir)},
      {"new-database", shown(s.new_database)},
      {"base-url", shown(s.base_url)},
      {"portal-url", shown(s.portal_url)},
      {"authorize-url", shown(s.authorize_url)},
      {"clock-offset", shown(s.clock_offset)},
      {"log-level", shown(s.log_level)},
      {"core-dumps", shown(s.core_dumps)},
      {"http-threads", shown(s.http_threads)},
      {"drain-timeout", shown(s.drain_timeout)},
      {"tls-certificate", shown(s.tls_certificate)},
      {"tls-key", shown(s.tls_key)},
      {"master-key", shown(s.master_key)},
      {"master-key-command", shown(s.master_key_command)},
      {"store", shown(s.store)},
      {"store-writers", shown(s.store_writers)},
      {"store-readers", shown(s.store_readers)},
      {"batch-units", shown(s.batch_units)},
      {"begin-wait", shown(s.begin_wait)},
      {"store-queue", shown(s.store_queue)},
      {"http-body-bytes", shown(s.http.body_bytes)},
      {"http-header-bytes", shown(s.http.header_bytes)},
      {"http-json-depth", shown(s.http.json_depth)},
      {"http-request-timeout", shown(s.http.request_timeout)},
      {"http-idle-timeout", shown(s.http.idle_timeout)},
      {"http-answer-timeout", shown(s.http.answer_timeout)},
      {"http-connections", shown(s.http.connections)},
      {"http-connections-per-address", shown(s.http.connections_per_address)},
      {"rate-limit-key", shown(s.rates.key)},
      {"rate-limit-key-burst", shown(s.rates.key_burst)},
      {"rate-limit-platform", shown(s.rates.platform)},
      {"rate-limit-platform-burst", shown(s.rates.platform_burst)},
      {"rate-limit-address", shown(s.rates.address)},
      {"rate-limit-address-burst", shown(s.rates.address_burst)},
      {"rate-limit-exempt", shown(s.rates.exempt)},
  };
}

values payment_values(const settings& s) {
  return {
      {"live-payments", shown(s.live_payments)},
      {"payment-idle", shown(s.payment_idle)},
      {"payment-queue", shown(s.payment_queue)},
      {"provider-timeout", shown(s.provider_timeout)},
      {"provider-in-flight", shown(s.provider_in_flight)},
      {"provider-connections", shown(s.provider_connections)},
      {"provider-ca-file", shown(s.provider_ca_file)},
      {"reconcile-first", shown(s.reconcile_first)},
      {"reconcile-longest", shown(s.reconcile_longest)},
      {"reconcile-interval", shown(s.reconcile_interval)},
      {"hosted-expiry", shown(s.hosted_expiry)},
      {"idempotency-kept", shown(s.idempotency_kept)},
      {"notifications-kept", shown(s.notifications_kept)},
      {"events-kept", shown(s.events_kept)},
      {"deliveries-kept", shown(s.deliveries_kept)},
      {"payments-kept", shown(s.payments_kept)},
      {"audit-kept", shown(s.audit_kept)},
      {"sandbox-ledger", shown(s.sandbox_ledger)},
      {"sandbox-provider", shown(s.sandbox_provider)},
      {"webhook-connect-timeout", shown(s.webhook_connect_timeout)},
      {"webhook-answer-timeout", shown(s.webhook_answer_timeout)},
      {"webhook-workers", shown(s.webhook_workers)},
      {"webhook-window", shown(s.webhook_window)},
      {"webhook-rate", shown(s.webhook_rate)},
      {"webhook-attempts", shown(s.webhook_attempts)},
      {"webhook-disable-after", shown(s.webhook_disable_after)},
      {"webhook-ca-file", shown(s.webhook_ca_file)},
      {"mail-url", shown(s.mail_url)},
      {"mail-from", shown(s.mail_from)},
      {"mail-ca-file", shown(s.mail_ca_file)},
      {"tracing-endpoint", shown(s.tracing_endpoint)},
      {"tracing-one-in", shown(s.tracing_one_in)},
      {"tracing-callers", shown(s.tracing_callers)},
      {"tracing-service", shown(s.tracing_service)},
      {"tracing-ca-file", shown(s.tracing_ca_file)},
      {"node", shown(s.node)},
      {"cluster-listen", shown(s.cluster_listen)},
      {"cluster-address", shown(s.cluster_address)},
      {"cluster-certificate", shown(s.cluster_certificate)},
      {"cluster-key", shown(s.cluster_key)},
      {"cluster-ca", shown(s.cluster_ca)},
  };
}

values values_of(const settings& s) {
  auto all = process_values(s);
  all.merge(payment_values(s));
  return all;
}

/// Contains no default. Each value is written as values_of shows it.
const values other_values{
    {"dev", "true"},
    {"listen", "127.0.0.1:9001"},
    {"proxy-protocol-from", "10.0.0.0/8"},
    {"operator-listen", "127.0.0.1:9002"},
    {"console-token-file", "/x/console.token"},
    {"console-session-idle", "14m"},
    {"portal-session-idle", "29m"},
    {"data-dir", "/x/data"},
    {"new-database", "true"},
    {"base-url", "https://base.example"},
    {"portal-url", "https://portal.example"},
    {"authorize-url", "https://authorize.example"},
    {"clock-offset", "11m"},
    {"log-level", "warn"},
    {"core-dumps", "true"},
    {"http-threads", "3"},
    {"drain-timeout", "31s"},
    {"tls-certificate", "/x/tls.pem"},
    {"tls-key", "/x/tls.key"},
    {"master-key", "/x/master.key"},
    {"master-key-command", "/x/print-keys"},
    {"store", "mysql://user:secret@db.example/gateway"},
    {"store-writers", "4"},
    {"store-readers", "5"},
    {"batch-units", "6"},
    {"begin-wait", "201ms"},
    {"store-queue", "7"},
    {"http-body-bytes", "1025"},
    {"http-header-bytes", "1026"},
    {"http-json-depth", "8"},
    {"http-request-timeout", "16s"},
    {"http-idle-timeout", "76s"},
    {"http-answer-timeout", "36s"},
    {"http-connections", "9"},
    {"http-connections-per-address", "10"},
    {"rate-limit-key", "11"},
    {"rate-limit-key-burst", "12"},
    {"rate-limit-platform", "13"},
    {"rate-limit-platform-burst", "14"},
    {"rate-limit-address", "15"},
    {"rate-limit-address-burst", "16"},
    {"rate-limit-exempt", "10.0.0.0/8"},
    {"live-payments", "17"},
    {"payment-idle", "61s"},
    {"payment-queue", "18"},
    {"provider-timeout", "12s"},
    {"provider-in-flight", "19"},
    {"provider-connections", "20"},
    {"provider-ca-file", "/x/provider-ca.pem"},
    {"reconcile-first", "6s"},
    {"reconcile-longest", "7m"},
    {"reconcile-interval", "2s"},
    {"hosted-expiry", "25h"},
    {"idempotency-kept", "31d"},
    {"notifications-kept", "32d"},
    {"events-kept", "91d"},
    {"deliveries-kept", "33d"},
    {"payments-kept", "540d"},
    {"audit-kept", "2555d"},
    {"sandbox-ledger", "/x/sandbox.ledger"},
    {"sandbox-provider", "/x/sandbox.sock"},
    {"webhook-connect-timeout", "8s"},
    {"webhook-answer-timeout", "9s"},
    {"webhook-workers", "21"},
    {"webhook-window", "22"},
    {"webhook-rate", "23"},
    {"webhook-attempts", "24"},
    {"webhook-disable-after", "6d"},
    {"webhook-ca-file", "/x/webhook-ca.pem"},
    {"mail-url", "smtps://user:secret@mail.example:465"},
    {"mail-from", "Shop <payments@shop.example>"},
    {"mail-ca-file", "/x/mail-ca.pem"},
    {"tracing-endpoint", "https://collector.example/v1/traces"},
    {"tracing-one-in", "25"},
    {"tracing-callers", "26"},
    {"tracing-service", "shop"},
    {"tracing-ca-file", "/x/tracing-ca.pem"},
    {"node", "n1"},
    {"cluster-listen", "127.0.0.1:9003"},
    {"cluster-address", "127.0.0.1:9004"},
    {"cluster-certificate", "/x/node.pem"},
    {"cluster-key", "/x/node.key"},
    {"cluster-ca", "/x/nodes-ca.pem"},
};

/// Settings that are only accepted together.
const std::vector<std::vector<std::string>> together{
    {"clock-offset", "dev"},
    {"tls-certificate", "tls-key"},
    {"tls-key", "tls-certificate"},
    {"mail-url", "mail-from"},
    {"mail-from", "mail-url"},
    {"mail-ca-file", "mail-url", "mail-from"},
    {"rate-limit-key-burst", "rate-limit-key"},
    {"rate-limit-platform-burst", "rate-limit-platform"},
    {"rate-limit-address-burst", "rate-limit-address"},
    {"rate-limit-exempt", "rate-limit-address"},
};
const std::vector<std::string> cluster{
    "node", "cluster-listen", "cluster-address", "cluster-certificate", "cluster-key", "cluster-ca", "store"};

std::vector<std::string> needed_with(const std::string& name) {
  for (const auto& group : together)
    if (group.front() == name) return group;
  if (name != "store" && std::ranges::find(cluster, name) != cluster.end()) return cluster;
  return {name};
}

bool is_flag(const std::string& value) { return value == "true"; }
bool is_count(const std::string& value) { return value.find_first_not_of("0123456789") == std::string::npos; }

parsed load_options(const std::vector<std::string>& names, bool apart) {
  std::vector<std::string> arguments;
  for (const auto& name : names) {
    const auto& value = other_values.at(name);
    if (is_flag(value)) {
      arguments.push_back("--" + name);
    } else if (apart) {
      arguments.insert(arguments.end(), {"--" + name, value});
    } else {
      arguments.push_back("--" + name + "=" + value);
    }
  }
  return load(arguments);
}

parsed load_lines(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) {
    const auto& value = other_values.at(name);
    const bool bare = is_flag(value) || is_count(value);
    text += name + " = " + (bare ? value : '"' + value + '"') + '\n';
  }
  return load_file(text);
}

values defaults_except(const std::vector<std::string>& names) {
  auto expected = values_of({});
  for (const auto& name : names) expected.at(name) = other_values.at(name);
  return expected;
}

/// The settings whose values differ from the expected ones.
std::string differences(const parsed& found, const values& expected) {
  std::string text = found.text;
  const auto all = values_of(found.config);
  for (const auto& [name, value] : expected)
    if (all.at(name) != value) text += name + " is " + all.at(name) + ", not " + value + "; ";
  return text;
}

}  // namespace

TEST_CASE("these tests know every setting, and a value of each that is not the default") {
  auto known = setting_names();
  std::ranges::sort(known);
  std::vector<std::string> named;
  for (const auto& [name, value] : values_of({})) {
    named.push_back(name);
    REQUIRE(other_values.contains(name));
    CHECK(other_values.at(name) != value);
  }
  CHECK(named == known);
}

TEST_CASE("each setting is set by its option, as one argument or as two, and no other with it") {
  for (const auto& name : setting_names())
    for (const bool apart : {false, true}) {
      const auto names = needed_with(name);
      INFO(name);
      CHECK(differences(load_options(names, apart), defaults_except(names)) == "");
    }
}

TEST_CASE("each setting is set by its line of the file, and no other with it") {
  for (const auto& name : setting_names()) {
    const auto names = needed_with(name);
    INFO(name);
    CHECK(differences(load_lines(names), defaults_except(names)) == "");
  }
}

TEST_CASE("all settings are set at once, by options and by lines") {
  const auto names = setting_names();
  CHECK(differences(load_options(names, false), other_values) == "");
  CHECK(differences(load_lines(names), other_values) == "");
}

TEST_CASE("a flag of the command line wins over the file, switched on or off") {
  for (const std::string name : {"dev", "new-database", "core-dumps"})
    for (const bool on : {true, false}) {
      const auto p = load_file(name + " = " + shown(!on) + "\n", {"--" + name + "=" + shown(on)});
      auto expected = values_of({});
      expected.at(name) = shown(on);
      INFO(name);
      CHECK(differences(p, expected) == "");
    }
}
