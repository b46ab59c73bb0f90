// Certificates and protocol versions.
#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <fstream>
#include <memory>

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "http/server/development_certificate.hpp"
#include "transport_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
namespace fs = std::filesystem;

namespace {

std::unique_ptr<X509, decltype(&X509_free)> read_certificate(const fs::path& path) {
  const std::unique_ptr<FILE, decltype(&fclose)> file{std::fopen(path.c_str(), "r"), &fclose};
  return {PEM_read_X509(file.get(), nullptr, nullptr, nullptr), &X509_free};
}

tls_files pair_in(const fs::path& directory) { return {directory / "certificate.pem", directory / "key.pem"}; }

void write_text(const fs::path& path, std::string_view text) { std::ofstream{path} << text; }

/// The message of the exception; empty if there is none.
std::string complaint(const std::function<void()>& of) {
  try {
    of();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a development certificate is made at the first start and kept afterwards") {
  temporary_directory directory;
  settings config;
  config.data_dir = directory.path() / "new";
  const auto files = find_tls_files(config);
  CHECK(files.certificate == config.data_dir / "dev-certificate.pem");
  CHECK(files.key == config.data_dir / "dev-key.pem");

  struct stat key{};
  REQUIRE(::stat(files.key.c_str(), &key) == 0);
  CHECK((key.st_mode & 0777) == 0600);

  const auto made = read_certificate(files.certificate);
  REQUIRE(made);
  CHECK(X509_check_host(made.get(), "localhost", 0, 0, nullptr) == 1);
  CHECK(X509_check_ip_asc(made.get(), "127.0.0.1", 0) == 1);
  CHECK(X509_check_ip_asc(made.get(), "::1", 0) == 1);
  CHECK(X509_check_host(made.get(), "example.com", 0, 0, nullptr) == 0);
  CHECK(EVP_PKEY_get_bits(X509_get0_pubkey(made.get())) == 256);
  auto in_a_year = time(nullptr) + 366L * 24 * 3600;
  CHECK(X509_cmp_time(X509_get0_notAfter(made.get()), &in_a_year) > 0);
  CHECK(X509_verify(made.get(), X509_get0_pubkey(made.get())) == 1);

  find_tls_files(config);
  CHECK(X509_cmp(made.get(), read_certificate(files.certificate).get()) == 0);
  fs::remove(files.key);
  find_tls_files(config);
  CHECK(X509_cmp(made.get(), read_certificate(files.certificate).get()) != 0);
}

TEST_CASE("an unusable certificate ends the start with one line that names the file") {
  temporary_directory directory;
  const auto good = pair_in(directory.path() / "good");
  const auto other = pair_in(directory.path() / "other");
  keep_development_certificate(good);
  keep_development_certificate(other);
  const auto garbage = directory.path() / "garbage.pem";
  write_text(garbage, "-----BEGIN CERTIFICATE-----\nnonsense\n");

  const auto says = [](const tls_files& files, const std::string& part) {
    const auto said = complaint([&] { make_tls_context(files); });
    INFO(said);
    CHECK(said.find(part) != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
  };
  says(
      {directory.path() / "missing.pem", good.key},
      "cannot read the TLS certificate " + (directory.path() / "missing.pem").string() + ": No such file or directory");
  says({garbage, good.key}, "cannot use TLS certificate " + garbage.string());
  says({good.certificate, directory.path() / "missing.pem"},
       "cannot read the TLS key " + (directory.path() / "missing.pem").string() + ": No such file or directory");
  says({good.certificate, garbage}, "cannot use TLS key " + garbage.string());
  says({good.certificate, other.key},
       "TLS key " + other.key.string() + " does not belong to certificate " + good.certificate.string());

  settings half;
  half.tls_certificate = good.certificate;
  CHECK(complaint([&] { find_tls_files(half); }) ==
        "a TLS certificate and a TLS key must be configured together, or neither");
}

TEST_CASE("a new certificate serves new connections, and an unusable one changes nothing") {
  temporary_directory directory;
  const auto files = pair_in(directory.path());
  keep_development_certificate(files);
  test_server server([&](settings& s) {
    s.tls_certificate = files.certificate;
    s.tls_key = files.key;
  });
  auto before = server.connect();
  REQUIRE(before.handshake_done());

  const auto renewed = pair_in(directory.path() / "renewed");
  keep_development_certificate(renewed);
  fs::copy_file(renewed.certificate, files.certificate, fs::copy_options::overwrite_existing);
  server.running->reload_certificate();  // the key is still the old one
  CHECK(server.connect().fingerprint() == before.fingerprint());

  fs::copy_file(renewed.key, files.key, fs::copy_options::overwrite_existing);
  server.running->reload_certificate();
  auto after = server.connect();
  CHECK(after.fingerprint() != before.fingerprint());
  CHECK(after.ask(get("/echo"))->status == 200);
  CHECK(before.ask(get("/echo"))->status == 200);

  fs::remove(files.certificate);
  server.running->reload_certificate();
  CHECK(server.connect().fingerprint() == after.fingerprint());
}

TEST_CASE("TLS 1.2 and 1.3 are spoken, nothing older") {
  test_server server;
  struct row {
    int version;
    bool spoken;
  };
  for (const auto& r : {row{TLS1_1_VERSION, false}, row{TLS1_2_VERSION, true}, row{TLS1_3_VERSION, true}}) {
    INFO(r.version);
    client caller{server.running->port(), {r.version, {}}};
    CHECK(caller.handshake_done() == r.spoken);
    if (r.spoken) CHECK(caller.ask(get("/echo"))->status == 200);
  }
}

TEST_CASE("tickets are sent in TLS 1.3 only, and resumed sessions have keys of their own") {
  test_server server;
  client old{server.running->port(), {.most_version = TLS1_2_VERSION, .protocols = {}}};
  REQUIRE(old.ask(get("/echo"))->status == 200);
  CHECK_FALSE(old.has_ticket());
  auto present = server.connect();
  REQUIRE(present.ask(get("/echo"))->status == 200);
  CHECK(present.has_ticket());
}

TEST_CASE("HTTP/1.1 is the only protocol offered") {
  test_server server;
  client both{server.running->port(), {0, "\x02h2\x08http/1.1"}};
  CHECK(both.chosen_protocol() == "http/1.1");
  CHECK(both.ask(get("/echo"))->status == 200);
  client none{server.running->port(), {0, "\x02h2"}};
  CHECK_FALSE(none.handshake_done());
}

TEST_CASE("a client that does not speak TLS is disconnected, and the server continues") {
  test_server server;
  auto rude = client::plain(server.running->port());
  REQUIRE(rude.send(get("/echo")));
  CHECK_FALSE(rude.receive());
  CHECK(server.connect().ask(get("/echo"))->status == 200);
  CHECK(eventually([&] { return server.running->connections() == 0; }));
}
