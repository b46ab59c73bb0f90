#include "tls.hpp"

#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "development_certificate.hpp"
#include "gateway/base/log.hpp"

namespace gateway::http {

namespace {

[[noreturn]] void fail(const std::string& what) {
  std::string reason;
  if (const auto code = ERR_peek_last_error(); code != 0) {
    if (const char* text = ERR_reason_error_string(code)) reason = std::string{": "} + text;
  }
  ERR_clear_error();
  throw std::runtime_error(what + reason);
}

/// Only HTTP/1.1 is supported: a client that offers only other protocols gets an alert.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size, const unsigned char* offered,
                    unsigned offered_size, void*) {
  static constexpr unsigned char spoken[] = "\x08http/1.1";
  unsigned char* match = nullptr;
  const int found = SSL_select_next_proto(&match, chosen_size, spoken, sizeof spoken - 1, offered, offered_size);
  if (found != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = match;
  return SSL_TLSEXT_ERR_OK;
}

/// A client without TLS 1.3 gets no ticket: a TLS 1.2 ticket contains all that is needed to decrypt its sessions, and
/// the ticket key lives as long as the process. In TLS 1.3 each resumption makes new keys.
int refuse_old_tickets(SSL* connection, int*, void*) {
  const unsigned char* versions = nullptr;  // a length of one byte, then two bytes each
  std::size_t size = 0;
  bool speaks_1_3 = false;
  if (SSL_client_hello_get0_ext(connection, TLSEXT_TYPE_supported_versions, &versions, &size) == 1)
    for (std::size_t at = 1; at + 1 < size; at += 2)
      speaks_1_3 = speaks_1_3 || (versions[at] << 8 | versions[at + 1]) == TLS1_3_VERSION;
  if (!speaks_1_3) SSL_set_options(connection, SSL_OP_NO_TICKET);
  return SSL_CLIENT_HELLO_SUCCESS;
}

/// Without this, OpenSSL would ask for an encrypted key's passphrase on the terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

void set_protocol(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  // TLS 1.2 only with forward secrecy and authenticated encryption, as in 1.3.
  if (SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) fail("cannot set the TLS ciphers");
  // As in Mozilla's intermediate configuration (Security/Server Side TLS, version 5.7).
  if (SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384") != 1) fail("cannot set the TLS groups");
  // Idle connections release their record buffers.
  SSL_CTX_set_mode(context,
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Sessions resume by tickets, which need no memory in the server.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 1);
  SSL_CTX_set_client_hello_cb(context, refuse_old_tickets, nullptr);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
}

/// OpenSSL's message for a missing file is only "system lib".
void require_readable(const char* what, const std::filesystem::path& file) {
  if (::access(file.c_str(), R_OK) == 0) return;
  throw std::runtime_error(std::string{"cannot read the TLS "} + what + " " + file.string() + ": " +
                           std::generic_category().message(errno));
}

void load(SSL_CTX* context, const tls_files& files) {
  require_readable("certificate", files.certificate);
  require_readable("key", files.key);
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    fail("cannot use TLS certificate " + files.certificate.string());
  }
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    const bool other_key = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH;
    if (!other_key) fail("cannot use TLS key " + files.key.string());
    fail("TLS key " + files.key.string() + " does not belong to certificate " + files.certificate.string());
  }
  if (SSL_CTX_check_private_key(context) != 1) {
    fail("TLS key " + files.key.string() + " does not belong to certificate " + files.certificate.string());
  }
}

}  // namespace

tls_files find_tls_files(const settings& config) {
  if (config.tls_certificate.empty() != config.tls_key.empty()) {
    throw std::runtime_error("a TLS certificate and a TLS key must be configured together, or neither");
  }
  if (!config.tls_certificate.empty()) return {config.tls_certificate, config.tls_key};
  return keep_development_certificate(config.data_dir);
}

tls_context make_tls_context(const tls_files& files) {
  ERR_clear_error();
  tls_context context{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
  if (!context) fail("cannot make a TLS context");
  set_protocol(context.get());
  load(context.get(), files);
  return context;
}

std::int64_t expiry_of(const tls_context& context) {
  const auto* certificate = SSL_CTX_get0_certificate(context.get());
  std::tm end{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1) return 0;
  return ::timegm(&end);
}

bool tls_identity::reload() {
  try {
    current_.store(make_tls_context(files_), std::memory_order_release);
    log::info("tls_certificate_reloaded", {{"file", files_.certificate.native()}});
    return true;
  } catch (const std::exception& e) {
    log::error("tls_certificate_kept", {{"reason", e.what()}});
    return false;
  }
}

}  // namespace gateway::http
