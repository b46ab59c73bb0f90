#include "setting_table.hpp"

#include <algorithm>
#include <iterator>

namespace gateway {

namespace {

constexpr std::int64_t second = 1'000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;

std::vector<setting> general_settings(settings& s) {
  const std::string group = "General";
  return {
      {"dev", "", "Development: sandbox providers in live mode, http:// on loopback", group, &s.dev},
      {"listen", "ADDR:PORT", "Where clients connect; port 0 takes a free one", group, &s.listen},
      {"proxy-protocol-from", "NETWORKS",
       "Proxies whose connections begin with a PROXY protocol header, as 10.0.0.0/8,2001:db8::/32", group,
       &s.proxy_protocol_from},
      {"operator-listen", "ADDR:PORT",
       "Serve /metrics, /healthz, /readyz and the operators' console over plain http here as well", group,
       &s.operator_listen},
      {"console-token-file", "FILE", "Without effect: operators sign in by name (gatewayctl operator add)", group,
       &s.console_token_file},
      {"console-session-idle",
       "TIME",
       "An operator's session on the console ends after so long without use",
       group,
       &s.console_session_idle,
       {minute, day}},
      {"portal-session-idle",
       "TIME",
       "A person's session in the portal ends after so long without use",
       group,
       &s.portal_session_idle,
       {minute, day}},
      {"data-dir", "DIR", "Database, master key, development certificate, operator socket", group, &s.data_dir},
      {"new-database", "", "Make a new database although the data directory has a master key; erases nothing", group,
       &s.new_database},
      {"base-url", "URL", "How clients reach this gateway (default: https://ADDR:PORT)", group, &s.base_url},
      {"portal-url", "URL", "How merchants reach the portal (default: BASE-URL/portal)", group, &s.portal_url},
      {"authorize-url", "URL", "How browsers reach the consent screen (default: BASE-URL/connect/authorize)", group,
       &s.authorize_url},
      {"clock-offset",
       "TIME",
       "Move the wall clock by this, such as 11m or -2h; with --dev only, to test what expires",
       group,
       &s.clock_offset,
       {-3650 * day, 3650 * day}},
      {"log-level", "LEVEL", "debug, info, warn or error", group, &s.log_level},
      {"core-dumps", "", "Let the process be dumped and traced: its memory holds keys in the clear", group,
       &s.core_dumps},
      {"http-threads", "N", "Threads that serve connections; 0: one per core", group, &s.http_threads, {0, 256}},
      {"drain-timeout",
       "TIME",
       "After SIGTERM, how long requests in flight may take",
       group,
       &s.drain_timeout,
       {0, hour}},
  };
}

std::vector<setting> tls_settings(settings& s) {
  const std::string group = "TLS and keys";
  return {
      {"tls-certificate", "FILE", "PEM chain, read again on SIGHUP (default: a development certificate)", group,
       &s.tls_certificate},
      {"tls-key", "FILE", "PEM private key of the certificate", group, &s.tls_key},
      {"master-key", "FILE", "Encrypts key secrets at rest (default: DATA-DIR/master.key)", group, &s.master_key},
      {"master-key-command", "PROGRAM", "Prints what that file would hold; the file is not used then", group,
       &s.master_key_command},
  };
}

std::vector<setting> store_settings(settings& s) {
  const std::string group = "Store";
  return {
      {"store", "STORE",
       "sqlite, or mysql://user:password@host:port/database[?socket=/path]; of a Galera cluster "
       "host:port,host:port,host:port",
       group, &s.store},
      {"store-writers", "N", "Connections that write; the embedded store has one", group, &s.store_writers, {1, 64}},
      {"store-readers", "N", "Connections that read", group, &s.store_readers, {1, 64}},
      {"batch-units", "N", "Most units of work in one transaction", group, &s.batch_units, {1, 1024}},
      {"begin-wait",
       "TIME",
       "How long a write may wait to begin; when more come, clients get 503",
       group,
       &s.begin_wait,
       {10, minute}},
      {"store-queue",
       "N",
       "Units that may wait for a writer; past it clients get 503",
       group,
       &s.store_queue,
       {1, 10'000'000}},
  };
}

std::vector<setting> http_settings(settings& s) {
  const std::string group = "HTTP limits";
  return {
      {"http-body-bytes", "N", "Largest request body", group, &s.http.body_bytes, {1024, 64 << 20}},
      {"http-header-bytes", "N", "Largest header block", group, &s.http.header_bytes, {1024, 1 << 20}},
      {"http-json-depth", "N", "Deepest nesting of a JSON body", group, &s.http.json_depth, {1, 1024}},
      {"http-request-timeout",
       "TIME",
       "From a request's first byte to its last",
       group,
       &s.http.request_timeout,
       {100, hour}},
      {"http-idle-timeout", "TIME", "How long a connection may stay idle", group, &s.http.idle_timeout, {100, day}},
      {"http-answer-timeout",
       "TIME",
       "How long a client waits for its operation",
       group,
       &s.http.answer_timeout,
       {100, hour}},
      {"http-connections", "N", "Open connections in all", group, &s.http.connections, {1, 1'000'000}},
      {"http-connections-per-address",
       "N",
       "Open connections from one address",
       group,
       &s.http.connections_per_address,
       {1, 1'000'000}},
  };
}

std::vector<setting> rate_settings(settings& s) {
  const std::string group = "Limits per caller, of each node; past them clients get 429";
  constexpr value_range most{0, 1'000'000};
  return {
      {"rate-limit-key", "N", "Requests a second by one key; 0: no limit", group, &s.rates.key, most},
      {"rate-limit-key-burst", "N", "At once after a pause; 0: as many as in a second", group, &s.rates.key_burst,
       most},
      {"rate-limit-platform", "N", "Requests a second by all keys of a platform; 0: no limit", group, &s.rates.platform,
       most},
      {"rate-limit-platform-burst", "N", "At once after a pause; 0: as many as in a second", group,
       &s.rates.platform_burst, most},
      {"rate-limit-address", "N", "Requests a second from one address, signed or not; 0: no limit", group,
       &s.rates.address, most},
      {"rate-limit-address-burst", "N", "At once after a pause; 0: as many as in a second", group,
       &s.rates.address_burst, most},
      {"rate-limit-exempt", "NETWORKS", "Whose addresses are not limited, as 10.0.0.0/8,2001:db8::/32", group,
       &s.rates.exempt},
  };
}

std::vector<setting> payment_settings(settings& s) {
  const std::string group = "Payments";
  return {
      {"live-payments", "N", "Payments kept in memory", group, &s.live_payments, {1, 100'000'000}},
      {"payment-idle", "TIME", "How long an idle payment stays in memory", group, &s.payment_idle, {10, day}},
      {"payment-queue",
       "N",
       "Requests that may wait for one payment; past it clients get 503",
       group,
       &s.payment_queue,
       {1, 100'000}},
      {"provider-timeout",
       "TIME",
       "When a silent provider's outcome is unknown",
       group,
       &s.provider_timeout,
       {10, 10 * minute}},
      {"provider-in-flight",
       "N",
       "Operations under way with one provider in one environment; a merchant has half at most",
       group,
       &s.provider_in_flight,
       {1, 1'000'000}},
      {"provider-connections",
       "N",
       "Connections open at once to one provider, at most",
       group,
       &s.provider_connections,
       {1, 10'000}},
      {"provider-ca-file", "FILE", "PEM: further authorities that providers' certificates may come from", group,
       &s.provider_ca_file},
      {"reconcile-first", "TIME", "First question about an unknown outcome", group, &s.reconcile_first, {10, day}},
      {"reconcile-longest", "TIME", "Longest pause between two such questions", group, &s.reconcile_longest, {10, day}},
      {"reconcile-interval", "TIME", "How often due payments are looked for", group, &s.reconcile_interval, {10, hour}},
      {"hosted-expiry", "TIME", "When an abandoned hosted checkout fails", group, &s.hosted_expiry, {10, 365 * day}},
      {"sandbox-ledger", "FILE", "The sandbox appends each executed effect here", group, &s.sandbox_ledger},
      {"sandbox-provider", "SOCKET", "The sandbox in a process of its own (default: in this one)", group,
       &s.sandbox_provider},
  };
}

std::vector<setting> retention_settings(settings& s) {
  const std::string group = "Retention";
  return {
      {"idempotency-kept",
       "TIME",
       "How long results are kept; below 1h only with --dev",
       group,
       &s.idempotency_kept,
       {second, 3650 * day}},
      {"notifications-kept",
       "TIME",
       "How long settled notifications of providers are kept; below 1h only with --dev",
       group,
       &s.notifications_kept,
       {second, 36'500 * day}},
      {"events-kept",
       "TIME",
       "How long events can be read through the API; below 1h only with --dev",
       group,
       &s.events_kept,
       {second, 36'500 * day}},
      {"deliveries-kept",
       "TIME",
       "How long settled deliveries of webhooks are kept; below 1h only with --dev",
       group,
       &s.deliveries_kept,
       {second, 36'500 * day}},
      {"payments-kept",
       "TIME",
       "How long payments are kept that have ended; below 1h only with --dev",
       group,
       &s.payments_kept,
       {second, 36'500 * day}},
      {"audit-kept",
       "TIME",
       "How long entries of the audit log are kept; below 1h only with --dev",
       group,
       &s.audit_kept,
       {second, 36'500 * day}},
  };
}

std::vector<setting> webhook_settings(settings& s) {
  const std::string group = "Webhooks";
  return {
      {"webhook-connect-timeout",
       "TIME",
       "For a destination's name lookup, connection and TLS handshake",
       group,
       &s.webhook_connect_timeout,
       {10, 10 * minute}},
      {"webhook-answer-timeout",
       "TIME",
       "From the first byte sent to a destination to its answer's last",
       group,
       &s.webhook_answer_timeout,
       {10, 10 * minute}},
      {"webhook-workers",
       "N",
       "Deliveries under way at once, over all destinations",
       group,
       &s.webhook_workers,
       {1, 10'000}},
      {"webhook-window",
       "N",
       "Deliveries under way at once to one destination, at most",
       group,
       &s.webhook_window,
       {1, 10'000}},
      {"webhook-rate",
       "N",
       "Attempts of a backlog begun a second; three tenths while clients wait; 0 for no limit",
       group,
       &s.webhook_rate,
       {0, 1'000'000}},
      {"webhook-attempts",
       "N",
       "Attempts to deliver to a merchant's destination, the first included",
       group,
       &s.webhook_attempts,
       {1, 1'000}},
      {"webhook-disable-after",
       "TIME",
       "A destination without one success for so long is disabled",
       group,
       &s.webhook_disable_after,
       {second, 3650 * day}},
      {"webhook-ca-file", "FILE", "PEM: further authorities that destinations' certificates may come from", group,
       &s.webhook_ca_file},

  };
}

std::vector<setting> tracing_settings(settings& s) {
  const std::string group = "Tracing";
  return {
      {"tracing-endpoint", "URL", "Post spans to this OpenTelemetry collector, such as http://127.0.0.1:4318/v1/traces",
       group, &s.tracing_endpoint},
      {"tracing-one-in",
       "N",
       "Of requests without a traceparent, one in N is traced; 0: none",
       group,
       &s.tracing_one_in,
       {0, 1'000'000}},
      {"tracing-callers",
       "N",
       "Traces a second that callers may ask for by their traceparent",
       group,
       &s.tracing_callers,
       {0, 1'000'000}},
      {"tracing-service", "NAME", "The service's name in its spans", group, &s.tracing_service},
      {"tracing-ca-file", "FILE", "PEM: further authorities that the collector's certificate may come from", group,
       &s.tracing_ca_file},
  };
}

std::vector<setting> mail_settings(settings& s) {
  const std::string group = "Mail";
  return {
      {"mail-url", "URL", "Send mails by this server: smtp://user:password@host:port or smtps:// (default: no mail)",
       group, &s.mail_url},
      {"mail-from", "MAILBOX", "Who mails are from, such as 'Shop <payments@shop.example>'", group, &s.mail_from},
      {"mail-ca-file", "FILE", "PEM: further authorities that the mail server's certificate may come from", group,
       &s.mail_ca_file},
  };
}

std::vector<setting> cluster_settings(settings& s) {
  const std::string group = "Several nodes over one database: all of these, or none";
  return {
      {"node", "NAME", "This node's name among them: letters, digits, dashes, dots, underscores", group, &s.node},
      {"cluster-listen", "ADDR:PORT", "Where this node listens to the others", group, &s.cluster_listen},
      {"cluster-address", "ADDR:PORT", "Where the others reach it", group, &s.cluster_address},
      {"cluster-certificate", "FILE", "PEM chain that this node shows to the others", group, &s.cluster_certificate},
      {"cluster-key", "FILE", "PEM private key of that certificate", group, &s.cluster_key},
      {"cluster-ca", "FILE", "PEM: who has signed the nodes' certificates", group, &s.cluster_ca},
  };
}

}  // namespace

std::vector<setting> bind_settings(settings& s) {
  std::vector<setting> all;
  for (const auto group :
       {general_settings, tls_settings, store_settings, http_settings, rate_settings, payment_settings,
        retention_settings, webhook_settings, mail_settings, tracing_settings, cluster_settings})
    std::ranges::move(group(s), std::back_inserter(all));
  return all;
}

}  // namespace gateway
