// The sockets that the gateway listens on. They are bound before anything else starts, so that a taken port ends the
// start at once and the composition root knows the address.
// Concurrency: open_listeners() changes the process's umask for a moment, so call it before other threads start.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "gateway/settings.hpp"

namespace gateway::http {

/// A listening, non-blocking socket. A Unix socket's path is removed on close.
class listening_socket {
 public:
  listening_socket() = default;
  explicit listening_socket(int fd) : fd_(fd) {}
  listening_socket(listening_socket&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), path_(std::exchange(other.path_, {})) {}
  listening_socket& operator=(listening_socket&& other) noexcept;
  ~listening_socket() { close(); }

  explicit operator bool() const noexcept { return fd_ >= 0; }
  int fd() const noexcept { return fd_; }
  std::uint16_t port() const;
  /// `127.0.0.1:8443` or `[::1]:8443`, with the port that was bound.
  std::string address() const;
  void remove_on_close(std::filesystem::path path) { path_ = std::move(path); }
  /// Starts listening; idempotent. Throws as open_listeners() does.
  void listen() const;
  void close() noexcept;

 private:
  int fd_ = -1;
  std::filesystem::path path_;
};

struct listeners {
  listening_socket public_tls;
  listening_socket operator_socket;  ///< data_dir/operator.sock
  listening_socket operator_tcp;     ///< only if settings.operator_listen is set
};

/// Throws std::runtime_error with one line: an address that cannot be used, a port that is taken, a gateway that
/// already runs in this data directory.
/// Without a cluster the public socket listens at once, so clients wait while the gateway starts. A cluster node
/// refuses connections until listen(), so that clients go to another node: a node that was killed takes seconds to
/// restart.
listeners open_listeners(const settings& config);

/// Binds the port, and refuses connections until listen().
listening_socket bind_tcp(const std::string& address_and_port);
listening_socket listen_tcp(const std::string& address_and_port);
listening_socket listen_unix(const std::filesystem::path& path);

}  // namespace gateway::http
