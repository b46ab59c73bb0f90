#include "setting_checks.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "gateway/base/log.hpp"
#include "gateway/base/networks.hpp"
#include "gateway/domain/mail.hpp"
#include "gateway/domain/text.hpp"
#include "option_value.hpp"
#include "setting_table.hpp"
#include "setting_values.hpp"

namespace gateway {

namespace {

/// Requires all cluster options or none: with only some of them, no node could reach this one, or any program could.
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

/// Rejects options without effect, because the operator expects a limit that would not exist.
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

void check_mail(const settings& s) {
  if (s.mail_url.empty() != s.mail_from.empty()) throw bad_value("mail-url and mail-from: give both, or neither");
  if (s.mail_url.empty() && !s.mail_ca_file.empty()) throw bad_value("mail-ca-file: goes with mail-url");
  if (s.mail_url.empty()) return;
  const std::size_t scheme = s.mail_url.starts_with("smtps://") ? 8 : s.mail_url.starts_with("smtp://") ? 7 : 0;
  if (scheme == 0) throw bad_value("mail-url: must start with smtp:// or smtps://");
  const auto at = s.mail_url.rfind('@');
  const auto host = s.mail_url.substr(at == std::string::npos || at < scheme ? scheme : at + 1);
  // The value may hold a password, and is not repeated.
  const bool has_gap = std::ranges::any_of(s.mail_url, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  if (has_gap || host.empty() || host.front() == '/' || host.front() == ':')
    throw bad_value("mail-url: must be smtp:// or smtps:// with a host, without spaces");
  if (address_of_mailbox(s.mail_from).empty())
    throw bad_value("mail-from: '" + s.mail_from + "' is neither an address nor 'Name <address>'");
}

}  // namespace

void check_settings(const settings& s) {
  const auto address = [](const std::string& text, const char* name) {
    if (!parse_socket_address(text))
      throw bad_value(std::string{name} + ": '" + text + "' is not ADDR:PORT with a numeric address");
  };
  address(s.listen, "listen");
  if (!s.operator_listen.empty()) address(s.operator_listen, "operator-listen");
  const auto proxies = networks::parse(s.proxy_protocol_from);
  if (const auto* fault = std::get_if<std::string>(&proxies)) throw bad_value("proxy-protocol-from: " + *fault);
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
  if (s.clock_offset != std::chrono::milliseconds{0} && !s.dev)
    throw bad_value("clock-offset: only with dev, never in production");
  // For idempotency-kept: a client may repeat an unanswered request within this time; later the same key means a new
  // request.
  const std::pair<const char*, std::optional<std::chrono::milliseconds>> kept[] = {
      {"idempotency-kept", s.idempotency_kept}, {"notifications-kept", s.notifications_kept},
      {"events-kept", s.events_kept},           {"deliveries-kept", s.deliveries_kept},
      {"payments-kept", s.payments_kept},       {"audit-kept", s.audit_kept}};
  for (const auto& [name, time] : kept)
    if (time && *time < std::chrono::hours{1} && !s.dev)
      throw bad_value(std::string{name} + ": below 1h only with dev");
  if (s.data_dir.empty()) throw bad_value("data-dir: must name a directory");
  if (s.tls_certificate.empty() != s.tls_key.empty())
    throw bad_value("tls-certificate and tls-key: give both, or neither");
  if (!parse_name<log::level>(s.log_level)) throw bad_value("log-level: must be debug, info, warn or error");
  if (s.reconcile_longest < s.reconcile_first) throw bad_value("reconcile-longest: must not be below reconcile-first");
  check_rates(s.rates);
  check_cluster(s);
  check_mail(s);
}

}  // namespace gateway
