// A gateway that cannot start ends with one line on standard error and an exit code. Also what can be changed while it
// runs.
#include <catch2/catch.hpp>

#include <csignal>
#include <fstream>

#include "database.hpp"
#include "merchant.hpp"
#include "paths.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

/// A folder that is removed on destruction.
struct scratch {
  std::filesystem::path folder = new_folder("start");
  ~scratch() {
    std::error_code ignored;
    if (!keeps_data()) std::filesystem::remove_all(folder, ignored);
  }
  std::string file(const std::string& name) const { return (folder / name).string(); }
};

command_output start_in_vain(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program("gatewayd").string());
  return run_command(arguments);
}

/// Apart from log lines (JSON), one line that begins with the program's name and contains all these words.
void refuses(const command_output& result, const std::vector<std::string>& words, const std::string& never = {}) {
  CAPTURE(result.code, result.err, result.out);
  CHECK(result.code > 0);
  CHECK(result.out.find("listening on") == std::string::npos);
  auto lines = lines_of(result.err);
  std::erase_if(lines, [](const auto& line) { return line.starts_with("{") && json::parse(line)["level"] == "info"; });
  REQUIRE(lines.size() == 1);
  CHECK(lines.front().starts_with("gatewayd: "));
  CHECK(lines.front().size() < 400);
  for (const auto& word : words) CHECK(lines.front().find(word) != std::string::npos);
  if (!never.empty()) CHECK(lines.front().find(never) == std::string::npos);
}

void make_certificate(const std::filesystem::path& folder, const std::string& name) {
  const auto made =
      run_command({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                   "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout",
                   (folder / (name + ".key")).string(), "-out", (folder / (name + ".pem")).string()});
  if (made.code != 0) throw std::runtime_error("openssl req: " + made.err);
}

}  // namespace

TEST_CASE("a certificate or key that cannot be used ends the start") {
  scratch s;
  make_certificate(s.folder, "good");
  make_certificate(s.folder, "other");
  write_file(s.file("noise.pem"), "this is no certificate\n");
  const auto start = [&](const std::string& certificate, const std::string& key) {
    return start_in_vain({"--listen=127.0.0.1:0", "--data-dir=" + s.file("data"),
                          "--tls-certificate=" + s.file(certificate), "--tls-key=" + s.file(key)});
  };
  refuses(start("missing.pem", "good.key"), {"missing.pem"});
  refuses(start("good.pem", "missing.key"), {"missing.key"});
  refuses(start("noise.pem", "good.key"), {"noise.pem"});
  refuses(start("good.pem", "noise.pem"), {"noise.pem"});
  refuses(start("good.pem", "other.key"), {});
  refuses(start_in_vain(
              {"--listen=127.0.0.1:0", "--data-dir=" + s.file("data"), "--tls-certificate=" + s.file("good.pem")}),
          {"tls-key"});
}

TEST_CASE("a taken port ends the start") {
  scratch s;
  const auto taken = shared_gateway(store_kind::sqlite).address();
  refuses(start_in_vain({"--listen=" + taken.authority(), "--data-dir=" + s.file("data")}),
          {std::to_string(taken.port)});
  const auto metrics = shared_gateway(store_kind::sqlite).operator_address();
  refuses(start_in_vain(
              {"--listen=127.0.0.1:0", "--operator-listen=" + metrics.authority(), "--data-dir=" + s.file("more")}),
          {std::to_string(metrics.port)});
}

TEST_CASE("a data directory that cannot be written ends the start") {
  scratch s;
  write_file(s.file("regular"), "a file, not a folder");
  refuses(start_in_vain({"--listen=127.0.0.1:0", "--data-dir=" + s.file("regular")}), {"regular"});
  refuses(start_in_vain({"--listen=127.0.0.1:0", "--data-dir=" + s.file("regular/below")}), {"regular/below"});
  refuses(start_in_vain({"--listen=127.0.0.1:0", "--data-dir=/proc/gateway"}), {"/proc/gateway"});
  refuses(start_in_vain({"--listen=127.0.0.1:0", "--data-dir=/sys"}), {"/sys"});
}

TEST_CASE("a wrong store URL ends the start without printing its password") {
  scratch s;
  const auto start = [&](const std::string& store) {
    return start_in_vain({"--listen=127.0.0.1:0", "--data-dir=" + s.file("data"), "--store=" + store});
  };
  refuses(start("postgres://gateway:hunter2@localhost/payments"), {}, "hunter2");
  refuses(start("mysql://gateway:hunter2@localhost"), {}, "hunter2");
  refuses(start("mysql://gateway:hunter2@127.0.0.1:1/payments"), {}, "hunter2");
  refuses(start("mysql://gateway:hunter2@localhost/payments?socket=" + s.file("nothing.sock")), {}, "hunter2");
  refuses(start("oracle"), {"oracle"});
  for (const auto* wrong : {"oracle", "mysql://a", "mysql://gateway@/payments",
                            "mysql://gateway@localhost/payments?x=y", "mysql://gateway@db.example/payments"})
    CHECK(start(wrong).code == 2);
}

TEST_CASE("a database that refuses the password, or does not exist, ends the start") {
  const auto all = stores();
  if (std::ranges::find(all, store_kind::mysql) == all.end()) return;
  scratch s;
  const auto right = new_shared_database();
  auto wrong_password = right, wrong_database = right;
  wrong_password.password = "hunter2";
  wrong_database.database += "_that_is_not_there";
  const auto start = [&](const mysql_address& store) {
    return start_in_vain({"--listen=127.0.0.1:0", "--data-dir=" + s.file("data"), "--store=" + store.url()});
  };
  refuses(start(wrong_password), {}, "hunter2");
  refuses(start(wrong_database), {}, ':' + right.password + '@');
  drop_database(right);
}

TEST_CASE("a password on the command line causes a warning, and is not logged") {
  for (const auto store : stores()) {
    gateway_options options;
    options.store = store;
    const gateway_process gateway{options};
    const auto warns = [&] { return gateway.log().find("store_password_on_command_line") != std::string::npos; };
    // The log's thread writes a moment later.
    if (store == store_kind::mysql)
      CHECK(eventually(warns));
    else
      CHECK_FALSE(warns());
    const auto log = gateway.log();
    CHECK(log.find("mysql://") == std::string::npos);
  }
}

TEST_CASE("a configuration file that is missing or wrong ends the start, naming the place") {
  scratch s;
  refuses(start_in_vain({"--config-file=" + s.file("missing.toml")}), {"missing.toml"});
  write_file(s.file("wrong.toml"), "listen = \"127.0.0.1:0\"\ncolour = \"red\"\n");
  refuses(start_in_vain({"--config-file=" + s.file("wrong.toml")}), {"wrong.toml:2", "colour"});
  refuses(start_in_vain({"--listen=somewhere", "--data-dir=" + s.file("data")}), {"listen"});
  refuses(start_in_vain({"--no-such-option"}), {});
}

TEST_CASE("settings of a configuration file apply, and the command line overrides them") {
  scratch s;
  write_file(s.file("gateway.toml"),
             "base-url = \"https://pay.shop.example\"\nportal-url = \"https://pay.shop.example/file\"\n");
  gateway_options options;
  options.arguments = {"--config-file=" + s.file("gateway.toml"), "--portal-url=https://pay.shop.example/line"};
  gateway_process gateway{options};
  const auto account = new_merchant(gateway, {"Lantern Books", "standard", "owner@lantern.example", false});
  set_connection(gateway, account.id, "sandbox", "in_progress");
  api merchant{gateway, account.test};
  const auto error = json::parse(merchant.create(server_payment(new_payment_id())).body)["error"];
  CHECK(error["docs_url"].text().starts_with("https://pay.shop.example/"));
  CHECK(error["setup_url"].text().starts_with("https://pay.shop.example/line/setup?"));
}

TEST_CASE("a portal or a consent screen on another host than the gateway ends the start, naming the setting") {
  scratch s;
  const auto data = "--data-dir=" + s.file("data");
  const std::string base = "--base-url=https://pay.shop.example";
  for (const std::string other :
       {"https://portal.shop.example/p", "https://pay.shop.example:8443/p", "http://pay.shop.example/p"}) {
    CAPTURE(other);
    refuses(start_in_vain({data, "--listen=127.0.0.1:0", base, "--portal-url=" + other}), {"portal-url", other});
    refuses(start_in_vain({data, "--listen=127.0.0.1:0", base, "--authorize-url=" + other}), {"authorize-url", other});
    CHECK(start_in_vain({data, "--listen=127.0.0.1:0", base, "--portal-url=" + other}).code == 2);
  }
  CHECK_FALSE(std::filesystem::exists(s.file("data/gateway.sqlite")));
}

TEST_CASE("a database of a newer schema is not changed") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  gateway.sql("INSERT INTO schema_migrations (version, name, applied_at) VALUES (9999, 'of_a_later_year', 0);");
  try {
    gateway.start();
    FAIL("it started");
  } catch (const start_failed& failed) {
    CAPTURE(failed.what());
    CHECK(std::string{failed.what()}.find("9999") != std::string::npos);
  }
  CHECK(lines_of(gateway.log()).back().starts_with("gatewayd: "));
  gateway.sql("DELETE FROM schema_migrations WHERE version = 9999;");
  gateway.start();
  CHECK(gateway.ready());
}

TEST_CASE("a master key without its database, or with an empty file in its place, ends the start") {
  gateway_process gateway{{.store = store_kind::sqlite}};
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  const auto file = gateway.data_dir() / "gateway.sqlite";
  for (const auto* end : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + end);
  CHECK_THROWS_AS(gateway.start(), start_failed);
  CHECK_FALSE(std::filesystem::exists(file));
  write_file(file, "");
  CHECK_THROWS_AS(gateway.start(), start_failed);
  CHECK(std::filesystem::file_size(file) == 0);
  CHECK(gateway.log().find("--new-database") != std::string::npos);
}

TEST_CASE("a lost or foreign master key ends the start, and the right key restores everything") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  const auto key_file = gateway.data_dir() / "master.key";
  const auto key = read_file(key_file);
  const auto permissions = std::filesystem::status(key_file).permissions();
  CHECK((permissions & (std::filesystem::perms::group_all | std::filesystem::perms::others_all)) ==
        std::filesystem::perms::none);

  const auto fails_naming = [&](const std::string& word) {
    const auto lines_before = lines_of(gateway.log()).size();
    CHECK_THROWS_AS(gateway.start(), start_failed);
    const auto lines = lines_of(gateway.log());
    REQUIRE(lines.size() == lines_before + 1);
    CHECK(lines.back().starts_with("gatewayd: "));
    CHECK(lines.back().find(word) != std::string::npos);
    CHECK(lines.back().find(key.substr(0, 64)) == std::string::npos);
  };
  std::filesystem::remove(key_file);
  fails_naming("master");
  CHECK_FALSE(std::filesystem::exists(key_file));

  write_file(key_file, random_hex(32) + "\n");
  std::filesystem::permissions(key_file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  fails_naming("master");

  write_file(key_file, "not a key");
  fails_naming("master");

  write_file(key_file, key);
  gateway.start();
  api merchant{gateway, account.test};
  CHECK(summary_of(merchant.create(server_payment(new_payment_id()))) == "200 authorized");
}

TEST_CASE(
    "a start with another empty data directory on an old database is refused, because its secrets could not be read") {
  const auto all = stores();
  if (std::ranges::find(all, store_kind::mysql) == all.end()) return;
  gateway_options options;
  options.store = store_kind::mysql;
  gateway_process gateway{options};
  new_merchant(gateway);
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  scratch s;
  refuses(
      start_in_vain({"--listen=127.0.0.1:0", "--data-dir=" + s.file("empty"), "--store=" + gateway.database()->url()}),
      {"master"});
}

TEST_CASE("a second gateway on the same database is refused with a line that says so, and the first continues") {
  const auto all = stores();
  if (std::ranges::find(all, store_kind::mysql) == all.end()) return;
  gateway_options options;
  options.store = store_kind::mysql;
  gateway_process first{options};
  const auto account = new_merchant(first);
  scratch s;
  const std::vector<std::string> second{"--listen=127.0.0.1:0", "--data-dir=" + s.file("second"),
                                        "--store=" + first.database()->url()};
  const auto result = start_in_vain(second);
  std::vector<std::string> words{"another gateway uses this database", "End that gateway first"};
  if (!on_tidb()) words.emplace_back("connection ");  // TiDB does not say who holds the lock
  refuses(result, words);
  CHECK(result.code == 1);
  CHECK(result.err.find("store.waits_for_lock") != std::string::npos);
  CHECK(first.ready());
  api merchant{first, account.test};
  CHECK(summary_of(merchant.create(server_payment(new_payment_id()))) == "200 authorized");
}

TEST_CASE("a second gateway in the same data directory is refused with a line that says so, and the first continues") {
  gateway_process first{gateway_options{}};
  const auto result = start_in_vain({"--listen=127.0.0.1:0", "--data-dir=" + first.data_dir().string()});
  refuses(result, {"another gateway runs in this data directory"});
  CHECK(result.code == 1);
  CHECK(first.ready());
}

TEST_CASE("a gateway that was killed can be started again at once") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  for (int kill = 0; kill < 3; ++kill) {
    gateway.kill();
    gateway.start();
    api merchant{gateway, account.test};
    CHECK(summary_of(merchant.create(server_payment(new_payment_id()))) == "200 authorized");
  }
}

TEST_CASE("SIGHUP reloads the certificate: new connections use it, old ones continue, and a bad file changes nothing") {
  scratch s;
  make_certificate(s.folder, "first");
  make_certificate(s.folder, "second");
  const auto install = [&](const std::string& name) {
    std::filesystem::copy_file(s.file(name + ".key"), s.file("live.key"),
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::copy_file(s.file(name + ".pem"), s.file("live.pem"),
                               std::filesystem::copy_options::overwrite_existing);
  };
  install("first");
  gateway_options options;
  options.arguments = {"--tls-certificate=" + s.file("live.pem"), "--tls-key=" + s.file("live.key")};
  gateway_process gateway{options};
  const auto before = certificate_fingerprint(gateway.address());
  https_client kept{gateway.address(), s.file("first.pem")};
  REQUIRE(kept.send({"GET", "/healthz", {}, {}}).status == 200);

  install("second");
  gateway.send_signal(SIGHUP);
  CHECK(eventually([&] { return certificate_fingerprint(gateway.address()) != before; }));
  CHECK(kept.send({"GET", "/healthz", {}, {}}).status == 200);
  https_client fresh{gateway.address(), s.file("second.pem")};
  CHECK(fresh.send({"GET", "/healthz", {}, {}}).status == 200);

  const auto second = certificate_fingerprint(gateway.address());
  write_file(s.file("live.pem"), "half a fi");
  gateway.send_signal(SIGHUP);
  CHECK(eventually([&] { return gateway.log().find("tls_certificate_kept") != std::string::npos; }));
  CHECK(certificate_fingerprint(gateway.address()) == second);
  CHECK(gateway.running());
}

TEST_CASE("the development certificate is made once and kept") {
  gateway_process gateway{gateway_options{}};
  const auto before = certificate_fingerprint(gateway.address());
  REQUIRE(gateway.terminate() == exit_result{0, 0});
  gateway.start();
  CHECK(certificate_fingerprint(gateway.address()) == before);
}

TEST_CASE("--help and --version print and end") {
  const auto help = run_command({program("gatewayd").string(), "--help"});
  CHECK(help.code == 0);
  for (const auto* option :
       {"--dev", "--listen", "--data-dir", "--store", "--base-url", "--config-file", "--operator-listen"})
    CHECK(help.out.find(option) != std::string::npos);
  CHECK(run_command({program("gatewayd").string(), "--version"}).code == 0);
}
