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

std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> read_key(const fs::path& path) {
  const std::unique_ptr<FILE, decltype(&fclose)> file{std::fopen(path.c_str(), "r"), &fclose};
  return {PEM_read_PrivateKey(file.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free};
}

/// What OpenSSL says about the leaf where the authority is trusted: X509_V_OK, or what is wrong.
int faults_of_chain(X509* authority, X509* leaf, unsigned long flags = X509_V_FLAG_X509_STRICT) {
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> trusted{X509_STORE_new(), &X509_STORE_free};
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> check{X509_STORE_CTX_new(),
                                                                              &X509_STORE_CTX_free};
  REQUIRE(X509_STORE_add_cert(trusted.get(), authority) == 1);
  REQUIRE(X509_STORE_CTX_init(check.get(), trusted.get(), leaf, nullptr) == 1);
  X509_STORE_CTX_set_flags(check.get(), flags);
  REQUIRE(X509_STORE_CTX_set_purpose(check.get(), X509_PURPOSE_SSL_SERVER) == 1);
  X509_verify_cert(check.get());
  return X509_STORE_CTX_get_error(check.get());
}

using certificate = std::unique_ptr<X509, decltype(&X509_free)>;

/// Of this key, signed by it in the name of the issuer, or of itself if that is null.
certificate certificate_of(EVP_PKEY* key, X509* issuer, const std::vector<std::pair<int, std::string>>& extensions) {
  certificate made{X509_new(), &X509_free};
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 7);
  X509_set_pubkey(made.get(), key);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 800L * 24 * 3600);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer ? issuer : made.get()));
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer ? issuer : made.get(), made.get(), nullptr, nullptr, 0);
  for (const auto& [id, value] : extensions) {
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> added{
        X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()), &X509_EXTENSION_free};
    REQUIRE(added);
    X509_add_ext(made.get(), added.get(), -1);
  }
  REQUIRE(X509_sign(made.get(), key, EVP_sha256()) > 0);
  return made;
}

certificate leaf_for(const char* name, X509* authority, EVP_PKEY* key) {
  return certificate_of(key, authority,
                        {{NID_subject_alt_name, std::string{"critical,"} + name},
                         {NID_basic_constraints, "critical,CA:FALSE"},
                         {NID_authority_key_identifier, "keyid"},
                         {NID_subject_key_identifier, "hash"}});
}

/// As older gateways made them: the server showed the authority itself.
void put_older_pair(const fs::path& folder) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{EVP_EC_gen("P-256"), &EVP_PKEY_free};
  const auto shown = certificate_of(key.get(), nullptr,
                                    {{NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1"},
                                     {NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                                     {NID_key_usage, "critical,digitalSignature,keyCertSign"},
                                     {NID_ext_key_usage, "serverAuth"}});
  const std::unique_ptr<FILE, decltype(&fclose)> to{std::fopen((folder / "dev-certificate.pem").c_str(), "w"), &fclose};
  const std::unique_ptr<FILE, decltype(&fclose)> secret{std::fopen((folder / "dev-key.pem").c_str(), "w"), &fclose};
  REQUIRE(PEM_write_X509(to.get(), shown.get()) == 1);
  REQUIRE(PEM_write_PKCS8PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
}

std::string read_text(const fs::path& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

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

TEST_CASE("a development certificate is a leaf of a small authority for this machine's own names") {
  temporary_directory directory;
  settings config;
  config.data_dir = directory.path() / "new";
  const auto files = find_tls_files(config);
  CHECK(files.certificate == config.data_dir / "dev-server.pem");
  CHECK(files.key == config.data_dir / "dev-key.pem");
  for (const auto* name : {"dev-key.pem", "dev-authority-key.pem"}) {
    struct stat key{};
    REQUIRE(::stat((config.data_dir / name).c_str(), &key) == 0);
    CHECK((key.st_mode & 0777) == 0600);
  }

  const auto authority = read_certificate(config.data_dir / "dev-certificate.pem");
  const auto leaf = read_certificate(files.certificate);
  REQUIRE((authority && leaf));
  CHECK(X509_check_ca(authority.get()) == 1);
  CHECK(X509_check_ca(leaf.get()) == 0);
  CHECK(X509_check_issued(authority.get(), leaf.get()) == X509_V_OK);
  CHECK(X509_verify(leaf.get(), X509_get0_pubkey(authority.get())) == 1);
  CHECK(X509_check_host(leaf.get(), "localhost", 0, 0, nullptr) == 1);
  CHECK(X509_check_ip_asc(leaf.get(), "127.0.0.1", 0) == 1);
  CHECK(X509_check_ip_asc(leaf.get(), "::1", 0) == 1);
  CHECK(X509_check_host(leaf.get(), "example.com", 0, 0, nullptr) == 0);
  CHECK(EVP_PKEY_get_bits(X509_get0_pubkey(leaf.get())) == 256);
  int days = 0, seconds = 0;
  REQUIRE(ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(leaf.get()), X509_get0_notAfter(leaf.get())) == 1);
  CHECK(days <= 365);
  CHECK(faults_of_chain(authority.get(), leaf.get()) == X509_V_OK);
}

TEST_CASE("certificates of the development authority for other names are refused") {
  temporary_directory directory;
  keep_development_certificate(directory.path());
  const auto authority = read_certificate(directory.path() / "dev-certificate.pem");
  const auto key = read_key(directory.path() / "dev-authority-key.pem");
  CHECK(faults_of_chain(authority.get(), leaf_for("DNS:localhost", authority.get(), key.get()).get()) == X509_V_OK);
  for (const auto* name : {"DNS:bank.example", "IP:192.0.2.1"}) {
    CAPTURE(name);
    CHECK(faults_of_chain(authority.get(), leaf_for(name, authority.get(), key.get()).get()) ==
          X509_V_ERR_PERMITTED_VIOLATION);
  }
}

TEST_CASE("a start keeps the development certificates, and makes again what is lost") {
  temporary_directory directory;
  const auto& folder = directory.path();
  const auto files = keep_development_certificate(folder);
  const auto authority = read_text(folder / "dev-certificate.pem");
  auto leaf = read_text(files.certificate);
  keep_development_certificate(folder);
  CHECK(read_text(files.certificate) == leaf);
  for (const auto& lost : {files.key, files.certificate}) {
    fs::remove(lost);
    keep_development_certificate(folder);
    CHECK(read_text(files.certificate) != leaf);
    CHECK(read_text(folder / "dev-certificate.pem") == authority);
    leaf = read_text(files.certificate);
  }
  fs::remove(folder / "dev-authority-key.pem");
  keep_development_certificate(folder);
  CHECK(read_text(folder / "dev-certificate.pem") != authority);
  CHECK(read_text(files.certificate) != leaf);
}

TEST_CASE("clients go on trusting the certificate of an older gateway, which becomes the authority") {
  temporary_directory directory;
  const auto& folder = directory.path();
  put_older_pair(folder);
  const auto trusted = read_text(folder / "dev-certificate.pem");
  keep_development_certificate(folder);
  CHECK(read_text(folder / "dev-certificate.pem") == trusted);
  CHECK(faults_of_chain(read_certificate(folder / "dev-certificate.pem").get(),
                        read_certificate(folder / "dev-server.pem").get(), 0) == X509_V_OK);
}

TEST_CASE("an unusable certificate ends the start with one line that names the file") {
  temporary_directory directory;
  const auto good = keep_development_certificate(directory.path() / "good");
  const auto other = keep_development_certificate(directory.path() / "other");
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
  const auto files = keep_development_certificate(directory.path());
  test_server server([&](settings& s) {
    s.tls_certificate = files.certificate;
    s.tls_key = files.key;
  });
  auto before = server.connect();
  REQUIRE(before.handshake_done());

  const auto renewed = keep_development_certificate(directory.path() / "renewed");
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
