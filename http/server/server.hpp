// The gateway's HTTP side as one object: listeners, threads, certificate.
//
// Lifecycle: open_listeners() first, so that the port is known; then the server, then start(), and at the end
// drain(). Every member is called on the main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "io_thread.hpp"
#include "listeners.hpp"

namespace gateway::http {

class server {
 public:
  /// Throws std::runtime_error with one line if the TLS certificate or key cannot be used.
  /// `system` must outlive the server.
  server(const server_context& given, caf::actor_system& system, listeners sockets, handlers routes);
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  void start();
  std::uint16_t port() const;

  /// New connections get the certificate that the files hold now. If the pair is invalid, logs that and keeps the old
  /// one.
  void reload_certificate();

  /// Refuses clients' new connections, ends their idle ones, lets the others finish, and returns when none is left.
  /// After `longest`, closes those that are left. Sets `draining`. The operators' listeners stay open: /readyz shows a
  /// load balancer that this process is ending, and gatewayctl and the metrics show the progress.
  void drain_clients(std::chrono::milliseconds longest);
  /// drain_clients(), then the same for the operators' connections. `longest` covers both, from the first call on. The
  /// actors that the operators' routes ask must answer until this returns.
  void drain(std::chrono::milliseconds longest);
  /// drain() with no waiting time.
  void stop() { drain(std::chrono::milliseconds{0}); }
  /// Across all listeners.
  std::size_t connections() const;

 private:
  class implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace gateway::http
