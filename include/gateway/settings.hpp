// Every setting of a gateway, with its default. config/ reads the settings.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace gateway {

struct http_limits {
  std::size_t body_bytes = 1 << 20;
  std::size_t header_bytes = 16 * 1024;
  std::size_t json_depth = 32;
  std::chrono::milliseconds request_timeout{15'000};  ///< from its first byte to its last
  std::chrono::milliseconds idle_timeout{75'000};
  std::chrono::milliseconds answer_timeout{35'000};   ///< how long a request waits for the actors
  std::size_t connections = 10'000;
  std::size_t connections_per_address = 2'000;
};

/// Requests a second; 0: no limit. A burst of 0 means one second's worth of requests.
struct caller_rates {
  std::size_t key = 0;       ///< of each key
  std::size_t key_burst = 0;
  std::size_t platform = 0;  ///< of all keys of a platform together
  std::size_t platform_burst = 0;
  std::size_t address = 0;   ///< of each address, signed or not
  std::size_t address_burst = 0;
  std::string exempt;        ///< networks, separated by commas, whose addresses are not limited
};

struct settings {
  bool dev = false;                       ///< sandbox providers in live mode, http on loopback
  std::string listen = "127.0.0.1:8443";  ///< ADDR:PORT; port 0 takes a free one
  std::string proxy_protocol_from;  ///< networks, separated by commas, whose connections begin with a PROXY header
  std::filesystem::path data_dir = "data";
  bool new_database = false;  ///< whether a data directory with a master key may start without a database
  std::string store = "sqlite";  ///< sqlite, or mysql://user:password@host:port/database?socket=/path
  std::string base_url;  ///< empty: https:// and the listening address
  std::string portal_url;  ///< empty: {base_url}/portal
  std::string authorize_url;  ///< of the consent screen; empty: {base_url}/connect/authorize
  std::string operator_listen;  ///< ADDR:PORT of /metrics; empty: the operator socket only
  std::filesystem::path console_token_file;  ///< without effect since operators sign in by name; still accepted
  std::chrono::milliseconds console_session_idle{15 * 60'000};  ///< a session of the console ends unused after this
  std::chrono::milliseconds portal_session_idle{30 * 60'000};  ///< the same for the portal
  std::filesystem::path tls_certificate;  ///< PEM chain; empty: a development certificate in data_dir
  std::filesystem::path tls_key;  ///< PEM
  std::filesystem::path master_key;  ///< empty: data_dir/master.key
  std::string master_key_command;  ///< a program, or a line for the shell; empty: the keys are in the file
  std::string log_level = "info";
  std::chrono::milliseconds clock_offset{0};  ///< offset of the wall clock; with dev only
  bool core_dumps = false;  ///< whether the process may be dumped and traced
  unsigned http_threads = 0;  ///< 0: one per core
  unsigned store_writers = 1;  ///< connections; the embedded store has one
  unsigned store_readers = 2;
  unsigned batch_units = 128;  ///< most units in one transaction
  std::chrono::milliseconds begin_wait{200};  ///< how long a write may take until its begin is durable; after that 503
  std::size_t store_queue = 20'000;  ///< units waiting for a writer; past it 503
  std::size_t live_payments = 20'000;  ///< payment actors kept in memory
  std::chrono::milliseconds payment_idle{60'000};
  std::size_t payment_queue = 64;  ///< requests waiting for one payment; past it 503
  std::chrono::milliseconds provider_timeout{10'000};
  std::filesystem::path provider_ca_file;  ///< PEM: further authorities that providers' certificates may come from
  std::size_t provider_connections = 128;  ///< open at once to one provider
  std::size_t provider_in_flight = 10'000;  ///< operations with one provider in one environment; past it 503
  std::chrono::milliseconds reconcile_first{5'000};
  std::chrono::milliseconds reconcile_longest{300'000};
  std::chrono::milliseconds reconcile_interval{1'000};  ///< how often due payments are searched for
  std::chrono::milliseconds hosted_expiry{86'400'000};
  std::chrono::milliseconds idempotency_kept{30 * 86'400'000LL};
  std::chrono::milliseconds notifications_kept{30 * 86'400'000LL};  ///< of providers, once settled
  std::chrono::milliseconds events_kept{90 * 86'400'000LL};  ///< in the log that callers read
  std::chrono::milliseconds deliveries_kept{30 * 86'400'000LL};  ///< once settled
  std::optional<std::chrono::milliseconds>
      payments_kept;  ///< since the last change of one that has ended; empty: for ever
  std::optional<std::chrono::milliseconds> audit_kept;  ///< entries of the audit log; empty: for ever
  std::chrono::milliseconds drain_timeout{30'000};
  std::filesystem::path sandbox_ledger;  ///< file to which the sandbox appends each executed effect; empty: none
  std::filesystem::path sandbox_provider;  ///< Unix socket of a sandbox in another process; empty: in this one
  std::chrono::milliseconds webhook_connect_timeout{5'000};  ///< name lookup, connection and TLS handshake
  std::chrono::milliseconds webhook_answer_timeout{10'000};  ///< from the first byte sent to the last received
  std::size_t webhook_workers = 512;  ///< deliveries under way at once, over all destinations
  std::size_t webhook_window = 32;  ///< deliveries under way at once to one destination, at most
  std::size_t webhook_rate =
      6'500;  ///< a backlog's attempts a second, three tenths of it while clients wait; 0: no limit
  unsigned webhook_attempts = 8;  ///< to a merchant's destination, the first included
  /// A destination at which everything fails for this long is disabled.
  std::chrono::milliseconds webhook_disable_after{7 * 86'400'000LL};
  std::filesystem::path webhook_ca_file;  ///< PEM: further authorities that destinations' certificates may come from
  /// URL of an OpenTelemetry collector that spans are posted to; empty: no spans are made
  std::string tracing_endpoint;
  unsigned tracing_one_in = 10;  ///< one in this many requests without a traceparent is traced; 0: none
  unsigned tracing_callers = 100;  ///< traces a second that callers may request by their traceparent
  std::string tracing_service = "payments-gateway";  ///< service.name of the spans
  std::filesystem::path tracing_ca_file;  ///< PEM: further authorities that the collector's certificate may come from
  std::string mail_url;  ///< smtp:// or smtps://, with user and password; empty: no mail is sent
  std::string mail_from;  ///< `Name <address>`, or an address
  std::filesystem::path mail_ca_file;  ///< PEM: further authorities that the mail server's certificate may come from
  std::string node;  ///< this node's name among those that share the store; empty: it serves alone
  std::string cluster_listen;  ///< ADDR:PORT on which other nodes connect
  std::string cluster_address;  ///< ADDR:PORT at which the other nodes reach it
  std::filesystem::path cluster_certificate;  ///< PEM chain
  std::filesystem::path cluster_key;  ///< PEM
  std::filesystem::path cluster_ca;  ///< PEM: the authorities that sign the nodes' certificates
  http_limits http;
  caller_rates rates;
};

}  // namespace gateway
