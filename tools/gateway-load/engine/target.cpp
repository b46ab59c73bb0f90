#include "target.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <stdexcept>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "gateway/domain/text.hpp"

namespace gateway::load {

namespace {

struct address_parts {
  std::string host, port = "443";
};

[[noreturn]] void reject_url(const std::string& url) {
  throw std::invalid_argument("'" + url + "' is not a target: https://HOST or https://HOST:PORT is expected");
}

address_parts read_url(const std::string& url) {
  constexpr std::string_view scheme = "https://";
  if (!url.starts_with(scheme)) reject_url(url);
  auto rest = std::string_view{url}.substr(scheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  address_parts parts;
  std::string_view behind;
  if (rest.starts_with('[')) {
    const auto bracket = rest.find(']');
    if (bracket == std::string_view::npos) reject_url(url);
    parts.host = rest.substr(1, bracket - 1);
    behind = rest.substr(bracket + 1);
  } else {
    parts.host = rest.substr(0, rest.find(':'));
    behind = rest.substr(parts.host.size());
  }
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == ':' || c == '_';
  };
  if (parts.host.empty() || !std::ranges::all_of(parts.host, plain)) reject_url(url);
  if (behind.empty()) return parts;
  parts.port = behind.substr(1);
  if (behind.front() != ':' || !parse_whole(parts.port, 1, most_port)) reject_url(url);
  return parts;
}

bool is_loopback(const sockaddr& at) {
  if (at.sa_family == AF_INET) return ntohl(reinterpret_cast<const sockaddr_in&>(at).sin_addr.s_addr) >> 24 == 127;
  const auto& six = reinterpret_cast<const sockaddr_in6&>(at).sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
}

void trust(SSL_CTX* tls, const target_options& options) {
  if (options.insecure) return SSL_CTX_set_verify(tls, SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, nullptr);
  auto file = options.ca_file;
  if (file.empty() && !options.data_dir.empty()) {
    // A gateway that was given a certificate has no development certificate.
    file = options.data_dir / "dev-certificate.pem";
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) file.clear();
  }
  const bool worked =
      file.empty() ? SSL_CTX_set_default_verify_paths(tls) == 1 : SSL_CTX_load_verify_file(tls, file.c_str()) == 1;
  ERR_clear_error();
  if (!worked)
    throw std::invalid_argument("no certificate can be read from " +
                                (file.empty() ? "the system's list" : file.string()));
}

}  // namespace

target::target(const target_options& options) : tls_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
  const auto parts = read_url(options.url);
  host_ = parts.host;
  authority_ = host_.find(':') != std::string::npos ? '[' + host_ + ']' : host_;
  if (parts.port != "443") authority_ += ':' + parts.port;
  url_ = "https://" + authority_;
  in6_addr number{};
  host_is_address_ =
      ::inet_pton(AF_INET, host_.c_str(), &number) == 1 || ::inet_pton(AF_INET6, host_.c_str(), &number) == 1;

  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int failure = ::getaddrinfo(host_.c_str(), parts.port.c_str(), &hints, &list); failure != 0)
    throw std::invalid_argument("'" + host_ + "' does not resolve: " + ::gai_strerror(failure));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found{list, ::freeaddrinfo};
  std::memcpy(&address_, list->ai_addr, list->ai_addrlen);
  address_size_ = list->ai_addrlen;
  const bool local = is_loopback(*list->ai_addr);
  if (!local && !options.allow_remote)
    throw std::invalid_argument(host_ + " is not this machine: --allow-remote says that you may load it");
  if (!local && options.insecure)
    throw std::invalid_argument("--insecure is for this machine only: a load signs with a key");

  if (!tls_) throw std::runtime_error("OpenSSL gives no context");
  SSL_CTX_set_min_proto_version(tls_.get(), TLS1_2_VERSION);
  // One read from the socket takes everything available, instead of one read for a record's head and one for the rest.
  SSL_CTX_set_read_ahead(tls_.get(), 1);
  SSL_CTX_set_session_cache_mode(tls_.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(tls_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  trust(tls_.get(), options);
}

target::session target::new_session() const {
  session made{SSL_new(tls_.get()), SSL_free};
  if (!made) throw std::runtime_error("OpenSSL gives no session");
  if (host_is_address_) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(made.get()), host_.c_str());
  } else {
    SSL_set1_host(made.get(), host_.c_str());
    SSL_set_tlsext_host_name(made.get(), host_.c_str());
  }
  return made;
}

}  // namespace gateway::load
