// The values of --store.
#include <catch2/catch.hpp>

#include "persistence/connection/store_location.hpp"

using namespace gateway;
using namespace gateway::persistence;
using Catch::Matchers::Contains;

namespace {
store_location parsed(const std::string& store) {
  settings s;
  s.store = store;
  s.data_dir = "/var/lib/gateway";
  return locate_store(s);
}
}  // namespace

TEST_CASE("the embedded store is in the data directory") {
  const auto where = parsed("sqlite");
  CHECK(where.language == dialect::sqlite);
  CHECK(where.file == "/var/lib/gateway/gateway.sqlite");
  CHECK(where.shown() == "/var/lib/gateway/gateway.sqlite");
}

TEST_CASE("a mysql URL names server, user and database") {
  const auto where = parsed("mysql://us%40er:p%2Fa%3Ass%20@db.example:3307/pay?ssl-ca=/etc/ca.pem");
  CHECK(where.language == dialect::mysql);
  REQUIRE(where.hosts.size() == 1);
  CHECK(where.hosts[0].name == "db.example");
  CHECK(where.hosts[0].port == 3307);
  CHECK(where.user == "us@er");
  CHECK(where.password == "p/a:ss ");
  CHECK(where.database == "pay");
  CHECK(where.ssl_ca == "/etc/ca.pem");
  CHECK(where.socket.empty());
  CHECK(where.shown() == "mysql://us@er@db.example:3307/pay");
}

TEST_CASE("a mysql URL may name a socket and omit the port") {
  const auto where = parsed("mysql://u@localhost/pay?socket=/run/my%20db/mysql.sock");
  CHECK(where.hosts[0].port == 3306);
  CHECK(where.password.empty());
  CHECK(where.socket == "/run/my db/mysql.sock");
  CHECK(where.shown() == "mysql://u@/run/my db/mysql.sock/pay");
  CHECK(parsed("mysql://u@[::1]:33060/pay").hosts[0].name == "::1");
  CHECK(parsed("mysql://u@/pay?socket=/run/s").hosts.empty());
}

TEST_CASE("a mysql URL may name several hosts, each with its port") {
  const auto where = parsed("mysql://u:p%40ss,word@db1:3307,db2,[::1]:3309/pay?ssl-ca=/etc/ca.pem");
  std::vector<std::string> shown;
  for (const auto& host : where.hosts) shown.push_back(host.shown());
  CHECK(shown == std::vector<std::string>{"db1:3307", "db2:3306", "[::1]:3309"});
  CHECK(where.user == "u");
  CHECK(where.password == "p@ss,word");
  CHECK(where.database == "pay");
  CHECK(where.ssl_ca == "/etc/ca.pem");
  CHECK(where.shown() == "mysql://u@db1:3307,db2:3306,[::1]:3309/pay");
  // All connections of a process share the host that worked last.
  const auto copy = where;
  copy.last_good->store(2);
  CHECK(where.last_good->load() == 2);
}

TEST_CASE("a mysql URL may omit TLS to this machine, over a socket, and with ssl-mode=disabled") {
  for (const auto* store :
       {"mysql://u@localhost/d", "mysql://u@127.0.0.1/d", "mysql://u@127.8.9.1:3307,[::1]/d", "mysql://u@h/d?socket=/s",
        "mysql://u@h/d?ssl-mode=disabled", "mysql://u@h,i/d?ssl-mode=disabled", "mysql://u@h/d?ssl-ca=/f"})
    CHECK_NOTHROW(parsed(store));
}

TEST_CASE("an invalid store is refused with the reason") {
  const std::pair<const char*, const char*> rows[] = {
      {"", "must be sqlite or a mysql:// URL"},
      {"postgres://u@h/d", "must be sqlite or a mysql:// URL"},
      {"mysql://u@h/%zz", "not a URL"},
      {"mysql://u@h", "name the database"},
      {"mysql://u@h/", "name the database"},
      {"mysql://u@h/a/b", "name the database"},
      {"mysql://h/d", "name a user"},
      {"mysql://u@/d", "name a host"},
      {"mysql://u@h:99999/d", "port"},
      {"mysql://u@h/d?sokcet=/x", "unknown option 'sokcet'"},
      {"mysql://u@h,i:0/d", "port"},
      {"mysql://u@h,,i/d", "'' is no host"},
      {"mysql://u@h,/d", "'' is no host"},
      {"mysql://u@h,i", "name the database"},
      {"mysql://u@h,i:x/d", "port"},
      {"mysql://u@h,i/d?socket=/x", "a socket is of one host"},
      {"mysql://u@h/d", "would not be encrypted"},
      {"mysql://u@127.0.0.1,10.0.0.7/d", "the connection to 10.0.0.7 would not be encrypted"},
      {"mysql://u@127.0.0.1.example/d", "would not be encrypted"},
      {"mysql://u@[2001:db8::1]/d", "would not be encrypted"},
      {"mysql://u@h/d?ssl-mode=required", "disabled only"},
      {"mysql://u@h/d?ssl-mode=disabled&ssl-ca=/f", "contradict"},
  };
  for (const auto& [store, why] : rows) {
    INFO(store);
    CHECK_THROWS_WITH(parsed(store), Contains(why) && Contains("--store"));
  }
}
