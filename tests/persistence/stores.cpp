#include "stores.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "gateway/base/crypto.hpp"

namespace gateway::persistence::test {

namespace fs = std::filesystem;

temporary_folder::temporary_folder() : path_(fs::temp_directory_path() / ("gateway-store-" + crypto::random_hex(8))) {
  fs::create_directories(path_);
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string mariadb(const std::string& action, const fs::path& folder) {
  const auto command = std::string{"'" GATEWAY_MARIADB "' "} + action + " '" + folder.string() + "'";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string printed;
  std::array<char, 512> part{};
  while (std::fgets(part.data(), part.size(), pipe)) printed += part.data();
  if (::pclose(pipe) != 0) throw std::runtime_error(command + " failed");
  while (printed.ends_with('\n')) printed.pop_back();
  return printed;
}

namespace {
/// For a program started by hand: the server stops at the program's end, because no fixture stops it.
struct own_server {
  std::string url = mariadb("start", GATEWAY_MARIADB_FOLDER);
  ~own_server() {
    if (!std::getenv("GATEWAY_TEST_UNDER_CTEST")) mariadb("stop", GATEWAY_MARIADB_FOLDER);
  }
};
}  // namespace

std::string mysql_url() {
  if (const char* given = std::getenv("GATEWAY_TEST_MYSQL_URL")) return given;
  static const own_server server;
  return server.url;
}

empty_store::empty_store(store_kind kind, const std::string& url) {
  settings_.data_dir = folder_.path() / "data";
  settings_.store = url;
  if (kind == store_kind::sqlite) {
    fs::create_directories(settings_.data_dir);
    return;
  }
  server_ = locate_store(settings_);
  const auto name = "gateway_test_" + crypto::random_hex(8);
  connect(server_, access::write)->execute("CREATE DATABASE " + name);
  const auto path = "/" + server_.database;
  const auto at = settings_.store.find(path, settings_.store.find("://") + 3);
  settings_.store.replace(at, path.size(), "/" + name);
}

empty_store::~empty_store() {
  if (server_.database.empty()) return;
  try {
    connect(server_, access::write)->execute("DROP DATABASE " + where().database);
  } catch (const database_error&) {
    // The test ended with its server down: its database stays in the build folder.
  }
}

}  // namespace gateway::persistence::test
