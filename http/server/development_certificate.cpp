#include "development_certificate.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace gateway::http {

namespace fs = std::filesystem;

namespace {

constexpr long day_seconds = 24 * 60 * 60;
constexpr long authority_days = 3'650;
constexpr long leaf_days = 365;
constexpr long renewal_days = 30;  ///< a start renews a certificate this long before it expires
constexpr const char* own_names = "DNS:localhost,IP:127.0.0.1,IP:::1";
/// A browser that imports the authority trusts it for this machine only.
constexpr const char* own_names_only =
    "critical,permitted;DNS:localhost,permitted;IP:127.0.0.1/255.255.255.255,"
    "permitted;IP:::1/FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF";

template <auto free>
struct freed_by {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};
using certificate_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using extension_ptr = std::unique_ptr<X509_EXTENSION, freed_by<X509_EXTENSION_free>>;
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free>>;

void require(bool done) {
  if (!done) throw std::runtime_error("cannot make a development certificate: OpenSSL failed");
}

struct extension {
  int id;
  const char* value;
};

void add_extension(X509* certificate, X509* issuer, const extension& added) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const extension_ptr made{X509V3_EXT_conf_nid(nullptr, &context, added.id, added.value)};
  require(made && X509_add_ext(certificate, made.get(), -1) == 1);
}

void set_random_serial(X509* certificate) {
  unsigned char bytes[8];
  require(RAND_bytes(bytes, sizeof bytes) == 1);
  std::uint64_t serial = 0;
  std::memcpy(&serial, bytes, sizeof serial);
  require(ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1) == 1);
}

struct pair {
  certificate_ptr certificate;
  key_ptr key;
};

/// A certificate for a new key, signed by the issuer, or by itself if there is none.
pair make_pair(const char* name, long days, const std::vector<extension>& extensions, const pair* issuer) {
  pair made{certificate_ptr{X509_new()}, key_ptr{EVP_EC_gen("P-256")}};
  auto* const x = made.certificate.get();
  require(x && made.key && X509_set_version(x, X509_VERSION_3) == 1 && X509_set_pubkey(x, made.key.get()) == 1);
  set_random_serial(x);
  require(X509_gmtime_adj(X509_getm_notBefore(x), -day_seconds) != nullptr);
  require(X509_gmtime_adj(X509_getm_notAfter(x), (days - 1) * day_seconds) != nullptr);
  require(X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                                     reinterpret_cast<const unsigned char*>(name), -1, -1, 0) == 1);
  const auto& by = issuer ? *issuer : made;
  require(X509_set_issuer_name(x, X509_get_subject_name(by.certificate.get())) == 1);
  for (const auto& each : extensions) add_extension(x, by.certificate.get(), each);
  require(X509_sign(x, by.key.get(), EVP_sha256()) > 0);
  return made;
}

pair make_authority() {
  return make_pair("Payments gateway, development on this machine", authority_days,
                   {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                    {NID_key_usage, "critical,keyCertSign,cRLSign"},
                    {NID_name_constraints, own_names_only},
                    {NID_subject_key_identifier, "hash"}},
                   nullptr);
}

/// The leaf's name is not `localhost`, the name of older authorities: a certificate with its issuer's name would count
/// as self-signed.
pair make_leaf(const pair& authority) {
  std::vector<extension> extensions{{NID_subject_alt_name, own_names},
                                    {NID_basic_constraints, "critical,CA:FALSE"},
                                    {NID_key_usage, "critical,digitalSignature"},
                                    {NID_ext_key_usage, "serverAuth"},
                                    {NID_subject_key_identifier, "hash"}};
  // The certificate of an older gateway has no identifier of its key.
  if (X509_get0_subject_key_id(authority.certificate.get()))
    extensions.push_back({NID_authority_key_identifier, "keyid"});
  return make_pair("Payments gateway on this machine", leaf_days, extensions, &authority);
}

std::string text_of(BIO* memory) {
  char* data = nullptr;
  const auto size = BIO_get_mem_data(memory, &data);
  return {data, static_cast<std::size_t>(size)};
}

/// Writes under another name first, so that a crash leaves no partial file.
void write_file(const fs::path& path, const std::string& text, mode_t mode) {
  const auto fresh = path.string() + ".new";
  ::unlink(fresh.c_str());
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  const bool written =
      fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(fd) == 0;
  const int failure = errno;
  if (fd >= 0) ::close(fd);
  if (!written || ::rename(fresh.c_str(), path.c_str()) != 0) {
    throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(written ? errno : failure));
  }
}

certificate_ptr read_certificate(const fs::path& path) {
  const bio_ptr file{BIO_new_file(path.c_str(), "r")};
  return certificate_ptr{file ? PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr) : nullptr};
}

key_ptr read_key(const fs::path& path) {
  const bio_ptr file{BIO_new_file(path.c_str(), "r")};
  return key_ptr{file ? PEM_read_bio_PrivateKey(file.get(), nullptr, nullptr, nullptr) : nullptr};
}

bool lasts(const pair& of) {
  if (!of.certificate || !of.key || X509_check_private_key(of.certificate.get(), of.key.get()) != 1) return false;
  auto renewal = time(nullptr) + renewal_days * day_seconds;
  return X509_cmp_time(X509_get0_notAfter(of.certificate.get()), &renewal) > 0;
}

pair read_pair(const tls_files& files) { return {read_certificate(files.certificate), read_key(files.key)}; }

/// Writes the certificate last: a key without a certificate is replaced.
void write_pair(const tls_files& files, const pair& made) {
  const bio_ptr key{BIO_new(BIO_s_mem())}, certificate{BIO_new(BIO_s_mem())};
  require(PEM_write_bio_PKCS8PrivateKey(key.get(), made.key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  require(PEM_write_bio_X509(certificate.get(), made.certificate.get()) == 1);
  write_file(files.key, text_of(key.get()), 0600);
  write_file(files.certificate, text_of(certificate.get()), 0644);
}

/// Older gateways presented the authority's own certificate. Its key becomes the authority's key, so that clients still
/// trust it.
void take_over_older_pair(const tls_files& authority, const fs::path& server_key) {
  std::error_code ignored;
  if (!fs::exists(authority.key, ignored) && lasts(read_pair({authority.certificate, server_key})))
    fs::rename(server_key, authority.key, ignored);
}

}  // namespace

tls_files keep_development_certificate(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw std::runtime_error("cannot make directory " + folder.string() + ": " + failed.message());
  const tls_files authority_files{folder / "dev-certificate.pem", folder / "dev-authority-key.pem"};
  tls_files files{folder / "dev-server.pem", folder / "dev-key.pem"};
  take_over_older_pair(authority_files, files.key);
  auto authority = read_pair(authority_files);
  if (!lasts(authority)) {
    authority = make_authority();
    write_pair(authority_files, authority);
  }
  const auto leaf = read_pair(files);
  const bool is_signed =
      leaf.certificate && X509_verify(leaf.certificate.get(), X509_get0_pubkey(authority.certificate.get())) == 1;
  if (!is_signed || !lasts(leaf)) write_pair(files, make_leaf(authority));
  ERR_clear_error();  // a missing file is no error here
  return files;
}

}  // namespace gateway::http
