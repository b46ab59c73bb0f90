// The command line and the configuration file: what they accept and refuse, and the messages.
#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "config/config_file.hpp"
#include "loading.hpp"

using namespace gateway;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

std::string uncommented(const std::string& example) {
  return std::regex_replace(example, std::regex{"(^|\n)#([a-z])"}, "$1$2");
}

}  // namespace

TEST_CASE("without options every setting has its default") {
  const auto p = load({});
  REQUIRE(p.outcome == load_outcome::run);
  CHECK(p.exit_code() == 0);
  CHECK(p.config.listen == "127.0.0.1:8443");
  CHECK(p.config.store == "sqlite");
  CHECK(p.config.data_dir == "data");
  CHECK_FALSE(p.config.dev);
  CHECK(p.config.http.body_bytes == 1 << 20);
}

TEST_CASE("options of the command line set their settings") {
  const auto p = load({"--dev", "--listen=[::1]:0", "--data-dir=/tmp/d", "--store=mysql://u:p@db:3306/gw?socket=/run/s",
                       "--base-url=https://a.example/", "--operator-listen=127.0.0.1:0", "--batch-units=7",
                       "--http-json-depth", "12", "--provider-timeout=2s", "--reconcile-first=250",
                       "--idempotency-kept=2d", "--live-payments=100", "--log-level=debug"});
  INFO(p.text);
  REQUIRE(p.outcome == load_outcome::run);
  CHECK(p.config.dev);
  CHECK(p.config.listen == "[::1]:0");
  CHECK(p.config.data_dir == "/tmp/d");
  CHECK(p.config.store == "mysql://u:p@db:3306/gw?socket=/run/s");
  CHECK(p.config.base_url == "https://a.example");
  CHECK(p.config.operator_listen == "127.0.0.1:0");
  CHECK(p.config.batch_units == 7);
  CHECK(p.config.http.json_depth == 12);
  CHECK(p.config.provider_timeout == 2s);
  CHECK(p.config.reconcile_first == 250ms);
  CHECK(p.config.idempotency_kept == 48h);
  CHECK(p.config.live_payments == 100);
  CHECK(p.config.log_level == "debug");
}

TEST_CASE("keys may be kept for minutes only in development, and otherwise for an hour or more") {
  CHECK(load({"--dev", "--idempotency-kept=3m"}).config.idempotency_kept == 3min);
  CHECK(load({"--idempotency-kept=1h"}).config.idempotency_kept == 1h);
  CHECK(load({"--idempotency-kept=90m"}).config.idempotency_kept == 90min);
}

TEST_CASE("payments and the audit log are kept for ever unless a time is given") {
  for (const auto& p : {load({}), load({"--payments-kept=forever", "--audit-kept", "forever"}),
                        load_file("payments-kept = \"forever\"\naudit-kept = \"forever\"\n")}) {
    REQUIRE(p.outcome == load_outcome::run);
    CHECK_FALSE(p.config.payments_kept);
    CHECK_FALSE(p.config.audit_kept);
  }
  const auto limited = load({"--payments-kept=18mo", "--audit-kept=7y"}).config;
  CHECK(limited.payments_kept == 540 * 24h);
  CHECK(limited.audit_kept == 2'555 * 24h);
  CHECK(load_file("payments-kept = \"60d\"\n").config.payments_kept == 60 * 24h);
  // The command line wins over the file.
  CHECK_FALSE(load_file("payments-kept = \"60d\"\n", {"--payments-kept=forever"}).config.payments_kept);
  CHECK(load({"--dev", "--payments-kept=2s", "--audit-kept=2s"}).config.payments_kept == 2s);
}

TEST_CASE("sessions end after 15 idle minutes on the console and 30 in the portal, unless settings say otherwise") {
  CHECK(load({}).config.console_session_idle == 15min);
  CHECK(load({}).config.portal_session_idle == 30min);
  const auto p = load({"--console-session-idle=5m", "--portal-session-idle=1h"});
  REQUIRE(p.outcome == load_outcome::run);
  CHECK(p.config.console_session_idle == 5min);
  CHECK(p.config.portal_session_idle == 1h);
  for (const std::string name : {"--console-session-idle=", "--portal-session-idle="})
    for (const std::string value : {"59s", "25h"})
      CHECK(load({name + value}).text.find(name.substr(2, name.size() - 3)) != std::string::npos);
}

TEST_CASE("a file that still names the console's former token starts a gateway") {
  const auto p = load({"--console-token-file=/etc/gateway/console.token"});
  INFO(p.text);
  CHECK(p.outcome == load_outcome::run);
}

TEST_CASE("callers are not limited by default, and each kind has its own limit") {
  const auto off = load({}).config.rates;
  CHECK(off.key + off.key_burst + off.platform + off.platform_burst + off.address + off.address_burst == 0);
  const auto p = load({"--rate-limit-key=20", "--rate-limit-key-burst=40", "--rate-limit-platform=200",
                       "--rate-limit-address=50", "--rate-limit-exempt=10.0.0.0/8, 2001:db8::/32,192.0.2.7"});
  INFO(p.text);
  REQUIRE(p.outcome == load_outcome::run);
  CHECK(p.config.rates.key == 20);
  CHECK(p.config.rates.key_burst == 40);
  CHECK(p.config.rates.platform == 200);
  CHECK(p.config.rates.platform_burst == 0);
  CHECK(p.config.rates.address == 50);
  CHECK(p.config.rates.exempt == "10.0.0.0/8, 2001:db8::/32,192.0.2.7");
}

TEST_CASE("webhooks have settings of their own") {
  const auto p =
      load({"--webhook-connect-timeout=250ms", "--webhook-answer-timeout=2s", "--webhook-workers=7",
            "--webhook-window=3", "--webhook-rate=0", "--webhook-attempts=2", "--webhook-ca-file=/tmp/ca.pem"});
  INFO(p.text);
  REQUIRE(p.outcome == load_outcome::run);
  CHECK(p.config.webhook_connect_timeout == 250ms);
  CHECK(p.config.webhook_answer_timeout == 2s);
  CHECK(p.config.webhook_workers == 7);
  CHECK(p.config.webhook_window == 3);
  CHECK(p.config.webhook_rate == 0);
  CHECK(p.config.webhook_attempts == 2);
  CHECK(p.config.webhook_ca_file == "/tmp/ca.pem");
}

TEST_CASE("providers over HTTPS have settings of their own") {
  const auto plain = load({});
  CHECK(plain.config.provider_connections == 128);
  CHECK(plain.config.provider_ca_file.empty());
  const auto p = load({"--provider-connections=7", "--provider-ca-file=/tmp/provider-ca.pem"});
  INFO(p.text);
  REQUIRE(p.outcome == load_outcome::run);
  CHECK(p.config.provider_connections == 7);
  CHECK(p.config.provider_ca_file == "/tmp/provider-ca.pem");
  CHECK(p.config.webhook_ca_file.empty());
}

TEST_CASE("tracing is off without an endpoint, and has settings of its own") {
  const auto plain = load({});
  CHECK(plain.config.tracing_endpoint.empty());
  CHECK(plain.config.tracing_one_in == 10);
  CHECK(plain.config.tracing_callers == 100);
  const auto p = load({"--tracing-endpoint=https://collector.example:4318/v1/traces", "--tracing-one-in=1",
                       "--tracing-callers=0", "--tracing-service=shop", "--tracing-ca-file=/tmp/tracing-ca.pem"});
  INFO(p.text);
  REQUIRE(p.outcome == load_outcome::run);
  CHECK(p.config.tracing_endpoint == "https://collector.example:4318/v1/traces");
  CHECK(p.config.tracing_one_in == 1);
  CHECK(p.config.tracing_callers == 0);
  CHECK(p.config.tracing_service == "shop");
  CHECK(p.config.tracing_ca_file == "/tmp/tracing-ca.pem");
}

TEST_CASE("the clock may be moved forward and back, for development only") {
  CHECK(load({"--dev", "--clock-offset=11m"}).config.clock_offset == 11min);
  CHECK(load({"--dev", "--clock-offset=-2h"}).config.clock_offset == -2h);
  CHECK(load_file("dev = true\nclock-offset = \"-31d\"\n").config.clock_offset == -31 * 24h);
  CHECK(load({"--clock-offset=0ms"}).outcome == load_outcome::run);
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"--clock-offset=11m"},
                                                                     {"--clock-offset=-2h"},
                                                                     {"--dev", "--clock-offset=--2h"},
                                                                     {"--dev", "--clock-offset=-"},
                                                                     {"--dev", "--clock-offset=4000d"}}) {
    const auto p = load(arguments);
    INFO(arguments.back() << " -> " << p.text);
    CHECK(p.exit_code() == 2);
    CHECK_THAT(p.text, Contains("clock-offset"));
  }
}

TEST_CASE("help and version are distinguished from a start") {
  const auto help = load({"--help"});
  CHECK(help.outcome == load_outcome::help);
  CHECK(help.exit_code() == 0);
  for (const auto& name : setting_names()) CHECK_THAT(help.text, Contains("--" + name));
  const auto version = load({"--version"});
  CHECK(version.outcome == load_outcome::version);
  CHECK_THAT(version.text, Contains("gatewayd "));
}

TEST_CASE("a usage error is one line that names the option, with exit status 2") {
  struct row {
    std::vector<std::string> arguments;
    std::string names;
  };
  const row rows[] = {{{"--nonsense"}, "nonsense"},
                      {{"stray"}, "stray"},
                      {{"--listen"}, "--listen"},
                      {{"--listen=8443"}, "listen"},
                      {{"--listen=localhost:8443"}, "numeric address"},
                      {{"--listen=127.0.0.1:65536"}, "listen"},
                      {{"--listen=127.0.0.1:80", "--listen=127.0.0.1:81"}, "--listen"},
                      {{"--operator-listen=::1:9"}, "operator-listen"},
                      {{"--batch-units=0"}, "--batch-units: must be from 1 to 1024"},
                      {{"--batch-units=many"}, "whole number"},
                      {{"--batch-units=-1"}, "whole number"},
                      {{"--batch-units="}, "--batch-units"},
                      {{"--provider-timeout=10 s"}, "--provider-timeout"},
                      {{"--provider-timeout=1h"}, "from 10ms to 10m"},
                      {{"--provider-connections=0"}, "--provider-connections: must be from 1 to 10000"},
                      {{"--provider-ca-file="}, "--provider-ca-file"},
                      {{"--webhook-connect-timeout=1ms"}, "--webhook-connect-timeout: must be from 10ms to 10m"},
                      {{"--webhook-answer-timeout=11m"}, "--webhook-answer-timeout: must be from 10ms to 10m"},
                      {{"--webhook-workers=0"}, "--webhook-workers: must be from 1 to 10000"},
                      {{"--webhook-window=0"}, "--webhook-window"},
                      {{"--webhook-attempts=0"}, "--webhook-attempts"},
                      {{"--idempotency-kept=59m"}, "idempotency-kept: below 1h only with dev"},
                      {{"--dev", "--idempotency-kept=999ms"}, "--idempotency-kept: must be from 1s to 3650d"},
                      {{"--payments-kept=59m"}, "payments-kept: below 1h only with dev"},
                      {{"--audit-kept=59m"}, "audit-kept: below 1h only with dev"},
                      {{"--dev", "--payments-kept=999ms"}, "--payments-kept: must be from 1s to 36500d"},
                      {{"--payments-kept=always"}, "24h or 30d, or forever"},
                      {{"--events-kept=forever"}, "--events-kept: must be a duration"},
                      {{"--log-level=loud"}, "log-level"},
                      {{"--store=postgres://u:p@h/d"}, "'postgres://u:***@h/d' is neither sqlite nor a mysql:// URL"},
                      {{"--store=oracle"}, "'oracle'"},
                      {{"--base-url=example.com"}, "base-url"},
                      {{"--base-url=https://"}, "base-url"},
                      {{"--base-url=https://a.example/?x=1"}, "base-url"},
                      {{"--tracing-endpoint=127.0.0.1:4318"}, "tracing-endpoint"},
                      {{"--tracing-endpoint=https://user@collector.example/v1/traces"}, "tracing-endpoint"},
                      {{"--tracing-one-in=-1"}, "tracing-one-in"},
                      {{"--mail-url=smtp://h"}, "mail-url and mail-from: give both, or neither"},
                      {{"--mail-from=a@b"}, "mail-url and mail-from: give both, or neither"},
                      {{"--mail-ca-file=/ca.pem"}, "mail-ca-file: goes with mail-url"},
                      {{"--mail-url=http://h", "--mail-from=a@b"}, "mail-url: must start with smtp:// or smtps://"},
                      {{"--mail-url=smtp://", "--mail-from=a@b"}, "mail-url: must be smtp:// or smtps:// with a host"},
                      {{"--mail-url=smtp://u:p@", "--mail-from=a@b"}, "with a host"},
                      {{"--mail-url=smtp://a b", "--mail-from=a@b"}, "without spaces"},
                      {{"--mail-url=smtp://h", "--mail-from=Shop"}, "mail-from: 'Shop' is neither an address"},
                      {{"--tls-key=/k.pem"}, "tls-certificate and tls-key"},
                      {{"--data-dir="}, "data-dir"},
                      {{"--data-dir=", "--dev"}, "--data-dir: the value is missing"},
                      {{"--reconcile-first=10m", "--reconcile-longest=5m"}, "reconcile-longest"},
                      {{"--config-file=/nowhere/gateway.toml"}, "/nowhere/gateway.toml"},
                      {{"--rate-limit-key=1000001"}, "rate-limit-key"},
                      {{"--rate-limit-key-burst=5"}, "rate-limit-key-burst: without rate-limit-key"},
                      {{"--rate-limit-address-burst=5", "--rate-limit-key=1"}, "rate-limit-address-burst"},
                      {{"--rate-limit-exempt=10.0.0.0/8"}, "rate-limit-exempt: without rate-limit-address"},
                      {{"--rate-limit-address=1", "--rate-limit-exempt=10.0.0.1/8"}, "'10.0.0.1/8' has bits behind"},
                      {{"--config-file="}, "config-file"}};
  for (const auto& r : rows) {
    const auto p = load(r.arguments);
    INFO(r.arguments.front() << " -> " << p.text);
    CHECK(p.outcome == load_outcome::usage_error);
    CHECK(p.exit_code() == 2);
    CHECK_THAT(p.text, Catch::StartsWith("gatewayd: ") && Contains(r.names));
    CHECK(p.text.find('\n') == p.text.size() - 1);
  }
}

TEST_CASE("a file sets what it names, and the command line takes precedence") {
  const auto p = load_file(R"(
# a comment
dev = true              # another
listen = "127.0.0.1:0"
data-dir = '/srv/a\b'
store = "mysql://gateway:se#\"cret@127.0.0.1/gw"
batch-units = 64
live-payments = 1_000
provider-timeout = "3s"
payment-idle = 1500
)",
                           {"--batch-units=32"});
  INFO(p.text);
  REQUIRE(p.outcome == load_outcome::run);
  CHECK(p.config.dev);
  CHECK(p.config.listen == "127.0.0.1:0");
  CHECK(p.config.data_dir == "/srv/a\\b");
  CHECK(p.config.store == "mysql://gateway:se#\"cret@127.0.0.1/gw");
  CHECK(p.config.batch_units == 32);
  CHECK(p.config.live_payments == 1000);
  CHECK(p.config.provider_timeout == 3s);
  CHECK(p.config.payment_idle == 1500ms);
}

TEST_CASE("an error in a file is reported with the file, the line and the setting") {
  struct row {
    std::string text, words;
  };
  const row rows[] = {{"\nnonsense = 1", "gateway.toml:2: unknown setting 'nonsense'"},
                      {"config-file = \"x\"", "unknown setting 'config-file'"},
                      {"batch-units = \"64\"", "gateway.toml:1: batch-units: must be a whole number without quotes"},
                      {"batch-units = true", "batch-units"},
                      {"batch-units = 6.4", "whole number"},
                      {"batch-units = 99999", "batch-units: must be from 1 to 1024"},
                      {"batch-units = 1__0", "whole number"},
                      {"batch-units = 99999999999999999999", "whole number"},
                      {"listen = 8443", "listen: must be a string in quotes"},
                      {"listen = 127.0.0.1:1", "gateway.toml:1"},
                      {"dev = \"true\"", "dev: must be true or false"},
                      {"dev = 1", "dev: must be true or false"},
                      {"dev", "expected name = value"},
                      {"dev =", "value is missing"},
                      {"Dev = true", "lower-case"},
                      {"dev = true\ndev = false", "gateway.toml:2: 'dev' is set a second time"},
                      {"provider-timeout = true", "provider-timeout"},
                      {"provider-timeout = \"soon\"", "provider-timeout: must be a duration"},
                      {"listen = \"127.0.0.1:1", "not closed"},
                      {"listen = \"127.0.0.1:1\" x", "follows the closing quote"},
                      {"listen = \"\\x41\"", "escaped"},
                      {"[http]\n", "sections are not used"}};
  for (const auto& r : rows) {
    const auto p = load_file(r.text);
    INFO(r.text << " -> " << p.text);
    CHECK(p.outcome == load_outcome::usage_error);
    CHECK_THAT(p.text, Contains(r.words) && Contains("gateway.toml"));
  }
}

TEST_CASE("a password of the store or of the mail server is visible on the command line, and nowhere else") {
  CHECK(load({"--mail-url=smtp://u:secret@h", "--mail-from=a@b"}).shows_password);
  CHECK_FALSE(load({"--mail-url=smtp://h", "--mail-from=a@b"}).shows_password);
  CHECK_FALSE(load_file("mail-url = \"smtp://u:secret@h\"\nmail-from = \"a@b\"\n").shows_password);
  CHECK(load({"--store=mysql://u:secret@127.0.0.1/d"}).shows_password);
  CHECK_FALSE(load({"--store=mysql://u@127.0.0.1/d"}).shows_password);
  CHECK_FALSE(load({"--store=sqlite"}).shows_password);
  CHECK_FALSE(load_file("store = \"mysql://u:secret@127.0.0.1/d\"\n").shows_password);
  CHECK(load_file("store = \"sqlite\"\n", {"--store=mysql://u:secret@127.0.0.1/d"}).shows_password);
}

TEST_CASE("no message holds a password of the store or of the mail server") {
  for (const auto* url :
       {"--mail-url=smtp://u:secret@", "--mail-url=imap://u:secret@h", "--mail-url=smtp://u:secret@h"})
    CHECK_THAT(load({url, "--mail-from=nobody"}).text, !Contains("secret"));
  for (const auto* argument : {"--stroe=mysql://u:secret@h/d", "mysql://u:sec@secret@h/d", "mysql://u:secret/d",
                               "--store=oracle://u:secret@h/d", "--base-url=mysql://u:secret@h",
                               "--listen=mysql://u:secret@h/d", "--log-level=mysql://u:secret@h/d"}) {
    const auto p = load({argument});
    INFO(p.text);
    CHECK(p.outcome == load_outcome::usage_error);
    CHECK_THAT(p.text, !Contains("secret"));
  }
  struct row {
    std::string url, shown;
  };
  const row rows[] = {{"sqlite", "sqlite"},
                      {"mysql://u:p@h:1/d?socket=/s", "mysql://u:***@h:1/d?socket=/s"},
                      {"mysql://u:p@q:r@h/d", "mysql://u:***@h/d"},
                      {"mysql://u@h/d", "mysql://u@h/d"},
                      {"mysql://u:p", "mysql://***"}};
  for (const auto& r : rows) CHECK(without_password(r.url) == r.shown);
}

TEST_CASE("the example file names every setting, and is valid when uncommented") {
  const auto text = uncommented(content_of(GATEWAY_EXAMPLE_FILE));
  const auto p = load_file(text);
  INFO(p.text);
  REQUIRE(p.outcome == load_outcome::run);
  std::istringstream in{text};
  std::vector<std::string> named;
  for (const auto& entry : read_config(in)) named.push_back(entry.name);
  auto known = setting_names();
  std::sort(named.begin(), named.end());
  std::sort(known.begin(), known.end());
  CHECK(named == known);
  CHECK(load_file(content_of(GATEWAY_EXAMPLE_FILE)).outcome == load_outcome::run);
}

TEST_CASE("the example shows the default of each setting that has one") {
  const settings defaults;
  const auto shown = load_file(uncommented(content_of(GATEWAY_EXAMPLE_FILE))).config;
  CHECK(shown.listen == defaults.listen);
  CHECK(shown.batch_units == defaults.batch_units);
  CHECK(shown.store_writers == defaults.store_writers);
  CHECK(shown.store_readers == defaults.store_readers);
  CHECK(shown.begin_wait == defaults.begin_wait);
  CHECK(shown.store_queue == defaults.store_queue);
  CHECK(shown.live_payments == defaults.live_payments);
  CHECK(shown.payment_idle == defaults.payment_idle);
  CHECK(shown.payment_queue == defaults.payment_queue);
  CHECK(shown.provider_timeout == defaults.provider_timeout);
  CHECK(shown.provider_in_flight == defaults.provider_in_flight);
  CHECK(shown.reconcile_first == defaults.reconcile_first);
  CHECK(shown.reconcile_longest == defaults.reconcile_longest);
  CHECK(shown.reconcile_interval == defaults.reconcile_interval);
  CHECK(shown.hosted_expiry == defaults.hosted_expiry);
  CHECK(shown.idempotency_kept == defaults.idempotency_kept);
  CHECK(shown.payments_kept == defaults.payments_kept);
  CHECK(shown.audit_kept == defaults.audit_kept);
  CHECK(shown.drain_timeout == defaults.drain_timeout);
  CHECK(shown.http.body_bytes == defaults.http.body_bytes);
  CHECK(shown.http.header_bytes == defaults.http.header_bytes);
  CHECK(shown.http.json_depth == defaults.http.json_depth);
  CHECK(shown.http.request_timeout == defaults.http.request_timeout);
  CHECK(shown.http.idle_timeout == defaults.http.idle_timeout);
  CHECK(shown.http.answer_timeout == defaults.http.answer_timeout);
  CHECK(shown.http.connections == defaults.http.connections);
  CHECK(shown.http.connections_per_address == defaults.http.connections_per_address);
}

TEST_CASE("durations have units") {
  struct row {
    std::string text;
    std::optional<std::chrono::milliseconds> expected;
  };
  const row rows[] = {{"0", 0ms},
                      {"1500", 1500ms},
                      {"1500ms", 1500ms},
                      {"15s", 15s},
                      {"5m", 5min},
                      {"24h", 24h},
                      {"30d", 720h},
                      {"", {}},
                      {"s", {}},
                      {"-1s", {}},
                      {"1.5s", {}},
                      {"1 s", {}},
                      {"1sec", {}},
                      {"1S", {}},
                      {"99999999999999999999", {}},
                      {"9223372036854775807d", {}}};
  for (const auto& r : rows) {
    INFO(r.text);
    CHECK(parse_duration(r.text) == r.expected);
  }
  CHECK(format_duration(90s) == "90s");
  CHECK(format_duration(0ms) == "0ms");
  CHECK(format_duration(1500ms) == "1500ms");
  CHECK(format_duration(720h) == "30d");
}

TEST_CASE("addresses are numeric, with a port") {
  CHECK(parse_socket_address("127.0.0.1:8443") == socket_address{"127.0.0.1", 8443});
  CHECK(parse_socket_address("[::]:0") == socket_address{"::", 0});
  for (const auto* bad : {"", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:-1", "127.0.0.1:70000",
                          "::1:80", "[::1]", "[]:1", "example.com:80", "[127.0.0.1]:80", "127.0.0.256:1"}) {
    INFO(bad);
    CHECK_FALSE(parse_socket_address(bad).has_value());
  }
}
