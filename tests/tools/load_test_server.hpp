// A TLS server in the test's process, with a thread for each connection. The test decides its answers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/target.hpp"

namespace gateway::load::testing {

inline std::string ok(const std::string& body = "{}", const std::string& fields = {}) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + fields + "\r\n" + body;
}

class test_server {
 public:
  /// Returns the bytes that answer the request with this number; if there are none, the connection is closed. Called
  /// from each connection's thread.
  using answer_function = std::function<std::string(std::size_t number, const std::string& request)>;

  explicit test_server(answer_function answer) : answer_(std::move(answer)) {
    use_fresh_certificate();
    const int on = 1;
    ::setsockopt(listening_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listening_, reinterpret_cast<const sockaddr*>(&at), sizeof at);
    ::listen(listening_, 256);
    socklen_t size = sizeof at;
    ::getsockname(listening_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    accepting_ = std::thread{[this] { accept_all(); }};
  }
  ~test_server() {
    stop();
    SSL_CTX_free(tls_);
  }
  test_server(const test_server&) = delete;
  test_server& operator=(const test_server&) = delete;

  /// Closes all connections and accepts no new ones.
  void stop() {
    if (stopped_.exchange(true)) return;
    ::shutdown(listening_, SHUT_RDWR);
    accepting_.join();
    ::close(listening_);
    {
      const std::scoped_lock lock{mutex_};
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    for (auto& one : serving_) one.join();
    serving_.clear();
  }

  /// For use within an answer, where stop() would wait for its own thread.
  void refuse_all() {
    ::shutdown(listening_, SHUT_RDWR);
    const std::scoped_lock lock{mutex_};
    for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
  }

  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  const std::string& certificate() const { return certificate_; }
  std::size_t requests() const { return requests_; }
  std::size_t connections() const { return connections_; }

  target_options insecure() const {
    target_options options;
    options.url = url();
    options.insecure = true;
    return options;
  }

 private:
  void use_fresh_certificate() {
    auto* const key = EVP_EC_gen("P-256");
    auto* const made = X509_new();
    auto* const name = X509_get_subject_name(made);
    X509_set_version(made, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made), 3600);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(made, name);
    X509_set_pubkey(made, key);
    auto* const names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(made, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(made, key, EVP_sha256());
    SSL_CTX_use_certificate(tls_, made);
    SSL_CTX_use_PrivateKey(tls_, key);
    auto* const text = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(text, made);
    char* bytes = nullptr;
    const auto size = BIO_get_mem_data(text, &bytes);
    certificate_.assign(bytes, static_cast<std::size_t>(size));
    BIO_free(text);
    X509_free(made);
    EVP_PKEY_free(key);
  }

  void accept_all() {
    for (;;) {
      const int fd = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const std::scoped_lock lock{mutex_};
      open_.push_back(fd);
      serving_.emplace_back([this, fd] { serve(fd); });
    }
  }

  void serve(int fd) {
    auto* const tls = SSL_new(tls_);
    SSL_set_fd(tls, fd);
    if (SSL_accept(tls) == 1) {
      ++connections_;
      std::string in;
      while (exchange(tls, in)) {}
    }
    {
      const std::scoped_lock lock{mutex_};
      std::erase(open_, fd);
    }
    SSL_free(tls);
    ::close(fd);
  }

  bool exchange(SSL* tls, std::string& in) {
    for (;;) {
      const auto head = in.find("\r\n\r\n");
      if (head != std::string::npos) {
        const auto at = in.find("Content-Length: ");
        const auto size = head + 4 + (at < head ? std::stoul(in.substr(at + 16)) : 0);
        if (in.size() >= size) {
          const auto text = answer_(requests_++, in.substr(0, size));
          in.erase(0, size);
          if (text.empty() || SSL_write(tls, text.data(), static_cast<int>(text.size())) <= 0) return false;
          return text.find("close\r\n") == std::string::npos;
        }
      }
      char bytes[4096];
      const int count = SSL_read(tls, bytes, sizeof bytes);
      if (count <= 0) return false;
      in.append(bytes, static_cast<std::size_t>(count));
    }
  }

  answer_function answer_;
  SSL_CTX* tls_ = SSL_CTX_new(TLS_server_method());
  std::string certificate_;
  int listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::uint16_t port_ = 0;
  std::thread accepting_;
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::thread> serving_;
  std::atomic<std::size_t> requests_{0}, connections_{0};
  std::atomic<bool> stopped_{false};
};

}  // namespace gateway::load::testing
