#include "development_certificate.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>

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
constexpr long lifetime_days = 825;  ///< the most that browsers accept

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

void add_extension(X509* certificate, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const extension_ptr extension{X509V3_EXT_conf_nid(nullptr, &context, id, value)};
  require(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

void set_random_serial(X509* certificate) {
  unsigned char bytes[8];
  require(RAND_bytes(bytes, sizeof bytes) == 1);
  std::uint64_t serial = 0;
  std::memcpy(&serial, bytes, sizeof serial);
  require(ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1) == 1);
}

certificate_ptr make_certificate(EVP_PKEY* key) {
  certificate_ptr made{X509_new()};
  require(made && X509_set_version(made.get(), X509_VERSION_3) == 1 && X509_set_pubkey(made.get(), key) == 1);
  set_random_serial(made.get());
  require(X509_gmtime_adj(X509_getm_notBefore(made.get()), -day_seconds) != nullptr);
  require(X509_gmtime_adj(X509_getm_notAfter(made.get()), (lifetime_days - 1) * day_seconds) != nullptr);
  auto* const name = X509_get_subject_name(made.get());
  require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1,
                                     -1, 0) == 1);
  require(X509_set_issuer_name(made.get(), name) == 1);
  add_extension(made.get(), NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1");
  add_extension(made.get(), NID_basic_constraints,
                "critical,CA:TRUE,pathlen:0");  // so that it can be trusted as a root
  add_extension(made.get(), NID_key_usage, "critical,digitalSignature,keyCertSign");
  add_extension(made.get(), NID_ext_key_usage, "serverAuth");
  require(X509_sign(made.get(), key, EVP_sha256()) > 0);
  return made;
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

bool still_good(const tls_files& files) {
  const auto certificate = read_certificate(files.certificate);
  const auto key = read_key(files.key);
  if (!certificate || !key || X509_check_private_key(certificate.get(), key.get()) != 1) return false;
  auto tomorrow = time(nullptr) + day_seconds;
  return X509_cmp_time(X509_get0_notAfter(certificate.get()), &tomorrow) > 0;
}

}  // namespace

void keep_development_certificate(const tls_files& files) {
  const bool good = still_good(files);
  ERR_clear_error();  // a missing file is no error here
  if (good) return;
  std::error_code failed;
  fs::create_directories(files.key.parent_path(), failed);
  if (failed)
    throw std::runtime_error("cannot make directory " + files.key.parent_path().string() + ": " + failed.message());

  const key_ptr key{EVP_EC_gen("P-256")};
  require(key != nullptr);
  const auto certificate = make_certificate(key.get());
  const bio_ptr key_text{BIO_new(BIO_s_mem())};
  const bio_ptr certificate_text{BIO_new(BIO_s_mem())};
  require(PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  require(PEM_write_bio_X509(certificate_text.get(), certificate.get()) == 1);
  write_file(files.key, text_of(key_text.get()), 0600);
  write_file(files.certificate, text_of(certificate_text.get()), 0644);
}

}  // namespace gateway::http
