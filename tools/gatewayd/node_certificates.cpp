#include "node_certificates.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <openssl/bio.h>
#include <openssl/conf.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "gateway/base/log.hpp"

namespace {

[[noreturn]] void fail(const char* option, const std::filesystem::path& file, const char* why) {
  throw std::runtime_error{std::string{option} + ": '" + file.string() + "' " + why};
}

/// Sets the TLS version in OpenSSL's own configuration, because CAF creates its contexts itself and has no setting for
/// it. The contexts for clients and for webhooks set their versions themselves.
///
/// A node that ends closes its connections without TLS's goodbye. OpenSSL leaves that as an error in the queue of the
/// thread, and CAF, whose connections share one thread, takes it for an error of the next connection that it reads: the
/// end of one node would break the links between the others. The option makes such an end an ordinary one. Messages
/// between nodes state their lengths, so a cut one is noticed all the same.
void require_tls_13() {
  constexpr std::string_view text =
      "openssl_conf = init\n[init]\nssl_conf = sections\n[sections]\nsystem_default = nodes\n"
      "[nodes]\nMinProtocol = TLSv1.3\nCipherString = DEFAULT:@SECLEVEL=2\nOptions = IgnoreUnexpectedEOF\n";
  const std::unique_ptr<BIO, decltype(&BIO_free)> source{BIO_new_mem_buf(text.data(), static_cast<int>(text.size())),
                                                         &BIO_free};
  const std::unique_ptr<CONF, decltype(&NCONF_free)> conf{NCONF_new(nullptr), &NCONF_free};
  long line = 0;
  if (NCONF_load_bio(conf.get(), source.get(), &line) != 1 || CONF_modules_load(conf.get(), nullptr, 0) != 1)
    throw std::runtime_error{"OpenSSL does not take TLS 1.3 as the nodes' least version"};
}

bool names(X509* certificate, std::string_view node) {
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> all{
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      &GENERAL_NAMES_free};
  for (int i = 0; i < sk_GENERAL_NAME_num(all.get()); ++i) {
    int kind = 0;
    const void* const value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(all.get(), i), &kind);
    if (kind != GEN_DNS) continue;
    const auto* const text = static_cast<const ASN1_IA5STRING*>(value);
    const std::string_view name{reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                                static_cast<std::size_t>(ASN1_STRING_length(text))};
    if (name == node) return true;
  }
  return false;
}

/// Each node is a server to some nodes and a client to the others. A certificate should state both uses and its node's
/// name; one that states neither is accepted, as in earlier versions.
void check_name_and_use(X509* certificate, const gateway::settings& config) {
  const auto warn = [&](const char* why) {
    gateway::log::warn("node.certificate_unspecific",
                       {{"node", config.node}, {"file", config.cluster_certificate.native()}, {"reason", why}});
  };
  const auto use = X509_get_extended_key_usage(certificate);
  constexpr auto both = static_cast<std::uint32_t>(XKU_SSL_SERVER | XKU_SSL_CLIENT);
  if ((X509_get_extension_flags(certificate) & EXFLAG_XKUSAGE) == 0)
    warn("it has no extended key usage: it should have serverAuth and clientAuth");
  else if ((use & both) != both)
    fail("cluster-certificate", config.cluster_certificate,
         "must be for servers and for clients: its extended key usage lacks serverAuth or clientAuth");
  if (!names(certificate, config.node)) warn("its subjectAltName does not have the node's name as DNS");
}

}  // namespace

void require_node_certificates(const gateway::settings& config) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{SSL_CTX_new(TLS_method()), &SSL_CTX_free};
  if (!context) throw std::runtime_error{"OpenSSL makes no context"};
  if (SSL_CTX_use_certificate_chain_file(context.get(), config.cluster_certificate.c_str()) != 1)
    fail("cluster-certificate", config.cluster_certificate, "is no PEM certificate that can be read");
  if (SSL_CTX_use_PrivateKey_file(context.get(), config.cluster_key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1)
    fail("cluster-key", config.cluster_key, "is not the PEM private key of cluster-certificate");
  if (SSL_CTX_load_verify_locations(context.get(), config.cluster_ca.c_str(), nullptr) != 1)
    fail("cluster-ca", config.cluster_ca, "is no PEM certificate that can be read");
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> check{X509_STORE_CTX_new(),
                                                                              &X509_STORE_CTX_free};
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_ctrl(context.get(), SSL_CTRL_GET_CHAIN_CERTS, 0, static_cast<void*>(&chain));
  X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(context.get()), SSL_CTX_get0_certificate(context.get()),
                      chain);
  if (X509_verify_cert(check.get()) != 1)
    fail("cluster-certificate", config.cluster_certificate, "is not signed by cluster-ca, or not valid now");
  check_name_and_use(SSL_CTX_get0_certificate(context.get()), config);
  require_tls_13();
}
