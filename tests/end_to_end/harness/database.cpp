#include "database.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <boost/url.hpp>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "paths.hpp"
#include "text.hpp"

namespace gateway::e2e {

namespace {

std::string checked(const command_output& result, std::string_view what) {
  if (result.code != 0) throw std::runtime_error(std::string{what} + " failed: " + result.err + result.out);
  return result.out;
}

std::string wanted_stores() {
  return environment_or("GATEWAY_TEST_STORES", environment_or("GATEWAY_TEST_STORES_DEFAULT", "sqlite,mysql"));
}

/// tools/mariadb or tools/tidb.
std::filesystem::path server_script() { return project_root() / "tools" / (on_tidb() ? "tidb" : "mariadb"); }

std::string server_tool(std::string_view action, const std::filesystem::path& folder,
                        const std::vector<std::string>& options = {}) {
  // The server outlives the script, so it must not hold the script's output open: the script prints the URL alone.
  std::vector<std::string> words{server_script().string(), std::string{action}, folder.string()};
  words.insert(words.end(), options.begin(), options.end());
  const auto result = run_command(words);
  const auto lines = lines_of(checked(result, server_script().string() + ' ' + std::string{action}));
  return lines.empty() ? std::string{} : lines.back();
}

mysql_address named_database(mysql_address server) {
  server.database = "gateway_e2e_" + random_hex(6);
  auto without_database = server;
  without_database.database.clear();
  without_database.sql("CREATE DATABASE " + server.database + " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
  return server;
}

/// The server that the test programs share when no URL is set. The last program to end stops it.
class shared_server {
 public:
  shared_server() : folder_{work_folder() / server_script().filename()} {
    std::filesystem::create_directories(folder_);
    users_ = ::open((folder_ / "users.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (users_ < 0 || ::flock(users_, LOCK_SH) != 0) throw std::runtime_error("cannot lock " + folder_.string());
    address_ = mysql_address::of_url(server_tool("start", folder_));
  }
  ~shared_server() {
    const bool last = ::flock(users_, LOCK_EX | LOCK_NB) == 0;
    if (last) run_command({server_script().string(), "stop", folder_.string()});
    ::close(users_);
  }
  shared_server(const shared_server&) = delete;
  shared_server& operator=(const shared_server&) = delete;
  const mysql_address& address() const { return address_; }

 private:
  std::filesystem::path folder_;
  int users_ = -1;
  mysql_address address_;
};

const mysql_address& shared_address() {
  static const auto given = environment_or("GATEWAY_TEST_MYSQL_URL", "");
  if (!given.empty()) {
    static const auto address = mysql_address::of_url(given);
    return address;
  }
  static const shared_server own;
  return own.address();
}

}  // namespace

std::vector<store_kind> stores() {
  const auto wanted = wanted_stores();
  std::vector<store_kind> all;
  for (const auto store : {store_kind::sqlite, store_kind::mysql})
    if (wanted.find(to_string(store)) != std::string::npos) all.push_back(store);
  if (on_tidb()) all.push_back(store_kind::mysql);
  return all;
}

bool on_tidb() { return wanted_stores().find("tidb") != std::string::npos; }

std::string database_name() { return on_tidb() ? "TiDB" : "MariaDB"; }

mysql_address mysql_address::of_url(std::string_view whole) {
  // The URL parser accepts one host; the others are cut out first.
  std::string text{whole};
  const auto hosts = text.rfind('@') + 1, end = text.find('/', hosts), comma = text.find(',', hosts);
  std::string others;
  if (comma < end) {
    others = text.substr(comma, end - comma);
    text.erase(comma, end - comma);
  }
  const auto parsed = boost::urls::parse_uri(text);
  if (!parsed) throw std::runtime_error("not a store URL: " + text);
  mysql_address address;
  address.user = parsed->user();
  address.password = parsed->password();
  address.host = parsed->host();
  address.port = parsed->port_number();
  const std::string path = parsed->path();
  address.database = path.empty() ? path : path.substr(1);
  for (const auto& option : parsed->params())
    if (option.key == "socket") address.socket = option.value;
  address.others = others;
  return address;
}

mysql_address mysql_address::rotated(std::size_t count) const {
  auto turned = *this;
  for (; count > 0 && !others.empty(); --count) {
    const auto next = turned.others.find(',', 1);
    const auto first = turned.others.substr(1, next - 1);
    turned.others = (next == std::string::npos ? "" : turned.others.substr(next)) + ',' + turned.host + ':' +
                    std::to_string(turned.port);
    const auto colon = first.find(':');
    turned.host = first.substr(0, colon);
    turned.port = static_cast<std::uint16_t>(std::stoi(first.substr(colon + 1)));
  }
  return turned;
}

std::string mysql_address::url() const {
  auto text = "mysql://" + percent_encode(user) + ':' + percent_encode(password) + '@' + host;
  if (port != 0) text += ':' + std::to_string(port);
  text += others + '/' + database;
  if (!socket.empty()) text += "?socket=" + percent_encode(socket);
  return text;
}

std::string mysql_address::sql(std::string_view statements) const {
  std::vector<std::string> arguments{
      "mariadb",       "--no-defaults", "--batch", "--skip-column-names", "--default-character-set=utf8mb4",
      "--user=" + user};
  if (!socket.empty()) {
    arguments.push_back("--socket=" + socket);
  } else {
    arguments.push_back("--host=" + host);
    if (port != 0) arguments.push_back("--port=" + std::to_string(port));
  }
  if (!database.empty()) arguments.push_back("--database=" + database);
  if (!others.empty()) arguments.emplace_back("--init-command=SET SESSION wsrep_sync_wait = 7");
  return checked(run_command(arguments, statements, {{}, {{"MYSQL_PWD", password}}, {}}), "mariadb");
}

mariadb_server::mariadb_server(std::filesystem::path folder, std::filesystem::path data)
    : folder_{std::move(folder)},
      data_{data.empty() ? folder_ / "data" : std::move(data)},
      address_{mysql_address::of_url(server_tool("url", folder_))} {
  std::filesystem::create_directories(folder_);
  start();
}

mariadb_server::~mariadb_server() {
  kill();
  std::error_code ignored;
  if (!keeps_data()) std::filesystem::remove_all(folder_, ignored);
}

void mariadb_server::start() {
  process_ = child_process{{server_script().string(), "run", folder_.string(), "--data=" + data_.string()},
                           {folder_ / "run.log", {}, {}}};
  const auto answers = [&] {
    if (!running()) throw std::runtime_error(database_name() + " does not start: " + log());
    try {
      return !address_.sql("SELECT 1").empty();
    } catch (const std::runtime_error&) {
      return false;
    }
  };
  if (!eventually(answers)) throw std::runtime_error(database_name() + " does not answer: " + log());
}

void mariadb_server::kill() {
  process_.send_signal(SIGKILL);
  if (process_.pid() > 0) process_.wait();
}

std::string mariadb_server::log() const {
  std::string said;
  for (const auto* name : {"run.log", "error.log"})
    if (std::filesystem::exists(folder_ / name)) said += read_file(folder_ / name);
  return said;
}

mysql_address mariadb_server::new_database() const { return named_database(address_); }

std::string galera_cluster::missing() {
  if (!std::filesystem::exists("/usr/lib/galera/libgalera_smm.so")) return "galera-4";
  if (!std::filesystem::exists("/usr/bin/mariadb-backup")) return "mariadb-backup";
  return {};
}

galera_cluster::galera_cluster() : folder_{work_folder() / "galera"} {
  // A killed run may have left processes behind.
  if (std::filesystem::exists(folder_)) server_tool("kill", folder_);
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
  address_ = mysql_address::of_url(
      server_tool("start", folder_, {"--galera=" + std::to_string(size), "--buffer-pool=64M", "--redo-log=32M"}));
}

galera_cluster::~galera_cluster() {
  try {
    server_tool("kill", folder_);
    if (!keeps_data()) std::filesystem::remove_all(folder_);
  } catch (const std::exception&) {
    // The next run stops it.
  }
}

void galera_cluster::send_signal(std::size_t member, int number) const {
  ::kill(std::stoi(read_file(of(member) / "mariadb.pid")), number);
}

void galera_cluster::kill(std::size_t member) const {
  server_tool("kill", folder_, {"--member=" + std::to_string(member + 1)});
}

void galera_cluster::start() { server_tool("start", folder_, {"--buffer-pool=64M", "--redo-log=32M"}); }

command_output galera_cluster::sql(std::size_t member, std::string_view statements) const {
  return run_command({"mariadb", "--no-defaults", "--batch", "--skip-column-names", "--user=root",
                      "--socket=" + (of(member) / "mysql.sock").string()},
                     statements);
}

void galera_cluster::hold_back(std::size_t member, std::chrono::seconds how_long) const {
  checked(sql(member, "SET GLOBAL wsrep_desync = ON; FLUSH TABLES WITH READ LOCK; SELECT SLEEP(" +
                          std::to_string(how_long.count()) + "); UNLOCK TABLES; SET GLOBAL wsrep_desync = OFF;"),
          "mariadb");
}

std::string galera_cluster::status(std::size_t member, std::string_view variable) const {
  const auto said = sql(member, "SHOW GLOBAL STATUS LIKE '" + std::string{variable} + "'");
  const auto lines = lines_of(said.out);
  return said.code != 0 || lines.empty() ? std::string{} : lines.front().substr(lines.front().find('\t') + 1);
}

mysql_address galera_cluster::new_database() const { return named_database(address_); }

std::string galera_cluster::log(std::size_t member) const { return read_file(of(member) / "error.log"); }

mysql_address new_shared_database() { return named_database(shared_address()); }

void drop_database(const mysql_address& database) { database.sql("DROP DATABASE " + database.database); }

std::string sqlite_sql(const std::filesystem::path& file, std::string_view statements) {
  return checked(run_command({"sqlite3", "-cmd", ".timeout 10000", "-separator", "\t", file.string()}, statements),
                 "sqlite3");
}

}  // namespace gateway::e2e
