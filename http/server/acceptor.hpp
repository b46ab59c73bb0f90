// Accepts connections from a listening socket and hands each to the thread with the fewest. Clients keep their
// connections, so an even spread at the start balances the load.
//
// Lifecycle: made by the server, runs on one I/O thread until stop().
#pragma once

#include <memory>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "connection_limits.hpp"
#include "gateway/base/networks.hpp"
#include "io_thread.hpp"
#include "listeners.hpp"

namespace gateway::http {

class acceptor {
 public:
  using thread_list = std::vector<std::unique_ptr<io_thread>>;

  /// Connections from `proxies` must begin with a PROXY header.
  acceptor(boost::asio::io_context& context, listening_socket socket, entrance kind, connection_limits& limits,
           const networks& proxies, const thread_list& threads, metrics& meters);
  ~acceptor();
  acceptor(const acceptor&) = delete;
  acceptor& operator=(const acceptor&) = delete;

  void start();
  /// Closes the listening socket. Called on its thread, or after that thread has ended.
  void stop();
  entrance kind() const noexcept { return kind_; }

 private:
  boost::asio::awaitable<void> run();
  /// Accepts waiting connections, a bounded number at a time. Returns whether the system is out of descriptors or
  /// memory.
  bool take_waiting();
  void hand_over(int fd, const struct sockaddr_storage& peer);

  boost::asio::io_context& context_;
  listening_socket socket_;
  const entrance kind_;
  connection_limits& limits_;
  const networks& proxies_;
  const thread_list& threads_;
  metrics& meters_;
  boost::asio::posix::stream_descriptor readable_;
  boost::asio::steady_timer rest_;
  bool stopped_ = false;
};

}  // namespace gateway::http
