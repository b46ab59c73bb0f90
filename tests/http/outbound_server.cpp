#include "outbound_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <stdexcept>

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace gateway::http::testing {

namespace {

/// OpenSSL writes with write(2); SIGPIPE of a connection that the client has closed must not end the test program.
[[maybe_unused]] const auto pipes_ignored = ::signal(SIGPIPE, SIG_IGN);

constexpr long day_seconds = 24 * 60 * 60;

/// How many of them the clients have not closed, whether or not this side has noticed.
unsigned held_open(const std::list<int>& all) {
  return static_cast<unsigned>(std::ranges::count_if(all, [](int fd) {
    tcp_info about{};
    socklen_t size = sizeof about;
    return ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &about, &size) == 0 && about.tcpi_state == TCP_ESTABLISHED;
  }));
}

void add_extension(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

server_identity unsigned_identity(const char* name, long serial, bool expired) {
  server_identity made{{X509_new(), X509_free}, {EVP_EC_gen("P-256"), EVP_PKEY_free}};
  auto* certificate = made.certificate.get();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -2 * day_seconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate), expired ? -day_seconds : day_seconds);
  X509_set_pubkey(certificate, made.key.get());
  const auto* text = reinterpret_cast<const unsigned char*>(name);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC, text, -1, -1, 0);
  return made;
}

}  // namespace

test_authority::test_authority() : own_(unsigned_identity("Test authority", 1, false)) {
  auto* certificate = own_.certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(certificate, own_.key.get(), EVP_sha256());
  char name[] = "/tmp/gateway-authority-XXXXXX";
  const int fd = ::mkstemp(name);
  file_ = name;
  FILE* out = ::fdopen(fd, "w");
  PEM_write_X509(out, certificate);
  std::fclose(out);
}

test_authority::~test_authority() { std::filesystem::remove(file_); }

server_identity test_authority::issue(const std::string& names, bool expired) const {
  auto made = unsigned_identity("server", 2, expired);
  auto* certificate = made.certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(own_.certificate.get()));
  add_extension(certificate, own_.certificate.get(), NID_subject_alt_name, names);
  X509_sign(certificate, own_.key.get(), EVP_sha256());
  return made;
}

peer::~peer() {
  ssl_.reset();
  ::close(fd_);
}

bool peer::shake_hands(ssl_ctx_st* tls) {
  ssl_ = {SSL_new(tls), SSL_free};
  SSL_set_fd(ssl_.get(), fd_);
  return SSL_accept(ssl_.get()) == 1;
}

int peer::read(char* into, int size) {
  if (ssl_) return SSL_read(ssl_.get(), into, size);
  return static_cast<int>(::recv(fd_, into, static_cast<std::size_t>(size), 0));
}

std::optional<std::string> peer::read_request() {
  std::size_t whole = 0;
  while (whole == 0 || buffer_.size() < whole) {
    if (const auto end = buffer_.find("\r\n\r\n"); end != buffer_.npos) {
      const auto length = buffer_.find("Content-Length: ");
      whole = end + 4 + (length < end ? std::stoul(buffer_.substr(length + 16)) : 0);
      if (buffer_.size() >= whole) break;
    }
    char bytes[8192];
    const int count = read(bytes, sizeof bytes);
    if (count <= 0) return std::nullopt;
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }
  auto request = buffer_.substr(0, whole);
  buffer_.erase(0, whole);
  return request;
}

bool peer::send(std::string_view bytes) {
  if (ssl_)
    return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size());
  return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

bool peer::sees_end() {
  for (;;) {
    pollfd waiting{fd_, POLLIN, 0};
    if (::poll(&waiting, 1, 5000) != 1) return false;
    char bytes[8192];
    if (::recv(fd_, bytes, sizeof bytes, 0) <= 0) return true;
  }
}

void peer::reset() {
  const linger at_once{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

std::string peer::asked_name() const {
  const char* name = ssl_ ? SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name) : nullptr;
  return name ? name : "";
}

scripted_server::scripted_server(script serve_one, std::optional<server_identity> tls, const char* address)
    : script_(std::move(serve_one)) {
  if (tls) {
    tls_ = {SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
    SSL_CTX_use_certificate(tls_.get(), tls->certificate.get());
    SSL_CTX_use_PrivateKey(tls_.get(), tls->key.get());
  }
  sockaddr_in at{};
  at.sin_family = AF_INET;
  ::inet_pton(AF_INET, address, &at.sin_addr);
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t size = sizeof at;
  const bool bound = ::bind(listener_, reinterpret_cast<sockaddr*>(&at), size) == 0;
  if (!bound || ::listen(listener_, 1024) != 0) throw std::runtime_error("cannot listen");
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
  port_ = ntohs(at.sin_port);
  acceptor_ = std::thread{[this] { accept_all(); }};
}

scripted_server::~scripted_server() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
    for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
  }
  for (auto& thread : threads_) thread.join();
  ::close(listener_);
}

std::string scripted_server::url(std::string_view host, std::string_view path) const {
  return (tls_ ? "https://" : "http://") + std::string{host} + ":" + std::to_string(port_) + std::string{path};
}

void scripted_server::accept_all() {
  for (;;) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    {
      const std::lock_guard lock{mutex_};
      open_.push_back(fd);
      most_at_once_ = std::max(most_at_once_.load(), held_open(open_));
    }
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void scripted_server::serve(int fd) {
  std::optional<peer> caller{std::in_place, fd, ++connections_};
  if (!tls_ || caller->shake_hands(tls_.get())) script_(*caller);
  const std::lock_guard lock{mutex_};
  open_.remove(fd);
  caller.reset();
}

void answer_all(peer& caller) {
  while (caller.read_request()) caller.send(answer(200, "ok"));
}

std::string answer(int status, std::string_view body, std::string_view more_headers) {
  return "HTTP/1.1 " + std::to_string(status) + " Some\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string{more_headers} + "\r\n" + std::string{body};
}

}  // namespace gateway::http::testing
