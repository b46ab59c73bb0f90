// A TCP proxy that stands in the link between two programs, and breaks that link as a network does.
// Concurrency: a thread of its own; its methods may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "transport.hpp"

namespace gateway::e2e {

class link_proxy {
 public:
  /// Listens on a free port of 127.0.0.1, and passes each connection on to the target.
  explicit link_proxy(const endpoint& target);
  explicit link_proxy(const std::filesystem::path& unix_socket);
  ~link_proxy();
  link_proxy(const link_proxy&) = delete;
  link_proxy& operator=(const link_proxy&) = delete;

  endpoint address() const;

  /// Passes everything on at once, as it does from the start. What a black hole held back goes on where it was.
  void pass();
  /// Passes everything on, each direction so much later.
  void delay(std::chrono::milliseconds there, std::chrono::milliseconds back);
  /// Breaks all connections and refuses new ones.
  void cut();
  /// Keeps connections, takes new ones, and passes nothing: neither bytes nor the end of a connection.
  void black_hole();

  /// Connections at the moment, also those that a black hole has taken.
  std::size_t connections() const;

 private:
  struct channel;
  struct switchboard;
  std::unique_ptr<switchboard> board_;
};

}  // namespace gateway::e2e
