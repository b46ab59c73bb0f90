// Local servers for the outbound client: each connection is served by a script, which may break any rule.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

struct ssl_st;
struct ssl_ctx_st;
struct x509_st;
struct evp_pkey_st;

namespace gateway::http::testing {

using certificate_ptr = std::shared_ptr<x509_st>;
using key_ptr = std::shared_ptr<evp_pkey_st>;

struct server_identity {
  certificate_ptr certificate;
  key_ptr key;
};

/// Signs certificates for tests; its own certificate is in a PEM file.
class test_authority {
 public:
  test_authority();
  ~test_authority();
  const std::filesystem::path& file() const { return file_; }
  /// `names` as in "DNS:hooks.test,IP:127.0.0.1".
  server_identity issue(const std::string& names, bool expired = false) const;

 private:
  server_identity own_;
  std::filesystem::path file_;
};

/// The server's side of one connection.
class peer {
 public:
  peer(int fd, unsigned number) : fd_(fd), number_(number) {}
  ~peer();
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;

  bool shake_hands(ssl_ctx_st* tls);
  /// Head and body; nothing once the client has closed.
  std::optional<std::string> read_request();
  bool send(std::string_view bytes);
  /// Waits for the client to end the connection; false if that takes more than five seconds.
  bool sees_end();
  void reset();  ///< ends the connection with RST
  int fd() const { return fd_; }
  unsigned number() const { return number_; }  ///< the connection's number, from 1
  std::string asked_name() const;              ///< SNI

 private:
  int read(char* into, int size);

  const int fd_;
  const unsigned number_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_{nullptr, nullptr};
  std::string buffer_;
};

class scripted_server {
 public:
  using script = std::function<void(peer&)>;

  explicit scripted_server(script serve, std::optional<server_identity> tls = {}, const char* address = "127.0.0.1");
  ~scripted_server();

  std::uint16_t port() const { return port_; }
  std::string url(std::string_view host = "127.0.0.1", std::string_view path = "/hook") const;
  unsigned connections() const { return connections_; }  ///< in all
  unsigned most_at_once() const { return most_at_once_; }  ///< the most connections that clients held open at once

 private:
  void accept_all();
  void serve(int fd);

  const script script_;
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> tls_{nullptr, nullptr};
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<unsigned> connections_{0}, most_at_once_{0};
  std::mutex mutex_;
  bool stopping_ = false;
  std::list<int> open_;
  std::list<std::thread> threads_;
  std::thread acceptor_;
};

/// Answers every request with 200 and "ok".
void answer_all(peer& caller);
std::string answer(int status, std::string_view body, std::string_view more_headers = {});

}  // namespace gateway::http::testing
