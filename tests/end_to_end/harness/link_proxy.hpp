// A TCP proxy between two programs that breaks the link as a network does.
// Concurrency: has a thread of its own; its methods may be called from any thread.
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

  /// Passes everything on at once; this is the initial mode. Data that a black hole held back continues where it
  /// stopped.
  void pass();
  /// Passes everything on, delayed by these times in each direction.
  void delay(std::chrono::milliseconds there, std::chrono::milliseconds back);
  /// Breaks all connections and refuses new ones.
  void cut();
  /// Keeps connections and accepts new ones, but passes nothing: neither bytes nor the end of a connection.
  void black_hole();

  /// The number of connections now, including those that a black hole has accepted.
  std::size_t connections() const;

 private:
  struct channel;
  struct switchboard;
  std::unique_ptr<switchboard> board_;
};

}  // namespace gateway::e2e
