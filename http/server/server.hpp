// The gateway's HTTP side as one object: listeners, threads, certificate.
//
// Lifecycle: open_listeners() first, so that the port is known; then the server, then start(), and at the end
// drain(). Every member is called on the main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "http/worker.hpp"
#include "io_thread.hpp"
#include "listeners.hpp"

namespace gateway::http {

class server {
 public:
  /// Throws std::runtime_error with one line if the TLS certificate or key cannot be used.
  /// `shared` and `system` must outlive the server.
  server(services& shared, caf::actor_system& system, listeners sockets, handlers routes);
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  void start();
  std::uint16_t port() const;

  /// New connections get the certificate that the files hold now; a broken pair is logged and changes nothing.
  void reload_certificate();

  /// Refuses clients' new connections, ends their idle ones, lets the others finish, and returns when none is left or
  /// `longest` has passed; whatever is open then is cut off. Sets services.draining. The operators' entrances go on:
  /// /readyz tells a balancer that this process ends, and gatewayctl and the metrics what it still does.
  void drain_clients(std::chrono::milliseconds longest);
  /// drain_clients(), then the same for the operators' connections; `longest` is for both, from the first call on. What
  /// their routes ask must answer until it returns.
  void drain(std::chrono::milliseconds longest);
  /// drain() without patience.
  void stop() { drain(std::chrono::milliseconds{0}); }
  /// Over all listeners.
  std::size_t connections() const;

 private:
  class implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace gateway::http
