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

  /// Refuses new connections, ends idle ones, lets the others finish, and returns when none is left or
  /// `longest` has passed; whatever is open then is cut off. Sets services.draining.
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
