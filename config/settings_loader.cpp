#include "settings_loader.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <variant>

#include "config_file.hpp"
#include "gateway/base/log.hpp"
#include "gateway/base/networks.hpp"
#include "gateway/domain/text.hpp"
#include "option_parser.hpp"
#include "option_value.hpp"

namespace gateway {

namespace {

using std::chrono::milliseconds;

/// The member of `settings` that receives the value. Its type determines which values are allowed.
using target = std::variant<bool*, std::string*, std::filesystem::path*, unsigned*, std::size_t*, milliseconds*>;

/// Inclusive; durations in milliseconds.
struct range {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

struct setting {
  std::string name;
  std::string value_name;
  std::string help;
  std::string group;
  target where;
  range within{};
};

struct bad_value : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr std::int64_t second = 1'000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;

std::vector<setting> general_settings(settings& s) {
  const std::string group = "General";
  return {
      {"dev", "", "Development: sandbox providers in live mode, http:// on loopback", group, &s.dev},
      {"listen", "ADDR:PORT", "Where clients connect; port 0 takes a free one", group, &s.listen},
      {"proxy-protocol-from", "NETWORKS",
       "Proxies whose connections begin with a PROXY protocol header, as 10.0.0.0/8,2001:db8::/32", group,
       &s.proxy_protocol_from},
      {"operator-listen", "ADDR:PORT", "Serve /metrics, /healthz, /readyz over plain http here as well", group,
       &s.operator_listen},
      {"console-token-file", "FILE", "Serve the operators' console at operator-listen, to whoever has this token",
       group, &s.console_token_file},
      {"data-dir", "DIR", "Database, master key, development certificate, operator socket", group, &s.data_dir},
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
  constexpr range most{0, 1'000'000};
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
      {"idempotency-kept",
       "TIME",
       "How long results are kept; below 1h only with --dev",
       group,
       &s.idempotency_kept,
       {second, 3650 * day}},
      {"sandbox-ledger", "FILE", "The sandbox appends each executed effect here", group, &s.sandbox_ledger},
      {"sandbox-provider", "SOCKET", "The sandbox in a process of its own (default: in this one)", group,
       &s.sandbox_provider},
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

/// All settings, in the order of --help, each bound to its member of `s`.
std::vector<setting> bind(settings& s) {
  std::vector<setting> all;
  for (const auto group : {general_settings, tls_settings, store_settings, http_settings, rate_settings,
                           payment_settings, webhook_settings, tracing_settings, cluster_settings})
    std::ranges::move(group(s), std::back_inserter(all));
  return all;
}

// ---- one value ----------------------------------------------------------------------------------

[[noreturn]] void fail_out_of_range(const range& within, bool is_duration) {
  const auto shown = [&](std::int64_t n) { return is_duration ? format_duration(milliseconds{n}) : std::to_string(n); };
  throw bad_value("must be from " + shown(within.least) + " to " + shown(within.most));
}

void assign_count(const setting& to, std::int64_t number) {
  if (number < to.within.least || number > to.within.most) fail_out_of_range(to.within, false);
  if (auto* const* small = std::get_if<unsigned*>(&to.where)) **small = static_cast<unsigned>(number);
  if (auto* const* large = std::get_if<std::size_t*>(&to.where)) **large = static_cast<std::size_t>(number);
}

/// Accepts a leading minus sign only if the setting may be negative.
std::optional<milliseconds> read_duration(const setting& to, std::string_view text) {
  const bool negative = to.within.least < 0 && text.starts_with('-');
  const auto size = parse_duration(negative ? text.substr(1) : text);
  return size && negative ? -*size : size;
}

void assign_duration(const setting& to, std::optional<milliseconds> duration) {
  if (!duration) throw bad_value("must be a duration such as 1500ms, 15s, 5m, 24h or 30d");
  if (duration->count() < to.within.least || duration->count() > to.within.most) fail_out_of_range(to.within, true);
  if (auto* const* fine = std::get_if<milliseconds*>(&to.where)) **fine = *duration;
}

bool is_flag(const setting& s) { return std::holds_alternative<bool*>(s.where); }
bool is_count(const setting& s) {
  return std::holds_alternative<unsigned*>(s.where) || std::holds_alternative<std::size_t*>(s.where);
}
bool is_duration(const setting& s) { return std::holds_alternative<milliseconds*>(s.where); }

void assign_text(const setting& to, const std::string& text) {
  if (text.find('\0') != std::string::npos) throw bad_value("may not hold a NUL byte");
  if (auto* const* words = std::get_if<std::string*>(&to.where)) **words = text;
  if (auto* const* path = std::get_if<std::filesystem::path*>(&to.where)) **path = text;
}

/// Assigns a value from the command line.
void assign(const setting& to, const std::string& text) {
  if (is_duration(to)) return assign_duration(to, read_duration(to, text));
  if (!is_count(to)) return assign_text(to, text);
  const auto number = parse_whole(text, 0, 99'999'999'999'999'999);
  if (!number) throw bad_value("must be a whole number");
  assign_count(to, *number);
}

/// Assigns a value from the file, whose type must fit the setting.
void assign(const setting& to, const config_entry& entry) {
  const auto* flag = std::get_if<bool>(&entry.value);
  const auto* number = std::get_if<std::int64_t>(&entry.value);
  const auto* text = std::get_if<std::string>(&entry.value);
  if (is_flag(to)) {
    if (!flag) throw bad_value("must be true or false");
    *std::get<bool*>(to.where) = *flag;
  } else if (is_count(to)) {
    if (!number) throw bad_value("must be a whole number without quotes");
    assign_count(to, *number);
  } else if (is_duration(to)) {
    if (!number && !text) throw bad_value("must be milliseconds, or a duration in quotes such as \"15s\"");
    assign_duration(to, number ? milliseconds{*number} : read_duration(to, *text));
  } else {
    if (!text) throw bad_value("must be a string in quotes");
    assign_text(to, *text);
  }
}

std::string shown_default(const setting& s) {
  struct {
    std::string operator()(const bool*) const { return {}; }
    std::string operator()(const std::string* v) const { return *v; }
    std::string operator()(const std::filesystem::path* v) const { return v->string(); }
    std::string operator()(const unsigned* v) const { return std::to_string(*v); }
    std::string operator()(const std::size_t* v) const { return std::to_string(*v); }
    std::string operator()(const milliseconds* v) const { return format_duration(*v); }
  } const show;
  return std::visit(show, s.where);
}

// ---- the whole ----------------------------------------------------------------------------------

/// Requires all cluster options or none: with only some of them, no node could reach this one, or anyone could.
void check_cluster(const settings& s) {
  const std::pair<const char*, bool> given[] = {{"node", !s.node.empty()},
                                                {"cluster-listen", !s.cluster_listen.empty()},
                                                {"cluster-address", !s.cluster_address.empty()},
                                                {"cluster-certificate", !s.cluster_certificate.empty()},
                                                {"cluster-key", !s.cluster_key.empty()},
                                                {"cluster-ca", !s.cluster_ca.empty()}};
  const auto has = [](const auto& each) { return each.second; };
  if (std::ranges::none_of(given, has)) return;
  if (const auto missing = std::ranges::find_if_not(given, has); missing != std::end(given))
    throw bad_value(std::string{missing->first} + ": is missing: a node among others needs all cluster options");
  constexpr std::size_t longest_name = 64;
  const bool plain = std::ranges::all_of(s.node, [](char c) { return is_id_character(c) || c == '.'; });
  if (!plain || s.node.size() > longest_name)
    throw bad_value("node: '" + s.node + "' must be up to 64 letters, digits, dashes, dots and underscores");
  for (const auto& [name, text] :
       {std::pair{"cluster-listen", s.cluster_listen}, std::pair{"cluster-address", s.cluster_address}})
    if (!parse_socket_address(text))
      throw bad_value(std::string{name} + ": '" + text + "' is not ADDR:PORT with a numeric address");
  if (s.store == "sqlite")
    throw bad_value("node: nodes share a MariaDB or MySQL, and the embedded store is one process's: give store");
}

/// Rejects options without effect: an operator who sets one expects a limit that does not exist.
void check_rates(const caller_rates& rates) {
  struct {
    const char* name;
    std::size_t burst;
    std::size_t rate;
  } const rows[] = {{"rate-limit-key", rates.key_burst, rates.key},
                    {"rate-limit-platform", rates.platform_burst, rates.platform},
                    {"rate-limit-address", rates.address_burst, rates.address}};
  for (const auto& row : rows)
    if (row.burst != 0 && row.rate == 0)
      throw bad_value(std::string{row.name} + "-burst: without " + row.name + " there is no limit");
  const auto exempt = networks::parse(rates.exempt);
  if (const auto* fault = std::get_if<std::string>(&exempt)) throw bad_value("rate-limit-exempt: " + *fault);
  if (!rates.exempt.empty() && rates.address == 0)
    throw bad_value("rate-limit-exempt: without rate-limit-address no address is limited");
}

/// Checks what the ranges of single settings do not cover. Throws bad_value that names the setting.
void check(const settings& s) {
  const auto address = [](const std::string& text, const char* name) {
    if (!parse_socket_address(text))
      throw bad_value(std::string{name} + ": '" + text + "' is not ADDR:PORT with a numeric address");
  };
  address(s.listen, "listen");
  if (!s.operator_listen.empty()) address(s.operator_listen, "operator-listen");
  const auto proxies = networks::parse(s.proxy_protocol_from);
  if (const auto* fault = std::get_if<std::string>(&proxies)) throw bad_value("proxy-protocol-from: " + *fault);
  if (!s.console_token_file.empty() && s.operator_listen.empty())
    throw bad_value("console-token-file: the console is served at operator-listen, which is not given");
  const auto url = [](const std::string& text, const char* name) {
    if (text.empty()) return;
    if (const auto fault = base_url_fault(text); !fault.empty())
      throw bad_value(std::string{name} + ": '" + text + "' " + fault);
  };
  url(s.base_url, "base-url");
  url(s.portal_url, "portal-url");
  url(s.authorize_url, "authorize-url");
  url(s.tracing_endpoint, "tracing-endpoint");
  constexpr std::size_t longest_service = 255;
  if (s.tracing_service.empty() || s.tracing_service.size() > longest_service)
    throw bad_value("tracing-service: must be a name of up to 255 bytes");
  // The store checks the rest of its URL.
  if (s.store != "sqlite" && !s.store.starts_with("mysql://"))
    throw bad_value("store: '" + without_password(s.store) + "' is neither sqlite nor a mysql:// URL");
  if (s.clock_offset != milliseconds{0} && !s.dev) throw bad_value("clock-offset: only with dev, never in production");
  // A client may repeat an unanswered request within this time; later the same key means a new request.
  if (s.idempotency_kept < milliseconds{hour} && !s.dev) throw bad_value("idempotency-kept: below 1h only with dev");
  if (s.data_dir.empty()) throw bad_value("data-dir: must name a directory");
  if (s.tls_certificate.empty() != s.tls_key.empty())
    throw bad_value("tls-certificate and tls-key: give both, or neither");
  if (!parse_name<log::level>(s.log_level)) throw bad_value("log-level: must be debug, info, warn or error");
  if (s.reconcile_longest < s.reconcile_first) throw bad_value("reconcile-longest: must not be below reconcile-first");
  check_rates(s.rates);
  check_cluster(s);
}

/// Removes trailing slashes, because paths are appended to the URLs.
void normalise(settings& s) {
  for (auto* url : {&s.base_url, &s.portal_url, &s.authorize_url})
    while (url->ends_with('/')) url->pop_back();
}

void read_file(const std::string& file, const std::vector<setting>& known) {
  std::ifstream in{file};
  if (!in) throw bad_value("config-file: cannot open '" + file + "'");
  const auto at = [&](unsigned line) { return file + (line == 0 ? "" : ":" + std::to_string(line)) + ": "; };
  try {
    for (const auto& entry : read_config(in)) {
      const auto to = std::ranges::find(known, entry.name, &setting::name);
      if (to == known.end()) throw bad_value(at(entry.line) + "unknown setting '" + entry.name + "'");
      try {
        assign(*to, entry);
      } catch (const bad_value& fault) {
        throw bad_value(at(entry.line) + entry.name + ": " + fault.what());
      }
    }
  } catch (const config_error& fault) {
    throw bad_value(at(fault.line) + fault.what());
  }
}

constexpr const char* help_footer =
    "TIME is milliseconds, or a number with a unit: 1500ms, 15s, 5m, 24h, 30d.\n"
    "The configuration file sets the same names without the two hyphens, one a line, as `name = value`;\n"
    "the command line wins over it. A store URL with a password belongs in the file (mode 0600): a command\n"
    "line can be read by everybody on the machine.\n"
    "Signals: SIGTERM and SIGINT drain and end, SIGHUP reads the certificate and its key again.\n"
    "Exit status: 0 after draining, 1 when the gateway cannot start or a core part fails, 2 for usage.";

/// The values on the command line. They are assigned after the file has been read.
struct command_line {
  std::map<std::string, std::string> values;
  std::map<std::string, bool> flags;
  std::optional<std::string> file;
};

void describe(const options::command& program, const std::vector<setting>& known, command_line& into) {
  program
      .add(
          "--config-file", [&into](const std::string& name) { into.file = name; },
          "Read settings from this file (see config/gateway.example.toml)")
      .type_name("FILE")
      .group("General");
  for (const auto& s : known) {
    if (is_flag(s)) {
      program.add_flag(
                 "--" + s.name, [&into, name = s.name](bool on) { into.flags[name] = on; }, s.help)
          .group(s.group);
      continue;
    }
    auto help = s.help;
    if (const auto value = shown_default(s); !value.empty()) help += " [" + value + "]";
    program.add(
               "--" + s.name, [&into, name = s.name](const std::string& text) { into.values[name] = text; }, help)
        .type_name(s.value_name)
        .group(s.group);
  }
}

void assign(const setting& to, const command_line& given) {
  if (const auto flag = given.flags.find(to.name); flag != given.flags.end()) *std::get<bool*>(to.where) = flag->second;
  const auto value = given.values.find(to.name);
  if (value == given.values.end()) return;
  try {
    assign(to, value->second);
  } catch (const bad_value& fault) {
    throw bad_value("--" + to.name + ": " + fault.what());
  }
}

parsed usage_error(std::string_view what) {
  // Always one line, even if the text contains more.
  auto line = without_passwords(what);
  std::ranges::replace(line, '\n', ' ');
  return {load_outcome::usage_error, {}, "gatewayd: " + line + "\n"};
}

}  // namespace

parsed load_settings(int argc, const char* const* argv) {
  parsed result;
  const auto known = bind(result.config);
  command_line given;
  const options::parser parser{{.name = "gatewayd",
                                .description = "gatewayd: a payments gateway. Without options it serves https on "
                                               "127.0.0.1:8443 from the embedded store in ./data.",
                                .version = "gatewayd " GATEWAY_VERSION,
                                .help = "Print this and exit",
                                .group = "General",
                                .footer = help_footer,
                                .column_width = 42}};
  describe(parser.root(), known, given);
  try {
    if (const auto bare = option_without_value(argc, argv)) throw bad_value(*bare + ": the value is missing");
    const auto read = parser.parse(argc, argv);
    if (read.what == options::outcome::help) return {load_outcome::help, {}, read.text};
    if (read.what == options::outcome::version) return {load_outcome::version, {}, read.text + "\n"};
    if (read.what == options::outcome::fault) return usage_error(read.text + " (try --help)");
    if (given.file) read_file(*given.file, known);
    for (const auto& s : known) assign(s, given);
    if (const auto store = given.values.find("store"); store != given.values.end())
      result.shows_password = without_password(store->second) != store->second;
    normalise(result.config);
    check(result.config);
  } catch (const bad_value& fault) {
    return usage_error(fault.what());
  }
  return result;
}

std::vector<std::string> setting_names() {
  settings defaults;
  std::vector<std::string> names;
  for (const auto& s : bind(defaults)) names.push_back(s.name);
  return names;
}

}  // namespace gateway
