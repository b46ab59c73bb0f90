#include "persistence/connection/store_location.hpp"

#include <arpa/inet.h>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gateway/domain/text.hpp"

namespace gateway::persistence {

namespace {

[[noreturn]] void bad_url(const std::string& why) { throw std::runtime_error("--store: " + why); }

constexpr std::string_view scheme = "mysql://";

/// A part of the list of hosts: `host`, `host:port`, `[::1]:port`.
database_host host_of(std::string_view text) {
  const auto url = std::string{scheme} + std::string{text};
  const auto parsed = boost::urls::parse_uri(url);
  if (!parsed || text.empty())
    bad_url("'" + std::string{text} + "' is no host: mysql://user:password@host:port,host:port/database");
  database_host host;
  host.name = parsed->host();
  if (parsed->host_type() == boost::urls::host_type::ipv6) host.name = parsed->host_address();
  // Boost parses 127.0.0.1.example as 127.0.0.1.
  if (parsed->host_type() == boost::urls::host_type::ipv4) host.name = text.substr(0, text.find(':'));
  if (parsed->has_port()) {
    const std::string_view digits{parsed->port().data(), parsed->port().size()};
    const auto port = parse_whole(digits, 1, most_port);
    if (!port) bad_url("the port must be between 1 and 65535");
    host.port = static_cast<std::uint16_t>(*port);
  }
  return host;
}

/// Splits off the list of hosts: returns the URL with a placeholder host, because a URL can have only one, and the
/// list.
std::pair<std::string, std::vector<database_host>> without_hosts(std::string_view url) {
  const auto end = std::min(url.find_first_of("/?#", scheme.size()), url.size());
  const auto at = url.substr(0, end).rfind('@');
  const auto from = at == std::string_view::npos ? scheme.size() : at + 1;
  if (from >= end) return {std::string{url}, {}};
  std::vector<database_host> hosts;
  for (auto next = from; next <= end;) {
    const auto comma = std::min(url.find(',', next), end);
    hosts.push_back(host_of(url.substr(next, comma - next)));
    next = comma + 1;
  }
  return {std::string{url.substr(0, from)} + "host" + std::string{url.substr(end)}, std::move(hosts)};
}

bool is_this_machine(const std::string& host) {
  if (host == "localhost" || host == "::1") return true;
  in_addr parsed{};
  return inet_pton(AF_INET, host.c_str(), &parsed) == 1 && ntohl(parsed.s_addr) >> 24 == 127;
}

/// Throws unless the connection is local or encrypted, or the URL permits plain text, so that a forgotten option never
/// sends card payments over a network unencrypted.
void require_encryption(const store_location& where) {
  if (!where.socket.empty() || !where.ssl_ca.empty()) return;
  for (const auto& host : where.hosts)
    if (!is_this_machine(host.name))
      bad_url("the connection to " + host.name +
              " would not be encrypted: give ?ssl-ca=FILE, or ?ssl-mode=disabled to allow it");
}

store_location from_mysql_url(std::string_view text) {
  auto [rest, hosts] = without_hosts(text);
  const auto parsed = boost::urls::parse_uri(rest);
  if (!parsed || !text.starts_with(scheme))
    bad_url("not a URL of the form mysql://user:password@host:port/database?socket=/path&ssl-ca=/file");
  const auto& url = *parsed;
  store_location where;
  where.language = dialect::mysql;
  where.hosts = std::move(hosts);
  where.user = url.user();
  where.password = url.password();
  if (url.segments().size() != 1 || (*url.segments().begin()).empty())
    bad_url("the URL's path must name the database: mysql://…/database");
  where.database = *url.segments().begin();
  bool disabled = false;
  for (const auto& option : url.params()) {
    if (option.key == "socket") {
      where.socket = option.value;
    } else if (option.key == "ssl-ca") {
      where.ssl_ca = option.value;
    } else if (option.key == "ssl-mode") {
      if (option.value != "disabled") bad_url("ssl-mode may be disabled only; ssl-ca=FILE turns TLS on");
      disabled = true;
    } else {
      bad_url("unknown option '" + option.key + "': known are socket, ssl-ca and ssl-mode");
    }
  }
  if (where.user.empty()) bad_url("the URL must name a user: mysql://user:password@host/database");
  if (where.hosts.empty() && where.socket.empty()) bad_url("the URL must name a host or ?socket=/path");
  if (where.hosts.size() > 1 && !where.socket.empty()) bad_url("a socket is of one host, and the URL names several");
  if (disabled && !where.ssl_ca.empty()) bad_url("ssl-ca and ssl-mode=disabled contradict each other");
  if (!disabled) require_encryption(where);
  return where;
}

}  // namespace

std::string database_host::shown() const {
  const bool is_ipv6 = name.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + name + "]" : name) + ":" + std::to_string(port);
}

std::string store_location::shown() const {
  if (language == dialect::sqlite) return file.string();
  std::string at = socket;
  if (socket.empty())
    for (const auto& host : hosts) at += (at.empty() ? "" : ",") + host.shown();
  return "mysql://" + user + "@" + at + "/" + database;
}

store_location locate_store(const settings& s) {
  if (s.store == "sqlite") {
    store_location where;
    where.file = s.data_dir / "gateway.sqlite";
    return where;
  }
  if (s.store.starts_with("mysql:")) return from_mysql_url(s.store);
  bad_url("must be sqlite or a mysql:// URL");
}

}  // namespace gateway::persistence
