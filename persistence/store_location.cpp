#include "persistence/store_location.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <charconv>
#include <stdexcept>

#include "persistence/mysql/mysql_connection.hpp"
#include "persistence/sqlite/sqlite_connection.hpp"

namespace gateway::persistence {

namespace {

[[noreturn]] void bad_url(const std::string& why) { throw std::runtime_error("--store: " + why); }

store_location from_mysql_url(std::string_view text) {
  const auto parsed = boost::urls::parse_uri(text);
  if (!parsed) bad_url("not a URL of the form mysql://user:password@host:port/database?socket=/path&ssl-ca=/file");
  const auto& url = *parsed;
  store_location where;
  where.language = dialect::mysql;
  where.host = url.host();
  if (url.host_type() == boost::urls::host_type::ipv6) where.host = url.host_address();
  if (url.has_port()) {
    const std::string_view digits{url.port().data(), url.port().size()};
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), where.port);
    if (read.ec != std::errc{} || where.port == 0) bad_url("the port must be between 1 and 65535");
  }
  where.user = url.user();
  where.password = url.password();
  if (url.segments().size() != 1 || (*url.segments().begin()).empty())
    bad_url("the URL's path must name the database: mysql://…/database");
  where.database = *url.segments().begin();
  for (const auto& option : url.params()) {
    if (option.key == "socket") {
      where.socket = option.value;
    } else if (option.key == "ssl-ca") {
      where.ssl_ca = option.value;
    } else {
      bad_url("unknown option '" + option.key + "': known are socket and ssl-ca");
    }
  }
  if (where.user.empty()) bad_url("the URL must name a user: mysql://user:password@host/database");
  if (where.host.empty() && where.socket.empty()) bad_url("the URL must name a host or ?socket=/path");
  return where;
}

}  // namespace

std::string store_location::shown() const {
  if (language == dialect::sqlite) return file.string();
  return "mysql://" + user + "@" + (socket.empty() ? host + ":" + std::to_string(port) : socket) + "/" + database;
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

std::unique_ptr<db_connection> connect(const store_location& where, access how) {
  if (where.language == dialect::mysql) return std::make_unique<mysql_connection>(where, how);
  return std::make_unique<sqlite_connection>(where, how);
}

}  // namespace gateway::persistence
