#include "node_certificates.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <openssl/bio.h>
#include <openssl/conf.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "gateway/base/boot_clock.hpp"
#include "gateway/base/log.hpp"

namespace {

[[noreturn]] void fail(const char* option, const std::filesystem::path& file, const char* why) {
  throw std::runtime_error{std::string{option} + ": '" + file.string() + "' " + why};
}

/// Sets the TLS version in OpenSSL's own configuration, because CAF creates its contexts itself and has no setting for
/// it. The contexts for clients and for webhooks set their versions themselves.
void require_tls_13() {
  constexpr std::string_view text =
      "openssl_conf = init\n[init]\nssl_conf = sections\n[sections]\nsystem_default = nodes\n"
      "[nodes]\nMinProtocol = TLSv1.3\nCipherString = DEFAULT:@SECLEVEL=2\n";
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

using tls_context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

/// The node's certificate, its key and its authority.
tls_context context_of(const gateway::settings& config) {
  tls_context context{SSL_CTX_new(TLS_method()), &SSL_CTX_free};
  if (!context) throw std::runtime_error{"OpenSSL makes no context"};
  if (SSL_CTX_use_certificate_chain_file(context.get(), config.cluster_certificate.c_str()) != 1)
    fail("cluster-certificate", config.cluster_certificate, "is no PEM certificate that can be read");
  if (SSL_CTX_use_PrivateKey_file(context.get(), config.cluster_key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1)
    fail("cluster-key", config.cluster_key, "is not the PEM private key of cluster-certificate");
  if (SSL_CTX_load_verify_locations(context.get(), config.cluster_ca.c_str(), nullptr) != 1)
    fail("cluster-ca", config.cluster_ca, "is no PEM certificate that can be read");
  return context;
}

// ---- trust among nodes ----------------------------------------------------------------------------

/// For a connection, and for each step on it. A node that takes longer counts as one that cannot be reached.
constexpr std::time_t longest_step_s = 2;
constexpr std::chrono::milliseconds between_reads_of_nodes{100};

enum class trust : unsigned char { is_mutual, is_unknown, is_refused_there, is_refused_here };

/// Whether the connection failed because the other end refused this end's certificate. Empties OpenSSL's queue.
bool is_certificate_refused() {
  constexpr std::array alerts{SSL_AD_BAD_CERTIFICATE,     SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_REVOKED,
                              SSL_AD_CERTIFICATE_EXPIRED, SSL_AD_CERTIFICATE_UNKNOWN,     SSL_AD_UNKNOWN_CA,
                              SSL_AD_ACCESS_DENIED,       SSL_AD_CERTIFICATE_REQUIRED};
  bool found = false;
  while (const auto error = ERR_get_error())
    if (ERR_GET_LIB(error) == ERR_LIB_SSL &&
        std::ranges::count(alerts, ERR_GET_REASON(error) - SSL_AD_REASON_OFFSET) > 0)
      found = true;
  return found;
}

/// Repeats a step on a non-blocking connection until it has succeeded or failed, or takes too long.
template <class Step>
bool succeeds(BIO* connection, Step step) {
  const auto until = std::time(nullptr) + longest_step_s;
  while (step() <= 0)
    if (!BIO_should_retry(connection) || BIO_wait(connection, until, 10) <= 0) return false;
  return true;
}

/// In TLS 1.3 a server examines the client's certificate after the client has completed its handshake. A node that
/// trusts the certificate then sends the first bytes of its own protocol; any other sends an alert. This end examines
/// the other's certificate last, because without mutual trust both usually fail.
trust ask_for_trust(const tls_context& context, const std::string& address) {
  ERR_clear_error();
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> connection{BIO_new_ssl_connect(context.get()), &BIO_free_all};
  SSL* tls = nullptr;
  if (!connection || BIO_get_ssl(connection.get(), &tls) != 1 || tls == nullptr) return trust::is_unknown;
  SSL_set_verify(tls, SSL_VERIFY_NONE, nullptr);
  BIO_set_conn_hostname(connection.get(), address.c_str());
  BIO_set_nbio(connection.get(), 1);
  char first = 0;
  const bool is_answered = succeeds(connection.get(), [&] { return BIO_do_connect(connection.get()); }) &&
                           succeeds(connection.get(), [&] { return BIO_read(connection.get(), &first, 1); });
  if (!is_answered) return is_certificate_refused() ? trust::is_refused_there : trust::is_unknown;
  const bool is_trusted_here = SSL_get_verify_result(tls) == X509_V_OK;
  BIO_ssl_shutdown(connection.get());
  ERR_clear_error();
  return is_trusted_here ? trust::is_mutual : trust::is_refused_here;
}

/// Whether the node renews its row: a crashed one leaves its address, where another program may listen now.
bool renews(const gateway::node_row& row, const std::function<std::vector<gateway::node_row>()>& read_nodes) {
  const auto until = gateway::since_boot() + gateway::lease_lasts;
  for (; gateway::since_boot() < until; std::this_thread::sleep_for(between_reads_of_nodes)) {
    const auto rows = read_nodes();
    const auto now = std::ranges::find(rows, row.name, &gateway::node_row::name);
    if (now == rows.end() || now->incarnation != row.incarnation || !may_serve(now->status)) return false;
    if (now->beats > row.beats) return true;
  }
  return false;
}

}  // namespace

void require_node_certificates(const gateway::settings& config) {
  const auto context = context_of(config);
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

void require_trust_among_nodes(const gateway::settings& config,
                               const std::function<std::vector<gateway::node_row>()>& read_nodes) {
  const auto context = context_of(config);
  for (const auto& row : read_nodes()) {
    if (row.name == config.node || !may_serve(row.status)) continue;
    const auto found = ask_for_trust(context, row.address);
    if (found == trust::is_mutual || found == trust::is_unknown || !renews(row, read_nodes)) continue;
    const auto other = "node '" + row.name + "', at " + row.address;
    if (found == trust::is_refused_there)
      throw std::runtime_error{"cluster-certificate: " + other + ", does not trust '" +
                               config.cluster_certificate.string() + "': all nodes need certificates of one authority"};
    throw std::runtime_error{"cluster-ca: '" + config.cluster_ca.string() + "' has not signed the certificate of " +
                             other + ": all nodes need certificates of one authority"};
  }
}
